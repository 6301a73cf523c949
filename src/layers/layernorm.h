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

/* Normalizes x [R x m] -> y [R x m], which may be x. */
void sa_layernorm_forward(const sa_layernorm *w, sa_mat x, const sa_layernorm_cache *cache,
                          sa_mat y);
/* Adds the same to y; x may be cache->normal. */
void sa_layernorm_add_forward(const sa_layernorm *w, sa_mat x, const sa_layernorm_cache *cache,
                              sa_mat y);
/* Computes the backward pass of both forms; overwrites dy with dx, accumulates into dw. */
void sa_layernorm_backward(const sa_layernorm *w, const sa_layernorm_cache *cache, sa_mat dy,
                           sa_layernorm *dw);
