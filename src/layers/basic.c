/* basic: linear layers, embeddings, maxout and dropout, each forward function above its backward
 * one. */
#include "layers/basic.h"

#include <string.h>

/* y = x W' + b    x [R x in], W [out x in], b [1 x out] -> y [R x out] */
void sa_linear_forward(sa_weight W, sa_mat b, sa_mat x, sa_mat y) {
    if (b.x) /* start from the bias, to which the product is added */
        for (int i = 0; i < y.rows; i++)
            memcpy(sa_row(y, i), b.x, sizeof(sa_real) * (size_t)y.cols);
    sa_weight_nt(x, W, b.x ? 1 : 0, y);
}

void sa_linear_backward(sa_weight W, sa_mat x, sa_mat dy, sa_mat dx, sa_weight dW, sa_mat db) {
    if (db.x) sa_sum_rows(dy, db.x);
    sa_weight_tn(dy, x, dW);
    if (dx.x) sa_weight_nn(dy, W, 1, dx);
}

/* y_i = E[ids_i]    E [K x m] -> y [words x m] */
void sa_embedding_forward(sa_mat E, const int32_t *ids, sa_mat y) {
    for (int i = 0; i < y.rows; i++) {
        sa_require(ids[i] >= 0 && ids[i] < E.rows);
        memcpy(sa_row(y, i), sa_row(E, ids[i]), sizeof(sa_real) * (size_t)y.cols);
    }
}

void sa_embedding_backward(const int32_t *ids, sa_mat dy, sa_mat dE) {
    for (int i = 0; i < dy.rows; i++) sa_axpy(1, sa_row(dy, i), sa_row(dE, ids[i]), dy.cols);
}

/* A.2.2: t_k = max(t~_2k, t~_2k+1)    pairs [R x 2l] -> t [R x l] */
void sa_maxout_forward(sa_mat pairs, sa_mat t) {
    for (int i = 0; i < t.rows; i++) {
        const sa_real *a = sa_row(pairs, i);
        sa_real *max = sa_row(t, i);
        for (int k = 0; k < t.cols; k++)
            max[k] = a[2 * k] >= a[2 * k + 1] ? a[2 * k] : a[2 * k + 1];
    }
}

void sa_maxout_backward(sa_mat pairs, sa_mat dt, sa_mat dpairs) {
    for (int i = 0; i < dt.rows; i++) {
        const sa_real *a = sa_row(pairs, i), *d = sa_row(dt, i);
        sa_real *da = sa_row(dpairs, i);
        for (int k = 0; k < dt.cols; k++) {
            bool first = a[2 * k] >= a[2 * k + 1];
            da[2 * k] = first ? d[k] : 0;
            da[2 * k + 1] = first ? 0 : d[k];
        }
    }
}

/* Fills the mask with 0, with probability p, or else with 1 / (1 - p). */
static void draw(double p, sa_rng *rng, sa_mat mask) {
    const uint32_t threshold = (uint32_t)(p * 4294967296.0);
    const sa_real scale = (sa_real)(1 / (1 - p));
    for (int i = 0; i < mask.rows; i++)
        for (int k = 0; k < mask.cols; k++)
            sa_row(mask, i)[k] = sa_rng_next(rng) < threshold ? 0 : scale;
}

/* Multiplies x by the first rows of the mask; a mask of one column is for whole rows. */
static void multiply(sa_mat mask, sa_mat x) {
    for (int i = 0; i < x.rows; i++) {
        const sa_real *keep = sa_row(mask, i);
        sa_real *xi = sa_row(x, i);
        if (mask.cols == 1)
            sa_scale(*keep, sa_rows(x, i, 1));
        else
            for (int k = 0; k < x.cols; k++) xi[k] *= keep[k];
    }
}

/* x = x . mask    mask [R x n] or [R x 1], x [R x n] */
void sa_dropout_forward(double p, sa_rng *rng, sa_mat mask, sa_mat x) {
    if (p <= 0) return;
    sa_require(mask.rows >= x.rows); /* the layout provides one */
    draw(p, rng, mask);
    multiply(mask, x);
}

void sa_dropout_backward(double p, sa_mat mask, sa_mat dx) {
    if (p > 0) multiply(mask, dx);
}

/* ---- States ---------------------------------------------------------------------------------- */

sa_state sa_state_of(sa_mat s, sa_mat m) {
    return (sa_state){s, m, s};
}

sa_state sa_state_rows(sa_state all, int first, int count) {
    return (sa_state){sa_rows(all.s, first, count), sa_rows(all.m, first, count),
                      sa_rows(all.masked, first, count)};
}

void sa_state_copy(sa_state from, sa_state to) {
    sa_copy_mat(from.s, to.s);
    sa_copy_mat(from.m, to.m);
}

void sa_state_add(sa_state from, sa_state to) {
    sa_add(from.s, to.s);
    sa_add(from.m, to.m);
}

void sa_state_zero(sa_state state) {
    sa_zero(state.s);
    sa_zero(state.m);
    if (state.masked.x != state.s.x) sa_zero(state.masked);
}

void sa_state_dropout_start(double p, sa_rng *rng, const sa_state_dropout *buffers,
                            sa_state *states) {
    states->masked = p > 0 ? buffers->masked : states->s;
    if (p > 0) draw(p, rng, buffers->mask);
}

void sa_state_dropout_return(double p, const sa_state_dropout *buffers, sa_state *dstate) {
    dstate->masked = p > 0 ? buffers->dmasked : dstate->s;
}

/* masked = d . s_prev    mask d [B x n], previous [L x n] */
void sa_state_dropout_forward(sa_mat mask, sa_state previous) {
    if (previous.masked.x == previous.s.x) return;
    sa_copy_mat(previous.s, previous.masked);
    multiply(mask, previous.masked);
}

void sa_state_dropout_backward(sa_mat mask, sa_state dprevious) {
    if (dprevious.masked.x == dprevious.s.x) return;
    multiply(mask, dprevious.masked);
    sa_add(dprevious.masked, dprevious.s);
}
