/* mat: the one view type, with products, elementwise functions and weights: all that equations need
 * from tensor/. It also lists the letters of equations.
 *
 * A matrix is row-major with a leading dimension, so a time step, a gate, a head and a sentence are
 * all slices of a larger block; none needs a copy.
 *
 *   B sentences      T target words       S source words      N source words of the whole batch
 *   m embedding      n hidden             n_a alignment        l maxout        K vocabulary
 *   A annotation     H heads, G of keys   Q queries           R rows, L of a step
 *   d_k, d_v columns of q and k, and of v, in one head
 *
 *   s decoder state  h annotation         c context           o output of a head
 *   q query          k key                v value             e score         alpha weight
 *   z update gate    r reset gate         s~ candidate        i, f, o gates and m memory of an LSTM
 *   E embeddings     t readout            a pre-activation    s_prev the previous s
 *   w weights        dw their gradients   d.. gradient of the loss with respect to .. */
#pragma once

#include "base/arena.h"
#include "tensor/stored.h"
#include <math.h>
#include <stddef.h>

/* sa_real is float, or double in the checks. */
struct sa_mat {
    sa_real *x;
    int rows, cols;
    int ld; /* distance between rows, >= cols */
};

static inline sa_real *sa_row(sa_mat a, int row) {
    return a.x + (ptrdiff_t)row * a.ld;
}

/* Returns rows first .. first+count-1. */
static inline sa_mat sa_rows(sa_mat a, int first, int count) {
    sa_require(first >= 0 && count >= 0 && first + count <= a.rows);
    if (a.x) a.x = sa_row(a, first);
    a.rows = count;
    return a;
}

/* Returns columns first .. first+count-1. */
static inline sa_mat sa_cols(sa_mat a, int first, int count) {
    sa_require(first >= 0 && count >= 0 && first + count <= a.cols);
    if (a.x) a.x += first;
    a.cols = count;
    return a;
}

/* Returns the first rows and columns. */
static inline sa_mat sa_corner(sa_mat a, int rows, int cols) {
    return sa_cols(sa_rows(a, 0, rows), 0, cols);
}

/* Returns a new matrix from the arena, not zeroed. */
static inline sa_mat sa_mat_alloc(sa_arena *arena, int rows, int cols) {
    sa_require(rows >= 0 && cols >= 0);
    return (sa_mat){.x = sa_arena_alloc(arena, (size_t)rows * (size_t)cols, sizeof(sa_real)),
                    .rows = rows,
                    .cols = cols,
                    .ld = cols};
}

/* ---- Products: blas.c ------------------------------------------------------------------------
 * Rows are words, columns are units, weights are [out x in]; so a layer is y = x W' (nt), its
 * gradient with respect to x is dy W (nn), and with respect to W it is dy' x (tn). Shapes that do
 * not fit trap. */

/* c = beta c + a b, with a' and b' if transposed; beta is 0 or 1 */
void sa_gemm(bool a_transposed, sa_mat a, bool b_transposed, sa_mat b, sa_real beta, sa_mat c);

/* c = beta c + a b    a [M x K], b [K x N], c [M x N] */
static inline void sa_gemm_nn(sa_mat a, sa_mat b, sa_real beta, sa_mat c) {
    sa_gemm(false, a, false, b, beta, c);
}

/* c = beta c + a b'   a [M x K], b [N x K], c [M x N] */
static inline void sa_gemm_nt(sa_mat a, sa_mat b, sa_real beta, sa_mat c) {
    sa_gemm(false, a, true, b, beta, c);
}

/* c = beta c + a' b   a [K x M], b [K x N], c [M x N] */
static inline void sa_gemm_tn(sa_mat a, sa_mat b, sa_real beta, sa_mat c) {
    sa_gemm(true, a, false, b, beta, c);
}

/* ---- Elementwise functions: vec.c ------------------------------------------------------------ */

/* Apply the function in place to every element of x. */
void sa_tanh(sa_mat x);
void sa_sigmoid(sa_mat x);
/* Computes y = tanh(x + row), with the row added to every row of x; y may be x. */
void sa_tanh_shifted(sa_mat x, const sa_real *row, sa_mat y);

sa_real sa_dot(const sa_real *a, const sa_real *b, int size);
sa_real sa_sum(const sa_real *x, int size);
/* y += scale x */
void sa_axpy(sa_real scale, const sa_real *x, sa_real *y, int size);

void sa_zero(sa_mat x);
void sa_scale(sa_real factor, sa_mat x); /* x *= factor */
void sa_copy_mat(sa_mat from, sa_mat to);
void sa_add(sa_mat from, sa_mat to);      /* to += from */
void sa_sum_rows(sa_mat x, sa_real *sum); /* sum += all rows of x */

/* Slices all matrices of a struct that consists of matrices: those of `all` rows to rows first ..
 * first+count-1, the others, which are of one step, to their first rows. */
void sa_slice_mats(void *mats, size_t size, int all, int first, int count);

/* ---- Weights: weight.c ----------------------------------------------------------------------- */

/* A weight matrix; where an equation needs it outside a product, it uses `W.mat`. */
typedef struct sa_weight {
    sa_mat mat; /* [out x in] */
    sa_stored as;
} sa_weight;

void sa_weight_nt(sa_mat x, sa_weight W, sa_real beta, sa_mat y);   /* y = beta y + x W' */
void sa_weight_nn(sa_mat dy, sa_weight W, sa_real beta, sa_mat dx); /* dx = beta dx + dy W */
void sa_weight_tn(sa_mat dy, sa_mat x, sa_weight dW);               /* dW += dy' x */

/* Returns rows first .. first+count-1. */
sa_weight sa_weight_rows(sa_weight W, int first, int count);
