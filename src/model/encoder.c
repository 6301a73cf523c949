#include "model/encoder.h"
#include "layers/linear.h"
#include "layers/position.h"
#include "tensor/vec.h"

#include <stdio.h>
#include <string.h>

const char *sa_encoder_name(size_t row) {
    static const char *const names[] = {
        [SA_ENCODER_BI] = "bi", [SA_ENCODER_UNI] = "uni", [SA_ENCODER_NONE] = "none"};
    return row < sizeof names / sizeof *names ? names[row] : NULL;
}

static int directions_of(const sa_encoder_sizes *sizes) {
    return sizes->kind == SA_ENCODER_BI ? 2 : sizes->kind == SA_ENCODER_UNI ? 1 : 0;
}

int sa_encoder_width(const sa_encoder_sizes *sizes) {
    return sizes->kind == SA_ENCODER_NONE ? sizes->m : directions_of(sizes) * sizes->n;
}

void sa_encoder_bind(sa_binder *binder, const sa_encoder_sizes *sizes, sa_encoder *w) {
    static const char *const names[] = {"forward", "backward"};
    const int directions = directions_of(sizes);
    *w = (sa_encoder){
        .sizes = *sizes, .layers = directions ? sizes->layers : 0, .directions = directions};
    if (!sizes->shared)
        w->E = sa_bind_table(binder, "source", "E", sizes->words, sizes->m, SA_INIT_INPUT);
    const sa_position_sizes positions = {.kind = &sa_position_kinds[sizes->positions],
                                         .max_positions = sizes->max_positions,
                                         .m = sizes->m};
    sa_positions_bind(binder, "source", &positions, &w->positions);
    for (int layer = 0; layer < w->layers; layer++)
        for (int d = 0; d < directions; d++) {
            char part[32];
            if (layer)
                snprintf(part, sizeof part, "encoder.%d.%s", layer + 1, names[d]);
            else
                snprintf(part, sizeof part, "encoder.%s", names[d]);
            sa_recurrent_sizes own = {.in = layer ? directions * sizes->n : sizes->m,
                                      .n = sizes->n,
                                      .normalized = sizes->normalized};
            sa_recurrent_bind(binder, part, sizes->cell, own, &w->layer[layer][d]);
            w->steps = (sa_steps){0};
            sa_recurrent_add_steps(&w->layer[layer][d], false, &w->steps);
        }
}

/* ---- Orders of words ------------------------------------------------------------------------- */

/* The position of the token read at step t: reversed, EOS still comes last. */
static int read_position(const sa_encoder *w, int len, int t) {
    return w->sizes.reversed && t < len - 1 ? len - 2 - t : t;
}

static const int32_t *reading_order(sa_arena *arena, const sa_batch *batch, const sa_encoder *w) {
    const sa_batch_side *side = &batch->source;
    if (!w->sizes.reversed) return side->ids;
    int32_t *ids = sa_arena_alloc(arena, (size_t)side->words, sizeof *ids);
    if (!arena->base) return ids;
    for (int t = 0; t < side->steps; t++)
        for (int b = 0; b < side->active[t]; b++)
            ids[side->start[t] + b] = side->ids[side->start[read_position(w, side->len[b], t)] + b];
    return ids;
}

/* The rows of the annotations in the decoder's order: of each sentence, and of the tokens read
 * first and last. */
static void decoder_order(sa_arena *arena, const sa_batch *batch, const sa_encoder *w,
                          sa_encoder_cache *cache) {
    const size_t B = (size_t)batch->source.sentences;
    int *first = sa_arena_alloc(arena, B + 1, sizeof *first);
    int *read_first = sa_arena_alloc(arena, B, sizeof *read_first);
    int *read_last = sa_arena_alloc(arena, B, sizeof *read_last);
    cache->first = first, cache->read_first = read_first, cache->read_last = read_last;
    if (!arena->base) return;
    first[0] = 0;
    for (size_t b = 0; b < B; b++) {
        const int len = batch->source.len[sa_batch_source_index(batch, (int)b)];
        read_first[b] = first[b] + read_position(w, len, 0);
        read_last[b] = first[b] + len - 1;
        first[b + 1] = first[b] + len;
    }
}

