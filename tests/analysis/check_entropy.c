/* The entropy of attention weights, by hand. */
#include "analysis/entropy.h"
#include "support/suite.h"

#include <math.h>

START_TEST(one_word_with_all_the_weight_has_none) {
    const double weights[] = {0, 1, 0};
    ck_assert_double_eq(sa_entropy_sum(weights, 1, 3), 0);
}
END_TEST

START_TEST(equal_weights_have_the_most) {
    const double weights[] = {0.25, 0.25, 0.25, 0.25};
    ck_assert_double_eq_tol(sa_entropy_sum(weights, 1, 4), log(4), 1e-15);
}
END_TEST

START_TEST(rows_add_up) {
    const double weights[] = {0.5, 0.5, 1, 0, 0.9, 0.1};
    const double third = -0.9 * log(0.9) - 0.1 * log(0.1);
    ck_assert_double_eq_tol(sa_entropy_sum(weights, 3, 2), log(2) + third, 1e-15);
    ck_assert_double_eq(sa_entropy_sum(weights, 0, 2), 0);
}
END_TEST

int main(void) {
    TCase *tests;
    Suite *suite = suite_of("entropy", &tests);
    tcase_add_test(tests, one_word_with_all_the_weight_has_none);
    tcase_add_test(tests, equal_weights_have_the_most);
    tcase_add_test(tests, rows_add_up);
    return suite_run(suite);
}
