#include "model/encoder.h"
#include "math/term.h"
#include "math/vec.h"
#include "nn/dropout.h"
#include "nn/embedding.h"
#include "nn/linear.h"

#include <string.h>

void sa_encoder_bind(sa_binder *binder, int words, int m, int n, sa_encoder *w) {
    w->E = sa_bind_matrix(binder, "source", "E", words, m, SA_START_INPUT);
    sa_gru_bind(binder, "encoder.forward", m, n, &w->forward);
    sa_gru_bind(binder, "encoder.backward", m, n, &w->backward);
}

static void layout_direction(sa_arena *arena, int words, int n, sa_direction *direction) {
    direction->gates = sa_mat_take(arena, words, 3 * n);
    direction->previous = sa_mat_take(arena, words, n);
    direction->reset = sa_mat_take(arena, words, n);
}

/* Where each sentence's annotations begin when they follow the decoder's order. */
static const int *decoder_order(sa_arena *arena, const sa_batch *batch) {
    if (!batch->target.sentences)
        return batch->source.first; /* nothing to write: any order will do */
    int *first = sa_arena_take(arena, (size_t)batch->source.sentences + 1, sizeof *first);
    if (!arena->base) return first;
    first[0] = 0;
    for (int b = 0; b < batch->source.sentences; b++)
        first[b + 1] = first[b] + batch->source.len[batch->source_of[b]];
    return first;
}

void sa_encoder_layout(sa_arena *arena, const sa_batch *batch, int m, int n, bool training,
                       sa_encoder_cache *cache) {
    const int N = batch->source.words, B = batch->source.sentences;
    *cache = (sa_encoder_cache){.x = sa_mat_take(arena, N, m), .h = sa_mat_take(arena, N, 2 * n)};
    layout_direction(arena, N, n, &cache->forward);
    layout_direction(arena, N, n, &cache->backward);
    cache->annotations = sa_mat_take(arena, N, 2 * n);
    cache->first = decoder_order(arena, batch);
    if (!training) return;
    cache->x_mask = sa_mat_take(arena, N, m);
    cache->annotation_mask = sa_mat_take(arena, N, 2 * n);
    cache->dannotations = sa_mat_take(arena, N, 2 * n);
    cache->dh = sa_mat_take(arena, N, 2 * n);
    cache->dx = sa_mat_take(arena, N, m);
    cache->da = sa_mat_take(arena, N, 3 * n);
    cache->dprevious = sa_mat_take(arena, B, n);
    cache->scratch = sa_mat_take(arena, B, n);
}

/* ---- One direction --------------------------------------------------------------------------- */

/* The step that is visited as number i: the backward layer starts at the last word. */
static int step_at(const sa_side *side, bool backward, int i) {
    return backward ? side->steps - 1 - i : i;
}

/* How many sentences bring a state along into visit i; the others begin with h = 0. */
static int carried_into(const sa_side *side, bool backward, int i) {
    if (i == 0) return 0;
    int here = side->live[step_at(side, backward, i)],
        before = side->live[step_at(side, backward, i - 1)];
    return here < before ? here : before;
}

static sa_mat step_rows(const sa_side *side, sa_mat block, int t) {
    return sa_rows(block, side->start[t], side->live[t]);
}

/* A.2.1: h_t from h_{t-1} (or h_{t+1}), for all sentences alive at t. h is this direction's half.
 */
static void direction_forward(const sa_gru *w, const sa_side *side, bool backward, sa_mat x,
                              sa_direction *cache, sa_mat h) {
    sa_linear_forward(w->W, w->b, x, cache->gates); /* W E x + b for all words at once */
    for (int i = 0; i < side->steps; i++) {
        const int t = step_at(side, backward, i), carried = carried_into(side, backward, i);
        sa_mat previous = step_rows(side, cache->previous, t);
        if (carried) {
            sa_mat before = step_rows(side, h, step_at(side, backward, i - 1));
            sa_copy_mat(sa_rows(before, 0, carried), sa_rows(previous, 0, carried));
        }
        sa_zero(sa_rows(previous, carried, previous.rows - carried)); /* h_0 = 0 */
        sa_gru_step_forward(w, previous, step_rows(side, cache->gates, t),
                            step_rows(side, cache->reset, t), step_rows(side, h, t));
    }
}