/* Copies every annotation from step by step to the decoder's order, or back. */
static void reorder(const sa_encoder *w, const sa_batch *batch, const int *first, sa_mat by_step,
                    sa_mat by_sentence, bool back) {
    const sa_batch_side *side = &batch->source;
    for (int b = 0; b < side->sentences; b++) {
        const int source_index = sa_batch_source_index(batch, b), len = side->len[source_index];
        for (int t = 0; t < len; t++) {
            sa_real *step = sa_row(by_step, side->start[t] + source_index),
                    *sentence = sa_row(by_sentence, first[b] + read_position(w, len, t));
            memcpy(back ? step : sentence, back ? sentence : step,
                   sizeof(sa_real) * (size_t)by_step.cols);
        }
    }
}

/* ---- Layout ---------------------------------------------------------------------------------- */

static void layout_direction(sa_arena *arena, int rows, const sa_recurrent *w,
                             sa_direction *direction) {
    const sa_cell *cell = w->cell;
    const int n = w->n;
    direction->gates = sa_mat_alloc(arena, rows, cell->blocks * n);
    direction->cell_cache = sa_mat_alloc(arena, rows, sa_recurrent_cache_width(w));
    direction->previous = sa_state_take(arena, rows, n, cell->memory);
    direction->memory = sa_mat_alloc(arena, rows, cell->memory * n);
}

void sa_encoder_layout(sa_arena *arena, const sa_batch *batch, const sa_encoder *w, bool training,
                       sa_encoder_cache *cache) {
    const int N = batch->source.words, B = batch->source.sentences, m = w->sizes.m, n = w->sizes.n;
    const int A = sa_encoder_width(&w->sizes), memory = w->layers ? w->sizes.cell->memory : 0;
    *cache = (sa_encoder_cache){.x = sa_mat_alloc(arena, N, m)};
    cache->position_vectors =
        sa_mat_alloc(arena, w->positions.kind->encoding ? batch->source.steps : 0, m);
    cache->ids = reading_order(arena, batch, w);
    for (int layer = 0; layer < w->layers; layer++) {
        if (layer < w->layers - 1 || !training) cache->h[layer] = sa_mat_alloc(arena, N, A);
        for (int d = 0; d < w->directions; d++)
            layout_direction(arena, N, &w->layer[layer][d], &cache->direction[layer][d]);
        if (w->sizes.copied && layer < w->layers - 1)
            cache->last_below[layer] = sa_state_take(arena, B, n, memory);
    }
    cache->annotations = sa_mat_alloc(arena, N, A);
    cache->last_memory = sa_mat_alloc(arena, B, memory * n);
    decoder_order(arena, batch, w, cache);
    if (!training) return;
    cache->word_mask = sa_mat_alloc(arena, N, 1);
    cache->x_mask = sa_mat_alloc(arena, w->sizes.dropout ? N : 0, m);
    cache->annotation_mask = sa_mat_alloc(arena, w->sizes.dropout ? N : 0, A);
    cache->dannotations = sa_mat_alloc(arena, N, A);
    cache->dlast_memory = sa_mat_alloc(arena, B, memory * n);
    for (int layer = 0; layer < w->layers; layer++)
        for (int d = 0; d < w->directions; d++)
            cache->direction[layer][d].drop =
                sa_state_dropout_layout(arena, w->sizes.state_dropout, N, B, n);
    for (int layer = 0; layer < w->layers - 1; layer++) {
        cache->h_mask[layer] = sa_mat_alloc(arena, w->sizes.layer_dropout ? N : 0, A);
        if (w->sizes.copied) cache->dlast_below[layer] = sa_state_take(arena, B, n, memory);
    }
    if (w->layers) /* copied to the annotations before the backward pass */
        cache->h[w->layers - 1] = cache->dannotations;
}

void sa_encoder_loop_layout(sa_arena *arena, const sa_batch *batch, const sa_encoder *w,
                            bool training, sa_encoder_cache *cache) {
    const int N = batch->source.words, B = batch->source.sentences, n = w->sizes.n;
    const int A = sa_encoder_width(&w->sizes), memory = w->layers ? w->sizes.cell->memory : 0;
    cache->products = sa_steps_layout(arena, w->steps, B);
    if (!training) return;
    cache->dx = sa_mat_alloc(arena, N, w->sizes.m);
    for (int layer = 0; layer < w->layers; layer++) cache->dh[layer] = sa_mat_alloc(arena, N, A);
    if (!w->layers) return;
    cache->da = sa_mat_alloc(arena, N, sa_recurrent_da_width(&w->layer[0][0]));
    cache->dmemory = sa_mat_alloc(arena, N, memory * n);
    cache->dprevious = sa_state_take(arena, B, n, memory);
    cache->scratch = sa_mat_alloc(arena, B, n);
}

