/* differences: a backward function alone against sixth-order central differences of its forward.
 *
 * The value differentiated is sum(dy . y) over the outputs y, with random dy, which the backward
 * receives. What a backward adds to starts at BEFORE, what it overwrites at NaN, so the comparison
 * also tests which of the two it does. */
#ifndef TEST_DIFFERENCES_H
#define TEST_DIFFERENCES_H

#include "support/numbers.h"

#define BEFORE 0.75

static inline double weighted_sum(sa_mat y, sa_mat dy) {
    double sum = 0;
    for (int i = 0; i < y.rows; i++)
        for (int j = 0; j < y.cols; j++) sum += sa_row(y, i)[j] * sa_row(dy, i)[j];
    return sum;
}

static inline double slope(double (*value)(void), double *at) {
    static const double factor[] = {45, -9, 1};
    const double saved = *at, h = 1e-3;
    double sum = 0;
    for (int k = 0; k < 3; k++) {
        *at = saved + (k + 1) * h;
        sum += factor[k] * value();
        *at = saved - (k + 1) * h;
        sum -= factor[k] * value();
    }
    *at = saved;
    return sum / (60 * h);
}

/* The sanitizers are many times slower and check memory, not numbers: with them a sample is
 * compared. */
enum { EVERY = TEST_SANITIZED ? 31 : 1 };

/* dx is the gradient of value() by x, on top of `start`. */
static inline void check_slope(const char *name, double (*value)(void), sa_mat x, sa_mat dx,
                               double start) {
    double squares = 0, of_a = 0, of_n = 0;
    ck_assert_int_eq(x.rows, dx.rows);
    ck_assert_int_eq(x.cols, dx.cols);
    for (int i = 0; i < x.rows; i++)
        for (int j = 0; j < x.cols; j++) {
            if ((i * x.cols + j) % EVERY) continue;
            const double a = sa_row(dx, i)[j] - start, n = slope(value, sa_row(x, i) + j);
            squares += (a - n) * (a - n);
            of_a += a * a;
            of_n += n * n;
        }
    const double size = sqrt(fmax(of_a, of_n));
    ck_assert_msg(sqrt(squares) <= 1e-9 * fmax(size, 1e-3), "d%s: %.3g apart at a norm of %.3g",
                  name, sqrt(squares), size);
}

#define CHECK_ADDED(value, x, dx) check_slope(#x, value, x, dx, BEFORE)
#define CHECK_WRITTEN(value, x, dx) check_slope(#x, value, x, dx, 0)

#endif