static void direction_backward(const sa_gru *w, const sa_side *side, bool backward, sa_mat x,
                               const sa_direction *cache, sa_mat dh, sa_encoder_cache *room,
                               sa_gru *dw) {
    for (int i = side->steps - 1; i >= 0; i--) {
        const int t = step_at(side, backward, i), carried = carried_into(side, backward, i);
        const int live = side->live[t];
        sa_mat dprevious = sa_rows(room->dprevious, 0, live);
        sa_zero(dprevious);
        sa_gru_step_backward(w, step_rows(side, cache->previous, t),
                             step_rows(side, cache->gates, t), step_rows(side, dh, t),
                             step_rows(side, room->da, t), dprevious,
                             sa_rows(room->scratch, 0, live));
        if (carried && sa_term("encoder.carry")) { /* previous = the state one visit before */
            sa_mat dbefore = step_rows(side, dh, step_at(side, backward, i - 1));
            sa_add(sa_rows(dprevious, 0, carried), sa_rows(dbefore, 0, carried));
        }
    }
    sa_gru_weights_backward(cache->previous, cache->reset, room->da, dw);
    sa_linear_backward(w->W, x, room->da, room->dx, dw->W, dw->b); /* W E x + b */
}

/* ---- Both ------------------------------------------------------------------------------------ */

/* Copies every annotation between the two orders of rows: to the decoder's, or back and added. */
static void reorder(const sa_batch *batch, const int *first, sa_mat by_step, sa_mat by_sentence,
                    bool back) {
    const sa_side *side = &batch->source;
    for (int b = 0; b < side->sentences; b++) {
        const int place = batch->source_of ? batch->source_of[b] : b;
        for (int j = 0; j < side->len[place]; j++) {
            sa_real *step = sa_row(by_step, side->start[j] + place),
                    *sentence = sa_row(by_sentence, first[b] + j);
            memcpy(back ? step : sentence, back ? sentence : step,
                   sizeof(sa_real) * (size_t)by_step.cols);
        }
    }
}

/* A.2.1: h_j = [forward_j ; backward_j] */
void sa_encoder_forward(const sa_encoder *w, const sa_batch *batch, double dropout, sa_rng *rng,
                        sa_encoder_cache *cache) {
    const int n = w->forward.U.rows;
    sa_embedding_forward(w->E, batch->source.ids, cache->x);
    sa_dropout_forward(dropout, rng, cache->x_mask, cache->x);
    direction_forward(&w->forward, &batch->source, false, cache->x, &cache->forward,
                      sa_cols(cache->h, 0, n));
    direction_forward(&w->backward, &batch->source, true, cache->x, &cache->backward,
                      sa_cols(cache->h, n, n));
    reorder(batch, cache->first, cache->h, cache->annotations, false);
    sa_dropout_forward(dropout, rng, cache->annotation_mask, cache->annotations);
}

void sa_encoder_backward(const sa_encoder *w, const sa_batch *batch, double dropout,
                         sa_encoder_cache *cache, sa_encoder *dw) {
    const int n = w->forward.U.rows;
    sa_dropout_backward(dropout, cache->annotation_mask, cache->dannotations);
    reorder(batch, cache->first, cache->dh, cache->dannotations, true);
    sa_zero(cache->dx);
    direction_backward(&w->backward, &batch->source, true, cache->x, &cache->backward,
                       sa_cols(cache->dh, n, n), cache, &dw->backward);
    direction_backward(&w->forward, &batch->source, false, cache->x, &cache->forward,
                       sa_cols(cache->dh, 0, n), cache, &dw->forward);
    sa_dropout_backward(dropout, cache->x_mask, cache->dx);
    sa_embedding_backward(batch->source.ids, cache->dx, dw->E);
}
