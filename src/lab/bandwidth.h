/* bandwidth: the width h of a kernel in kernel regression (Nadaraya 1964, Watson 1964), chosen so
 * that every value is predicted best from the others:
 *
 *   f_h(k_i) = sum_{j /= i} alpha_ij v_j,  alpha_i = softmax_{j /= i}(-|k_i - k_j|^2 / (2 h^2))
 *   E(h) = 1/S sum_i |v_i - f_h(k_i)|^2
 *
 * If the sum included pair i itself, h = 0 would be best, with E = 0. */
#pragma once

#include "attention/attention.h"

typedef struct sa_bandwidth_data {
    const sa_normalizer *normalizer; /* softmax, or what takes its place */
    sa_real exponent;                /* the normalizer's alpha */
    sa_mat e;                        /* [S x S] -|k_i - k_j|^2 / 2: the scores at h = 1 */
    sa_mat v;                        /* [S x dv] */
    sa_mat alpha;                    /* [1 x S] scratch */
} sa_bandwidth_data;

/* Returns the h with the least E, the largest if several have it, and sets *least to that E(h). */
double sa_bandwidth_best(const sa_bandwidth_data *data, double *least);
