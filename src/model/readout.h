/* readout: deep output with one maxout layer (Bahdanau et al. 2015, A.2.2) and the loss.
 *
 *   t~_i = U_o s_{i-1} + V_o E y_{i-1} + C_o c_i + b_o        2l units
 *   t_i  = max of adjacent pairs                               l units
 *   p(y_i) = softmax(W_o t_i + b_y) */
#ifndef SA_MODEL_READOUT_H
#define SA_MODEL_READOUT_H

#include "nn/params.h"

typedef struct sa_readout { /* weights, or their gradients */
    sa_mat U_o, V_o, C_o;   /* [2l x n], [2l x m], [2l x 2n] */
    sa_mat b_o;             /* [1 x 2l] */
    sa_mat W_o, b_y;        /* [Ky x l], [1 x Ky] */
} sa_readout;

typedef struct sa_readout_cache {
    sa_mat pairs, t;   /* [R x 2l] t~, [R x l] */
    sa_mat logits;     /* [block x Ky] a block of rows at a time, so that it stays in cache */
    sa_mat t_mask;     /* dropout; training only */
    sa_mat dpairs, dt; /* training only */
} sa_readout_cache;

void sa_readout_bind(sa_binder *binder, int words, int m, int n, int l, sa_readout *w);
void sa_readout_layout(sa_arena *arena, int rows, const sa_readout *w, bool training,
                       sa_readout_cache *cache);

/* t from s = s_{i-1} [R x n], x = E y_{i-1} [R x m], c [R x 2n]. */
void sa_readout_forward(const sa_readout *w, sa_mat s, sa_mat x, sa_mat c, double dropout,
                        sa_rng *rng, sa_readout_cache *cache);
/* From cache->dt: ds, dx, dc are overwritten, dw is added to. */
void sa_readout_backward(const sa_readout *w, sa_mat s, sa_mat x, sa_mat c, double dropout,
                         sa_readout_cache *cache, sa_mat ds, sa_mat dx, sa_mat dc, sa_readout *dw);

/* log p(ids_i) for every row of t, in log_p [R]. With dw, also the backward pass of
 * scale * sum_i -log p(ids_i): dw->W_o and dw->b_y are added to and cache->dt is filled, each block
 * while its logits are at hand. */
void sa_vocabulary_loss(const sa_readout *w, const int32_t *ids, sa_real scale,
                        sa_readout_cache *cache, sa_real *log_p, sa_readout *dw);

#endif
