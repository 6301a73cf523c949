/* writing: decoding word by word, as a search does, with cached states or keys and values, gives
 * the same as the pass over the whole target, up to rounding. */
#ifndef TEST_WRITING_H
#define TEST_WRITING_H

#include "inference/ensemble.h"
#include "lab/prove.h"
#include "support/neighbors.h"
#include "tensor/vec.h"

#include <math.h>

/* Teacher forcing of one target. */
typedef struct decoding {
    sa_ensemble model; /* one model */
    sa_sentence target;
    sa_mat alpha, whole; /* [1 x S] attention weights of a step: decoding, whole pass */
    const sa_real *logits;
} decoding;

static void layout(decoding *own, sa_arena *arena, const sa_sentence *source) {
    sa_ensemble_layout(arena, &own->model, &source, 1, 1, own->target.len);
    own->alpha = sa_mat_alloc(arena, 1, source->len);
    own->whole = sa_mat_alloc(arena, 1, source->len);
}

/* Returns how far the probabilities of the step's words are from a sum of 1. Of the ids above the
 * vocabulary's, only source words have a logit. */
static double sum_error(const decoding *own, sa_lab_view view, int t) {
    const sa_batch_side *source = &own->model.states->batch.source;
    const int known = sa_seq2seq_words(view.pass->w);
    double sum = 0;
    for (int word = 0; word < own->model.words[0]; word++) {
        int j = 0;
        while (word >= known && j < source->words && source->extended[j] != word) j++;
        if (j < source->words) sum += exp(own->logits[word] - *own->model.log_sum_exp);
    }
    return fabs(sum - 1);
}

/* Returns the largest difference at word t (from 0), in log p and in the weights averaged over
 * heads and layers, and how far the probabilities are from a sum of 1. */
static double step_difference(const decoding *own, sa_lab_view view, int t) {
    const sa_seq2seq *w = view.pass->w;
    const double log_p =
        own->logits[sa_sentence_extended(&own->target)[t]] - *own->model.log_sum_exp;
    const int heads = sa_seq2seq_heads(w), layers = sa_seq2seq_layers(w, SA_SITE_CROSS);
    sa_zero(own->alpha), sa_zero(own->whole);
    sa_ensemble_weights(&own->model, 0, own->alpha.cols, own->alpha.x);
    for (int k = 0; k < heads * layers; k++)
        sa_axpy(1 / (sa_real)(heads * layers),
                sa_lab_weights(view, SA_SITE_CROSS, k / heads, k % heads, t).x, own->whole.x,
                own->whole.cols);
    const double most = sa_lab_nan_max(
        sa_lab_max_difference(&log_p, &view.pass->cache.log_p[sa_lab_target_row(view, t)], 1),
        sa_lab_max_difference(own->alpha.x, own->whole.x, own->whole.cols));
    return sa_lab_nan_max(most, sum_error(own, view, t));
}

static bool decode_words(decoding *own, sa_lab_view view, double *worst, sa_error *error) {
    const int row = 0;
    int32_t word = SA_BOS;
    sa_ensemble_begin(&own->model);
    for (int t = 0; t < own->target.len; t++) {
        sa_ensemble_set(&own->model, 0, (sa_continuation){.word = word});
        if (!sa_ensemble_step(&own->model, t + 1, 1, error)) return false;
        own->logits = sa_ensemble_logits(&own->model, &row, 1).x;
        raise_worst(step_difference(own, view, t), worst);
        word = own->target.ids[t];
    }
    return true;
}

static bool decode_pair(const sa_proof_setup *setup, int p, const sa_lab_pass *alone, double *worst,
                        sa_error *error) {
    const sa_sentence *source = &setup->pairs.source[p];
    decoding own = {.target = setup->pairs.target[p]};
    sa_arena dry = {0}, arena = {0};
    bool good = sa_ensemble_open(&own.model, &alone->w, 1, NULL, error);
    if (good) layout(&own, &dry, source);
    good = good && sa_arena_init(&arena, dry.used, error);
    if (good) layout(&own, &arena, source);
    good = good && decode_words(&own, (sa_lab_view){alone, 0}, worst, error);
    sa_ensemble_release(&own.model);
    sa_arena_release(&arena);
    return good;
}

/* With attention that selects words this holds with the expected weights and with the selected
 * words. */
static bool measure_writing(sa_proof_setup *setup, sa_lab_pass *alone, sa_error *error) {
    double *worst = &setup->worst;
    const int p = setup->p;
    const sa_attention *attention = sa_lab_attention(setup);
    if (!decode_pair(setup, p, alone, worst, error)) return false;
    if (!attention || !sa_parts_widths(attention, attention->parts, 0, 1).noise) return true;
    sa_lab_pass again;
    sa_seq2seq_set_decoding(&setup->model.w, true);
    const bool good = sa_lab_pass_open(&again, &setup->model.w, setup->pairs.source + p,
                                       setup->pairs.target + p, 1, error) &&
                      decode_pair(setup, p, &again, worst, error);
    sa_lab_pass_close(&again);
    sa_seq2seq_set_decoding(&setup->model.w, false);
    return good;
}

#endif