/* ---- One direction --------------------------------------------------------------------------- */

/* The step that is visited as number i: the backward direction begins at the last one. */
static int step_at(const sa_batch_side *side, bool backward, int i) {
    return backward ? side->steps - 1 - i : i;
}

/* The sentences with a state from visit i - 1; those after them begin with h = 0. */
static int carried_states(const sa_batch_side *side, bool backward, int i) {
    if (i == 0) return 0;
    int here = side->active[step_at(side, backward, i)],
        before = side->active[step_at(side, backward, i - 1)];
    return here < before ? here : before;
}

static sa_mat step_rows(const sa_batch_side *side, sa_mat block, int t) {
    return sa_rows(block, side->start[t], side->active[t]);
}

static sa_state step_state(const sa_batch_side *side, sa_state block, int t) {
    return sa_state_rows(block, side->start[t], side->active[t]);
}

/* A.2.1: h_t from h_{t-1} (or h_{t+1}), for all sentences longer than t */
static void direction_forward(const sa_recurrent *w, const sa_batch_side *side, bool backward,
                              sa_mat x, sa_direction *cache, sa_arena products, sa_mat h) {
    const sa_state states = sa_state_of(h, cache->memory);
    sa_recurrent_input_forward(w, x, cache->gates, cache->cell_cache); /* W E x + b for all words */
    sa_steps_begin(products);
    for (int i = 0; i < side->steps; i++) {
        const int t = step_at(side, backward, i), carried = carried_states(side, backward, i);
        sa_state previous = step_state(side, cache->previous, t);
        if (carried) {
            sa_state before = step_state(side, states, step_at(side, backward, i - 1));
            sa_state_copy(sa_state_rows(before, 0, carried), sa_state_rows(previous, 0, carried));
        }
        sa_state_zero(sa_state_rows(previous, carried, previous.s.rows - carried)); /* h_0 = 0 */
        sa_state_dropout_forward(cache->drop.mask, previous);
        w->cell->forward(w, previous, step_rows(side, cache->gates, t),
                         step_rows(side, cache->cell_cache, t), step_state(side, states, t));
    }
    sa_steps_end();
}

/* dx is added to, and so is dmemory, the derivative by the memory cells. */
static void direction_backward(const sa_recurrent *w, const sa_batch_side *side, bool backward,
                               sa_mat x, const sa_direction *cache, sa_mat dh, sa_mat dmemory,
                               sa_mat dx, sa_encoder_cache *workspace, sa_recurrent *dw) {
    const sa_state dstates = sa_state_of(dh, dmemory);
    sa_steps_begin(workspace->products);
    for (int i = side->steps - 1; i >= 0; i--) {
        const int t = step_at(side, backward, i), carried = carried_states(side, backward, i);
        const int active = side->active[t];
        sa_state dprevious = sa_state_rows(workspace->dprevious, 0, active);
        sa_state_zero(dprevious);
        w->cell->backward(w, step_state(side, cache->previous, t), step_rows(side, cache->gates, t),
                          step_rows(side, cache->cell_cache, t), step_state(side, dstates, t),
                          step_rows(side, workspace->da, t), dprevious,
                          sa_rows(workspace->scratch, 0, active), dw);
        sa_state_dropout_backward(cache->drop.mask, dprevious);
        if (carried) { /* previous = the state one visit before */
            sa_state dbefore = step_state(side, dstates, step_at(side, backward, i - 1));
            sa_state_add(sa_state_rows(dprevious, 0, carried), sa_state_rows(dbefore, 0, carried));
        }
    }
    sa_steps_end();
    sa_recurrent_input_backward(w, cache->cell_cache, workspace->da, dx, dw); /* W E x + b */
    w->cell->weights_backward(cache->previous, cache->cell_cache, workspace->da, dw);
    sa_recurrent_input_weights_backward(x, workspace->da, dw);
}

/* ---- All layers ------------------------------------------------------------------------------ */

static sa_mat half(sa_mat h, int d, int n) {
    return sa_cols(h, d * n, n);
}

/* The last state of sentence b in the decoder's order. */
static sa_state last_state(const sa_batch *batch, sa_state states, int b) {
    const sa_batch_side *side = &batch->source;
    const int source_index = sa_batch_source_index(batch, b);
    return sa_state_rows(states, side->start[side->len[source_index] - 1] + source_index, 1);
}

/* forward_S of every sentence, or its derivative added back. */
static void last_forward(const sa_batch *batch, sa_state states, sa_state last) {
    for (int b = 0; b < last.s.rows; b++)
        sa_state_copy(last_state(batch, states, b), sa_state_rows(last, b, 1));
}

