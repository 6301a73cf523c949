/* Bootstrap samples of sentences, and the statistics of their scores. */
#include "base/rng.h"
#include "metrics/metrics.h"
#include "support/suite.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static sa_metrics metrics;
static const sa_resampling often = {.samples = 1000, .seed = 1};

static void defaults(void) {
    sa_metrics_init(&metrics);
}

/* Sentences of which every third is wrong, the others exact. */
static void fill(sa_metric_stats *each, int count, int every) {
    const char *reference = "a b c d e f";
    for (int i = 0; i < count; i++)
        ck_assert(sa_metric_stats_compute(
            &each[i], &metrics, i % every == 0 ? "a b x d e f" : reference, &reference, 1, NULL));
}

START_TEST(equal_seeds_draw_equal_samples) {
    sa_metric_stats each[30];
    fill(each, 30, 3);
    const size_t size = SA_METRIC_COUNT * 1000 * sizeof(double);
    double *one = sa_bootstrap_values(each, 30, &metrics, &often, NULL);
    double *again = sa_bootstrap_values(each, 30, &metrics, &often, NULL);
    double *other =
        sa_bootstrap_values(each, 30, &metrics, &(sa_resampling){.samples = 1000, .seed = 2}, NULL);
    ck_assert_int_eq(memcmp(one, again, size), 0);
    ck_assert_int_ne(memcmp(one, other, size), 0);
    free(one), free(again), free(other);
}
END_TEST

START_TEST(samples_and_seeds_have_bounds) {
    static const struct {
        const char *name, *good[2], *bad[2];
    } bounds[] = {{"samples", {"1", "1000000"}, {"0", "1000001"}},
                  {"seed", {"0", "9007199254740991"}, {"-1", "9007199254740992"}}};
    sa_resampling usual = {0};
    sa_error error;
    sa_options_init(sa_resampling_options, &usual);
    ck_assert_int_eq(usual.samples, 1000);
    ck_assert_int_eq(usual.seed, 1);
    for (int i = 0; i < 4; i++) {
        const sa_option *option = sa_option_find(sa_resampling_options, bounds[i / 2].name);
        ck_assert(sa_option_set(option, &usual, bounds[i / 2].good[i % 2], &error));
        ck_assert(!sa_option_set(option, &usual, bounds[i / 2].bad[i % 2], &error));
    }
}
END_TEST

START_TEST(samples_spread_as_shares_do) {
    sa_metric_stats each[300];
    fill(each, 300, 3);
    double *scores = sa_bootstrap_values(each, 300, &metrics, &often, NULL);
    const sa_confidence_interval spread =
        sa_confidence_interval_of(scores + SA_METRIC_EXACT * 1000, 1000);
    const double sigma = sqrt(2.0 / 9 / 300); /* of a binomial fraction of 2/3 */
    ck_assert_double_eq_tol(spread.mean, 2.0 / 3, 4 * sigma / sqrt(1000));
    ck_assert_double_eq_tol(spread.low, 2.0 / 3 - 1.96 * sigma, 0.3 * sigma);
    ck_assert_double_eq_tol(spread.high, 2.0 / 3 + 1.96 * sigma, 0.3 * sigma);
    free(scores);
}
END_TEST

START_TEST(one_sentence_has_no_spread) {
    sa_metric_stats each[1];
    fill(each, 1, 1);
    double *scores = sa_bootstrap_values(each, 1, &metrics, &often, NULL);
    const sa_confidence_interval spread = sa_confidence_interval_of(scores, 1000);
    ck_assert_double_eq(spread.low, sa_bleu_value(&each[0].bleu, &metrics));
    ck_assert_double_eq(spread.high, spread.low);
    free(scores);
}
END_TEST

START_TEST(a_fortieth_is_cut_off_at_either_end) {
    double scores[80], few[3] = {3, 1, 2};
    for (int i = 0; i < 80; i++) scores[i] = (i * 37) % 80;
    const sa_confidence_interval spread = sa_confidence_interval_of(scores, 80);
    ck_assert_double_eq(spread.mean, 39.5);
    ck_assert_double_eq(spread.low, 2);
    ck_assert_double_eq(spread.high, 77);
    ck_assert_double_eq(sa_confidence_interval_of(few, 3).low, 1);
    ck_assert_double_eq(sa_confidence_interval_of(few, 3).high, 3);
}
END_TEST

