/* numbers: matrices for tests of the numeric modules. */
#ifndef TEST_NUMBERS_H
#define TEST_NUMBERS_H

#include "base/rng.h"
#include "support/assertions.h"
#include "tensor/blas.h"
#include "tensor/mat.h"

#include <math.h>
#include <string.h>

static sa_arena numbers;
static sa_rng dice;

/* What unset() made, with three columns and a row more than it gave away. */
static struct {
    sa_mat whole[4096];
    size_t count;
} margins;

/* Fixtures: every test starts with an empty arena and the same random numbers. The memory is that
 * of the test before: new memory for each would take gigabytes. */
static inline void numbers_open(void) {
    if (!numbers.base) ck_assert(sa_arena_init(&numbers, 1 << 24, NULL));
    dice = sa_rng_seed(20150519, 7);
    sa_blas_init();
}

/* Nothing has been written beside a matrix or below it. (Those that a test has given back are
 * gone.) */
static inline void check_margins(size_t used) {
    const size_t count = margins.count;
    margins.count = 0; /* also if one fails, for the next test */
    for (size_t k = 0; k < count; k++) {
        const sa_mat x = margins.whole[k];
        if ((char *)sa_row(x, x.rows - 1) >= numbers.base + used) break;
        for (int i = 0; i < x.rows; i++)
            for (int j = i < x.rows - 1 ? x.cols - 3 : 0; j < x.cols; j++)
                ck_assert_msg(isnan(sa_row(x, i)[j]), "[%d x %d]: written at row %d, column %d",
                              x.rows - 1, x.cols - 3, i, j);
    }
}

static inline void numbers_close(void) {
    const size_t used = numbers.used;
    numbers.used = 0;
    check_margins(used);
}

/* Makes the first bytes of the memory NaN, so that what is read before it is written spoils the
 * result. What is laid out there is gone. */
static inline void spoil(size_t size) {
    const size_t used = numbers.used;
    sa_arena_rewind(&numbers, 0);
    memset(sa_arena_alloc(&numbers, size, 1), 0xff, size);
    sa_arena_rewind(&numbers, 0);
    numbers.used = used;
    margins.count = 0;
}

static inline void fill(sa_mat x, double value) {
    for (int i = 0; i < x.rows; i++)
        for (int j = 0; j < x.cols; j++) sa_row(x, i)[j] = (sa_real)value;
}

/* Uniform in +-bound. */
static inline void draw(sa_mat x, double bound) {
    for (int i = 0; i < x.rows; i++)
        for (int j = 0; j < x.cols; j++)
            sa_row(x, i)[j] = (sa_real)(bound * (2 * sa_rng_uniform(&dice) - 1));
}

/* For outputs: NaN, with gaps between the rows as in a slice. */
static inline sa_mat unset(int rows, int cols) {
    sa_mat whole = sa_mat_alloc(&numbers, rows + 1, cols + 3);
    fill(whole, NAN);
    while (margins.count && margins.whole[margins.count - 1].x >= whole.x)
        margins.count--; /* in memory that the test has given back */
    if (margins.count < sizeof margins.whole / sizeof margins.whole[0])
        margins.whole[margins.count++] = whole;
    return sa_rows(sa_cols(whole, 0, cols), 0, rows);
}

/* For accumulators, and for inputs that the test sets itself. */
static inline sa_mat filled(int rows, int cols, double value) {
    sa_mat x = unset(rows, cols);
    fill(x, value);
    return x;
}

static inline sa_mat drawn(int rows, int cols) {
    sa_mat x = unset(rows, cols);
    draw(x, 1);
    return x;
}

/* The largest |a - b|; NaN when any is. */
static inline double farthest(sa_mat a, sa_mat b) {
    double most = 0;
    ck_assert_int_eq(a.rows, b.rows);
    ck_assert_int_eq(a.cols, b.cols);
    for (int i = 0; i < a.rows; i++)
        for (int j = 0; j < a.cols; j++) {
            const double difference = fabs((double)sa_row(a, i)[j] - (double)sa_row(b, i)[j]);
            if (!(difference <= most)) most = difference;
        }
    return most;
}

#endif
