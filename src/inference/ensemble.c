#include "inference/ensemble.h"
#include "base/memory.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>

bool sa_ensemble_open(sa_ensemble *ensemble, const sa_seq2seq *const *w, int count,
                      const sa_override *override, sa_error *error) {
    sa_require(count > 0 && count <= SA_ENSEMBLE);
    sa_decode_state *states = sa_new((size_t)count, sizeof *states, error);
    *ensemble = (sa_ensemble){.count = states ? count : 0, .states = states};
    for (int m = 0; m < ensemble->count; m++) {
        sa_decode_state *state = &states[m];
        state->w = w[m];
        if (!override) continue;
        state->replaced = *w[m], state->override = *override;
        sa_seq2seq_override(&state->replaced, &state->override);
        state->w = &state->replaced;
    }
    return states != NULL;
}

void sa_ensemble_release(sa_ensemble *ensemble) {
    for (int m = 0; m < ensemble->count; m++)
        sa_decode_release(ensemble->states[m].w, &ensemble->states[m].cache);
    free(ensemble->states);
    *ensemble = (sa_ensemble){0};
}

/* Counts weights: for every word before, a row of self-attention has one, or two, of each head. */
bool sa_ensemble_check(const sa_ensemble *ensemble, int steps, sa_error *error) {
    for (int m = 0; m < ensemble->count; m++) {
        const sa_seq2seq *w = ensemble->states[m].w;
        if (!sa_seq2seq_layers(w, SA_SITE_DECODER)) continue;
        const sa_attention *attention = sa_seq2seq_attention(w);
        const int most = INT_MAX / sa_attention_growth(attention);
        if (steps > most)
            return sa_fail(
                error, SA_LIMIT,
                "outputs of up to %d words: model %d can attend to %d at most (a smaller "
                "--max-ratio or --max-len helps)",
                steps, m + 1, most);
    }
    return true;
}

/* first: of the first model */
static void layout_state(sa_arena *arena, sa_decode_state *state, const sa_sentence *sources,
                         const sa_decode_state *first, int count, int rows, int steps) {
    const sa_readout *readout = sa_seq2seq_readout(state->w);
    int most = 0;
    state->batch = sa_batch_build(arena, sources, NULL, count);
    state->words = sa_arena_alloc(arena, (size_t)count, sizeof *state->words);
    for (int b = 0; b < count; b++) {
        const int words = sa_extended_words(state->w, &sources[b]);
        if (words > most) most = words;
    }
    state->place = sa_arena_alloc(arena, (size_t)count, sizeof *state->place);
    state->which = sa_arena_alloc(arena, (size_t)rows, sizeof *state->which);
    int *const own = state->which; /* for now: where its batch has a sentence */
    for (int b = 0; arena->base && b < count; b++) own[state->batch.source.order[b]] = b;
    for (int b = 0; arena->base && b < count; b++) {
        const int sentence = first->batch.source.order[b];
        state->words[b] = sa_extended_words(state->w, &sources[sentence]);
        state->place[b] = own[sentence];
    }
    state->logit_rows = sa_weight_most_rows(readout->W_o, rows);
    state->gathered_t = sa_mat_alloc(arena, state->logit_rows, readout->W_o.mat.cols);
    state->logits = sa_mat_alloc(arena, state->logit_rows, most);
    state->most =
        sa_mat_alloc(arena, state->logit_rows,
                     (readout->W_o.mat.rows + SA_VOCABULARY_STRETCH - 1) / SA_VOCABULARY_STRETCH);
    state->log_sum_exp =
        sa_arena_alloc(arena, (size_t)state->logit_rows, sizeof *state->log_sum_exp);
    sa_decode_layout(arena, state->w, &state->batch, rows, steps, &state->cache);
}

void sa_ensemble_layout(sa_arena *arena, sa_ensemble *ensemble, const sa_sentence *const *sources,
                        int count, int rows, int steps) {
    for (int m = 0; m < ensemble->count; m++)
        layout_state(arena, &ensemble->states[m], sources[m], ensemble->states, count, rows, steps);
    const sa_decode_state *states = ensemble->states;
    ensemble->widest = 0, ensemble->logit_rows = states->logit_rows;
    for (int m = 1; m < ensemble->count; m++) {
        if (states[m].logits.cols > states[ensemble->widest].logits.cols) ensemble->widest = m;
        if (states[m].logit_rows < ensemble->logit_rows)
            ensemble->logit_rows = states[m].logit_rows;
    }
    ensemble->words = states[ensemble->widest].words;
    ensemble->bounded = ensemble->count == 1 && !sa_seq2seq_readout(states->w)->copies;
    ensemble->ids = sa_arena_alloc(arena, (size_t)rows, sizeof *ensemble->ids);
    ensemble->which = sa_arena_alloc(arena, (size_t)rows, sizeof *ensemble->which);
    ensemble->from = sa_arena_alloc(arena, (size_t)rows, sizeof *ensemble->from);
}

