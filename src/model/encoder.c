#include "model/encoder.h"
#include "base/thread.h"
#include "model/readout.h"
#include "tensor/vec.h"

#include <stdio.h>
#include <string.h>

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
    if (sizes->settings.tie != SA_TIE_THREE)
        w->E = sa_bind_table(binder, "source", "E", sizes->words, sizes->m, SA_INIT_INPUT);
    const sa_position_sizes positions = {.kind = &sa_position_kinds[sizes->settings.positions],
                                         .max_positions = sizes->settings.max_len + 1,
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
                                      .normalized = sizes->settings.cell_norm};
            sa_recurrent_bind(binder, part, sizes->cell, own, &w->layer[layer][d]);
            w->steps = (sa_steps){0};
            sa_recurrent_add_steps(&w->layer[layer][d], false, &w->steps);
        }
}

/* ---- Orders of words ------------------------------------------------------------------------- */

int sa_encoder_read_position(const sa_encoder *w, int len, int t) {
    return w->sizes.settings.reverse_source && t < len - 1 ? len - 2 - t : t;
}

static const int32_t *reading_order(sa_arena *arena, const sa_batch *batch, const sa_encoder *w) {
    const sa_batch_side *side = &batch->source;
    if (!w->sizes.settings.reverse_source) return side->ids;
    int32_t *ids = sa_arena_alloc(arena, (size_t)side->words, sizeof *ids);
    if (!arena->base) return ids;
    for (int t = 0; t < side->steps; t++)
        for (int b = 0; b < side->active[t]; b++)
            ids[side->start[t] + b] =
                side->ids[side->start[sa_encoder_read_position(w, side->len[b], t)] + b];
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
        read_first[b] = first[b] + sa_encoder_read_position(w, len, 0);
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
                    *sentence = sa_row(by_sentence, first[b] + sa_encoder_read_position(w, len, t));
            memcpy(back ? step : sentence, back ? sentence : step,
                   sizeof(sa_real) * (size_t)by_step.cols);
        }
    }
}

/* ---- Layout ---------------------------------------------------------------------------------- */

