#include "model/decoder.h"
#include "math/blas.h"
#include "math/term.h"
#include "math/vec.h"
#include "nn/dropout.h"
#include "nn/embedding.h"
#include "nn/linear.h"

void sa_decoder_bind(sa_binder *binder, const sa_compat *compat, sa_attention_sizes sizes,
                     int words, int m, sa_decoder *w) {
    const char *C[] = {"C_z", "C_r", "C"};
    const int n = sizes.state;
    sa_attention_bind(binder, "attention", compat, sizes, &w->attention);
    w->W_s = sa_bind_matrix(binder, "decoder", "W_s", n, n, SA_START_INPUT);
    w->b_s = sa_bind_vector(binder, "decoder", "b_s", n, SA_START_ZERO);
    w->E = sa_bind_matrix(binder, "target", "E", words, m, SA_START_INPUT);
    sa_gru_bind(binder, "decoder", m, n, &w->gru);
    w->C = sa_bind_stack(binder, "decoder", C, 3, n, sizes.annotation, SA_START_INPUT);
}

/* ---- Layout ---------------------------------------------------------------------------------- */

sa_decoder_rows sa_decoder_rows_layout(sa_arena *arena, const sa_decoder *w, int rows, int steps) {
    const int n = w->gru.U.rows;
    return (sa_decoder_rows){
        .x = sa_mat_take(arena, rows, w->E.cols),
        .previous = sa_mat_take(arena, rows, n),
        .q = sa_mat_take(arena, rows, w->attention.query_width),
        .alpha = sa_mat_take(arena, rows, steps),
        .c = sa_mat_take(arena, rows, 2 * n),
        .gates = sa_mat_take(arena, rows, 3 * n),
        .reset = sa_mat_take(arena, rows, n),
        .s = sa_mat_take(arena, rows, n),
    };
}

/* y_{i-1} of every row: the start mark, then the right words. */
static const int32_t *inputs_of(sa_arena *arena, const sa_side *side) {
    int32_t *inputs = sa_arena_take(arena, (size_t)side->words, sizeof *inputs);
    if (!arena->base) return inputs;
    for (int t = 0; t < side->steps; t++)
        for (int b = 0; b < side->live[t]; b++)
            inputs[side->start[t] + b] = t ? side->ids[side->start[t - 1] + b] : SA_START;
    return inputs;
}

void sa_decoder_layout(sa_arena *arena, const sa_batch *batch, const sa_decoder *w, bool training,
                       sa_decoder_cache *cache) {
    const int M = batch->target.words, B = batch->target.sentences, N = batch->source.words;
    const int n = w->gru.U.rows, m = w->E.cols, dk = w->attention.key_width,
              S = batch->source.steps;
    *cache = (sa_decoder_cache){.rows = sa_decoder_rows_layout(arena, w, M, S)};
    cache->memory.keys = sa_mat_take(arena, N, dk);
    cache->inputs = inputs_of(arena, &batch->target);
    cache->first_h = sa_mat_take(arena, B, n);
    cache->s0 = sa_mat_take(arena, B, n);
    cache->scratch = sa_mat_take(arena, S, dk);
    if (!training) return;
    cache->x_mask = sa_mat_take(arena, M, m);
    cache->dx = sa_mat_take(arena, M, m);
    cache->dprevious = sa_mat_take(arena, M, n);
    cache->dc = sa_mat_take(arena, M, 2 * n);
    cache->dq = sa_mat_take(arena, M, w->attention.query_width);
    cache->da = sa_mat_take(arena, M, 3 * n);
    cache->ds = sa_mat_take(arena, B, n);
    cache->ds0 = sa_mat_take(arena, B, n);
    cache->dkeys = sa_mat_take(arena, N, dk);
    cache->dalpha = sa_mat_take(arena, 1, S);
    cache->dscratch = sa_mat_take(arena, B, n);
}

/* ---- Slices ---------------------------------------------------------------------------------- */