START_TEST(chance_of_a_difference_by_hand) {
    /* the mean is 0: deviations of 1 0 3 2 */
    const double d[] = {1, 0, -3, 2}, equal[4] = {0};
    ck_assert_double_eq(sa_bootstrap_p_value(d, 4, 3.1), 1 / 5.0);
    ck_assert_double_eq(sa_bootstrap_p_value(d, 4, -2), 3 / 5.0);
    ck_assert_double_eq(sa_bootstrap_p_value(d, 4, 0.4), 4 / 5.0);
    ck_assert_double_eq(sa_bootstrap_p_value(equal, 4, 0), 1);
    ck_assert_double_nan(sa_bootstrap_p_value((double[]){1, NAN}, 2, 1));
    /* sacreBLEU: |d| = 1 0 3 2 with the mean 1.5: above it by -.5, -1.5, 1.5, .5 */
    ck_assert_double_eq(sa_sacrebleu_p_value(d, 4, 1.6), 1 / 5.0);
    ck_assert_double_eq(sa_sacrebleu_p_value(d, 4, -1), 2 / 5.0);
    ck_assert_double_eq(sa_sacrebleu_p_value(d, 4, 0.4), 3 / 5.0);
    ck_assert_double_eq(sa_sacrebleu_p_value(equal, 4, 0), 1 / 5.0); /* none is larger than 0 */
}
END_TEST

/* Draws of two systems that are equally good: p is uniform, so half of them are below 1/2. */
START_TEST(equal_systems_have_uniform_p) {
    sa_rng rng = sa_rng_seed(1, 2);
    int below[3] = {0};
    double d[200];
    for (int trial = 0; trial < 1000; trial++) {
        const double difference = sa_rng_normal(&rng);
        for (int i = 0; i < 200; i++) d[i] = difference + sa_rng_normal(&rng);
        const double p = sa_bootstrap_p_value(d, 200, difference);
        below[0] += p < 0.05, below[1] += p < 0.5, below[2] += p < 0.9;
    }
    ck_assert_double_eq_tol(below[0], 50, 25); /* 3.5 sigma */
    ck_assert_double_eq_tol(below[1], 500, 55);
    ck_assert_double_eq_tol(below[2], 900, 33);
}
END_TEST

/* Holm (1979): 0.01 * 4, 0.02 * 3 twice, for they are equal, and 0.05 below it takes its value. */
START_TEST(several_tests_are_corrected) {
    const double p[] = {0.02, 0.05, 0.01, NAN, 0.02}, alone[] = {0.3, NAN};
    ck_assert_double_eq_tol(sa_holm_p_value(p, 5, 2), 0.04, 1e-12);
    ck_assert_double_eq_tol(sa_holm_p_value(p, 5, 0), 0.06, 1e-12);
    ck_assert_double_eq_tol(sa_holm_p_value(p, 5, 4), 0.06, 1e-12);
    ck_assert_double_eq_tol(sa_holm_p_value(p, 5, 1), 0.06, 1e-12);
    ck_assert_double_nan(sa_holm_p_value(p, 5, 3));
    ck_assert_double_eq(sa_holm_p_value(alone, 2, 0), 0.3);
    ck_assert_double_eq(sa_holm_p_value((double[]){0.6, 0.7}, 2, 0), 1);
}
END_TEST

START_TEST(a_clear_difference_is_no_chance) {
    sa_metric_stats good[200], bad[200];
    fill(good, 200, 10), fill(bad, 200, 2);
    double *ours = sa_bootstrap_values(good, 200, &metrics, &often, NULL);
    double *theirs = sa_bootstrap_values(bad, 200, &metrics, &often, NULL);
    for (int i = 0; i < 1000; i++) ours[i] -= theirs[i];
    ck_assert_double_eq(sa_bootstrap_p_value(ours, 1000, 30), 1 / 1001.0);
    free(ours), free(theirs);
}
END_TEST

int main(void) {
    TCase *tests;
    Suite *suite = suite_of("bootstrap", &tests);
    tcase_add_checked_fixture(tests, defaults, NULL);
    tcase_add_test(tests, equal_seeds_draw_equal_samples);
    tcase_add_test(tests, samples_and_seeds_have_bounds);
    tcase_add_test(tests, samples_spread_as_shares_do);
    tcase_add_test(tests, one_sentence_has_no_spread);
    tcase_add_test(tests, a_fortieth_is_cut_off_at_either_end);
    tcase_add_test(tests, chance_of_a_difference_by_hand);
    tcase_add_test(tests, equal_systems_have_uniform_p);
    tcase_add_test(tests, several_tests_are_corrected);
    tcase_add_test(tests, a_clear_difference_is_no_chance);
    return suite_run(suite);
}
