/* The parts of a Transformer's sublayers: each backward pass alone, against differences of its
 * forward pass. */
#include "layers/basic.h"
#include "layers/residual.h"
#include "support/differences.h"
#include "support/suite.h"
#include "tensor/vec.h"
#include "tensor/weight.h"

#include <softalign/lab.h>

#define EPSILON 1e-5 /* of the layer norm, as documented */

static const struct shape {
    int rows, cols, inner;
} shapes[] = {{1, 1, 1}, {4, 1, 3}, {1, 5, 1}, {3, 4, 7}, {6, 17, 5}};
enum { SHAPES = sizeof shapes / sizeof *shapes };

static sa_mat x, y, dy, weights, dweights;

/* Random weights, as many as were counted, and the buffer that their gradient is added to. */
static void weights_open(sa_binder counted) {
    weights = drawn(1, (int)counted.offset);
    dweights = filled(1, (int)counted.offset, BEFORE);
}

static sa_mat same_as(sa_mat from) {
    sa_mat copy = unset(from.rows, from.cols);
    sa_copy_mat(from, copy);
    return copy;
}

/* ---- Layer normalization --------------------------------------------------------------------- */

static sa_layernorm norm, dnorm;
static sa_layernorm_cache normed;

static void layernorm_open(int rows, int cols) {
    sa_binder counting = {0};
    sa_layernorm_bind(&counting, "norm", cols, &norm);
    weights_open(counting);
    sa_layernorm_bind(&(sa_binder){.buffer = weights.x}, "norm", cols, &norm);
    sa_layernorm_bind(&(sa_binder){.buffer = dweights.x}, "norm", cols, &dnorm);
    normed = (sa_layernorm_cache){unset(rows, cols), unset(rows, 1)};
    x = unset(rows, cols), y = unset(rows, cols), dy = drawn(rows, cols);
    draw(x, 5); /* so that differences bend little within a step */
}

static double layernorm(void) {
    sa_layernorm_forward(&norm, x, &normed, 0, y);
    return weighted_sum(y, dy);
}

START_TEST(layernorm_by_its_equation) {
    const struct shape s = shapes[_i];
    layernorm_open(s.rows, s.cols);
    layernorm();
    for (int i = 0; i < s.rows; i++) {
        double mean = 0, variance = 0;
        for (int k = 0; k < s.cols; k++) mean += sa_row(x, i)[k] / s.cols;
        for (int k = 0; k < s.cols; k++) variance += pow(sa_row(x, i)[k] - mean, 2) / s.cols;
        for (int k = 0; k < s.cols; k++) {
            const double normal = (sa_row(x, i)[k] - mean) / sqrt(variance + EPSILON);
            ck_assert_double_eq_tol(sa_row(y, i)[k], norm.g.x[k] * normal + norm.b.x[k], 1e-13);
        }
    }
    sa_mat once = same_as(x);
    sa_layernorm_forward(&norm, once, &normed, 0, once); /* in place */
    ck_assert_double_eq(farthest(once, y), 0);
    sa_layernorm_forward(&norm, x, &normed, 1, once); /* added */
    sa_scale(2, y);
    ck_assert_double_eq(farthest(once, y), 0);
}
END_TEST

START_TEST(layernorm_backward) {
    const struct shape s = shapes[_i];
    layernorm_open(s.rows, s.cols);
    layernorm();
    sa_mat dx = same_as(dy);
    sa_layernorm_backward(&norm, &normed, dx, &dnorm);
    CHECK_WRITTEN(layernorm, x, dx);
    CHECK_ADDED(layernorm, weights, dweights);
    if (s.cols == 1) ck_assert_double_eq(farthest(dx, filled(s.rows, 1, 0)), 0);
}
END_TEST

/* Equal numbers have no variance, only epsilon: y is b, and near there it is
 * g (x - mean) / sqrt(epsilon) + b, which is too curved for differences. */
START_TEST(layernorm_of_equal_numbers) {
    const int rows = 3, cols = 4;
    layernorm_open(rows, cols);
    for (int i = 0; i < rows; i++) fill(sa_rows(x, i, 1), (double[]){0, -2, 0.5}[i]);
    layernorm();
    sa_mat dx = same_as(dy);
    sa_layernorm_backward(&norm, &normed, dx, &dnorm);
    for (int i = 0; i < rows; i++) {
        double mean = 0;
        for (int k = 0; k < cols; k++) mean += norm.g.x[k] * sa_row(dy, i)[k] / cols;
        for (int k = 0; k < cols; k++) {
            const double away = norm.g.x[k] * sa_row(dy, i)[k] - mean;
            ck_assert_double_eq(sa_row(y, i)[k], norm.b.x[k]);
            ck_assert_double_eq_tol(sa_row(dx, i)[k], away / sqrt(EPSILON), 1e-10);
        }
    }
    ck_assert_double_eq(farthest(dnorm.g, filled(1, cols, BEFORE)), 0);
    for (int k = 0; k < cols; k++) {
        double sum = BEFORE;
        for (int i = 0; i < rows; i++) sum += sa_row(dy, i)[k];
        ck_assert_double_eq_tol(dnorm.b.x[k], sum, 1e-15);
    }
}
END_TEST

/* ---- The feed-forward network ---------------------------------------------------------------- */

static sa_feedforward network, dnetwork;
static sa_mat inner;

static double feedforward(void) {
    sa_feedforward_forward(&network, x, inner, y);
    return weighted_sum(y, dy);
}

