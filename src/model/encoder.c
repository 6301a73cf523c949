/* The encoder of recurrent models: computes an annotation h_j of each source word, for the
 * attention and for the first state of a decoder (source.c). One or two recurrent layers, one in
 * each direction, read the words' embeddings; further ones read the annotations below. */
#include "model/encoder.h"
#include "base/thread.h"

#include <string.h>

/* ---- One direction --------------------------------------------------------------------------- */

/* Visit i, from 0, of a direction reads step i, or steps - 1 - i backward. */
typedef struct visit {
    int start, active; /* the rows of the step, one for each sentence longer than t */
    int before;        /* the first row of the step that was visited last */
    int continuing;    /* the sentences with a state from that step; the others begin with h = 0 */
} visit;

static visit visit_of(const sa_batch_side *side, bool backward, int i) {
    const int t = backward ? side->steps - 1 - i : i, before = backward ? t + 1 : t - 1;
    const int active = side->active[t], there = i ? side->active[before] : 0;
    return (visit){side->start[t], active, i ? side->start[before] : 0,
                   there < active ? there : active};
}

/* A.2.1: h_t = f(E x_t, h_{t-1}), backward f(E x_t, h_{t+1})
 *
 *   vectors E x_t [N x m] -> states [N x n], N words, step by step */
static void direction_forward(const sa_recurrent *w, const sa_batch_side *side, sa_mat x,
                              const sa_direction *cache, sa_arena products, sa_state states) {
    const sa_recurrent_rows *all = &cache->cell;
    sa_recurrent_input_forward(w, x, all->gates, all->cache); /* W E x + b for all words */
    sa_steps_begin(products);
    for (int i = 0; i < side->steps && !sa_stopping(); i++) {
        const visit at = visit_of(side, cache->backward, i);
        const sa_recurrent_rows rows = sa_recurrent_rows_slice(*all, at.start, at.active);
        sa_state_copy(sa_state_rows(states, at.before, at.continuing),
                      sa_state_rows(rows.previous, 0, at.continuing));
        sa_state_zero(sa_state_rows(rows.previous, at.continuing, at.active - at.continuing));
        sa_recurrent_step_forward(w, rows, sa_state_rows(states, at.start, at.active));
    }
    sa_steps_end();
}

/* Accumulates into dx and, from the last state visited to the first, into dstates. */
static void direction_backward(const sa_recurrent *w, const sa_batch_side *side, sa_mat x,
                               const sa_direction *cache, sa_state dstates, sa_mat dx,
                               const sa_encoder_cache *workspace, sa_recurrent *dw) {
    const sa_mat da = workspace->da;
    sa_steps_begin(workspace->products);
    for (int i = side->steps - 1; i >= 0 && !sa_stopping(); i--) {
        const visit at = visit_of(side, cache->backward, i);
        const sa_state dprevious = sa_state_rows(workspace->dprevious, 0, at.active);
        sa_state_zero(dprevious);
        sa_recurrent_step_backward(w, sa_recurrent_rows_slice(cache->cell, at.start, at.active),
                                   sa_state_rows(dstates, at.start, at.active),
                                   sa_rows(da, at.start, at.active), dprevious,
                                   sa_rows(workspace->scratch, 0, at.active), dw);
        sa_state_add(sa_state_rows(dprevious, 0, at.continuing), /* previous = h one visit before */
                     sa_state_rows(dstates, at.before, at.continuing));
    }
    sa_steps_end();
    if (sa_stopping()) return;
    sa_product_backward(sa_W_of(w), cache->cell.cache, da, 1, dx, dw); /* W E x + b */
    sa_recurrent_weights_backward(w, cache->cell, x, (sa_mat){0}, da, dw);
}

/* ---- Around the layers ----------------------------------------------------------------------- */

/* Returns the states of direction d among the annotations of a layer, whose rows are step by step.
 */
static sa_state states_of(const sa_encoder *w, sa_mat h, int d, sa_mat m) {
    return sa_state_of(sa_cols(h, d * w->sizes.n, w->sizes.n), m);
}

/* Returns a state without s, to copy only an LSTM's memory cells: s is in the annotations already.
 */
static sa_state only_m(sa_mat m) {
    return sa_state_of((sa_mat){.rows = m.rows}, m);
}

/* Returns the last forward state of sentence b, in the decoder's order, among all states step by
 * step. */
static sa_state last_state(const sa_batch *batch, sa_state states, int b) {
    const sa_batch_side *side = &batch->source;
    const int source_index = sa_batch_source_index(batch, b);
    return sa_state_rows(states, side->start[side->len[source_index] - 1] + source_index, 1);
}

/* Copies the last forward state of every sentence    states [N x n], last [B x n] */
static void last_forward(const sa_batch *batch, sa_state states, sa_state last) {
    for (int b = 0; b < last.s.rows; b++)
        sa_state_copy(last_state(batch, states, b), sa_state_rows(last, b, 1));
}

static void last_backward(const sa_batch *batch, sa_state dlast, sa_state dstates) {
    for (int b = 0; b < dlast.s.rows; b++)
        sa_state_add(sa_state_rows(dlast, b, 1), last_state(batch, dstates, b));
}