void sa_ensemble_begin(sa_ensemble *ensemble) {
    for (int m = 0; m < ensemble->count; m++) {
        sa_decode_state *state = &ensemble->states[m];
        state->override.order = state->batch.source.order;
        sa_decode_begin(state->w, &state->batch, &state->cache);
    }
}

/* Turns row i, of sentence b, of the widest model's logits into log mean_m p_m(word), relative to
 * the largest p_m, so that a word that no model expects has a finite number. */
static void average_row(const sa_ensemble *ensemble, int b, int i) {
    const sa_decode_state *states = ensemble->states, *widest = &states[ensemble->widest];
    const int count = ensemble->count;
    for (int word = 0; word < widest->words[b]; word++) {
        double log_p[SA_ENSEMBLE], most = -INFINITY, sum = 0;
        for (int m = 0; m < count; m++) {
            log_p[m] = word < states[m].words[b]
                           ? (double)sa_row(states[m].logits, i)[word] - states[m].log_sum_exp[i]
                           : -INFINITY;
            most = fmax(most, log_p[m]);
        }
        for (int m = 0; m < count; m++) sum += exp(log_p[m] - most);
        sa_row(widest->logits, i)[word] = (sa_real)(most + log(sum / count));
    }
    widest->log_sum_exp[i] = 0;
}

void sa_ensemble_set(sa_ensemble *ensemble, int l, sa_continuation row) {
    const bool copied = row.word >= sa_seq2seq_words(ensemble->states[0].w);
    ensemble->ids[l] = copied ? SA_UNK : row.word;
    ensemble->which[l] = row.sentence;
    ensemble->from[l] = row.row;
}

bool sa_ensemble_step(sa_ensemble *ensemble, int i, int L, sa_error *error) {
    for (int m = 0; m < ensemble->count; m++) {
        sa_decode_state *state = &ensemble->states[m];
        for (int l = 0; l < L; l++) state->which[l] = state->place[ensemble->which[l]];
        const sa_decode_step step = {.i = i,
                                     .L = L,
                                     .which = state->which,
                                     .from = i == 1 ? state->which : ensemble->from,
                                     .ids = ensemble->ids};
        if (!sa_decode_forward(state->w, &step, &state->cache, &state->t, error)) return false;
    }
    return true;
}

/* Computes the logits of rows rows[i] of the last step: row i of logits, which the caller may
 * overwrite, and of log_sum_exp. Takes at most state->logit_rows. */
static void make_logits(sa_decode_state *state, const int *rows, int count) {
    const sa_readout *readout = sa_seq2seq_readout(state->w);
    const sa_mat t = sa_rows(state->gathered_t, 0, count),
                 logits = sa_rows(state->logits, 0, count);
    sa_gather_rows(state->t, rows, t);
    if (readout->W_o.mat.rows)
        sa_vocabulary_forward(readout, t, sa_cols(logits, 0, readout->W_o.mat.rows),
                              sa_rows(state->most, 0, count), state->log_sum_exp);
    for (int i = 0; i < count && readout->copies; i++)
        sa_copying_decode(state->w, &state->batch, &state->cache, rows[i], state->which[rows[i]],
                          sa_row(logits, i), &state->log_sum_exp[i]);
}

sa_mat sa_ensemble_logits(sa_ensemble *ensemble, const int *rows, int count) {
    const sa_decode_state *widest = &ensemble->states[ensemble->widest];
    for (int m = 0; m < ensemble->count; m++) make_logits(&ensemble->states[m], rows, count);
    for (int i = 0; i < count && ensemble->count > 1; i++)
        average_row(ensemble, ensemble->which[rows[i]], i);
    ensemble->log_sum_exp = widest->log_sum_exp;
    return sa_rows(widest->logits, 0, count);
}

void sa_ensemble_weights(const sa_ensemble *ensemble, int row, int S, sa_real *alpha) {
    int attending = 0;
    for (int m = 0; m < ensemble->count; m++)
        attending += sa_seq2seq_attends(ensemble->states[m].w);
    for (int m = 0; m < ensemble->count; m++) {
        const sa_decode_state *state = &ensemble->states[m];
        const int heads = sa_seq2seq_heads(state->w),
                  layers = sa_seq2seq_layers(state->w, SA_SITE_CROSS);
        const sa_real share = 1 / (sa_real)attending / (sa_real)(heads * layers);
        for (int layer = 0; layer < layers; layer++) {
            const sa_mat all = sa_decode_weights(state->w, &state->cache, layer);
            for (int k = 0; k < heads; k++)
                sa_axpy(share, sa_attention_head(all, row, heads, k, S).x, alpha, S);
        }
    }
}
