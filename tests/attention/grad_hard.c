/* hard.h: draws, the gradient of the objective, and the mean of the estimator against the exact
 * gradient of the expectation over all draws. */
#include "attention/hard.h"
#include "support/differences.h"
#include "support/suite.h"
#include "tensor/vec.h"

enum { S = 4, T = 2, DRAWS = 100000 };

/* The scores of the first step, and of the second after each word of the first. */
static sa_mat e, probability; /* [1 + S x S] */
static double reward[S][S];   /* log p(y | s_1, s_2) */

static sa_mat row(sa_mat all, int i) {
    return sa_rows(all, i, 1);
}

static void open_world(void) {
    e = drawn(1 + S, S), probability = unset(1 + S, S);
    sa_copy_mat(e, probability);
    for (int i = 0; i <= S; i++) sa_softmax(row(probability, i));
    for (int s = 0; s < S; s++)
        for (int t = 0; t < S; t++) reward[s][t] = -6 + 5 * sa_rng_uniform(&dice);
}

static double chance(int s, int t) {
    return probability.x[s] * sa_row(probability, 1 + s)[t];
}

/* d/de of sum_s p(s) reward(s), with all S^T draws. */
static sa_mat exact_gradient(void) {
    sa_mat de = filled(1 + S, S, 0);
    for (int s = 0; s < S; s++)
        for (int t = 0; t < S; t++)
            for (int j = 0; j < S; j++) {
                const double weight = chance(s, t) * reward[s][t];
                de.x[j] += weight * ((j == s) - probability.x[j]);
                sa_row(de, 1 + s)[j] += weight * ((j == t) - sa_row(probability, 1 + s)[j]);
            }
    return de;
}

/* The weights of scores z, and what the draw adds to `draws`. */
static void attend(sa_mat z, bool hard, double u, sa_mat p, sa_mat alpha, double *draws) {
    sa_copy_mat(z, p);
    sa_hard_normalizer.forward(0, p);
    sa_hard_normalizer.draw(hard, u, p, alpha, draws);
}

static int word_of(sa_mat alpha) {
    int s = 0;
    while (alpha.x[s] != 1) s++;
    return s;
}

/* What a drawn word s of row i adds to the estimate. */
static int draw_word(int i, sa_mat p, sa_mat alpha) {
    const sa_mat u = unset(1, 1);
    double draws[2] = {0};
    sa_draws_take(true, &dice, u);
    attend(row(e, i), false, *u.x, p, alpha, draws);
    return word_of(alpha);
}

/* The mean and the variance of every number of the estimate with that baseline. */
static void estimate(double baseline, sa_mat mean, sa_mat variance) {
    const sa_mat p[T] = {unset(1, S), unset(1, S)}, alpha[T] = {unset(1, S), unset(1, S)},
                 one = unset(1 + S, S);
    const size_t used = numbers.used;
    for (int n = 0; n < DRAWS; n++, numbers.used = used) {
        fill(one, 0);
        const int s = draw_word(0, p[0], alpha[0]), t = draw_word(1 + s, p[1], alpha[1]);
        const double ddraws[2] = {reward[s][t] - baseline, 0};
        sa_hard_normalizer.draw_backward(p[0], alpha[0], ddraws, row(one, 0));
        sa_hard_normalizer.draw_backward(p[1], alpha[1], ddraws, row(one, 1 + s));
        for (int i = 0; i <= S; i++)
            for (int j = 0; j < S; j++) {
                const double x = sa_row(one, i)[j];
                sa_row(mean, i)[j] += x / DRAWS;
                sa_row(variance, i)[j] += x * x / DRAWS;
            }
    }
    for (int i = 0; i <= S; i++)
        for (int j = 0; j < S; j++)
            sa_row(variance, i)[j] -= sa_row(mean, i)[j] * sa_row(mean, i)[j];
}

/* Returns the sum of the variances. */
static double check_mean(double baseline) {
    const sa_mat mean = filled(1 + S, S, 0), variance = filled(1 + S, S, 0);
    const sa_mat exact = exact_gradient();
    double all = 0;
    estimate(baseline, mean, variance);
    for (int i = 0; i <= S; i++)
        for (int j = 0; j < S; j++) {
            const double sigma = sqrt(sa_row(variance, i)[j] / DRAWS);
            ck_assert_double_gt(sigma, 0);
            ck_assert_double_le(fabs(sa_row(mean, i)[j] - sa_row(exact, i)[j]), 4 * sigma);
            all += sa_row(variance, i)[j];
        }
    return all;
}

/* Whatever the baseline, and the mean of the rewards makes the estimate less noisy. */
START_TEST(estimates_have_the_exact_mean) {
    double mean = 0;
    open_world();
    for (int s = 0; s < S; s++)
        for (int t = 0; t < S; t++) mean += chance(s, t) * reward[s][t];
    const double without = check_mean(0), with = check_mean(mean);
    check_mean(-20);
    ck_assert_double_lt(with, without / 4);
}
END_TEST

