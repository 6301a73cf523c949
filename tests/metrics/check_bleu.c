/* BLEU on cases small enough to work out by hand; tests/metrics/check_metrics.c has the golden
 * values. */
#include "metrics/metrics.h"
#include "support/suite.h"

#include <math.h>

/* The last digits of exp and log may differ between machines. */
#define CLOSE 1e-12

static sa_metrics metrics;

static void defaults(void) {
    sa_metrics_init(&metrics);
}

static void choose(const char *option, const char *value) {
    ck_assert(sa_option_set(sa_option_find(sa_metrics_options, option), &metrics, value, NULL));
}

static void add(sa_bleu *bleu, const char *hypothesis, const char *reference) {
    sa_units ours = {0}, theirs = {0};
    sa_units_words(&ours, hypothesis);
    sa_units_words(&theirs, reference);
    ck_assert(sa_bleu_add(bleu, &ours, &theirs, 1, NULL));
    sa_units_release(&ours);
    sa_units_release(&theirs);
}

static void expect_counts(const sa_bleu *bleu, const int64_t *match, const int64_t *total) {
    for (int n = 0; n < SA_BLEU_ORDER; n++) {
        ck_assert_int_eq(bleu->match[n], match[n]);
        ck_assert_int_eq(bleu->total[n], total[n]);
    }
}

static double score_of(const char *hypothesis, const char *reference) {
    sa_bleu bleu = {0};
    add(&bleu, hypothesis, reference);
    return sa_bleu_value(&bleu, &metrics);
}

static const char *why(const char *hypothesis, const char *reference) {
    sa_bleu bleu = {0};
    add(&bleu, hypothesis, reference);
    const char *reason = sa_bleu_zero_reason(&bleu, &metrics);
    ck_assert_int_eq(sa_bleu_value(&bleu, &metrics) == 0, reason != NULL);
    return reason ? reason : "";
}

START_TEST(a_score_of_0_has_a_reason) {
    ck_assert_str_eq(why("a b c d", "a b x y"), "");
    ck_assert_ptr_nonnull(strstr(why("", "a b"), "are empty"));
    ck_assert_ptr_nonnull(strstr(why("a b c d", "e f g h"), "no token"));
    ck_assert_ptr_nonnull(strstr(why("a b c", "a b c"), "four tokens"));
    choose("smooth", "none");
    ck_assert_ptr_nonnull(strstr(why("a b c d", "a b x y"), "not smoothed"));
    ck_assert_ptr_nonnull(strstr(why("a b c d", "a x y z"), "not smoothed"));
    choose("smooth", "exp");
    choose("effective-order", "yes");
    ck_assert_str_eq(why("a b c", "a b c"), "");
    choose("smooth", "none"); /* shorter n-grams count, but no two words match */
    ck_assert_ptr_nonnull(strstr(why("a b c", "a x y"), "not smoothed"));
}
END_TEST

/* ---- One reference --------------------------------------------------------------------------- */

START_TEST(equal_sentences_score_100) {
    ck_assert_double_eq_tol(score_of("a b c d", "a b c d"), 100, CLOSE);
    ck_assert_double_eq_tol(score_of(" a  b c ,\td", "a b c , d"), 100, CLOSE);
    ck_assert_double_lt(score_of("A b c d e", "a b c d e"), 100); /* case counts */
}
END_TEST

START_TEST(nothing_to_compare_scores_0) {
    ck_assert_double_eq(sa_bleu_value(&(sa_bleu){0}, &metrics), 0);
    ck_assert_double_eq(score_of("", ""), 0);
    ck_assert_double_eq(score_of("", "a b c d"), 0);
    ck_assert_double_eq(score_of("a b c d", ""), 0);
    ck_assert_double_eq(score_of("a b c d", "e f g h"), 0);
    sa_bleu empty = {0};
    add(&empty, "", "a b c d"); /* exp(1 - 4 / 0) */
    ck_assert_double_eq(sa_bleu_brevity(&empty), 0);
}
END_TEST

START_TEST(short_sentences_have_no_score_alone_but_count) {
    sa_bleu bleu = {0};
    add(&bleu, "word", "word");
    expect_counts(&bleu, (int64_t[]){1, 0, 0, 0}, (int64_t[]){1, 0, 0, 0});
    ck_assert_double_eq(sa_bleu_value(&bleu, &metrics), 0);
    add(&bleu, "a b c d", "a b c d");
    add(&bleu, "", "");
    expect_counts(&bleu, (int64_t[]){5, 3, 2, 1}, (int64_t[]){5, 3, 2, 1});
    ck_assert_double_eq_tol(sa_bleu_value(&bleu, &metrics), 100, CLOSE);
}
END_TEST

START_TEST(a_repeated_word_matches_as_often_as_it_stands_in_the_reference) {
    sa_bleu bleu = {0};
    add(&bleu, "the the the the the the the", "the cat is on the mat");
    expect_counts(&bleu, (int64_t[]){2, 0, 0, 0}, (int64_t[]){7, 6, 5, 4});
}
END_TEST

START_TEST(ngrams_do_not_cross_sentences_or_words) {
    sa_bleu bleu = {0};
    add(&bleu, "a b", "a b");
    add(&bleu, "c d", "c d");
    expect_counts(&bleu, (int64_t[]){4, 2, 0, 0}, (int64_t[]){4, 2, 0, 0});
    bleu = (sa_bleu){0};
    add(&bleu, "ab c", "a bc");
    expect_counts(&bleu, (int64_t[]){0, 0, 0, 0}, (int64_t[]){2, 1, 0, 0});
}
END_TEST

