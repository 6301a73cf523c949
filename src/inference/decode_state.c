#include "inference/decode_state.h"
#include "model/copying.h"
#include "tensor/vec.h"
#include "tensor/weight.h"

void sa_decode_state_override(sa_decode_state *state, const sa_override *override) {
    state->replaced = *state->w;
    state->override = *override;
    sa_seq2seq_override(&state->replaced, &state->override);
    state->w = &state->replaced;
}

void sa_decode_state_layout(sa_arena *arena, sa_decode_state *state, const sa_sentence *sources,
                            int count, int rows, int steps) {
    const sa_readout *readout = state->w->family->readout(state->w);
    int most = 0;
    state->batch = sa_batch_build(arena, sources, NULL, count);
    state->words = sa_arena_alloc(arena, (size_t)count, sizeof *state->words);
    for (int b = 0; b < count; b++) {
        const int words = sa_extended_words(state->w, &sources[b]);
        if (words > most) most = words;
    }
    for (int b = 0; arena->base && b < count; b++)
        state->words[b] = sa_extended_words(state->w, &sources[state->batch.source.order[b]]);
    state->logit_rows = sa_vocabulary_rows(readout, rows);
    state->gathered_t = sa_mat_alloc(arena, state->logit_rows, readout->W_o.mat.cols);
    state->logits = sa_mat_alloc(arena, state->logit_rows, most);
    state->most = sa_mat_alloc(arena, state->logit_rows, sa_vocabulary_stretches(readout));
    state->log_sum_exp =
        sa_arena_alloc(arena, (size_t)state->logit_rows, sizeof *state->log_sum_exp);
    state->w->family->decode_layout(arena, state->w, &state->batch, rows, steps, &state->cache);
}

void sa_decode_state_release(sa_decode_state *state) {
    state->w->family->decode_release(&state->cache);
}

void sa_decode_state_begin(sa_decode_state *state) {
    state->override.order = state->batch.source.order;
    state->w->family->decode_begin(state->w, &state->batch, &state->cache);
}

bool sa_decode_state_step(sa_decode_state *state, const sa_decode_step *step, sa_error *error) {
    return state->w->family->decode_step(state->w, step, &state->cache, &state->t, error);
}

void sa_decode_state_logits(sa_decode_state *state, const int *which, const int *rows, int count) {
    const sa_mat t = sa_rows(state->gathered_t, 0, count),
                 logits = sa_rows(state->logits, 0, count);
    sa_gather_rows(state->t, rows, t);
    sa_vocabulary_forward(state->w->family->readout(state->w), t,
                          sa_cols(logits, 0, sa_seq2seq_words(state->w)),
                          sa_rows(state->most, 0, count), state->log_sum_exp);
    for (int i = 0; i < count && sa_copies(state->w); i++)
        sa_copying_decode(state->w, &state->batch, &state->cache, rows[i], which[rows[i]],
                          sa_row(logits, i), &state->log_sum_exp[i]);
}

void sa_decode_state_weights(const sa_decode_state *state, int row, int S, sa_real weight,
                             sa_real *alpha) {
    const sa_seq2seq *w = state->w;
    const int heads = sa_seq2seq_heads(w), layers = sa_seq2seq_layers(w, SA_SITE_CROSS);
    for (int layer = 0; layer < layers; layer++)
        for (int k = 0; k < heads; k++) {
            const sa_mat all = w->family->decode_weights(&state->cache, layer);
            sa_axpy(weight / (sa_real)(heads * layers), sa_attention_head(all, row, heads, k, S).x,
                    alpha, S);
        }
}
