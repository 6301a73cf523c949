/* layernorm: layer normalization (Ba, Kiros and Hinton 2016, equation 4).
 *
 *   y = g . (x - mean) / sqrt(variance + epsilon) + b      epsilon 1e-5
 *
 * The mean and variance are taken over one row. */
#pragma once

#include "layers/params.h"

typedef struct sa_layernorm { /* weights, or their gradients */
    sa_mat g, b;              /* [1 x m] gain and bias */
} sa_layernorm;

/* Binds "PREFIX.g", which starts at 1, and "PREFIX.b", which starts at 0. */
void sa_layernorm_bind(sa_binder *binder, const char *prefix, int m, sa_layernorm *w);

/* What the backward pass needs from R rows. */
typedef struct sa_layernorm_cache {
    sa_mat normal;  /* [R x m] (x - mean) / sqrt(variance + epsilon) */
    sa_mat inverse; /* [R x 1] 1 / sqrt(variance + epsilon) */
} sa_layernorm_cache;

sa_layernorm_cache sa_layernorm_layout(sa_arena *arena, int rows, int m);

/* Computes y = beta y + LN(x), x, y [R x m]; beta is 0 or 1. x may be y, with beta 0, or
 * cache->normal. */
void sa_layernorm_forward(const sa_layernorm *w, sa_mat x, const sa_layernorm_cache *cache,
                          sa_real beta, sa_mat y);
/* Overwrites dy with dx, accumulates into dw. */
void sa_layernorm_backward(const sa_layernorm *w, const sa_layernorm_cache *cache, sa_mat dy,
                           sa_layernorm *dw);
