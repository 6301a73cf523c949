/* Products with packed matrices (tensor/packed.c) against plain loops, in shapes for every edge of
 * the kernels. The arguments are the instruction sets offered to it, so that a kernel is tested
 * even where the processor has a better one; the kernel for short vectors needs none. */
#include "support/offered_sets.h"

#define __builtin_cpu_supports is_offered
#include "tensor/packed.c"
#undef __builtin_cpu_supports

#include "base/rng.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#ifdef SA_DOUBLE
#define EPSILON DBL_EPSILON
#else
#define EPSILON FLT_EPSILON
#endif

/* ---- The choice ------------------------------------------------------------------------------ */

static int wrong_choices(void) {
    static const struct {
        const char *sets[4];
        void (*kernel)(const factors *);
    } rows[] = {
#ifdef SA_SHORT_VECTORS
        {{NULL}, multiply_short},
#else
        {{NULL}, NULL},
        {{"avx2", NULL}, NULL}, /* the kernel also needs fma */
        {{"fma", NULL}, NULL},
        {{"avx2", "fma", NULL}, multiply_avx2},
        {{"avx512f", NULL}, multiply_avx512},
        {{"avx2", "fma", "avx512f", NULL}, multiply_avx512},
#endif
    };
    const char *const *asked = offered;
    int wrong = 0;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        offered = rows[i].sets;
        const bool good =
            kernel() == rows[i].kernel && sa_packed_supported() == (rows[i].kernel != NULL);
        if (!good) printf("row %zu: another kernel is chosen\n", i);
        wrong += !good;
    }
    offered = asked;
    return wrong;
}

/* ---- Matrices -------------------------------------------------------------------------------- */

static sa_rng dice;

/* With gaps between the rows and nothing after the last, so that a sanitizer sees overruns. */
static sa_mat matrix(int rows, int cols) {
    const int ld = cols + 3;
    const size_t size = (size_t)(rows - 1) * (size_t)ld + (size_t)cols;
    sa_mat x = {.x = malloc(size * sizeof *x.x), .rows = rows, .cols = cols, .ld = ld};
    if (!x.x) exit(7);
    for (size_t i = 0; i < size; i++) x.x[i] = (sa_real)(2 * sa_rng_uniform(&dice) - 1);
    return x;
}

static void set(sa_mat x, sa_real value) {
    for (int i = 0; i < x.rows; i++)
        for (int j = 0; j < x.cols; j++) sa_row(x, i)[j] = value;
}

static void copy(sa_mat from, sa_mat to) {
    for (int i = 0; i < from.rows; i++)
        memcpy(sa_row(to, i), sa_row(from, i), sizeof(sa_real) * (size_t)from.cols);
}

/* ---- A product ------------------------------------------------------------------------------- */

enum { ROWS = 26 }; /* two tiles of the largest kernel and two rows */

typedef struct product {
    bool transposed;
    int K, N;
    int inner_before, cols_before; /* what a slice leaves out */
    sa_mat a, c;                   /* [ROWS x K], [ROWS x N]: what is added to */
    sa_mat whole, b;               /* the matrix that is packed, and the slice of it */
    sa_packed packed;              /* that slice */
    sa_real *buffer;
} product;

/* The slice of W, which leaves out its last row and column, too. */
static sa_mat slice(const product *p, sa_mat W) {
    return p->transposed ? sa_cols(sa_rows(W, p->cols_before, p->N), p->inner_before, p->K)
                         : sa_cols(sa_rows(W, p->inner_before, p->K), p->cols_before, p->N);
}

static void open_product(product *p) {
    const int inner = p->inner_before + p->K + 1, cols = p->cols_before + p->N + 1;
    sa_arena counting = {0};
    p->a = matrix(ROWS, p->K), p->c = matrix(ROWS, p->N);
    p->whole = p->transposed ? matrix(cols, inner) : matrix(inner, cols);
    sa_mat buffer = sa_packed_layout(&counting, p->whole, ROWS);
    buffer.x = p->buffer = malloc(sizeof(sa_real) * (size_t)buffer.cols);
    if (!p->buffer) exit(7);
    p->b = slice(p, p->whole);
    p->packed = sa_packed_of(p->whole, buffer, p->transposed);
    p->packed.offset = p->cols_before;
    p->packed.panels += p->inner_before * SA_PACKED_WIDTH;
}

static void close_product(product *p) {
    free(p->a.x), free(p->c.x), free(p->whole.x), free(p->buffer);
}

/* The error of a sum of n rounded terms, in any order, is at most nu / (1 - nu) of the sum of their
 * magnitudes, where u is half the distance of 1 from the next number (Higham, Accuracy and
 * Stability of Numerical Algorithms, section 3.1). Here n is K, 1 for what is added to, and 1 for
 * the rounding of the plain loop, whose numbers have 64 bits. */
