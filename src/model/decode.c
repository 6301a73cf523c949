/* Decodes word by word, for a search: runs one step of every hypothesis from the states that the
 * steps before left. A recurrent decoder runs the step of its training pass; the Transformer's
 * step, with a cache of keys and values, is in kv_cache.c. L is the number of hypotheses. */
#include "model/decode.h"
#include "layers/basic.h"

/* ---- A recurrent decoder --------------------------------------------------------------------- */

/* Continues the states of the steps before: y_{i-1} in step->ids -> t [L x l] */
static sa_mat recurrent_forward(const sa_recurrent_decoder *w, const sa_decode_step *step,
                                sa_recurrent_decode_state *state, const sa_readout_cache *readout) {
    const int L = step->L, layers = w->sizes.layers;
    const sa_step own = {.source = &state->source,
                         .which = step->which,
                         .i = step->i,
                         .scratch = state->scratch,
                         .rows = sa_decoder_rows_slice(&state->rows, 0, L)};
    sa_readout_cache readout_rows = sa_readout_slice(readout, 0, L);
    for (int l = 0; l < L; l++) {
        const int from = step->from[l];
        for (int k = 0; k < layers; k++)
            sa_state_copy(sa_state_rows(state->state[k], from, 1),
                          sa_state_rows(own.rows.layer[k].cell.previous, l, 1));
        sa_copy_mat(sa_rows(state->rows.attention.carry, from, 1),
                    sa_rows(own.rows.attention.previous_carry, l, 1));
        sa_copy_mat(sa_rows(state->t, from, 1),
                    sa_decoder_fed_input(w, sa_rows(own.rows.input, l, 1)));
    }
    sa_embedding_forward(w->E, step->ids, sa_decoder_word_input(w, own.rows.input));
    sa_recurrent_decoder_step_forward(w, &own, &readout_rows);
    for (int k = 0; k < layers; k++)
        sa_state_copy(own.rows.layer[k].s, sa_state_rows(state->state[k], 0, L));
    if (state->t.cols) sa_copy_mat(readout_rows.t, sa_rows(state->t, 0, L));
    return readout_rows.t;
}

static void recurrent_layout(sa_arena *arena, const sa_seq2seq *w, const sa_batch *batch, int rows,
                             sa_recurrent_decode_state *state) {
    const sa_recurrent_decoder *d = &w->decoder;
    const int B = batch->source.sentences, S = batch->source.steps;
    sa_encoder_layout(arena, batch, &w->encoder, false, &state->encoder);
    sa_encoder_loop_layout(arena, batch, &w->encoder, false, &state->encoder);
    sa_source_layout(arena, &d->source, &d->attention, B, state->encoder.first,
                     state->encoder.annotations, &state->source);
    state->scratch = sa_attention_scratch_layout(arena, &d->attention, 1, S, false);
    state->rows = sa_decoder_rows_layout(arena, d, rows, S, 0);
    for (int layer = 0; layer < d->sizes.layers; layer++)
        state->state[layer] = sa_state_take(arena, rows, d->sizes.n, d->sizes.cell->has_m);
    state->t = sa_mat_alloc(arena, rows, d->sizes.settings.input_feeding ? d->sizes.l : 0);
}

static void recurrent_begin(const sa_seq2seq *w, const sa_batch *batch,
                            sa_recurrent_decode_state *state) {
    sa_encoder_forward(&w->encoder, batch, (sa_dropout){0}, NULL, &state->encoder);
    sa_source_forward(&w->decoder.source, &w->decoder.attention, &state->encoder, &state->source);
    for (int layer = 0; layer < w->decoder.sizes.layers; layer++)
        sa_state_copy(state->source.s0[layer],
                      sa_state_rows(state->state[layer], 0, batch->source.sentences));
    sa_zero(state->t); /* t_0 = 0 */
    sa_attention_carry_begin(&w->decoder.attention, state->rows.attention.carry);
}

static sa_cache_size recurrent_cache_size(const sa_seq2seq *w) {
    const sa_recurrent_decoder *d = &w->decoder;
    const sa_sizes *sizes = &d->sizes;
    const int state = sizes->layers * sizes->n * (1 + sizes->cell->has_m) +
                      (sizes->settings.input_feeding ? sizes->l : 0) +
                      (sizes->fixed ? sizes->n : 0);
    const sa_attention *attention = &d->attention;
    const int A = sa_encoder_width(&w->encoder.sizes), H = attention->heads;
    const size_t word = H ? sa_memory_width(attention, A) : 0;
    const int own = H * sa_carry_width(attention, attention->parts, 0);
    const int remembered = H * sa_carry_width(attention, attention->parts, 1) - own; /* per word */
    return (sa_cache_size){.state = (size_t)(state + own) * sizeof(sa_real),
                           .source_word = (word + (size_t)remembered) * sizeof(sa_real)};
}

/* ---- Either model ---------------------------------------------------------------------------- */

bool sa_decode_forward(const sa_seq2seq *w, const sa_decode_step *step, sa_decode_cache *cache,
                       sa_mat *t, sa_error *error) {
    const sa_mat none = {0};
    if (w->recurrent) {
        *t = recurrent_forward(&w->decoder, step, &cache->recurrent, &cache->readout);
        return true;
    }
    *t = sa_rows(cache->readout.t, 0, step->L);
    if (!sa_transformer_decode_step(&w->transformer, step, &cache->transformer, *t, error))
        return false;
    sa_copy_gate_forward(&w->transformer.vocabulary.copy_gate, none, *t, none,
                         sa_rows(cache->readout.copy_gate, 0, step->L));
    return true;
}

void sa_decode_begin(const sa_seq2seq *w, const sa_batch *batch, sa_decode_cache *cache) {
    if (w->recurrent)
        recurrent_begin(w, batch, &cache->recurrent);
    else
        sa_transformer_decode_begin(&w->transformer, &cache->transformer);
}

sa_mat sa_decode_weights(const sa_seq2seq *w, const sa_decode_cache *cache, int layer) {
    return w->recurrent ? cache->recurrent.rows.attention.alpha
                        : cache->transformer.cross_attention[layer].alpha;
}

void sa_decode_layout(sa_arena *arena, const sa_seq2seq *w, const sa_batch *batch, int rows,
                      int steps, sa_decode_cache *cache) {
    if (w->recurrent)
        recurrent_layout(arena, w, batch, rows, &cache->recurrent);
    else
        sa_transformer_decode_layout(arena, &w->transformer, batch, rows, steps,
                                     &cache->transformer);
    sa_readout_layout(arena, rows, sa_seq2seq_readout(w), false, &cache->readout);
}

void sa_decode_release(const sa_seq2seq *w, sa_decode_cache *cache) {
    if (!w->recurrent) sa_transformer_decode_release(&cache->transformer);
}

sa_cache_size sa_decode_cache_size(const sa_settings *settings) {
    enum { WORDS = 4 }; /* of a vocabulary: any number does */
    const sa_sizes sizes = sa_sizes_of(settings, WORDS, WORDS);
    sa_seq2seq shape;
    sa_seq2seq_bind_buffer(&sizes, NULL, &shape);
    return shape.recurrent ? recurrent_cache_size(&shape)
                           : sa_transformer_cache_size(&shape.transformer);
}
