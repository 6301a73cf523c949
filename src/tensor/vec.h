/* vec: elementwise functions and softmax, vectorized for the processor.
 *
 * In float, exp, tanh and sigmoid are polynomials of our own with a relative error below 4e-7 (a
 * test measures it over the whole range); in double they are libm's. Loops choose AVX-512, AVX2 or
 * portable code when the program starts. */
#pragma once

#include "tensor/mat.h"
#include <math.h>

#ifdef SA_DOUBLE
#define sa_sqrt sqrt
#else
#define sa_sqrt sqrtf
#endif

/* In place over every element of x. */
void sa_tanh(sa_mat x);
void sa_sigmoid(sa_mat x);

/* 1 / (1 + exp(-x)) of one number */
static inline sa_real sa_sigma(sa_real x) {
    return (sa_real)(1 / (1 + exp(-(double)x)));
}

/* log sigma(z), which does not overflow */
static inline double sa_log_sigmoid(double z) {
    return z < 0 ? z - log1p(exp(z)) : -log1p(exp(-z));
}

/* y = tanh(x + row), the row added to every row of x; y may be x. */
void sa_tanh_shifted(sa_mat x, const sa_real *row, sa_mat y);

/* Each row x becomes softmax(x): exp(x - max) / sum; in float, results below 1e-25 become 0. x may
 * have no columns. */
void sa_softmax(sa_mat x);
/* x = softmax(x) for a row; returns log sum exp x. */
sa_real sa_softmax_row(sa_real *x, int size);

/* The softmax of a row whose numbers come in parts. */
typedef struct sa_softmax_sums {
    sa_real max, sum; /* of the numbers so far, and of exp(x - max); at the start SA_SOFTMAX_NONE */
} sa_softmax_sums;
#define SA_SOFTMAX_NONE ((sa_softmax_sums){-INFINITY, 0})

/* x = exp(x + shift - max), where max is that of all parts so far; returns it. */
sa_real sa_softmax_read(sa_real *x, const sa_real *shift, int size, sa_softmax_sums *sums);
/* x = scale softmax of the whole row, for a part that sa_softmax_read left as exp(x - max), with
 * the max that it returned and the sums of all parts. */
void sa_softmax_write(sa_softmax_sums sums, sa_real max, sa_real scale, sa_real *x, int size);

/* The index of the first number for which x <= threshold is false (as it is for a NaN); size if
 * there is none. */
int sa_find_above(const sa_real *x, int size, sa_real threshold);

/* sum += x (sum may be NULL); x = 0. Where many numbers in a row are 0, as in the gradients of
 * absent words' embeddings, nothing is written. */
void sa_move_sum(sa_real *x, sa_real *sum, size_t size);

/* log sum_k exp x_k, where max is the largest x_k. */
double sa_log_sum_exp_below(const sa_real *x, sa_real max, int size);

/* x += shift; the largest of it. */
sa_real sa_add_and_max(sa_real *x, const sa_real *shift, int size);
sa_real sa_max(const sa_real *x, int size);

/* dx = y . (dy - sum_k y_k dy_k) for every row y of softmax results. dx may be dy. */
void sa_softmax_backward(sa_mat y, sa_mat dy, sa_mat dx);

sa_real sa_dot(const sa_real *a, const sa_real *b, int size);
sa_real sa_sum(const sa_real *x, int size);
/* y += scale x */
void sa_axpy(sa_real scale, const sa_real *x, sa_real *y, int size);

void sa_zero(sa_mat x);
void sa_scale(sa_real factor, sa_mat x); /* x *= factor */
void sa_copy_mat(sa_mat from, sa_mat to);
void sa_add(sa_mat from, sa_mat to); /* to += from */
/* sum += the sum of all rows of x. */
void sa_sum_rows(sa_mat x, sa_real *sum);
