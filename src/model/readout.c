#include "model/readout.h"
#include "math/blas.h"
#include "math/term.h"
#include "math/vec.h"
#include "nn/dropout.h"
#include "nn/linear.h"
#include "nn/loss.h"
#include "nn/maxout.h"

void sa_readout_bind(sa_binder *binder, int words, int m, int n, int l, sa_readout *w) {
    w->U_o = sa_bind_matrix(binder, "readout", "U_o", 2 * l, n, SA_START_INPUT);
    w->V_o = sa_bind_matrix(binder, "readout", "V_o", 2 * l, m, SA_START_INPUT);
    w->C_o = sa_bind_matrix(binder, "readout", "C_o", 2 * l, 2 * n, SA_START_INPUT);
    w->b_o = sa_bind_vector(binder, "readout", "b_o", 2 * l, SA_START_ZERO);
    w->W_o = sa_bind_matrix(binder, "readout", "W_o", words, l, SA_START_INPUT);
    w->b_y = sa_bind_vector(binder, "readout", "b_y", words, SA_START_ZERO);
}

/* Rows of logits made at a time: about a megabyte of floats, but never so few that the products
 * with W_o become thin. */
static int block_rows(int rows, int words) {
    int block = (1 << 18) / words;
    if (block < 64) block = 64;
    return block < rows ? block : rows;
}

void sa_readout_layout(sa_arena *arena, int rows, const sa_readout *w, bool training,
                       sa_readout_cache *cache) {
    const int l = w->W_o.cols, words = w->W_o.rows;
    *cache = (sa_readout_cache){
        .pairs = sa_mat_take(arena, rows, 2 * l),
        .t = sa_mat_take(arena, rows, l),
        .logits = sa_mat_take(arena, block_rows(rows, words), words),
    };
    if (!training) return;
    cache->t_mask = sa_mat_take(arena, rows, l);
    cache->dpairs = sa_mat_take(arena, rows, 2 * l);
    cache->dt = sa_mat_take(arena, rows, l);
}

/* A.2.2: t~_i = U_o s_{i-1} + V_o E y_{i-1} + C_o c_i + b_o; t_i = maxout(t~_i) */
void sa_readout_forward(const sa_readout *w, sa_mat s, sa_mat x, sa_mat c, double dropout,
                        sa_rng *rng, sa_readout_cache *cache) {
    sa_linear_forward(w->U_o, w->b_o, s, cache->pairs);
    sa_gemm_nt(x, w->V_o, 1, cache->pairs);
    sa_gemm_nt(c, w->C_o, 1, cache->pairs);
    sa_maxout_forward(cache->pairs, cache->t);
    sa_dropout_forward(dropout, rng, cache->t_mask, cache->t);
}

void sa_readout_backward(const sa_readout *w, sa_mat s, sa_mat x, sa_mat c, double dropout,
                         sa_readout_cache *cache, sa_mat ds, sa_mat dx, sa_mat dc, sa_readout *dw) {
    const sa_mat no_bias = {0};
    sa_dropout_backward(dropout, cache->t_mask, cache->dt);
    sa_maxout_backward(cache->pairs, cache->dt, cache->dpairs); /* t = maxout(t~) */
    sa_zero(ds), sa_zero(dx), sa_zero(dc);
    sa_linear_backward(w->C_o, c, cache->dpairs, dc, dw->C_o, no_bias); /* t~ += C_o c */
    sa_linear_backward(w->V_o, x, cache->dpairs, dx, dw->V_o, no_bias); /* t~ += V_o x */
    sa_linear_backward(w->U_o, s, cache->dpairs, ds, dw->U_o, dw->b_o); /* t~ = U_o s + b_o */
}

/* A.2.2: p(y_i) = softmax(W_o t_i + b_y) */
void sa_vocabulary_loss(const sa_readout *w, const int32_t *ids, sa_real scale,
                        sa_readout_cache *cache, sa_real *log_p, sa_readout *dw) {
    const int rows = cache->t.rows, block = cache->logits.rows;
    for (int at = 0; at < rows; at += block) {
        const int count = rows - at < block ? rows - at : block;
        sa_mat logits = sa_rows(cache->logits, 0, count), t = sa_rows(cache->t, at, count);
        sa_linear_forward(w->W_o, w->b_y, t, logits);
        sa_loss_forward(logits, ids + at, log_p + at);
        if (!dw) continue;
        sa_mat dt = sa_rows(cache->dt, at, count);
        sa_zero(dt);
        sa_loss_backward(logits, ids + at, scale);
        sa_linear_backward(w->W_o, t, logits, dt, dw->W_o, dw->b_y);
    }
}
