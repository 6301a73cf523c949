/* residual: what surrounds attention in a Transformer: the residual connection around a sublayer f,
 * with layer normalization and dropout, and the position-wise feed-forward network.
 *
 *   post  y = LayerNorm(x + Dropout(f(x)))     Vaswani et al. 2017, sections 3.1 and 5.4
 *   pre   y = x + Dropout(f(LayerNorm(x)))     their later code; Xiong et al. 2020 */
#pragma once

#include "layers/layernorm.h"

typedef struct sa_residual { /* weights, or their gradients */
    int norm;
    sa_layernorm layernorm;
} sa_residual;

typedef struct sa_residual_cache {
    sa_mat in; /* [R x m] what f reads: x itself, or LayerNorm(x) */
    sa_mat y;  /* [R x m] */
    sa_layernorm_cache layernorm;
    sa_mat mask; /* dropout; training only */
} sa_residual_cache;

/* Binds the norm of a sublayer called PREFIX: "PREFIX.norm.g", "PREFIX.norm.b". */
void sa_residual_bind(sa_binder *binder, const char *prefix, int m, int norm, sa_residual *w);

/* Lays out the cache for the rows x [R x m], which must outlive it. */
void sa_residual_layout(sa_arena *arena, const sa_residual *w, sa_mat x, bool training,
                        sa_residual_cache *cache);

/* Returns the first `count` rows of the cache. */
sa_residual_cache sa_residual_slice(sa_residual_cache all, int count);

/* enter: computes cache->in from x, before f writes f(in) to cache->y. leave: completes y. */
void sa_residual_enter_forward(const sa_residual *w, sa_mat x, sa_residual_cache *cache);
void sa_residual_leave_forward(const sa_residual *w, sa_mat x, double dropout, sa_rng *rng,
                               sa_residual_cache *cache);

/* Turn d [R x m] from dy into dx. leave: fills df [R x m], the gradient of f(in), turns d into the
 * gradient of the sum, and zeroes din [R x m], into which the backward pass of f accumulates.
 * enter: turns d into dx. */
void sa_residual_leave_backward(const sa_residual *w, const sa_residual_cache *cache,
                                double dropout, sa_mat d, sa_mat df, sa_mat din, sa_residual *dw);
void sa_residual_enter_backward(const sa_residual *w, const sa_residual_cache *cache, sa_mat din,
                                sa_mat d, sa_residual *dw);

/* ---- The feed-forward network ----------------------------------------------------------------
 * Section 3.3 (Vaswani et al. 2017): y = W_2 max(0, W_1 x + b_1) + b_2 */

typedef struct sa_feedforward { /* weights, or their gradients */
    sa_weight W_1, W_2;         /* [ffn x m], [m x ffn] */
    sa_mat b_1, b_2;            /* [1 x ffn], [1 x m] */
} sa_feedforward;

void sa_feedforward_bind(sa_binder *binder, const char *prefix, int m, int ffn, sa_feedforward *w);

/* Computes x [R x m] -> y [R x m]; inner [R x ffn] receives max(0, W_1 x + b_1). */
void sa_feedforward_forward(const sa_feedforward *w, sa_mat x, sa_mat inner, sa_mat y);
/* Accumulates into dx and dw; overwrites dinner [R x ffn]. */
void sa_feedforward_backward(const sa_feedforward *w, sa_mat x, sa_mat inner, sa_mat dy,
                             sa_mat dinner, sa_mat dx, sa_feedforward *dw);
