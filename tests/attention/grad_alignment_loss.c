/* Guided alignment: the target of a word's weights, and its loss, computed by hand. */
#include "attention/alignment_loss.h"
#include "support/numbers.h"
#include "support/suite.h"

enum { S = 4 };
static const sa_link links[] = {{2, 0, false}, {0, 0, false}, {1, 0, true},
                                {0, 0, false}, {3, 1, true},  {1, 1, true},
                                {9, 2, false}, {3, 3, false}, {S, 4, false}};
static const sa_gold_alignment gold = {links, sizeof links / sizeof *links};

/* Sure links go before possible ones, a repeated link counts once, one beyond the source is
 * ignored.
 */
static const double wanted[][S] = {
    {0.5, 0, 0.5, 0}, {0, 0.5, 0, 0.5}, {0, 0, 0, 0}, {0, 0, 0, 1}, {0, 0, 0, 0}};

START_TEST(target_divides_one_among_links) {
    sa_mat A = filled(1, S, 7);
    ck_assert_int_eq(sa_alignment_loss_target(&gold, _i, A), _i != 2 && _i != 4);
    for (int s = 0; s < S; s++) ck_assert_double_eq(A.x[s], wanted[_i][s]);
}
END_TEST

/* -(log 0.1 + log 0.3) / 2 and its derivatives, times 3. */
START_TEST(loss_of_two_links) {
    static double weights[S] = {0.1, 0.2, 0.3, 0.4};
    static const double slopes[S] = {-15, 0, -5, 0};
    sa_mat alpha = {weights, 1, S, S}, A = filled(1, S, 7);
    ck_assert_double_eq_tol(sa_alignment_loss_forward(&gold, 0, false, false, alpha, A),
                            1.7532789486599909, 1e-15);
    sa_alignment_loss_backward(alpha, 3, A);
    for (int s = 0; s < S; s++) ck_assert_double_eq_tol(A.x[s], slopes[s], 1e-13);
}
END_TEST

START_TEST(a_word_without_links_is_left_alone) {
    sa_mat alpha = filled(1, S, 0.25), A = filled(1, S, 7);
    ck_assert_double_eq(sa_alignment_loss_forward(&gold, 2, false, false, alpha, A), 0);
    sa_alignment_loss_backward(alpha, 3, A);
    for (int s = 0; s < S; s++) ck_assert_double_eq(A.x[s], 0);
}
END_TEST

/* A weight of 0: the loss and its derivative are large, but finite. */
START_TEST(weight_of_zero) {
    sa_mat alpha = filled(1, S, 0), A = filled(1, S, 7);
    ck_assert_double_eq_tol(sa_alignment_loss_forward(&gold, 3, true, false, alpha, A),
                            30 * log(10), 1e-12);
    sa_alignment_loss_backward(alpha, 1, A);
    ck_assert(isfinite(A.x[3]) && A.x[3] < 0);
}
END_TEST

/* -log 0.4, and 3 / 0.4 of every weight */
START_TEST(a_word_without_links_is_of_no_word) {
    static double weights[S] = {0.1, 0.2, 0, 0.3};
    sa_mat alpha = {weights, 1, S, S}, A = filled(1, S, 7);
    ck_assert_double_eq_tol(sa_alignment_loss_forward(&gold, 2, true, false, alpha, A),
                            0.9162907318741551, 1e-15);
    sa_alignment_loss_backward(alpha, 3, A);
    for (int s = 0; s < S; s++) ck_assert_double_eq_tol(A.x[s], 7.5, 1e-13);
}
END_TEST

/* -(log 0.2 + log 0.6) / 2 of weights that are halves of 0.2, .., 0.6; the gradient of a constant
 * factor is 0, and weights of a word without links are left alone. */
START_TEST(share_of_the_weight) {
    static double weights[S] = {0.1, 0.05, 0.3, 0.05};
    sa_mat alpha = {weights, 1, S, S}, A = filled(1, S, 7);
    ck_assert_double_eq_tol(sa_alignment_loss_forward(&gold, 0, false, true, alpha, A),
                            1.0601317681000455, 1e-15);
    sa_alignment_loss_backward(alpha, 3, A);
    double along = 0;
    for (int s = 0; s < S; s++) along += A.x[s] * alpha.x[s];
    ck_assert_double_eq_tol(along, 0, 1e-14);
    ck_assert_double_eq_tol(A.x[0], 3 / 0.5 - 15, 1e-13);
    ck_assert_double_eq_tol(A.x[1], 3 / 0.5, 1e-13);
    ck_assert_double_eq(sa_alignment_loss_forward(&gold, 2, false, true, alpha, A), 0);
    for (int s = 0; s < S; s++) ck_assert_double_eq(A.x[s], 0);
}
END_TEST

int main(void) {
    TCase *tests;
    Suite *suite = suite_of("guided alignment", &tests);
    tcase_add_checked_fixture(tests, numbers_open, numbers_close);
    tcase_add_loop_test(tests, target_divides_one_among_links, 0, sizeof wanted / sizeof *wanted);
    tcase_add_test(tests, loss_of_two_links);
    tcase_add_test(tests, a_word_without_links_is_left_alone);
    tcase_add_test(tests, weight_of_zero);
    tcase_add_test(tests, a_word_without_links_is_of_no_word);
    tcase_add_test(tests, share_of_the_weight);
    return suite_run(suite);
}
