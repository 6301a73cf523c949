/* residual: what stands around every sub-layer f of a Transformer: the connection past it, layer
 * normalisation and dropout.
 *
 *   post  y = LayerNorm(x + Dropout(f(x)))     Vaswani et al. 2017, sections 3.1 and 5.4
 *   pre   y = x + Dropout(f(LayerNorm(x)))     their later code; Xiong et al. 2020 */
#ifndef SA_NN_RESIDUAL_H
#define SA_NN_RESIDUAL_H

#include "layers/layernorm.h"

enum { SA_NORM_PRE, SA_NORM_POST };

/* For the option rows: the name of a place of the norm, NULL after the last. */
const char *sa_norm_name(size_t row);

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

/* The norm of a sub-layer called `part`: "part.norm.g", "part.norm.b". */
void sa_residual_bind(sa_binder *binder, const char *part, int m, int norm, sa_residual *w);

/* About the rows x [R x m], which outlive the cache. */
void sa_residual_layout(sa_arena *arena, const sa_residual *w, sa_mat x, bool training,
                        sa_residual_cache *cache);

/* Its first `count` rows. */
sa_residual_cache sa_residual_slice(const sa_residual_cache *all, int count);

/* Before f: sets cache->in from x. After f, which leaves f(in) in cache->y: completes y. */
void sa_residual_enter_forward(const sa_residual *w, sa_mat x, sa_residual_cache *cache);
void sa_residual_leave_forward(const sa_residual *w, sa_mat x, double dropout, sa_rng *rng,
                               sa_residual_cache *cache);

/* In two steps, in place over the stream of derivatives d [R x m], which on entry is dy. Leaving:
 * df [R x m] is overwritten with the derivative by f's result and d becomes that by the sum. f's
 * backward pass then adds to din [R x m], zeroed here. Entering: d becomes dx. */
void sa_residual_leave_backward(const sa_residual *w, const sa_residual_cache *cache,
                                double dropout, sa_mat d, sa_mat df, sa_mat din, sa_residual *dw);
void sa_residual_enter_backward(const sa_residual *w, const sa_residual_cache *cache, sa_mat din,
                                sa_mat d, sa_residual *dw);

#endif