START_TEST(short_translations_pay_long_ones_do_not) {
    /* all n-grams match: exp(1 - 8/4) */
    ck_assert_double_eq_tol(score_of("a b c d", "a b c d e f g h"), 36.787944117144235, CLOSE);
    /* 4/5, 3/4, 2/3, 1/2 and no reward or penalty for the fifth word: (1/5)^(1/4) */
    ck_assert_double_eq_tol(score_of("a b c d e", "a b c d"), 66.87403049764220, CLOSE);
}
END_TEST

/* ---- Smoothing ------------------------------------------------------------------------------- */

static const struct {
    const char *smooth, *value;
    double precisions[4];
} smoothed[] = {
    /* of "a b d c" beside "a b c d": 4 of 4, 1 of 3, 0 of 2, 0 of 1 */
    {"exp", "0", {100, 100 / 3.0, 25, 25}},
    {"exp", "7", {100, 100 / 3.0, 25, 25}}, /* it has no value */
    {"floor", "0", {100, 100 / 3.0, 5, 10}},
    {"floor", "0.5", {100, 100 / 3.0, 25, 50}},
    {"add-k", "0", {100, 50, 100 / 3.0, 50}},
    {"add-k", "3", {100, 400 / 6.0, 300 / 5.0, 75}},
    {"none", "0", {100, 100 / 3.0, 0, 0}},
};

START_TEST(orders_without_a_match_are_smoothed) {
    double precisions[4], product = 1;
    sa_bleu bleu = {0};
    choose("smooth", smoothed[_i].smooth);
    choose("smooth-value", smoothed[_i].value);
    add(&bleu, "a b d c", "a b c d");
    ck_assert_int_eq(sa_bleu_precisions(&bleu, &metrics, precisions), 4);
    for (int n = 0; n < 4; n++) {
        ck_assert_double_eq_tol(precisions[n], smoothed[_i].precisions[n], CLOSE);
        product *= precisions[n];
    }
    ck_assert_double_eq_tol(sa_bleu_value(&bleu, &metrics), pow(product, 0.25), CLOSE);
}
END_TEST

START_TEST(no_match_at_all_is_not_smoothed) {
    for (int row = 0; SA_NAME(sa_smoothings, (size_t)row); row++) {
        metrics.smooth = row;
        ck_assert_double_eq(score_of("a b c d", "e f g h"), 0);
    }
}
END_TEST

START_TEST(the_effective_order_is_that_of_the_longest_ngram) {
    ck_assert_double_eq(score_of("a b", "a b"), 0);
    choose("effective-order", "yes");
    ck_assert_double_eq_tol(score_of("a b", "a b"), 100, CLOSE);
    ck_assert_double_eq_tol(score_of("a b", "a c"), 50, CLOSE); /* 1/2 and half of one */
    ck_assert_double_eq(score_of("", "a c"), 0);
    choose("smooth", "none");
    ck_assert_double_eq(score_of("a b", "a c"), 0);
}
END_TEST

/* ---- Several references ---------------------------------------------------------------------- */

static sa_bleu beside(const char *hypothesis, const char *one, const char *other) {
    sa_units ours = {0}, theirs[2] = {{0}, {0}};
    sa_bleu bleu = {0};
    sa_units_words(&ours, hypothesis);
    sa_units_words(&theirs[0], one);
    sa_units_words(&theirs[1], other);
    ck_assert(sa_bleu_add(&bleu, &ours, theirs, 2, NULL));
    for (int i = 0; i < 2; i++) sa_units_release(&theirs[i]);
    sa_units_release(&ours);
    return bleu;
}

START_TEST(an_ngram_counts_as_often_as_the_reference_with_the_most_has_it) {
    sa_bleu bleu = beside("a a a b", "a a c", "a b");
    expect_counts(&bleu, (int64_t[]){3, 2, 0, 0}, (int64_t[]){4, 3, 2, 1});
    bleu = beside("a b", "b a", "c"); /* not a sum over references */
    expect_counts(&bleu, (int64_t[]){2, 0, 0, 0}, (int64_t[]){2, 1, 0, 0});
}
END_TEST

START_TEST(the_reference_nearest_in_length_counts) {
    ck_assert_int_eq(beside("a a a b", "a a c", "a b").reference, 3);
    ck_assert_int_eq(beside("a a a b", "a b c d e f", "a a c").reference, 3);
    ck_assert_int_eq(beside("a a a", "a a a a", "a a").reference, 2); /* as near: the shorter */
    ck_assert_int_eq(beside("a a a", "a a", "a a a a").reference, 2);
    ck_assert_int_eq(beside("a", "", "a b c").reference, 0); /* an empty one is one */
}
END_TEST

int main(void) {
    TCase *tests;
    Suite *suite = suite_of("bleu", &tests);
    tcase_add_checked_fixture(tests, defaults, NULL);
    tcase_add_test(tests, a_score_of_0_has_a_reason);
    tcase_add_test(tests, equal_sentences_score_100);
    tcase_add_test(tests, nothing_to_compare_scores_0);
    tcase_add_test(tests, short_sentences_have_no_score_alone_but_count);
    tcase_add_test(tests, a_repeated_word_matches_as_often_as_it_stands_in_the_reference);
    tcase_add_test(tests, ngrams_do_not_cross_sentences_or_words);
    tcase_add_test(tests, short_translations_pay_long_ones_do_not);
    tcase_add_loop_test(tests, orders_without_a_match_are_smoothed, 0,
                        sizeof smoothed / sizeof *smoothed);
    tcase_add_test(tests, no_match_at_all_is_not_smoothed);
    tcase_add_test(tests, the_effective_order_is_that_of_the_longest_ngram);
    tcase_add_test(tests, an_ngram_counts_as_often_as_the_reference_with_the_most_has_it);
    tcase_add_test(tests, the_reference_nearest_in_length_counts);
    return suite_run(suite);
}
