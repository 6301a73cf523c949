/* mat: the one view type, with products, elementwise functions and weights: all that equations need
 * from tensor/. It also lists the letters of equations.
 *
 * A matrix is row-major with a leading dimension, so a time step, a gate, a head and a sentence are
 * all slices of a larger block; none needs a copy.
 *
 *   B sentences      T target words       S source words      N source words of the whole batch
 *   m embedding      n hidden             n_a alignment        l maxout        K vocabulary
 *   A annotation     H heads, G of keys   Q queries           R rows, L of a step
 *
 *   s decoder state  h annotation         c context           o output of a head
 *   q query          k key                v value             e score         alpha weight
 *   z update gate    r reset gate         s~ candidate        i, f, o gates and m memory of an LSTM
 *   E embeddings     t readout            a pre-activation    s_prev the previous s
 *   w weights        dw their gradients   d.. gradient of the loss with respect to ..
 *
 * The words of a batch follow each other without padding, either step by step (base/batch.h: row
 * start[t] + b) or sentence by sentence (row first[b] + t). */
#pragma once

#include "base/arena.h"
#include <math.h>
#include <stddef.h>

#ifdef SA_DOUBLE
typedef double sa_real;
#define sa_sqrt sqrt
#else
typedef float sa_real;
#define sa_sqrt sqrtf
#endif

typedef struct sa_mat {
    sa_real *x;
    int rows, cols;
    int ld; /* distance between rows, >= cols */
} sa_mat;

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

sa_real sa_dot(const sa_real *a, const sa_real *b, int size);
sa_real sa_sum(const sa_real *x, int size);
/* y += scale x */
void sa_axpy(sa_real scale, const sa_real *x, sa_real *y, int size);

void sa_zero(sa_mat x);
void sa_scale(sa_real factor, sa_mat x); /* x *= factor */
void sa_copy_mat(sa_mat from, sa_mat to);
void sa_add(sa_mat from, sa_mat to);      /* to += from */
void sa_sum_rows(sa_mat x, sa_real *sum); /* sum += all rows of x */

/* ---- Weights: weight.c ----------------------------------------------------------------------- */

/* A copy of a matrix in the order in which a product reads it: tensor/packed.h. */
typedef struct sa_packed {
    const sa_real *panels; /* NULL: not packed */
    int offset, height;    /* first column of a slice; rows of the whole matrix */
    bool bf16;             /* rounded by tensor/bf16.h */
} sa_packed;

/* A weight matrix. Only tensor/weight.h knows how it is stored; where an equation needs it outside
 * a product, it uses `W.mat`. */
typedef struct sa_weight {
    sa_mat mat;                  /* [out x in] */
    int before, after;           /* rows of the whole matrix before and after those of a slice */
    int precision;               /* SA_PRECISION_... of its products */
    sa_packed forward, backward; /* copies of the whole matrix, for x W' and for dy W */
    bool repeats;                /* rows of x are often equal: sa_distinct_rows */
    bool in_steps;               /* copied for a loop: sa_steps */
    const sa_mat *packing; /* for a gradient: scratch for packing the second operand, or NULL */
} sa_weight;

typedef struct sa_store sa_store; /* the copies of all weights */
typedef struct sa_steps sa_steps; /* the weights that every step of a loop multiplies by */

static inline sa_weight sa_weight_of(sa_mat mat) {
    return (sa_weight){.mat = mat};
}

void sa_weight_nt(sa_mat x, sa_weight W, sa_real beta, sa_mat y);   /* y = beta y + x W' */
void sa_weight_nn(sa_mat dy, sa_weight W, sa_real beta, sa_mat dx); /* dx = beta dx + dy W */
void sa_weight_tn(sa_mat dy, sa_mat x, sa_weight dW);               /* dW += dy' x */

/* Returns rows first .. first+count-1. */
sa_weight sa_weight_rows(sa_weight W, int first, int count);

/* ---- The trace ---------------------------------------------------------------------------------
 * A line such as sa_trace("e", alpha, head) hands a reader such as `softalign explain` numbers of a
 * pass that the following lines change. Single precision has no readers. */

typedef struct sa_traced {
    const char *name;
    sa_mat x;
    const void *head; /* the sa_head whose numbers they are, or NULL */
    /* Of a part's quantity (attention/parts.h): what equations call it, an equation that begins
     * with it (or NULL) and its paper, and a sa_explain_shape. */
    const char *letters, *formula, *citation;
    int shape;
} sa_traced;

typedef struct sa_tracer sa_tracer;
struct sa_tracer {
    void (*take)(sa_tracer *tracer, const sa_traced *one);
};

#ifdef SA_DOUBLE
extern _Thread_local sa_tracer *sa_tracing; /* of this thread, or NULL; vec.c */
#endif

/* Returns whether there is a reader. */
static inline bool sa_is_traced(void) {
#ifdef SA_DOUBLE
    return sa_tracing;
#else
    return false;
#endif
}

static inline void sa_trace_all(sa_traced one) {
#ifdef SA_DOUBLE
    if (sa_tracing) sa_tracing->take(sa_tracing, &one);
#endif
}

static inline void sa_trace(const char *name, sa_mat x, const void *head) {
    sa_trace_all((sa_traced){.name = name, .x = x, .head = head});
}
