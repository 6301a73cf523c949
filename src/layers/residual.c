/* residual: the residual connection of a sublayer and the feed-forward network of a Transformer. */
#include "layers/residual.h"
#include "layers/basic.h"
#include "tensor/trace.h"

#include <softalign/lab.h>
#include <stdio.h>

/* x [R x m] -> cache->in [R x m] */
void sa_residual_enter_forward(const sa_residual *w, sa_mat x, sa_residual_cache *cache) {
    if (w->norm == SA_NORM_PRE)
        sa_layernorm_forward(&w->layernorm, x, &cache->layernorm, 0, cache->in);
    else
        cache->in = x;
}

/* Section 3.1 (Vaswani et al. 2017): LayerNorm(x + Sublayer(x))    x, cache->y [R x m] */
void sa_residual_leave_forward(const sa_residual *w, sa_mat x, double dropout, sa_rng *rng,
                               sa_residual_cache *cache) {
    sa_dropout_forward(dropout, rng, cache->mask, cache->y);
    sa_add(x, cache->y);
    if (w->norm == SA_NORM_POST)
        sa_layernorm_forward(&w->layernorm, cache->y, &cache->layernorm, 0, cache->y);
}

void sa_residual_leave_backward(const sa_residual *w, const sa_residual_cache *cache,
                                double dropout, sa_mat d, sa_mat df, sa_mat din, sa_residual *dw) {
    if (w->norm == SA_NORM_POST)
        sa_layernorm_backward(&w->layernorm, &cache->layernorm, d, &dw->layernorm);
    sa_copy_mat(d, df); /* y = x + f */
    sa_dropout_backward(dropout, cache->mask, df);
    sa_zero(din);
}

void sa_residual_enter_backward(const sa_residual *w, const sa_residual_cache *cache, sa_mat din,
                                sa_mat d, sa_residual *dw) {
    if (w->norm == SA_NORM_PRE)
        sa_layernorm_backward(&w->layernorm, &cache->layernorm, din, &dw->layernorm);
    sa_add(din, d);
}

/* ---- The feed-forward network ---------------------------------------------------------------- */

/* Equation 2 (Vaswani et al. 2017): FFN(x) = W_2 max(0, W_1 x + b_1) + b_2
 *
 *   x [R x m] -> inner [R x ffn], y [R x m] */
void sa_feedforward_forward(const sa_feedforward *w, sa_mat x, sa_mat inner, sa_mat y) {
    sa_linear_forward(w->W_1, w->b_1, x, inner);
    sa_trace("inside max", inner);
    for (int i = 0; i < inner.rows; i++) {
        sa_real *row = sa_row(inner, i);
        for (int k = 0; k < inner.cols; k++) row[k] = row[k] > 0 ? row[k] : 0;
    }
    sa_linear_forward(w->W_2, w->b_2, inner, y);
    sa_trace("f", y);
}

void sa_feedforward_backward(const sa_feedforward *w, sa_mat x, sa_mat inner, sa_mat dy,
                             sa_mat dinner, sa_mat dx, sa_feedforward *dw) {
    sa_zero(dinner);
    sa_linear_backward(w->W_2, inner, dy, dinner, dw->W_2, dw->b_2); /* y = W_2 inner + b_2 */
    for (int i = 0; i < inner.rows; i++) {                           /* inner = max(0, ..) */
        const sa_real *row = sa_row(inner, i);
        sa_real *d = sa_row(dinner, i);
        for (int k = 0; k < inner.cols; k++) d[k] = row[k] > 0 ? d[k] : 0;
    }
    sa_linear_backward(w->W_1, x, dinner, dx, dw->W_1, dw->b_1); /* W_1 x + b_1 */
}

/* ---- Binding and layout ---------------------------------------------------------------------- */

void sa_residual_bind(sa_binder *binder, const char *prefix, int m, int norm, sa_residual *w) {
    char name[40];
    snprintf(name, sizeof name, "%s.norm", prefix);
    w->norm = norm;
    sa_layernorm_bind(binder, name, m, &w->layernorm);
}

void sa_residual_layout(sa_arena *arena, const sa_residual *w, sa_mat x, bool training,
                        sa_residual_cache *cache) {
    *cache = (sa_residual_cache){
        .in = w->norm == SA_NORM_PRE ? sa_mat_alloc(arena, x.rows, x.cols) : x,
        .y = sa_mat_alloc(arena, x.rows, x.cols),
        .layernorm = sa_layernorm_layout(arena, x.rows, x.cols),
        .mask = sa_mat_alloc(arena, training ? x.rows : 0, x.cols),
    };
}

sa_residual_cache sa_residual_slice(sa_residual_cache all, int count) {
    sa_slice_mats(&all, sizeof all, all.y.rows, 0, count);
    return all;
}

void sa_feedforward_bind(sa_binder *binder, const char *prefix, int m, int ffn, sa_feedforward *w) {
    w->W_1 = sa_bind_matrix(binder, prefix, "W_1", ffn, m, SA_INIT_INPUT);
    w->b_1 = sa_bind_vector(binder, prefix, "b_1", ffn, SA_INIT_ZERO);
    w->W_2 = sa_bind_matrix(binder, prefix, "W_2", m, ffn, SA_INIT_INPUT);
    w->b_2 = sa_bind_vector(binder, prefix, "b_2", m, SA_INIT_ZERO);
}
