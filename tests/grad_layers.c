/* Every layer's backward alone, by differences of its forward. */
#include "math/vec.h"
#include "nn/dropout.h"
#include "nn/embedding.h"
#include "nn/gru.h"
#include "nn/linear.h"
#include "nn/loss.h"
#include "nn/maxout.h"
#include "support/slopes.h"
#include "support/suite.h"

static sa_mat W, b, x, y, dy;

/* ---- linear ---------------------------------------------------------------------------------- */

static const struct shape {
    int rows, in, out;
} shapes[] = {{1, 1, 1}, {1, 5, 3}, {7, 1, 4}, {6, 4, 1}, {5, 17, 9}};

static double linear(void) {
    sa_linear_forward(W, b, x, y);
    return weighted(y, dy);
}

START_TEST(linear_with_a_bias) {
    const struct shape s = shapes[_i];
    W = drawn(s.out, s.in), x = drawn(s.rows, s.in), b = drawn(1, s.out);
    y = unset(s.rows, s.out), dy = drawn(s.rows, s.out);
    sa_mat dW = filled(s.out, s.in, BEFORE), dx = filled(s.rows, s.in, BEFORE);
    sa_mat db = filled(1, s.out, BEFORE);
    linear();
    sa_linear_backward(W, x, dy, dx, dW, db);
    CHECK_ADDED(linear, W, dW);
    CHECK_ADDED(linear, x, dx);
    CHECK_ADDED(linear, b, db);
}
END_TEST

START_TEST(linear_without_bias_or_input_gradient) {
    const struct shape s = shapes[_i];
    const sa_mat none = {0};
    W = drawn(s.out, s.in), x = drawn(s.rows, s.in), b = none;
    y = unset(s.rows, s.out), dy = drawn(s.rows, s.out);
    sa_mat dW = filled(s.out, s.in, BEFORE);
    linear();
    sa_linear_backward(W, x, dy, none, dW, none);
    CHECK_ADDED(linear, W, dW);
}
END_TEST

/* ---- embedding ------------------------------------------------------------------------------- */

static const int32_t words[] = {3, 0, 3, 5, 3};

static double embedding(void) {
    sa_embedding_forward(x, words, y);
    return weighted(y, dy);
}

START_TEST(embedding_adds_up_repeated_words) {
    x = drawn(6, 4), y = unset(5, 4), dy = drawn(5, 4);
    sa_mat dx = filled(6, 4, BEFORE);
    embedding();
    for (int i = 0; i < 5; i++)
        ck_assert_double_eq(farthest(sa_rows(y, i, 1), sa_rows(x, words[i], 1)), 0);
    sa_embedding_backward(words, dy, dx);
    CHECK_ADDED(embedding, x, dx);
    for (int word = 0; word < 6; word++) {
        const bool occurs = word == 0 || word == 3 || word == 5;
        const double moved = farthest(sa_rows(dx, word, 1), filled(1, 4, BEFORE));
        ck_assert_int_eq(moved != 0, occurs);
    }
}
END_TEST

/* ---- gru ------------------------------------------------------------------------------------- */

static sa_gru gru;
static sa_mat a, before, gates, reset; /* y is the new state */

static sa_gru gru_of(int n, sa_mat (*make)(int rows, int cols)) {
    return (sa_gru){.U_zr = make(2 * n, n), .U = make(n, n)};
}

static void gru_open(int L, int n) {
    gru = gru_of(n, drawn);
    a = drawn(L, 3 * n), before = drawn(L, n), dy = drawn(L, n);
    gates = unset(L, 3 * n), reset = unset(L, n), y = unset(L, n);
}

static double gru_step(void) {
    sa_copy_mat(a, gates);
    sa_gru_step_forward(&gru, before, gates, reset, y);
    return weighted(y, dy);
}

static sa_mat at_the_start(int rows, int cols) {
    return filled(rows, cols, BEFORE);
}

START_TEST(gru_one_step_and_its_weights) {
    const int L = (int[]){1, 1, 5, 4}[_i], n = (int[]){1, 6, 1, 7}[_i];
    gru_open(L, n);
    gru_step();
    sa_mat da = unset(L, 3 * n), dbefore = filled(L, n, BEFORE);
    sa_gru_step_backward(&gru, before, gates, dy, da, dbefore, unset(L, n));
    sa_gru dgru = gru_of(n, at_the_start);
    sa_gru_weights_backward(before, reset, da, &dgru);
    CHECK_ADDED(gru_step, before, dbefore);
    CHECK_ADDED(gru_step, gru.U_zr, dgru.U_zr);
    CHECK_ADDED(gru_step, gru.U, dgru.U);
    CHECK_WRITTEN(gru_step, a, da);
}
END_TEST

/* z is the share of the new state: shut, the state stays to the bit; open, it is the candidate. */
START_TEST(gru_gates_shut_and_open) {
    const int n = 3;
    gru_open(2, n);
    fill(sa_cols(a, 0, n), -1e3);
    gru_step();
    ck_assert_double_eq(farthest(y, before), 0);
    fill(sa_cols(a, 0, n), 1e3);
    fill(sa_cols(a, n, n), -1e3); /* r = 0: nothing of the previous state is left */
    gru_step();
    sa_mat candidate = unset(2, n);
    sa_copy_mat(sa_cols(a, 2 * n, n), candidate);
    sa_tanh(candidate);
    ck_assert_double_eq(farthest(y, candidate), 0);
}
END_TEST

/* ---- maxout ---------------------------------------------------------------------------------- */