/* E x_t of all source words, with positions + PE(t)    [N x m] */
static void embed_forward(const sa_encoder *w, const sa_batch *batch, sa_dropout dropout,
                          sa_rng *rng, sa_encoder_cache *cache) {
    const sa_batch_side *side = &batch->source;
    sa_embedding_forward(w->E, cache->ids, cache->x);
    sa_dropout_forward(dropout.words, rng, cache->word_mask, cache->x);
    if (cache->position_vectors.rows) sa_positions_table(&w->positions, 0, cache->position_vectors);
    for (int t = 0; t < cache->position_vectors.rows; t++)
        for (int b = 0; b < side->active[t]; b++)
            sa_add(sa_rows(cache->position_vectors, t, 1),
                   sa_rows(cache->x, side->start[t] + b, 1));
    sa_dropout_forward(dropout.all, rng, cache->x_mask, cache->x);
}

static void embed_backward(const sa_batch *batch, sa_dropout dropout, const sa_encoder_cache *cache,
                           sa_encoder *dw) {
    const sa_batch_side *side = &batch->source;
    sa_dropout_backward(dropout.all, cache->x_mask, cache->dx);
    for (int t = 0; t < cache->position_vectors.rows; t++) /* x += PE(t) */
        sa_positions_backward(t, sa_rows(cache->dx, side->start[t], side->active[t]),
                              &dw->positions);
    sa_dropout_backward(dropout.words, cache->word_mask, cache->dx);
    sa_embedding_backward(cache->ids, cache->dx, dw->E);
}

int sa_encoder_width(const sa_sizes *sizes) {
    const int kind = sizes->settings.encoder;
    return kind == SA_ENCODER_NONE ? sizes->m : kind == SA_ENCODER_BI ? 2 * sizes->n : sizes->n;
}

int sa_encoder_read_position(const sa_sizes *sizes, int len, int t) {
    return sizes->settings.reverse_source && t < len - 1 ? len - 2 - t : t;
}

/* Copies every annotation from the order of steps to the decoder's order, or back. */
static void reorder(const sa_encoder *w, const sa_batch *batch, const int *first, sa_mat by_step,
                    sa_mat by_sentence, bool back) {
    const sa_batch_side *side = &batch->source;
    for (int b = 0; b < side->sentences; b++) {
        const int source_index = sa_batch_source_index(batch, b), len = side->len[source_index];
        for (int t = 0; t < len; t++) {
            sa_real *step = sa_row(by_step, side->start[t] + source_index),
                    *sentence =
                        sa_row(by_sentence, first[b] + sa_encoder_read_position(&w->sizes, len, t));
            memcpy(back ? step : sentence, back ? sentence : step,
                   sizeof(sa_real) * (size_t)by_step.cols);
        }
    }
}

/* ---- All layers ------------------------------------------------------------------------------ */

/* A.2.1: h_j = [forward_j ; backward_j]; encode_forward of paper/rnnsearch.c, generalized.
 * annotations [N x A], sentence by sentence */
void sa_encoder_forward(const sa_encoder *w, const sa_batch *batch, sa_dropout dropout, sa_rng *rng,
                        sa_encoder_cache *cache) {
    embed_forward(w, batch, dropout, rng, cache);
    sa_mat h = cache->x;
    for (int layer = 0; layer < w->layers; layer++) {
        for (int d = 0; d < w->directions; d++) {
            sa_direction *direction = &cache->direction[layer][d];
            sa_state_dropout_start(dropout.state, rng, &direction->cell.dropout,
                                   &direction->cell.previous);
            direction_forward(&w->layer[layer][d], &batch->source, h, direction, cache->products,
                              states_of(w, cache->h[layer], d, direction->m));
        }
        h = cache->h[layer];
        last_forward(batch, states_of(w, h, 0, cache->direction[layer][0].m), cache->last[layer]);
        if (layer < w->layers - 1) sa_dropout_forward(dropout.layers, rng, cache->h_mask[layer], h);
    }
    reorder(w, batch, cache->first, h, cache->annotations, false);
    sa_dropout_forward(dropout.all, rng, cache->annotation_mask, cache->annotations);
    if (cache->last_m.cols)
        last_forward(batch, only_m(cache->direction[w->layers - 1][0].m), only_m(cache->last_m));
}

void sa_encoder_backward(const sa_encoder *w, const sa_batch *batch, sa_dropout dropout,
                         sa_encoder_cache *cache, sa_encoder *dw) {
    sa_dropout_backward(dropout.all, cache->annotation_mask, cache->dannotations);
    reorder(w, batch, cache->first, w->layers ? cache->dh[w->layers - 1] : cache->dx,
            cache->dannotations, true);
    for (int layer = w->layers - 1; layer >= 0; layer--) {
        sa_mat below = layer ? cache->h[layer - 1] : cache->x;
        sa_mat dbelow = layer ? cache->dh[layer - 1] : cache->dx;
        if (layer < w->layers - 1)
            sa_dropout_backward(dropout.layers, cache->h_mask[layer], cache->dh[layer]);
        sa_zero(dbelow);
        for (int d = w->directions - 1; d >= 0; d--) {
            const sa_direction *direction = &cache->direction[layer][d];
            const sa_state dstates = states_of(w, cache->dh[layer], d, cache->dm);
            sa_state_dropout_return(dropout.state, &direction->cell.dropout, &cache->dprevious);
            sa_zero(cache->dm);
            if (d == 0) last_backward(batch, cache->dlast[layer], dstates);
            if (layer == w->layers - 1 && d == 0 && cache->last_m.cols)
                last_backward(batch, only_m(cache->dlast_m), only_m(cache->dm));
            direction_backward(&w->layer[layer][d], &batch->source, below, direction, dstates,
                               dbelow, cache, &dw->layer[layer][d]);
        }
    }
    embed_backward(batch, dropout, cache, dw);
}