static int wrong_numbers(const product *p, sa_real beta, sa_mat result) {
    const long double nu = (p->K + 2) * (long double)EPSILON / 2;
    int wrong = 0;
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < p->N; j++) {
            const long double start = beta != 0 ? (long double)sa_row(p->c, i)[j] : 0;
            long double sum = start, size = fabsl(start);
            for (int k = 0; k < p->K; k++) {
                const sa_real b = p->transposed ? sa_row(p->b, j)[k] : sa_row(p->b, k)[j];
                const long double term = (long double)sa_row(p->a, i)[k] * (long double)b;
                sum += term, size += fabsl(term);
            }
            wrong += !(fabsl((long double)sa_row(result, i)[j] - sum) <= nu / (1 - nu) * size);
        }
    return wrong;
}

/* Rows first .. first+count-1 of c = beta c + a b; what must not be read is NaN. */
static void multiply(const product *p, sa_real beta, int first, int count, sa_mat c) {
    c = sa_rows(c, first, count);
    set(c, (sa_real)NAN);
    if (beta != 0) copy(sa_rows(p->c, first, count), c);
    sa_packed_multiply(false, sa_rows(p->a, first, count), p->packed, beta, c);
}

/* How many rows of c differ from `expected` in a bit, or from `before` in the gap behind them. */
static int changed_rows(sa_mat c, int count, sa_mat expected, const sa_real *before) {
    int changed = 0;
    for (int i = 0; i < count; i++)
        changed += memcmp(sa_row(c, i), sa_row(expected, i), sizeof(sa_real) * (size_t)c.cols) != 0;
    for (int i = 0; i + 1 < c.rows; i++)
        changed += memcmp(sa_row(c, i) + c.cols, before + (ptrdiff_t)i * c.ld + c.cols,
                          sizeof(sa_real) * (size_t)(c.ld - c.cols)) != 0;
    return changed;
}

static int wrong_products(const product *p, sa_real beta) {
    sa_mat alone = matrix(ROWS, p->N), c = matrix(ROWS, p->N);
    const size_t size = sizeof(sa_real) * ((size_t)(ROWS - 1) * (size_t)c.ld + (size_t)c.cols);
    sa_real *before = malloc(size);
    if (!before) exit(7);
    memcpy(before, c.x, size);
    for (int i = 0; i < ROWS; i++) multiply(p, beta, i, 1, alone);
    int wrong = wrong_numbers(p, beta, alone);
    for (int count = 1; count <= ROWS; count++) {
        multiply(p, beta, 0, count, c);
        wrong += changed_rows(c, count, alone, before);
    }
    free(alone.x), free(c.x), free(before);
    return wrong;
}

/* ---- All of them ----------------------------------------------------------------------------- */

static int wrong_shapes(bool transposed, int K, int N) {
    static const struct {
        int inner, cols;
    } before[] = {{0, 0}, {1, 1}, {3, SA_PACKED_WIDTH - 1}, {2, SA_PACKED_WIDTH + 5}};
    int wrong = 0;
    for (size_t i = 0; i < sizeof before / sizeof *before; i++) {
        product p = {.transposed = transposed,
                     .K = K,
                     .N = N,
                     .inner_before = before[i].inner,
                     .cols_before = before[i].cols};
        open_product(&p);
        const int own = wrong_products(&p, 0) + wrong_products(&p, 1);
        if (own)
            printf("%s [%d x %d] from %d, %d: %d numbers or rows are wrong\n",
                   transposed ? "transposed" : "not transposed", K, N, before[i].inner,
                   before[i].cols, own);
        wrong += own;
        close_product(&p);
    }
    return wrong;
}

/* Few rows do not repay packing; without a kernel nothing does. */
static int wrong_buffers(void) {
    const char *const none = NULL, *const *asked = offered;
    sa_mat W = matrix(40, 40);
    sa_arena counting = {0};
    int wrong = sa_packed_layout(&counting, W, 3).cols + (int)counting.used;
    wrong += sa_packed_layout(&counting, W, 4).cols == 0;
    offered = &none;
    wrong += !kernel() && sa_packed_layout(&counting, W, 4).cols;
    offered = asked;
    free(W.x);
    if (wrong) printf("a buffer is taken where it must not be, or the reverse\n");
    return wrong;
}

int main(int count, char **arguments) {
    (void)count;
    static const int inner[] = {1, 2, 3, 4, 5, 8, 13, 130};
    static const int cols[] = {
        1, 3, 4, 7, 8, 15, 17, SA_PACKED_WIDTH - 1, SA_PACKED_WIDTH, SA_PACKED_WIDTH + 1, 64, 70};
    int wrong = 0, shapes = 0;
    offered = (const char *const *)arguments + 1;
    dice = sa_rng_seed(20150519, 3);
    if (!kernel()) return 2;
    wrong += wrong_choices() + wrong_buffers();
    for (size_t k = 0; k < sizeof inner / sizeof *inner; k++)
        for (size_t n = 0; n < sizeof cols / sizeof *cols; n++, shapes++)
            wrong += wrong_shapes(false, inner[k], cols[n]) + wrong_shapes(true, inner[k], cols[n]);
    printf("%d shapes of 1 to %d rows\n", shapes, ROWS);
    return wrong > 0;
}