static void last_backward(const sa_batch *batch, sa_state dlast, sa_state dstates) {
    for (int b = 0; b < dlast.s.rows; b++)
        sa_state_add(sa_state_rows(dlast, b, 1), last_state(batch, dstates, b));
}

/* The last layer's annotations hold its states, so that only the memory cells are left. */
static sa_state memory_alone(sa_mat memory) {
    return sa_state_of((sa_mat){.rows = memory.rows}, memory);
}

static void embed(const sa_encoder *w, const sa_batch *batch, sa_dropout dropout, sa_rng *rng,
                  sa_encoder_cache *cache) {
    const sa_batch_side *side = &batch->source;
    sa_embedding_forward(w->E, cache->ids, cache->x);
    sa_dropout_words_forward(dropout.words, rng, cache->word_mask, cache->x);
    if (cache->position_vectors.rows) sa_positions_table(&w->positions, 0, cache->position_vectors);
    for (int t = 0; t < cache->position_vectors.rows; t++) /* x += PE(t) */
        for (int b = 0; b < side->active[t]; b++)
            sa_add(sa_rows(cache->position_vectors, t, 1),
                   sa_rows(cache->x, side->start[t] + b, 1));
    sa_dropout_forward(dropout.embeddings, rng, cache->x_mask, cache->x);
}

static void embed_backward(const sa_batch *batch, sa_dropout dropout, const sa_encoder_cache *cache,
                           sa_encoder *dw) {
    sa_dropout_backward(dropout.embeddings, cache->x_mask, cache->dx);
    for (int t = 0; t < cache->position_vectors.rows; t++) /* x += PE(t) */
        sa_positions_backward(t, step_rows(&batch->source, cache->dx, t), &dw->positions);
    sa_dropout_words_backward(dropout.words, cache->word_mask, cache->dx);
    sa_embedding_backward(cache->ids, cache->dx, dw->E);
}

/* A.2.1: h_j = [forward_j ; backward_j] */
void sa_encoder_forward(const sa_encoder *w, const sa_batch *batch, sa_dropout dropout, sa_rng *rng,
                        sa_encoder_cache *cache) {
    embed(w, batch, dropout, rng, cache);
    sa_mat h = cache->x;
    for (int layer = 0; layer < w->layers; layer++) {
        for (int d = 0; d < w->directions; d++) {
            sa_direction *direction = &cache->direction[layer][d];
            sa_state_dropout_start(dropout.state, rng, &direction->drop, &direction->previous);
            direction_forward(&w->layer[layer][d], &batch->source, d == 1, h, direction,
                              cache->products, half(cache->h[layer], d, w->sizes.n));
        }
        h = cache->h[layer];
        last_forward(batch, sa_state_of(half(h, 0, w->sizes.n), cache->direction[layer][0].memory),
                     cache->last_below[layer]);
        if (layer < w->layers - 1) sa_dropout_forward(dropout.layers, rng, cache->h_mask[layer], h);
    }
    reorder(w, batch, cache->first, h, cache->annotations, false);
    sa_dropout_forward(dropout.annotations, rng, cache->annotation_mask, cache->annotations);
    if (cache->last_memory.cols)
        last_forward(batch, memory_alone(cache->direction[w->layers - 1][0].memory),
                     memory_alone(cache->last_memory));
}

void sa_encoder_backward(const sa_encoder *w, const sa_batch *batch, sa_dropout dropout,
                         sa_encoder_cache *cache, sa_encoder *dw) {
    sa_dropout_backward(dropout.annotations, cache->annotation_mask, cache->dannotations);
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
            sa_state_dropout_return(dropout.state, &direction->drop, &cache->dprevious);
            sa_zero(cache->dmemory);
            if (d == 0)
                last_backward(batch, cache->dlast_below[layer],
                              sa_state_of(half(cache->dh[layer], 0, w->sizes.n), cache->dmemory));
            if (layer == w->layers - 1 && d == 0 && cache->last_memory.cols)
                last_backward(batch, memory_alone(cache->dlast_memory),
                              memory_alone(cache->dmemory));
            direction_backward(&w->layer[layer][d], &batch->source, d == 1, below, direction,
                               half(cache->dh[layer], d, w->sizes.n), cache->dmemory, dbelow, cache,
                               &dw->layer[layer][d]);
        }
    }
    embed_backward(batch, dropout, cache, dw);
}