static void layout_direction(sa_arena *arena, int rows, const sa_recurrent *w, bool backward,
                             sa_direction *direction) {
    const sa_cell *cell = w->cell;
    const int n = w->n;
    direction->backward = backward;
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
            layout_direction(arena, N, &w->layer[layer][d], d == 1, &cache->direction[layer][d]);
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
                sa_state_dropout_layout(arena, w->sizes.settings.dropout_state > 0, N, B, n);
    for (int layer = 0; layer < w->layers - 1; layer++) {
        cache->h_mask[layer] = sa_mat_alloc(arena, w->sizes.settings.dropout_layers > 0 ? N : 0, A);
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
static void direction_forward(const sa_recurrent *w, const sa_batch_side *side, sa_mat x,
                              sa_direction *cache, sa_arena products, sa_mat h) {
    const sa_state states = sa_state_of(h, cache->memory);
    sa_recurrent_input_forward(w, x, cache->gates, cache->cell_cache); /* W E x + b for all words */
    sa_steps_begin(products);
    for (int i = 0; i < side->steps && !sa_stopping(); i++) {
        const int t = step_at(side, cache->backward, i),
                  carried = carried_states(side, cache->backward, i);
        sa_state previous = step_state(side, cache->previous, t);
        if (carried) {
            sa_state before = step_state(side, states, step_at(side, cache->backward, i - 1));
            sa_state_copy(sa_state_rows(before, 0, carried), sa_state_rows(previous, 0, carried));
        }
        sa_state_zero(sa_state_rows(previous, carried, previous.s.rows - carried)); /* h_0 = 0 */
        sa_state_dropout_forward(cache->drop.mask, previous);
        w->cell->forward(w, previous, step_rows(side, cache->gates, t),
                         step_rows(side, cache->cell_cache, t), step_state(side, states, t));
    }
    sa_steps_end();
}

/* dx is added to, and so is dstates.m, the derivative by the memory cells. */
static void direction_backward(const sa_recurrent *w, const sa_batch_side *side, sa_mat x,
                               const sa_direction *cache, sa_state dstates, sa_mat dx,
                               sa_encoder_cache *workspace, sa_recurrent *dw) {
    sa_steps_begin(workspace->products);
    for (int i = side->steps - 1; i >= 0 && !sa_stopping(); i--) {
        const int t = step_at(side, cache->backward, i),
                  carried = carried_states(side, cache->backward, i);
        const int active = side->active[t];
        sa_state dprevious = sa_state_rows(workspace->dprevious, 0, active);
        sa_state_zero(dprevious);
        w->cell->backward(w, step_state(side, cache->previous, t), step_rows(side, cache->gates, t),
                          step_rows(side, cache->cell_cache, t), step_state(side, dstates, t),
                          step_rows(side, workspace->da, t), dprevious,
                          sa_rows(workspace->scratch, 0, active), dw);
        sa_state_dropout_backward(cache->drop.mask, dprevious);
        if (carried) { /* previous = the state one visit before */
            sa_state dbefore = step_state(side, dstates, step_at(side, cache->backward, i - 1));
            sa_state_add(sa_state_rows(dprevious, 0, carried), sa_state_rows(dbefore, 0, carried));
        }
    }
    sa_steps_end();
    if (sa_stopping()) return;
    sa_product_backward(sa_W_of(w), cache->cell_cache, workspace->da, 1, dx, dw); /* W E x + b */
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

/* A.2.1: h_j = [forward_j ; backward_j]; encode_forward of paper/rnnsearch.c, generalized */
void sa_encoder_forward(const sa_encoder *w, const sa_batch *batch, sa_dropout dropout, sa_rng *rng,
                        sa_encoder_cache *cache) {
    embed(w, batch, dropout, rng, cache);
    sa_mat h = cache->x;
    for (int layer = 0; layer < w->layers; layer++) {
        for (int d = 0; d < w->directions; d++) {
            sa_direction *direction = &cache->direction[layer][d];
            sa_state_dropout_start(dropout.state, rng, &direction->drop, &direction->previous);
            direction_forward(&w->layer[layer][d], &batch->source, h, direction, cache->products,
                              half(cache->h[layer], d, w->sizes.n));
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
            const sa_state dstates =
                sa_state_of(half(cache->dh[layer], d, w->sizes.n), cache->dmemory);
            if (d == 0) last_backward(batch, cache->dlast_below[layer], dstates);
            if (layer == w->layers - 1 && d == 0 && cache->last_memory.cols)
                last_backward(batch, memory_alone(cache->dlast_memory),
                              memory_alone(cache->dmemory));
            direction_backward(&w->layer[layer][d], &batch->source, below, direction, dstates,
                               dbelow, cache, &dw->layer[layer][d]);
        }
    }
    embed_backward(batch, dropout, cache, dw);
}

/* ---- What the decoder starts from ------------------------------------------------------------ */

static bool averages(int kind, const sa_encoder_sizes *sizes) {
    return kind == SA_INITIAL_MEAN || sizes->kind == SA_ENCODER_NONE;
}

/* Whether forward_S and backward_1 are in the summary. */
static bool has_forward(int kind, const sa_encoder_sizes *sizes) {
    return kind != SA_INITIAL_BACKWARD || sizes->kind == SA_ENCODER_UNI;
}

static bool has_backward(int kind, const sa_encoder_sizes *sizes) {
    return kind != SA_INITIAL_COPY && sizes->kind == SA_ENCODER_BI;
}

static int summary_width(int kind, const sa_encoder_sizes *sizes) {
    if (averages(kind, sizes)) return sa_encoder_width(sizes);
    return sizes->n * (has_forward(kind, sizes) + has_backward(kind, sizes));
}

/* The numbers of one direction in one annotation. */
static sa_mat slice(sa_mat annotations, int row, int from, int count) {
    return sa_cols(sa_rows(annotations, row, 1), from, count);
}

/* out [B x width] */
static void summary_forward(int kind, const sa_encoder_sizes *sizes,
                            const sa_encoder_cache *encoder, sa_mat out) {
    const int n = sizes->n, forward = has_forward(kind, sizes) ? n : 0;
    const sa_mat h = encoder->annotations;
    for (int b = 0; b < out.rows; b++) {
        sa_mat row = sa_rows(out, b, 1);
        if (averages(kind, sizes)) { /* mean_j h_j */
            const int *first = encoder->first + b, S = first[1] - first[0];
            sa_zero(row);
            for (int j = 0; j < S; j++)
                sa_axpy(1 / (sa_real)S, sa_row(h, *first + j), row.x, row.cols);
            continue;
        }
        if (forward) sa_copy_mat(slice(h, encoder->read_last[b], 0, n), sa_cols(row, 0, n));
        if (has_backward(kind, sizes))
            sa_copy_mat(slice(h, encoder->read_first[b], n, n), sa_cols(row, forward, n));
    }
}

static void summary_backward(int kind, const sa_encoder_sizes *sizes, sa_mat dout,
                             sa_encoder_cache *encoder) {
    const int n = sizes->n, forward = has_forward(kind, sizes) ? n : 0;
    const sa_mat dh = encoder->dannotations;
    for (int b = 0; b < dout.rows; b++) {
        sa_mat row = sa_rows(dout, b, 1);
        if (averages(kind, sizes)) { /* mean_j h_j */
            const int *first = encoder->first + b, S = first[1] - first[0];
            for (int j = 0; j < S; j++)
                sa_axpy(1 / (sa_real)S, row.x, sa_row(dh, *first + j), row.cols);
            continue;
        }
        if (forward) sa_add(sa_cols(row, 0, n), slice(dh, encoder->read_last[b], 0, n));
        if (has_backward(kind, sizes))
            sa_add(sa_cols(row, forward, n), slice(dh, encoder->read_first[b], n, n));
    }
}

static int context_input_width(const sa_source_sizes *sizes) {
    return sizes->fixed ? summary_width(SA_INITIAL_LAST, &sizes->encoder) : 0;
}

/* 0: s_0 is made of the fixed context. */
static int initial_input_width(const sa_source_sizes *sizes) {
    return sizes->initial == SA_INITIAL_CONTEXT ? 0
                                                : summary_width(sizes->initial, &sizes->encoder);
}

void sa_source_bind(sa_binder *binder, const sa_source_sizes *sizes, sa_source_weights *w) {
    const int n = sizes->n, in = initial_input_width(sizes) ? initial_input_width(sizes) : n;
    *w = (sa_source_weights){.sizes = *sizes};
    if (sizes->fixed) {
        w->V = sa_bind_matrix(binder, "decoder", "V", n, context_input_width(sizes), SA_INIT_INPUT);
        w->b_V = sa_bind_vector(binder, "decoder", "b_V", n, SA_INIT_ZERO);
    }
    if (sizes->initial == SA_INITIAL_COPY) return;
    for (int layer = 0; layer < sizes->layers; layer++) {
        char part[32] = "decoder";
        if (layer) snprintf(part, sizeof part, "decoder.%d", layer + 1);
        w->W_s[layer] = sa_bind_matrix(binder, part, "W_s", n, in, SA_INIT_INPUT);
        w->b_s[layer] = sa_bind_vector(binder, part, "b_s", n, SA_INIT_ZERO);
    }
}

void sa_source_layout(sa_arena *arena, const sa_source_weights *w, const sa_attention *attention,
                      int B, const int *first, sa_mat annotations, sa_source *source) {
    const sa_source_sizes *sizes = &w->sizes;
    *source = (sa_source){0};
    if (attention->heads) sa_memory_layout(arena, attention, first, annotations, &source->memory);
    source->context_input = sa_mat_alloc(arena, B, context_input_width(sizes));
    source->c = sa_mat_alloc(arena, B, sizes->fixed ? sizes->n : 0);
    source->encoder_summary = sa_mat_alloc(arena, B, initial_input_width(sizes));
    for (int layer = 0; layer < sizes->layers; layer++)
        source->s0[layer] = sa_state_take(arena, B, sizes->n, sizes->memory);
}

/* s_0 of every layer, from the encoder or the fixed context */
static void initial_forward(const sa_source_weights *w, const sa_encoder_cache *encoder,
                            sa_source *source) {
    const sa_source_sizes *sizes = &w->sizes;
    const bool from_context = sizes->initial == SA_INITIAL_CONTEXT;
    const int last = sizes->layers - 1;
    if (!from_context)
        summary_forward(sizes->initial, &sizes->encoder, encoder, source->encoder_summary);
    for (int layer = 0; layer <= last; layer++) {
        const sa_state s0 = source->s0[layer];
        sa_state_zero(s0);
        if (sizes->initial == SA_INITIAL_COPY) {
            sa_state_copy(layer == last ? sa_state_of(source->encoder_summary, encoder->last_memory)
                                        : encoder->last_below[layer],
                          s0);
            continue;
        }
        sa_linear_forward(w->W_s[layer], w->b_s[layer],
                          from_context ? source->c : source->encoder_summary, s0.s);
        sa_tanh(s0.s);
    }
}

static void initial_backward(const sa_source_weights *w, const sa_source *source, sa_source *d,
                             sa_encoder_cache *encoder, sa_source_weights *dw) {
    const sa_source_sizes *sizes = &w->sizes;
    const bool from_context = sizes->initial == SA_INITIAL_CONTEXT;
    const int last = sizes->layers - 1;
    if (sizes->initial == SA_INITIAL_COPY) { /* s_0 = forward_S */
        sa_copy_mat(d->s0[last].s, d->encoder_summary);
        sa_copy_mat(d->s0[last].m, encoder->dlast_memory);
        for (int layer = 0; layer < last; layer++)
            sa_state_copy(d->s0[layer], encoder->dlast_below[layer]);
    } else { /* s_0 = tanh(W_s x + b_s) */
        sa_zero(d->encoder_summary);
        for (int layer = 0; layer <= last; layer++) {
            sa_tanh_backward(source->s0[layer].s, d->s0[layer].s, d->s0[layer].s);
            sa_linear_backward(w->W_s[layer], from_context ? source->c : source->encoder_summary,
                               d->s0[layer].s, from_context ? d->c : d->encoder_summary,
                               dw->W_s[layer], dw->b_s[layer]);
        }
    }
    if (!from_context)
        summary_backward(sizes->initial, &sizes->encoder, d->encoder_summary, encoder);
}

/* A.1.2: the keys; section 2.2 (Cho et al. 2014): c = tanh(V h_S + b_V); A.2.2: s_0 */
void sa_source_forward(const sa_source_weights *w, const sa_attention *attention,
                       const sa_encoder_cache *encoder, sa_source *source) {
    const sa_source_sizes *sizes = &w->sizes;
    if (attention->heads) sa_memory_forward(attention, &source->memory);
    if (sizes->fixed) {
        summary_forward(SA_INITIAL_LAST, &sizes->encoder, encoder, source->context_input);
        sa_linear_forward(w->V, w->b_V, source->context_input, source->c);
        sa_tanh(source->c);
    }
    initial_forward(w, encoder, source);
}

void sa_source_backward(const sa_source_weights *w, const sa_attention *attention,
                        const sa_source *source, sa_source *d, sa_encoder_cache *encoder,
                        sa_source_weights *dw, sa_attention *dattention) {
    const sa_source_sizes *sizes = &w->sizes;
    initial_backward(w, source, d, encoder, dw);
    if (sizes->fixed) { /* c = tanh(V h_S + b_V) */
        sa_tanh_backward(source->c, d->c, d->c);
        sa_zero(d->context_input);
        sa_linear_backward(w->V, source->context_input, d->c, d->context_input, dw->V, dw->b_V);
        summary_backward(SA_INITIAL_LAST, &sizes->encoder, d->context_input, encoder);
    }
    if (attention->heads) sa_memory_backward(attention, &source->memory, &d->memory, dattention);
}

void sa_source_zero(const sa_attention *attention, sa_source *d, sa_encoder_cache *encoder) {
    sa_zero(encoder->dannotations);
    sa_zero(encoder->dlast_memory);
    for (int layer = 0; layer < SA_MAX_LAYERS; layer++) sa_state_zero(encoder->dlast_below[layer]);
    sa_zero(d->c);
    sa_memory_zero(attention, &d->memory);
}
