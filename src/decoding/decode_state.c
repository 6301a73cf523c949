#include "decoding/decode_state.h"
#include "model/copying.h"
#include "tensor/vec.h"

void sa_decode_state_layout(sa_arena *arena, sa_decode_state *state, const sa_sentence *sources,
                            int count, int rows, int steps) {
    int most = 0;
    state->batch = sa_batch_build(arena, sources, NULL, count);
    state->words = sa_arena_alloc(arena, (size_t)count, sizeof *state->words);
    for (int b = 0; b < count; b++) {
        const int words = sa_extended_words(state->w, &sources[b]);
        if (words > most) most = words;
    }
    for (int b = 0; arena->base && b < count; b++)
        state->words[b] = sa_extended_words(state->w, &sources[state->batch.source.order[b]]);
    state->logits = sa_mat_alloc(arena, rows, most);
    state->most =
        sa_mat_alloc(arena, rows, sa_vocabulary_stretches(state->w->family->readout(state->w)));
    state->log_sum_exp = sa_arena_alloc(arena, (size_t)rows, sizeof *state->log_sum_exp);
    state->w->family->decode_layout(arena, state->w, &state->batch, rows, steps, &state->cache);
}

void sa_decode_state_release(sa_decode_state *state) {
    state->w->family->decode_release(&state->cache);
}

void sa_decode_state_begin(sa_decode_state *state) {
    state->w->family->decode_begin(state->w, &state->batch, &state->cache);
}

bool sa_decode_state_step(sa_decode_state *state, const sa_decode_step *step, sa_error *error) {
    const sa_family *family = state->w->family;
    sa_decode_step own = *step;
    sa_override override;
    sa_mat t;
    if (step->override) {
        override = *step->override;
        override.order = state->batch.source.order;
        own.override = &override;
    }
    if (!family->decode_step(state->w, &own, &state->cache, &t, error)) return false;
    const sa_mat logits = sa_rows(state->logits, 0, step->L);
    sa_vocabulary_forward(family->readout(state->w), t,
                          sa_cols(logits, 0, sa_seq2seq_words(state->w)),
                          sa_rows(state->most, 0, step->L), state->log_sum_exp);
    for (int l = 0; l < step->L && sa_copies(state->w); l++)
        sa_copying_decode(state->w, &state->batch, &state->cache, l, step->which[l],
                          sa_row(logits, l), &state->log_sum_exp[l]);
    return true;
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