sa_decoder_rows sa_decoder_rows_slice(sa_decoder_rows all, int first, int count) {
    return (sa_decoder_rows){
        .x = sa_rows(all.x, first, count),
        .previous = sa_rows(all.previous, first, count),
        .q = sa_rows(all.q, first, count),
        .alpha = sa_rows(all.alpha, first, count),
        .c = sa_rows(all.c, first, count),
        .gates = sa_rows(all.gates, first, count),
        .reset = sa_rows(all.reset, first, count),
        .s = sa_rows(all.s, first, count),
    };
}

static sa_mat sentence(sa_mat all, const int *first, int b) {
    return sa_rows(all, first[b], first[b + 1] - first[b]);
}

/* ---- Forward and backward -------------------------------------------------------------------- */

/* A.1.2: the keys; A.2.2: s_0 = tanh(W_s backward_1 + b_s) */
void sa_decoder_start_forward(const sa_decoder *w, sa_memory *memory, sa_mat first_h, sa_mat s0) {
    const int n = s0.cols;
    sa_attention_keys_forward(&w->attention, memory->annotations, memory->keys);
    for (int b = 0; b < s0.rows; b++)
        sa_copy_mat(sa_cols(sa_rows(memory->annotations, memory->first[b], 1), n, n),
                    sa_rows(first_h, b, 1));
    sa_linear_forward(w->W_s, w->b_s, first_h, s0);
    sa_tanh(s0);
}

static void start_backward(const sa_decoder *w, sa_decoder_cache *cache, sa_mat dannotations,
                           sa_decoder *dw) {
    const int n = cache->s0.cols;
    sa_mat da = cache->ds0, dfirst = cache->dscratch;
    for (int b = 0; b < da.rows; b++) { /* s_0 = tanh(a) */
        const sa_real *s0 = sa_row(cache->s0, b);
        for (int k = 0; k < n; k++) sa_row(da, b)[k] *= 1 - s0[k] * s0[k];
    }
    sa_zero(dfirst);
    sa_linear_backward(w->W_s, cache->first_h, da, dfirst, dw->W_s,
                       dw->b_s); /* a = W_s backward_1 + b_s */
    if (sa_term("decoder.start"))
        for (int b = 0; b < da.rows; b++)
            sa_add(sa_rows(dfirst, b, 1),
                   sa_cols(sa_rows(dannotations, cache->memory.first[b], 1), n, n));
    sa_attention_keys_backward(&w->attention, cache->memory.annotations, cache->dkeys, dannotations,
                               &dw->attention);
}

/* A.2.2 and A.1.2 */
void sa_decoder_step_forward(const sa_decoder *w, const sa_memory *memory, const int *which,
                             sa_decoder_rows rows, sa_mat scratch) {
    sa_attention_query_forward(&w->attention, rows.previous, rows.q); /* q from s_{i-1} */
    for (int l = 0; l < rows.s.rows; l++) {                           /* alpha_i, c_i */
        const int b = which ? which[l] : l;
        sa_mat k = sentence(memory->keys, memory->first, b),
               h = sentence(memory->annotations, memory->first, b);
        sa_attention_forward(&w->attention, sa_rows(rows.q, l, 1), k, h,
                             sa_cols(sa_rows(rows.alpha, l, 1), 0, k.rows), sa_rows(rows.c, l, 1),
                             sa_rows(scratch, 0, k.rows));
    }
    sa_gemm_nt(rows.c, w->C, 1, rows.gates); /* + C_z c_i, C_r c_i, C c_i */
    sa_gru_step_forward(&w->gru, rows.previous, rows.gates, rows.reset, rows.s);
}

