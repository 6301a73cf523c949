/* coverage.h: its equations on numbers worked out by hand. */
#include "attention/coverage.h"
#include "support/differences.h"
#include "support/suite.h"

enum { WORDS = 2 };

static sa_mat row(double first, double second) {
    const sa_mat x = unset(1, WORDS);
    x.x[0] = first, x.x[1] = second;
    return x;
}

static sa_mat column(double first, double second) {
    const sa_mat x = unset(WORDS, 1);
    *sa_row(x, 0) = first, *sa_row(x, 1) = second;
    return x;
}

static void same_row(sa_mat x, double first, double second) {
    ck_assert_double_eq_tol(x.x[0], first, 1e-15);
    ck_assert_double_eq_tol(x.x[1], second, 1e-15);
}

/* A word of fertility 2 is covered by a weight of 1 to a half. */
START_TEST(weights_are_divided_by_the_fertility) {
    const sa_mat Phi = column(2, 1), one = {.rows = WORDS}, C = unset(1, WORDS);
    sa_coverage_sum_forward(row(0, 0), row(.6, .4), Phi, C);
    same_row(C, .3, .4);
    sa_coverage_sum_forward(row(.3, .4), row(.5, .5), Phi, C);
    same_row(C, .55, .9);
    sa_coverage_sum_forward(row(.3, .4), row(.5, .5), one, C);
    same_row(C, .8, .9);
}
END_TEST

/* Phi = N sigma(a): half of N at a = 0, N at most. */
START_TEST(fertility_is_at_most_n) {
    const sa_mat Phi = unset(WORDS, 1);
    sa_fertility_forward(3, filled(1, 1, 1), column(0, 1000), Phi);
    ck_assert_double_eq(*sa_row(Phi, 0), 1.5);
    ck_assert_double_eq(*sa_row(Phi, 1), 3);
}
END_TEST

/* Section 2.3 of See et al. 2017: the loss is at most the sum of the weights. */
START_TEST(the_loss_is_what_is_covered_again) {
    ck_assert_double_eq(sa_coverage_loss_forward(row(0, 0), row(.6, .4)), 0);
    ck_assert_double_eq_tol(sa_coverage_loss_forward(row(.6, .4), row(.5, .5)), .9, 1e-15);
    ck_assert_double_eq_tol(sa_coverage_loss_forward(row(7, 7), row(.5, .5)), 1, 1e-15);
}
END_TEST

/* The derivative goes to the smaller one, of two equal ones to the coverage. */
START_TEST(the_loss_has_the_gradient_of_the_smaller) {
    const sa_mat dC = row(1, 1), dalpha = row(1, 1);
    sa_coverage_loss_backward(row(.6, .5), row(.5, .5), 2, dC, dalpha);
    same_row(dC, 1, 3);
    same_row(dalpha, 3, 1);
}
END_TEST

int main(void) {
    TCase *tests;
    Suite *suite = suite_of("coverage in double", &tests);
    tcase_add_checked_fixture(tests, numbers_open, numbers_close);
    tcase_add_test(tests, weights_are_divided_by_the_fertility);
    tcase_add_test(tests, fertility_is_at_most_n);
    tcase_add_test(tests, the_loss_is_what_is_covered_again);
    tcase_add_test(tests, the_loss_has_the_gradient_of_the_smaller);
    return suite_run(suite);
}
