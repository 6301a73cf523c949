/* mat: the one view type, and the letters of equations.
 *
 * A matrix is row-major with a leading dimension, so a time step, a gate, a head and a sentence are
 * all slices of a larger block; none needs a copy.
 *
 *   B sentences      T target words       S source words      N source words of the whole batch
 *   m embedding      n hidden             n' alignment        l maxout        K vocabulary
 *   A annotation     H heads, G of keys   Q queries           R rows, L of a step
 *
 *   s decoder state  h annotation         c context           o output of a head
 *   q query          k key                v value             e score         alpha weight
 *   z update gate    r reset gate         s~ candidate        i, f, o gates and m memory of an LSTM
 *   E embeddings     t readout            a pre-activation    s' the previous s
 *   w weights        dw their gradients   d.. derivative of the loss by ..
 *
 * The words of a batch follow each other without padding, either step by step (base/batch.h: row
 * start[t] + b) or sentence by sentence (row first[b] + t). */
#pragma once

#include "base/arena.h"
#include <stddef.h>

#ifdef SA_DOUBLE
typedef double sa_real;
#else
typedef float sa_real;
#endif

typedef struct sa_mat {
    sa_real *x;
    int rows, cols;
    int ld; /* distance between rows, >= cols */
} sa_mat;

static inline sa_real *sa_row(sa_mat a, int row) {
    return a.x + (ptrdiff_t)row * a.ld;
}

/* Rows first .. first+count-1. */
static inline sa_mat sa_rows(sa_mat a, int first, int count) {
    sa_require(first >= 0 && count >= 0 && first + count <= a.rows);
    if (a.x) a.x = sa_row(a, first);
    a.rows = count;
    return a;
}

/* Columns first .. first+count-1. */
static inline sa_mat sa_cols(sa_mat a, int first, int count) {
    sa_require(first >= 0 && count >= 0 && first + count <= a.cols);
    if (a.x) a.x += first;
    a.cols = count;
    return a;
}

/* A new matrix from the arena, not zeroed. */
static inline sa_mat sa_mat_alloc(sa_arena *arena, int rows, int cols) {
    sa_require(rows >= 0 && cols >= 0);
    return (sa_mat){.x = sa_arena_alloc(arena, (size_t)rows * (size_t)cols, sizeof(sa_real)),
                    .rows = rows,
                    .cols = cols,
                    .ld = cols};
}
