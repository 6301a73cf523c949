/* vec: elementwise functions that few callers need; the others are in tensor/mat.h. All are
 * vectorized for the processor: loops choose AVX-512, AVX2 or portable code when the program
 * starts.
 *
 * In float, exp, tanh and sigmoid are polynomials of our own with a relative error below 4e-7 (a
 * test measures it over the whole range); in double they are libm's. */
#pragma once

#include "tensor/mat.h"

static inline int sa_least(int a, int b) {
    return a < b ? a : b;
}

/* Returns |x|, bounded from below so that gradients stay finite. */
static inline sa_real sa_length(const sa_real *x, int size) {
    const sa_real length = sa_sqrt(sa_dot(x, x, size));
    return length > (sa_real)1e-8 ? length : (sa_real)1e-8;
}

/* Returns the index of the largest number, the first of several. */
static inline int sa_largest_at(const sa_real *x, int size) {
    int best = 0;
    for (int j = 1; j < size; j++)
        if (x[j] > x[best]) best = j;
    return best;
}

/* Returns 1 / (1 + exp(-x)) of one number. */
static inline sa_real sa_sigma(sa_real x) {
    return (sa_real)(1 / (1 + exp(-(double)x)));
}

/* Returns log sigma(z), which does not overflow. */
static inline double sa_log_sigmoid(double z) {
    return z < 0 ? z - log1p(exp(z)) : -log1p(exp(-z));
}

/* Turns each row x into softmax(x): exp(x - max) / sum; in float, results below 1e-25 become 0. x
 * may have no columns. */
void sa_softmax(sa_mat x);
/* Computes dx = y . (dy - sum_k y_k dy_k) for every row y of softmax results; dx may be dy. */
void sa_softmax_backward(sa_mat y, sa_mat dy, sa_mat dx);

/* Computes x = softmax(x) for a row; returns log sum exp x. */
sa_real sa_softmax_row(sa_real *x, int size);

/* The softmax of a row that comes in pieces. */
typedef struct sa_softmax_sums {
    sa_real max, sum; /* max so far, sum of exp(x - max); initially SA_SOFTMAX_NONE */
} sa_softmax_sums;
#define SA_SOFTMAX_NONE ((sa_softmax_sums){-INFINITY, 0})

/* Computes x = exp(x + shift - max), where max is the maximum of all pieces so far, and returns
 * max. */
sa_real sa_softmax_read(sa_real *x, const sa_real *shift, int size, sa_softmax_sums *sums);
/* Computes x = scale softmax of the whole row, for a piece that sa_softmax_read left as exp(x -
 * max), given the max that it returned and the sums of all pieces. */
void sa_softmax_write(sa_softmax_sums sums, sa_real max, sa_real scale, sa_real *x, int size);

/* Returns the index of the first number for which x <= threshold is false (as it is for NaN); size
 * if there is none. */
int sa_find_above(const sa_real *x, int size, sa_real threshold);

/* Computes sum += x (sum may be NULL), then x = 0. Where many numbers in a row are 0, as in the
 * gradients of absent words' embeddings, it writes nothing. */
void sa_move_sum(sa_real *x, sa_real *sum, size_t size);

/* Returns log sum_k exp x_k, where max is the largest x_k. */
double sa_log_sum_exp_below(const sa_real *x, sa_real max, int size);

/* Computes x += shift; returns the largest x, ignoring NaN. */
sa_real sa_add_and_max(sa_real *x, const sa_real *shift, int size);
sa_real sa_max(const sa_real *x, int size);
