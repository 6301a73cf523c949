/* invariance_decoding: decoding word by word, as a search does, with cached states or keys and
 * values, equals the pass over the whole target up to rounding. */
#include "base/memory.h"
#include "inference/decode_state.h"
#include "lab/invariance.h"
#include "tensor/vec.h"

#include <string.h>

/* Teacher forcing of one target through the decoding state. */
typedef struct decoding {
    sa_decode_state state;
    sa_sentence target;
    sa_mat alpha, whole; /* [1 x S] attention weights of a step: decoding, whole pass */
} decoding;

static void layout(decoding *own, sa_arena *arena, const sa_seq2seq *w, const sa_sentence *source) {
    own->state.w = w;
    sa_decode_state_layout(arena, &own->state, source, 1, 1, own->target.len);
    own->alpha = sa_mat_alloc(arena, 1, source->len);
    own->whole = sa_mat_alloc(arena, 1, source->len);
}

/* The largest difference at word t (from 0), in log p and in the mean weights of heads and layers.
 */
static double step_difference(const decoding *own, sa_lab_view view, int t) {
    const sa_seq2seq *w = view.pass->w;
    const double log_p = (double)own->state.logits.x[sa_sentence_extended(&own->target)[t]] -
                         own->state.log_sum_exp[0];
    const int heads = sa_seq2seq_heads(w), layers = sa_seq2seq_layers(w, SA_SITE_CROSS);
    sa_zero(own->alpha), sa_zero(own->whole);
    sa_decode_state_weights(&own->state, 0, own->alpha.cols, 1, own->alpha.x);
    for (int k = 0; k < heads * layers; k++)
        sa_axpy(1 / (sa_real)(heads * layers),
                sa_lab_weights(view, SA_SITE_CROSS, k / heads, k % heads, t).x, own->whole.x,
                own->whole.cols);
    return sa_lab_nan_max(
        sa_lab_max_difference(&log_p, &view.pass->cache.log_p[sa_lab_target_row(view, t)], 1),
        sa_lab_max_difference(own->alpha.x, own->whole.x, own->whole.cols));
}

/* How far the probabilities of the step's words are from the sum 1. */
static double sum_error(const decoding *own, sa_lab_view view, int t) {
    double sum = 0;
    (void)view, (void)t;
    for (int word = 0; word < own->state.words[0]; word++)
        sum += exp((double)own->state.logits.x[word] - own->state.log_sum_exp[0]);
    return fabs(sum - 1);
}

typedef double step_measure(const decoding *own, sa_lab_view view, int t);

static bool decode_words(decoding *own, sa_lab_view view, step_measure *measure, double *worst,
                         sa_error *error) {
    const int which = 0, from = 0;
    int32_t word = SA_BOS;
    sa_decode_state_begin(&own->state);
    for (int t = 0; t < own->target.len; t++) {
        const sa_decode_step step = {
            .i = t + 1, .L = 1, .which = &which, .from = &from, .ids = &word};
        if (!sa_decode_state_step(&own->state, &step, error)) return false;
        sa_decode_state_logits(&own->state, &which, &from, 1);
        *worst = sa_lab_nan_max(*worst, measure(own, view, t));
        word = own->target.ids[t];
    }
    return true;
}

static bool decode_all(sa_proof_setup *setup, step_measure *measure, double *worst,
                       sa_error *error) {
    bool good = true;
    for (int p = 0; good && p < setup->pairs.count; p++) {
        const sa_sentence *source = &setup->pairs.source[p];
        decoding own = {.target = setup->pairs.target[p]};
        sa_lab_pass alone;
        sa_arena arena = {0};
        layout(&own, &arena, &setup->model.w, source);
        good =
            sa_lab_open_single(setup, p, &alone, error) && sa_arena_init(&arena, arena.used, error);
        if (good) {
            layout(&own, &arena, &setup->model.w, source);
            good = decode_words(&own, (sa_lab_view){&alone, 0}, measure, worst, error);
            sa_decode_state_release(&own.state);
        }
        sa_arena_release(&arena);
        sa_lab_pass_close(&alone);
    }
    return good;
}

bool sa_measure_decoding(sa_proof_setup *setup, double *worst, sa_error *error) {
    const sa_attention *attention = sa_lab_attention(setup);
    if (!decode_all(setup, step_difference, worst, error)) return false;
    if (!attention || !sa_attention_noise_width(attention, 1)) return true;
    sa_seq2seq_set_decoding(&setup->model.w, true);
    const bool good = decode_all(setup, step_difference, worst, error);
    sa_seq2seq_set_decoding(&setup->model.w, false);
    return good;
}

bool sa_measure_probabilities(sa_proof_setup *setup, double *worst, sa_error *error) {
    return decode_all(setup, sum_error, worst, error);
}
