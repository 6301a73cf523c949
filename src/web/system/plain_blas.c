/* plain_blas: computes the products of tensor/blas.h without OpenBLAS, in vectors of 128 bits,
 * which WebAssembly and every x86-64 processor have. Each number of c is one sum in the order of
 * the inner dimension, so that the same source gives the same bits everywhere. */
#include "tensor/blas.h"
#include "tensor/packed.h"
#include "tensor/vec.h"

enum {
    LANES = 16 / sizeof(sa_real),
    WIDTH = SA_PACKED_WIDTH, /* columns of a tile */
    WIDE = WIDTH / LANES,
    MOST = 6,   /* rows of a tile: as many sums as there are registers */
    DEEP = 256, /* inner dimension of a tile */
};
typedef sa_real vector128 __attribute__((vector_size(16), aligned(sizeof(sa_real)), may_alias));

#define INLINE static inline __attribute__((always_inline))

/* A factor where it lies: number (i, k) is at x[i * row + k * step]. */
typedef struct plain_factor {
    const sa_real *x;
    ptrdiff_t row, step;
} plain_factor;

/* ---- Tiles ----------------------------------------------------------------------------------- */

/* Computes c (+)= a b for `rows` rows and WIDTH columns. */
INLINE void multiply_tile(plain_factor a, const sa_real *b, ptrdiff_t b_ld, int inner, bool add,
                          sa_mat c, int rows) {
    vector128 sum[MOST][WIDE];
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < WIDE; j++)
            sum[i][j] = add ? ((const vector128 *)sa_row(c, i))[j] : (vector128){0};
    for (int k = 0; k < inner; k++, b += b_ld)
        for (int i = 0; i < rows; i++)
            for (int j = 0; j < WIDE; j++)
                sum[i][j] += a.x[i * a.row + k * a.step] * ((const vector128 *)b)[j];
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < WIDE; j++) ((vector128 *)sa_row(c, i))[j] = sum[i][j];
}

static void multiply_rows(plain_factor a, const sa_real *b, ptrdiff_t b_ld, int inner, bool add,
                          sa_mat c) {
    /* the compiler needs a constant number of rows */
    if (c.rows == 1) multiply_tile(a, b, b_ld, inner, add, c, 1);
    if (c.rows == 2) multiply_tile(a, b, b_ld, inner, add, c, 2);
    if (c.rows == 3) multiply_tile(a, b, b_ld, inner, add, c, 3);
    if (c.rows == 4) multiply_tile(a, b, b_ld, inner, add, c, 4);
    if (c.rows == 5) multiply_tile(a, b, b_ld, inner, add, c, 5);
    if (c.rows == MOST) multiply_tile(a, b, b_ld, inner, add, c, MOST);
}

/* Multiplies all rows of a panel of columns; the last panel may have fewer columns than WIDTH. */
static void multiply_panel(plain_factor a, const sa_real *b, ptrdiff_t b_ld, int inner, bool add,
                           sa_mat c) {
    sa_real edge[MOST * WIDTH] = {0};
    for (int i = 0; i < c.rows; i += MOST, a.x += MOST * a.row) {
        const int rows = c.rows - i < MOST ? c.rows - i : MOST;
        const sa_mat own = sa_rows(c, i, rows);
        const sa_mat copy = {.x = edge, .rows = rows, .cols = c.cols, .ld = WIDTH};
        if (c.cols == WIDTH) {
            multiply_rows(a, b, b_ld, inner, add, own);
            continue;
        }
        if (add) sa_copy_mat(own, copy);
        multiply_rows(a, b, b_ld, inner, add, copy);
        sa_copy_mat(copy, own);
    }
}

/* ---- Panels ---------------------------------------------------------------------------------- */

/* Computes c = beta c + a b (a b' with `transposed`); the inner dimension of b is `inner`. */
static void multiply(plain_factor a, sa_mat b, bool transposed, int inner, sa_real beta, sa_mat c) {
    sa_real panel[DEEP * WIDTH];
    if (!inner && beta == 0) sa_zero(c);
    for (int k = 0, depth; k < inner; k += depth, beta = 1) {
        depth = sa_least(DEEP, inner - k);
        const plain_factor part = {a.x + k * a.step, a.row, a.step};
        const sa_mat bk = transposed ? sa_cols(b, k, depth) : sa_rows(b, k, depth);
        for (int j = 0, cols; j < c.cols; j += cols) {
            cols = sa_least(WIDTH, c.cols - j);
            const bool in_place = !transposed && cols == WIDTH;
            if (!in_place) sa_packed_panel(bk, j, cols, transposed, panel);
            multiply_panel(part, in_place ? bk.x + j : panel, in_place ? bk.ld : WIDTH, depth,
                           beta != 0, sa_cols(c, j, cols));
        }
    }
}

/* ---- Products -------------------------------------------------------------------------------- */

void sa_gemm(bool a_transposed, sa_mat a, bool b_transposed, sa_mat b, sa_real beta, sa_mat c) {
    const plain_factor straight = {a.x, a.ld, 1}, turned = {a.x, 1, a.ld};
    const int inner = a_transposed ? a.rows : a.cols;
    sa_require(inner == (b_transposed ? b.cols : b.rows) &&
               c.rows == (a_transposed ? a.cols : a.rows) &&
               c.cols == (b_transposed ? b.rows : b.cols));
    const bool row = b_transposed && a.rows == 1; /* too little to repay transposing */
    for (int j = 0; row && j < c.cols; j++)
        c.x[j] = (beta != 0 ? c.x[j] : 0) + sa_dot(a.x, sa_row(b, j), inner);
    if (!row) multiply(a_transposed ? turned : straight, b, b_transposed, inner, beta, c);
}

/* ---- Other functions of tensor/blas.h -------------------------------------------------------- */

void sa_blas_init(void) {}

bool sa_blas_check_memory(int threads, sa_error *error) {
    return true;
}

const char *sa_blas_core(void) {
    return "plain";
}

const char *sa_blas_version(void) {
    return "products of its own, in vectors of 128 bits";
}

const char *sa_blas_library(void) {
    return NULL;
}

const char *sa_blas_one_thread(void) {
    return NULL;
}
