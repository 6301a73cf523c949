/* Differential attention (Ye et al. 2024): its values by the paper's equations, its gradients by
 * differences. */
#include "attention/differential.h"
#include "support/differences.h"
#include "support/suite.h"
#include "tensor/vec.h"

static sa_mat x, y, dy, other;
static sa_differential w, dw;
static sa_real lambda;

START_TEST(weights_of_two_maps) {
    static const double first[] = {2, 1, 0}, second[] = {0, 1, 2};
    static const double expected[] = {.620226, .122364, -.242590};
    x = unset(1, 3), other = unset(1, 3), y = unset(1, 3);
    for (int j = 0; j < 3; j++) x.x[j] = first[j], other.x[j] = second[j];
    sa_softmax(x), sa_softmax(other);
    sa_difference_forward(.5, x, other, y);
    for (int j = 0; j < 3; j++) ck_assert_double_eq_tol(y.x[j], expected[j], 5e-7);
}
END_TEST

START_TEST(lambda_begins_by_layer) {
    ck_assert_double_eq_tol(sa_lambda_init(1), .2, 1e-15);
    ck_assert_double_eq_tol(sa_lambda_init(2), .8 - .6 * .740818220681718, 1e-14);
    ck_assert_double_lt(sa_lambda_init(1000), .8 + 1e-15);
}
END_TEST

static double difference(void) {
    sa_difference_forward(lambda, x, other, y);
    return weighted_sum(y, dy);
}

START_TEST(difference_backward) {
    x = drawn(3, 4), other = drawn(3, 4), y = unset(3, 4), dy = drawn(3, 4), lambda = .7;
    const sa_mat dother = unset(3, 4), at = {&lambda, 1, 1, 1};
    sa_real dlambda = sa_difference_backward(lambda, other, dy, dother);
    const sa_mat dat = {&dlambda, 1, 1, 1};
    CHECK_WRITTEN(difference, other, dother);
    CHECK_WRITTEN(difference, x, dy);
    CHECK_WRITTEN(difference, at, dat);
}
END_TEST

static double lambda_of_w(void) {
    return 3 * sa_lambda_forward(&w);
}

START_TEST(lambda_backward) {
    w = (sa_differential){.lambda = drawn(4, 3), .init = .3};
    dw = (sa_differential){.lambda = filled(4, 3, BEFORE)};
    double products[2] = {0};
    for (int k = 0; k < 6; k++)
        products[k / 3] +=
            sa_row(w.lambda, k / 3 * 2)[k % 3] * sa_row(w.lambda, k / 3 * 2 + 1)[k % 3];
    ck_assert_double_eq_tol(sa_lambda_forward(&w), exp(products[0]) - exp(products[1]) + .3, 1e-14);
    sa_lambda_backward(&w, 3, &dw);
    CHECK_ADDED(lambda_of_w, w.lambda, dw.lambda);
}
END_TEST

static double normalized(void) {
    sa_head_norm_forward(&w, x, y);
    return weighted_sum(y, dy);
}

START_TEST(head_norm) {
    w = (sa_differential){.g = drawn(1, 5), .init = .4};
    dw = (sa_differential){.g = filled(1, 5, BEFORE)};
    x = drawn(3, 5), y = unset(3, 5), dy = drawn(3, 5);
    normalized();
    for (int i = 0; i < 3; i++) {
        double square = 0;
        for (int k = 0; k < 5; k++) square += sa_row(x, i)[k] * sa_row(x, i)[k] / 5;
        for (int k = 0; k < 5; k++)
            ck_assert_double_eq_tol(sa_row(y, i)[k],
                                    .6 * w.g.x[k] * sa_row(x, i)[k] / sqrt(square + 1e-5), 1e-14);
    }
    const sa_mat dx = unset(3, 5);
    sa_copy_mat(dy, dx);
    sa_head_norm_backward(&w, x, dx, &dw);
    CHECK_WRITTEN(normalized, x, dx);
    CHECK_ADDED(normalized, w.g, dw.g);
}
END_TEST

int main(void) {
    TCase *tests;
    Suite *suite = suite_of("differential attention in double", &tests);
    tcase_add_checked_fixture(tests, numbers_open, numbers_close);
    tcase_add_test(tests, weights_of_two_maps);
    tcase_add_test(tests, lambda_begins_by_layer);
    tcase_add_test(tests, difference_backward);
    tcase_add_test(tests, lambda_backward);
    tcase_add_test(tests, head_norm);
    return suite_run(suite);
}