/* From ds = dL/ds_i of one step: da, dq, and added to dc, dprevious, dkeys, dannotations. */
static void step_backward(const sa_decoder *w, sa_decoder_cache *cache, int first, int live,
                          sa_mat dannotations, sa_decoder *dw) {
    sa_decoder_rows rows = sa_decoder_rows_slice(cache->rows, first, live);
    sa_mat dprevious = sa_rows(cache->dprevious, first, live), da = sa_rows(cache->da, first, live);
    sa_mat dc = sa_rows(cache->dc, first, live), dq = sa_rows(cache->dq, first, live);

    sa_gru_step_backward(&w->gru, rows.previous, rows.gates, sa_rows(cache->ds, 0, live), da,
                         dprevious, sa_rows(cache->dscratch, 0, live));
    if (sa_term("decoder.context")) sa_gemm_nn(da, w->C, 1, dc); /* a += C c_i */
    sa_zero(dq);
    for (int l = 0; l < live; l++) { /* alpha_i, c_i */
        const int *start = cache->memory.first;
        sa_mat k = sentence(cache->memory.keys, start, l),
               h = sentence(cache->memory.annotations, start, l);
        sa_attention_backward(
            &w->attention, sa_rows(rows.q, l, 1), k, h,
            sa_cols(sa_rows(rows.alpha, l, 1), 0, k.rows), sa_rows(dc, l, 1), sa_rows(dq, l, 1),
            sentence(cache->dkeys, start, l), sentence(dannotations, start, l), &dw->attention,
            sa_cols(cache->dalpha, 0, k.rows), sa_rows(cache->scratch, 0, k.rows));
    }
    sa_attention_query_backward(&w->attention, dq, dprevious); /* q from s_{i-1} */
}

void sa_decoder_forward(const sa_decoder *w, const sa_batch *batch, double dropout, sa_rng *rng,
                        sa_decoder_cache *cache) {
    const sa_side *side = &batch->target;
    sa_decoder_start_forward(w, &cache->memory, cache->first_h, cache->s0);
    sa_embedding_forward(w->E, cache->inputs, cache->rows.x);
    sa_dropout_forward(dropout, rng, cache->x_mask, cache->rows.x);
    sa_linear_forward(w->gru.W, w->gru.b, cache->rows.x, cache->rows.gates); /* W E y_{i-1} + b */
    for (int t = 0; t < side->steps; t++) {
        const int live = side->live[t];
        sa_decoder_rows rows = sa_decoder_rows_slice(cache->rows, side->start[t], live);
        sa_mat before = t ? sa_rows(cache->rows.s, side->start[t - 1], live) : cache->s0;
        sa_copy_mat(before, rows.previous);
        sa_decoder_step_forward(w, &cache->memory, NULL, rows, cache->scratch);
    }
}

void sa_decoder_backward(const sa_decoder *w, const sa_batch *batch, double dropout,
                         sa_decoder_cache *cache, sa_mat dannotations, sa_decoder *dw) {
    const sa_side *side = &batch->target;
    sa_zero(dannotations);
    sa_zero(cache->dkeys);
    for (int t = side->steps - 1; t >= 0; t--) {
        const int live = side->live[t],
                  next = side->live[t + 1]; /* s_i was the previous state of t + 1 */
        if (next)
            sa_copy_mat(sa_rows(cache->dprevious, side->start[t + 1], next),
                        sa_rows(cache->ds, 0, next));
        sa_zero(sa_rows(cache->ds, next, live - next));
        step_backward(w, cache, side->start[t], live, dannotations, dw);
    }
    sa_copy_mat(sa_rows(cache->dprevious, 0, side->sentences), cache->ds0);

    /* Weights, once for all steps. */
    sa_gru_weights_backward(cache->rows.previous, cache->rows.reset, cache->da, &dw->gru);
    sa_gemm_tn(cache->da, cache->rows.c, 1, dw->C);
    sa_attention_query_weights_backward(cache->rows.previous, cache->dq, &dw->attention);
    sa_linear_backward(w->gru.W, cache->rows.x, cache->da, cache->dx, dw->gru.W, dw->gru.b);
    sa_dropout_backward(dropout, cache->x_mask, cache->dx);
    sa_embedding_backward(cache->inputs, cache->dx, dw->E);
    start_backward(w, cache, dannotations, dw);
}
