#include "decoding/decode_state.h"
#include "layers/embedding.h"
#include "tensor/vec.h"

static bool is_transformer(const sa_decode_state *state) {
    return state->w->model == SA_MODEL_TRANSFORMER;
}

/* ---- The recurrent models -------------------------------------------------------------------- */

static void layout_recurrent(sa_arena *arena, sa_decode_state *state, int count, int rows) {
    const sa_decoder *d = &state->w->decoder;
    const int S = state->batch.source.steps;
    sa_recurrent_decode_state *own = &state->recurrent;
    sa_encoder_layout(arena, &state->batch, &state->w->encoder, false, &own->encoder);
    sa_source_layout(arena, d, count, own->encoder.first, own->encoder.annotations, &own->source);
    own->scratch = sa_attention_scratch_layout(arena, &d->attention, 1, S, false);
    own->rows = sa_decoder_rows_layout(arena, d, rows, S);
    own->state = sa_state_take(arena, rows, d->sizes.n, d->sizes.cell->memory);
    own->t = sa_mat_alloc(arena, rows, d->sizes.input_feeding ? d->sizes.l : 0);
    sa_readout_layout(arena, rows, &d->readout, false, &own->readout);
}

static void start_recurrent(sa_decode_state *state) {
    sa_recurrent_decode_state *own = &state->recurrent;
    sa_encoder_forward(&state->w->encoder, &state->batch, (sa_dropout){0}, NULL, &own->encoder);
    sa_source_forward(&state->w->decoder, &own->encoder, &own->source);
    sa_state_copy(own->source.s0, sa_state_rows(own->state, 0, state->batch.source.sentences));
    sa_zero(own->t); /* t_0 = 0 */
}

static void step_recurrent(sa_decode_state *state, const sa_override *override, int i, int L,
                           const int *which, const int *from, const int32_t *ids) {
    sa_recurrent_decode_state *own = &state->recurrent;
    const sa_decoder *d = &state->w->decoder;
    const int m = d->sizes.m;
    const sa_step step = {.source = &own->source,
                          .which = which,
                          .i = i,
                          .scratch = own->scratch,
                          .override = override};
    sa_decoder_rows rows = sa_decoder_rows_slice(own->rows, 0, L);
    sa_readout_cache out = sa_readout_slice(&own->readout, 0, L);
    for (int l = 0; l < L; l++) {
        sa_state_copy(sa_state_rows(own->state, from[l], 1), sa_state_rows(rows.previous, l, 1));
        sa_copy_mat(sa_rows(own->t, from[l], 1),
                    sa_cols(sa_rows(rows.input, l, 1), m, rows.input.cols - m));
    }
    sa_embedding_forward(d->E, ids, sa_decoder_word_input(d, rows.input));
    sa_decoder_step_forward(d, &step, rows, (sa_dropout){0}, NULL, &out);
    sa_state_copy(rows.s, sa_state_rows(own->state, 0, L));
    if (own->t.cols) sa_copy_mat(out.t, sa_rows(own->t, 0, L));
}

/* ---- Either ---------------------------------------------------------------------------------- */

static const sa_readout *vocabulary_of(const sa_decode_state *state) {
    return is_transformer(state) ? &state->w->transformer.vocabulary : &state->w->decoder.readout;
}

void sa_decode_state_layout(sa_arena *arena, sa_decode_state *state, const sa_sentence *sources,
                            int count, int rows, int steps) {
    state->batch = sa_batch_build(arena, sources, NULL, count);
    state->logits = sa_mat_alloc(arena, rows, sa_seq2seq_words(state->w));
    state->log_sum_exp = sa_arena_alloc(arena, (size_t)rows, sizeof *state->log_sum_exp);
    if (is_transformer(state))
        sa_transformer_decode_layout(arena, &state->w->transformer, &state->batch, rows, steps,
                                     &state->transformer);
    else
        layout_recurrent(arena, state, count, rows);
}

void sa_decode_state_release(sa_decode_state *state) {
    if (is_transformer(state)) sa_transformer_decode_release(&state->transformer);
}

void sa_decode_state_start(sa_decode_state *state) {
    if (is_transformer(state))
        sa_transformer_decode_start(&state->w->transformer, &state->transformer);
    else
        start_recurrent(state);
}

bool sa_decode_state_step(sa_decode_state *state, const sa_override *override, int i, int L,
                          const int *which, const int *from, const int32_t *ids, sa_error *error) {
    sa_override own = override ? *override : (sa_override){0};
    own.order = state->batch.source.order;
    if (override) override = &own;
    if (!is_transformer(state))
        step_recurrent(state, override, i, L, which, from, ids);
    else if (!sa_transformer_decode_step(&state->w->transformer, override, i, L, which, from, ids,
                                         &state->transformer, error))
        return false;
    const sa_mat t =
        is_transformer(state) ? state->transformer.readout.t : state->recurrent.readout.t;
    sa_vocabulary_forward(vocabulary_of(state), sa_rows(t, 0, L), sa_rows(state->logits, 0, L),
                          state->log_sum_exp);
    return true;
}

void sa_decode_state_weights(const sa_decode_state *state, int row, int S, sa_real weight,
                             sa_real *alpha) {
    const int heads = sa_seq2seq_heads(state->w),
              layers = sa_seq2seq_layers(state->w, SA_SITE_CROSS);
    for (int layer = 0; layer < layers; layer++)
        for (int k = 0; k < heads; k++) {
            const sa_mat all = is_transformer(state)
                                   ? state->transformer.cross_attention[layer].alpha
                                   : state->recurrent.rows.attention.alpha;
            sa_axpy(weight / (sa_real)(heads * layers), sa_attention_head(all, row, heads, k, S).x,
                    alpha, S);
        }
}
