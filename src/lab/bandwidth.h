/* bandwidth: the width h of a kernel in kernel regression (Nadaraya 1964, Watson 1964), chosen so
 * that every value is predicted best from the others:
 *
 *   f_h(k_i) = sum_{j /= i} alpha_ij v_j,  alpha_i = softmax_{j /= i}(-|k_i - k_j|^2 / (2 h^2))
 *   E(h) = 1/S sum_i |v_i - f_h(k_i)|^2
 *
 * If the sum included pair i itself, h = 0 would be best, with E = 0.
 *
 * That is a local constant. A local line (Cleveland 1979; as attention, Zuo et al. 2025) minimizes
 * sum_j alpha_j |v_j - b - W (k_j - q)|^2, and its b is a sum of values by other weights:
 *
 *   m = sum_j alpha_j k_j,  C = sum_j alpha_j (k_j - m)(k_j - m)',  r = C^-1 (m - q)
 *   alpha'_j = alpha_j (1 - r'(k_j - m)),  sum_j alpha'_j = 1,  sum_j alpha'_j k_j = q */
#pragma once

#include "attention/attention.h"

typedef struct sa_bandwidth_data {
    const sa_normalizer *normalizer; /* softmax, or what takes its place */
    sa_real exponent;                /* the normalizer's alpha */
    sa_mat e;                        /* [S x S] -|k_i - k_j|^2 / 2: the scores at h = 1 */
    sa_mat v;                        /* [S x dv] */
    sa_mat alpha;                    /* [1 x S] scratch */
    sa_mat k, line; /* [S x d] and scratch [d + 3 x d] of a local line; empty: a local constant */
} sa_bandwidth_data;

/* Returns the h with the least E, the largest if several have it, and sets *least to that E(h). */
double sa_bandwidth_best(const sa_bandwidth_data *data, double *least);

/* Replaces alpha [S], which sums to 1, by the weights of a local line at q [d]. Numbers of the keys
 * that follow from the others (or are all equal) are left out: in them the keys have no slope.
 * scratch: [d + 3 x d]. */
void sa_local_line(const sa_real *q, sa_mat k, sa_real *alpha, sa_mat scratch);