static double maxout(void) {
    sa_maxout_forward(x, y);
    return weighted(y, dy);
}

START_TEST(maxout_sends_back_to_the_larger) {
    x = drawn(6, 10), y = unset(6, 5), dy = drawn(6, 5);
    for (int i = 0; i < 6; i++)
        for (int k = 0; k < 5; k++) { /* away from ties: differences reach 2e-3 */
            double *pair = sa_row(x, i) + 2 * k;
            if (fabs(pair[0] - pair[1]) < 0.01) pair[0] += 0.1;
        }
    sa_mat dx = unset(6, 10);
    maxout();
    sa_maxout_backward(x, dy, dx);
    CHECK_WRITTEN(maxout, x, dx);
}
END_TEST

START_TEST(maxout_gives_a_tie_to_the_first) {
    x = filled(1, 2, 0.5), y = unset(1, 1), dy = filled(1, 1, 3);
    sa_mat dx = unset(1, 2);
    maxout();
    ck_assert_double_eq(y.x[0], 0.5);
    sa_maxout_backward(x, dy, dx);
    ck_assert_double_eq(dx.x[0], 3);
    ck_assert_double_eq(dx.x[1], 0);
}
END_TEST

/* ---- dropout --------------------------------------------------------------------------------- */

static sa_mat mask;

static double dropout(void) {
    sa_rng rng = sa_rng_seed(5, 5);
    sa_copy_mat(x, y);
    sa_dropout_forward(0.4, &rng, mask, y);
    return weighted(y, dy);
}

START_TEST(dropout_with_a_fixed_mask) {
    x = drawn(20, 30), y = unset(20, 30), dy = drawn(20, 30), mask = unset(20, 30);
    sa_mat dx = unset(20, 30);
    dropout();
    sa_copy_mat(dy, dx);
    sa_dropout_backward(0.4, mask, dx); /* in place */
    CHECK_WRITTEN(dropout, x, dx);
    int silent = 0;
    for (int i = 0; i < 600; i++) {
        const double factor = sa_row(mask, i / 30)[i % 30];
        ck_assert(factor == 0 || factor == 1 / (1 - 0.4));
        silent += factor == 0;
    }
    ck_assert_int_ge(silent, 190); /* 240 expected, deviation 12 */
    ck_assert_int_le(silent, 290);
}
END_TEST

START_TEST(no_dropout_touches_nothing) {
    const sa_rng kept = dice;
    y = filled(2, 3, 7), mask = filled(2, 3, 9);
    sa_dropout_forward(0, &dice, mask, y);
    sa_dropout_backward(0, mask, y);
    ck_assert_double_eq(farthest(y, filled(2, 3, 7)), 0);
    ck_assert_double_eq(farthest(mask, filled(2, 3, 9)), 0);
    ck_assert_uint_eq(dice.state, kept.state);
}
END_TEST

/* ---- loss and softmax ------------------------------------------------------------------------ */

static const int32_t right[] = {2, 0, 6, 2};
static double log_p[4];

static double loss(void) {
    double sum = 0;
    sa_copy_mat(x, y);
    sa_loss_forward(y, right, log_p);
    for (int i = 0; i < 4; i++) sum -= 0.3 * log_p[i];
    return sum;
}

START_TEST(loss_from_logits) {
    x = drawn(4, 7), y = unset(4, 7);
    draw(x, 3);
    loss();
    for (int i = 0; i < 4; i++)
        ck_assert_double_eq_tol(exp(log_p[i]), sa_row(y, i)[right[i]], 1e-15);
    sa_mat dx = unset(4, 7);
    sa_copy_mat(y, dx);
    sa_loss_backward(dx, right, 0.3); /* in place over the probabilities */
    CHECK_WRITTEN(loss, x, dx);
}
END_TEST

static double softmax(void) {
    sa_copy_mat(x, y);
    sa_softmax(y);
    return weighted(y, dy);
}

START_TEST(softmax_backward) {
    const int cols = (int[]){1, 2, 37}[_i];
    x = drawn(3, cols), y = unset(3, cols), dy = drawn(3, cols);
    sa_mat dx = unset(3, cols);
    softmax();
    sa_softmax_backward(y, dy, dx);
    CHECK_WRITTEN(softmax, x, dx);
    softmax();
    sa_mat same = drawn(3, cols);
    sa_copy_mat(dy, same);
    sa_softmax_backward(y, same, same); /* in place */
    ck_assert_double_eq(farthest(same, dx), 0);
}
END_TEST

int main(void) {
    TCase *tests;
    Suite *suite = suite_of("layers in double", &tests);
    tcase_add_checked_fixture(tests, numbers_open, numbers_close);
    tcase_add_loop_test(tests, linear_with_a_bias, 0, 5);
    tcase_add_loop_test(tests, linear_without_bias_or_input_gradient, 0, 5);
    tcase_add_test(tests, embedding_adds_up_repeated_words);
    tcase_add_loop_test(tests, gru_one_step_and_its_weights, 0, 4);
    tcase_add_test(tests, gru_gates_shut_and_open);
    tcase_add_test(tests, maxout_sends_back_to_the_larger);
    tcase_add_test(tests, maxout_gives_a_tie_to_the_first);
    tcase_add_test(tests, dropout_with_a_fixed_mask);
    tcase_add_test(tests, no_dropout_touches_nothing);
    tcase_add_test(tests, loss_from_logits);
    tcase_add_loop_test(tests, softmax_backward, 0, 3);
    return suite_run(suite);
}
