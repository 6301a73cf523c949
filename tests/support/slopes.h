/* slopes: a backward function alone against sixth-order central differences of its forward.
 *
 * The forward's outputs y are made one number by random weights, sum(dy . y), so the weights are
 * what the backward receives. What a backward adds to begins at BEFORE, what it overwrites at NaN:
 * so a test of the gradient is a test of which of the two it does. */
#ifndef TEST_SLOPES_H
#define TEST_SLOPES_H

#include "support/numbers.h"

#define BEFORE 0.75

static inline double weighted(sa_mat y, sa_mat dy) {
    double sum = 0;
    for (int i = 0; i < y.rows; i++)
        for (int j = 0; j < y.cols; j++) sum += sa_row(y, i)[j] * sa_row(dy, i)[j];
    return sum;
}

static inline double slope(double (*value)(void), double *at) {
    static const double share[] = {45, -9, 1};
    const double kept = *at, h = 1e-3;
    double sum = 0;
    for (int k = 0; k < 3; k++) {
        *at = kept + (k + 1) * h;
        sum += share[k] * value();
        *at = kept - (k + 1) * h;
        sum -= share[k] * value();
    }
    *at = kept;
    return sum / (60 * h);
}

/* dx is the gradient of value() by x, on top of `start`. */
static inline void check_slope(const char *name, double (*value)(void), sa_mat x, sa_mat dx,
                               double start) {
    double apart = 0, of_a = 0, of_n = 0;
    ck_assert_int_eq(x.rows, dx.rows);
    ck_assert_int_eq(x.cols, dx.cols);
    for (int i = 0; i < x.rows; i++)
        for (int j = 0; j < x.cols; j++) {
            const double a = sa_row(dx, i)[j] - start, n = slope(value, sa_row(x, i) + j);
            apart += (a - n) * (a - n);
            of_a += a * a;
            of_n += n * n;
        }
    const double size = sqrt(fmax(of_a, of_n));
    ck_assert_msg(sqrt(apart) <= 1e-9 * fmax(size, 1e-3), "d%s: %.3g apart at a norm of %.3g", name,
                  sqrt(apart), size);
}

#define CHECK_ADDED(value, x, dx) check_slope(#x, value, x, dx, BEFORE)
#define CHECK_WRITTEN(value, x, dx) check_slope(#x, value, x, dx, 0)

#endif