/* Expected frequencies of the draws, within 4 sigma. */
START_TEST(words_are_drawn_by_their_weights) {
    open_world();
    const sa_mat p = unset(1, S), alpha = unset(1, S);
    const size_t used = numbers.used;
    int count[S] = {0};
    for (int n = 0; n < DRAWS; n++, numbers.used = used) count[draw_word(0, p, alpha)]++;
    for (int j = 0; j < S; j++) {
        const double share = probability.x[j], sigma = sqrt(share * (1 - share) / DRAWS);
        ck_assert_double_le(fabs((double)count[j] / DRAWS - share), 4 * sigma);
        ck_assert_double_eq_tol(p.x[j], share, 1e-15);
    }
}
END_TEST

/* u at the end of each word's part of [0, 1), and where rounding leaves the last part short. */
START_TEST(the_cumulative_sum_decides) {
    static const struct {
        double u;
        int word;
    } cases[] = {{0, 0}, {0.24, 0}, {0.25, 2}, {0.74, 2}, {0.75, 3}, {0.999, 2}};
    double p_of[S] = {0.25, 0, 0.5, 0.25}, draws[2] = {0};
    const sa_mat p = {p_of, 1, S, S}, alpha = unset(1, S);
    if (_i == 5) p_of[3] = 0.24;
    sa_hard_normalizer.draw(false, cases[_i].u, p, alpha, draws);
    ck_assert_int_eq(word_of(alpha), cases[_i].word);
    ck_assert_double_eq(sa_sum(alpha.x, S), 1);
    ck_assert_double_eq_tol(draws[0], log(p_of[cases[_i].word]), 1e-15);
}
END_TEST

START_TEST(decoding_takes_the_most_probable_word) {
    const sa_mat z = drawn(1, S), alpha = unset(1, S);
    double draws[2] = {0};
    z.x[2] = 3;
    attend(z, true, 0, unset(1, S), alpha, draws);
    ck_assert_int_eq(word_of(alpha), 2);
}
END_TEST

static sa_mat scores, weights;

/* 1.7 log p(s) - 0.6 H(p), of the word that was drawn. */
static double objective(void) {
    const sa_mat p = unset(1, S), again = unset(1, S);
    double draws[2] = {0};
    attend(scores, false, 1, p, again, draws);
    return 1.7 * log(p.x[word_of(weights)]) - 0.6 * draws[1];
}

START_TEST(draw_backward_against_differences) {
    const sa_mat de = unset(1, S), p = unset(1, S);
    const double ddraws[2] = {1.7, -0.6};
    double draws[2] = {2, 3}; /* added to */
    scores = drawn(1, S), weights = unset(1, S);
    attend(scores, false, 0.2 + 0.3 * _i, p, weights, draws);
    ck_assert_double_eq_tol(1.7 * (draws[0] - 2) - 0.6 * (draws[1] - 3), objective(), 1e-14);
    sa_hard_normalizer.draw_backward(p, weights, ddraws, de);
    check_slope("scores", objective, scores, de, 0);
}
END_TEST

/* Weights that are the expectation of the draw are a constant: only the entropy counts. */
START_TEST(expected_weights_have_no_estimate) {
    const sa_mat p = unset(1, S), alpha = unset(1, S), de = unset(1, S), u = unset(1, 1);
    double draws[2] = {0};
    const double ddraws[2] = {5, 0};
    sa_draws_take(false, NULL, u);
    attend(drawn(1, S), false, *u.x, p, alpha, draws);
    ck_assert_double_eq(draws[0], 0);
    ck_assert_double_gt(draws[1], 0);
    ck_assert_double_eq(farthest(alpha, p), 0);
    sa_hard_normalizer.draw_backward(p, alpha, ddraws, de);
    ck_assert_double_eq(farthest(de, filled(1, S, 0)), 0);
}
END_TEST

START_TEST(the_baseline_follows_the_rewards) {
    double b = 0;
    for (int k = 0; k < 200; k++) b = sa_hard_baseline(b, -7);
    ck_assert_double_eq_tol(b, -7, 1e-8);
    ck_assert_double_eq_tol(sa_hard_baseline(-10, -20), -11, 1e-15);
}
END_TEST

int main(void) {
    TCase *tests;
    Suite *suite = suite_of("hard attention in double", &tests);
    tcase_add_checked_fixture(tests, numbers_open, numbers_close);
    tcase_add_test(tests, estimates_have_the_exact_mean);
    tcase_add_test(tests, words_are_drawn_by_their_weights);
    tcase_add_loop_test(tests, the_cumulative_sum_decides, 0, 6);
    tcase_add_test(tests, decoding_takes_the_most_probable_word);
    tcase_add_loop_test(tests, draw_backward_against_differences, 0, 3);
    tcase_add_test(tests, expected_weights_have_no_estimate);
    tcase_add_test(tests, the_baseline_follows_the_rewards);
    return suite_run(suite);
}