/* The distance of the nearest rectifier from its kink. */
static double nearest_kink(void) {
    double nearest = INFINITY;
    sa_mat sums = unset(inner.rows, inner.cols);
    sa_linear_forward(network.W_1, network.b_1, x, sums);
    for (int i = 0; i < sums.rows; i++)
        for (int k = 0; k < sums.cols; k++) nearest = fmin(nearest, fabs(sa_row(sums, i)[k]));
    return nearest;
}

static void feedforward_open(struct shape s) {
    sa_binder counting = {0};
    sa_feedforward_bind(&counting, "part", s.cols, s.inner, &network);
    weights_open(counting);
    sa_feedforward_bind(&(sa_binder){.buffer = weights.x}, "part", s.cols, s.inner, &network);
    sa_feedforward_bind(&(sa_binder){.buffer = dweights.x}, "part", s.cols, s.inner, &dnetwork);
    x = unset(s.rows, s.cols), y = unset(s.rows, s.cols), dy = drawn(s.rows, s.cols);
    inner = unset(s.rows, s.inner);
    do draw(x, 1), draw(weights, 1);
    while (nearest_kink() < 0.01); /* differences reach 3e-3 */
}

START_TEST(feedforward_backward) {
    const struct shape s = shapes[_i];
    feedforward_open(s);
    feedforward();
    sa_mat dx = filled(s.rows, s.cols, BEFORE), dinner = unset(s.rows, s.inner);
    sa_feedforward_backward(&network, x, inner, dy, dinner, dx, &dnetwork);
    CHECK_ADDED(feedforward, x, dx);
    CHECK_ADDED(feedforward, weights, dweights);
}
END_TEST

/* If all units are off, y is the last bias and no gradient passes through them. */
START_TEST(feedforward_that_is_off) {
    const struct shape s = shapes[3];
    feedforward_open(s);
    fill(network.b_1, -100);
    feedforward();
    sa_mat dx = filled(s.rows, s.cols, BEFORE), dinner = unset(s.rows, s.inner);
    for (int i = 0; i < s.rows; i++)
        ck_assert_double_eq(farthest(sa_rows(y, i, 1), network.b_2), 0);
    sa_feedforward_backward(&network, x, inner, dy, dinner, dx, &dnetwork);
    ck_assert_double_eq(farthest(dx, filled(s.rows, s.cols, BEFORE)), 0);
    CHECK_ADDED(feedforward, weights, dweights);
}
END_TEST

/* ---- The residual connection ----------------------------------------------------------------- */

static sa_residual residual, dresidual;
static sa_residual_cache cache;
static sa_mat W; /* of the sublayer, a linear map */
static double dropout;

static double residual_loss(void) {
    const sa_mat no_bias = {0};
    sa_rng masks = sa_rng_seed(5, 5);
    sa_residual_enter_forward(&residual, x, &cache);
    sa_linear_forward((sa_weight){.mat = W}, no_bias, cache.in, cache.y);
    sa_residual_leave_forward(&residual, x, dropout, &masks, &cache);
    return weighted_sum(cache.y, dy);
}

static void residual_open(struct shape s, int place) {
    sa_binder counting = {0};
    sa_residual_bind(&counting, "part", s.cols, place, &residual);
    weights_open(counting);
    sa_residual_bind(&(sa_binder){.buffer = weights.x}, "part", s.cols, place, &residual);
    sa_residual_bind(&(sa_binder){.buffer = dweights.x}, "part", s.cols, place, &dresidual);
    x = unset(s.rows, s.cols), dy = drawn(s.rows, s.cols), W = drawn(s.cols, s.cols);
    draw(x, 5);
    sa_residual_layout(&numbers, &residual, x, true, &cache);
    sa_mat own[] = {cache.y, cache.layernorm.normal, cache.layernorm.inverse, cache.mask};
    for (size_t i = 0; i < sizeof own / sizeof *own; i++) fill(own[i], NAN);
}

START_TEST(residual_backward) {
    enum { PLACES = 2, DROPOUTS = 2 };
    const struct shape s = shapes[_i / (PLACES * DROPOUTS)];
    const sa_mat no_bias = {0};
    dropout = 0.4 * (_i / PLACES % DROPOUTS);
    residual_open(s, _i % PLACES ? SA_NORM_POST : SA_NORM_PRE);
    residual_loss();
    sa_mat d = same_as(dy), df = unset(s.rows, s.cols), din = unset(s.rows, s.cols);
    sa_mat dW = filled(s.cols, s.cols, BEFORE);
    sa_residual_leave_backward(&residual, &cache, dropout, d, df, din, &dresidual);
    sa_linear_backward((sa_weight){.mat = W}, cache.in, df, din, (sa_weight){.mat = dW}, no_bias);
    sa_residual_enter_backward(&residual, &cache, din, d, &dresidual);
    CHECK_WRITTEN(residual_loss, x, d);
    CHECK_ADDED(residual_loss, weights, dweights);
    CHECK_ADDED(residual_loss, W, dW);
}
END_TEST

int main(void) {
    TCase *tests;
    Suite *suite = suite_of("sublayers in double", &tests);
    tcase_add_checked_fixture(tests, numbers_open, numbers_close);
    tcase_add_loop_test(tests, layernorm_by_its_equation, 0, SHAPES);
    tcase_add_loop_test(tests, layernorm_backward, 0, SHAPES);
    tcase_add_test(tests, layernorm_of_equal_numbers);
    tcase_add_loop_test(tests, feedforward_backward, 0, SHAPES);
    tcase_add_test(tests, feedforward_that_is_off);
    tcase_add_loop_test(tests, residual_backward, 0, 4 * SHAPES);
    return suite_run(suite);
}
