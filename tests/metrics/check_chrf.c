/* chrF on cases small enough to work out by hand; tests/metrics/check_metrics.c has the golden
 * values. */
#include "metrics/metrics.h"
#include "support/suite.h"

#define CLOSE 1e-12

static sa_metrics metrics;

static void defaults(void) {
    sa_metrics_init(&metrics);
}

static sa_chrf counts_of(const char *hypothesis, const char *reference) {
    sa_chrf chrf = {0};
    ck_assert(sa_chrf_add(&chrf, &metrics, hypothesis, &reference, 1, NULL));
    return chrf;
}

static double score_of(const char *hypothesis, const char *reference) {
    const sa_chrf chrf = counts_of(hypothesis, reference);
    return sa_chrf_value(&chrf, &metrics);
}

START_TEST(equal_sentences_score_100) {
    ck_assert_double_eq_tol(score_of("le chat", "le chat"), 100, CLOSE);
    ck_assert_double_eq_tol(score_of("é", "é"), 100, CLOSE); /* of one order */
    ck_assert_double_eq_tol(score_of(" l echat ", "le chat"), 100, CLOSE);
}
END_TEST

START_TEST(nothing_in_common_scores_0) {
    ck_assert_double_eq(score_of("", ""), 0);
    ck_assert_double_eq(score_of("", "abc"), 0);
    ck_assert_double_eq(score_of("abc", ""), 0);
    ck_assert_double_eq(score_of("abc", "def"), 0);
}
END_TEST

START_TEST(recall_counts_more) {
    /* "abc" beside "abcdef": P = (1 + 1 + 1) / 3, R = (3/6 + 2/5 + 1/4) / 3 */
    const double r = (0.5 + 0.4 + 0.25) / 3;
    ck_assert_double_eq_tol(score_of("abc", "abcdef"), 100 * 5 * r / (4 + r), CLOSE);
    ck_assert_double_eq_tol(score_of("abcdef", "abc"), 100 * 5 * r / (4 * r + 1), CLOSE);
    metrics.chrf_beta = 1;
    ck_assert_double_eq_tol(score_of("abc", "abcdef"), 100 * 2 * r / (1 + r), CLOSE);
}
END_TEST

START_TEST(orders_are_counted_apart) {
    const sa_chrf chrf = counts_of("abab", "babb");
    const int64_t hypothesis[] = {4, 3, 2, 1, 0, 0}, match[] = {3, 2, 1, 0, 0, 0};
    for (int i = 0; i < 6; i++) {
        ck_assert_int_eq(chrf.hypothesis[i], hypothesis[i]);
        ck_assert_int_eq(chrf.reference[i], hypothesis[i]);
        ck_assert_int_eq(chrf.match[i], match[i]);
    }
    metrics.chrf_word_order = 1; /* after those of characters, and no longer ones */
    const sa_chrf words = counts_of("a b d", "a b c");
    for (int i = 6; i < SA_CHRF_ORDERS; i++) {
        ck_assert_int_eq(words.hypothesis[i], i == 6 ? 3 : 0);
        ck_assert_int_eq(words.reference[i], i == 6 ? 3 : 0);
        ck_assert_int_eq(words.match[i], i == 6 ? 2 : 0);
    }
}
END_TEST

START_TEST(ngrams_beyond_the_reference_do_not_count) {
    const sa_chrf chrf = counts_of("abcdef", "abc");
    ck_assert_int_eq(chrf.hypothesis[2], 4);
    for (int i = 3; i < 6; i++) ck_assert_int_eq(chrf.hypothesis[i], 0);
}
END_TEST

START_TEST(white_space_counts_when_wanted) {
    metrics.chrf_whitespace = true;
    const sa_chrf chrf = counts_of("a b", "ab");
    ck_assert_int_eq(chrf.hypothesis[0], 3);
    ck_assert_int_eq(chrf.match[1], 0);
}
END_TEST

static const struct {
    const char *one, *other;
    int64_t one_words, match;
} words[] = {
    {"hi) there.", "hi ) there .", 4, 4}, /* a mark at the end is cut off, */
    {"(hi there", "( hi there", 3, 3},    /* or else one at the beginning, */
    {"(hi)", "( hi )", 2, 1},             /* but not both */
    {"don't", "don ' t", 1, 0},
    {". é «é»", ". é «é»", 3, 3}, /* only the marks of ASCII */
    {"?!", "? !", 2, 2},
    {"a\xc2\xa0"
     "b",
     "a b", 2, 2},
};

START_TEST(words_are_cut_at_marks) {
    metrics.chrf_word_order = 2;
    const sa_chrf chrf = counts_of(words[_i].one, words[_i].other);
    ck_assert_int_eq(chrf.hypothesis[6], words[_i].one_words);
    ck_assert_int_eq(chrf.match[6], words[_i].match);
    ck_assert_int_eq(chrf.hypothesis[7], chrf.reference[7] ? words[_i].one_words - 1 : 0);
}
END_TEST

/* Each mark of ASCII at either end of a word, and no other character. */
START_TEST(every_mark_is_a_word_of_its_own) {
    static const char marks[] = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~";
    metrics.chrf_word_order = 1;
    for (int c = '!'; c <= '~'; c++) {
        const char before[] = {(char)c, 'x', 0}, behind[] = {'x', (char)c, 0};
        const sa_chrf one = counts_of(before, before), other = counts_of(behind, behind);
        ck_assert_int_eq(one.hypothesis[6], strchr(marks, c) ? 2 : 1);
        ck_assert_int_eq(other.hypothesis[6], strchr(marks, c) ? 2 : 1);
    }
}
END_TEST

START_TEST(the_best_reference_counts) {
    const char *references[] = {"xyz", "abcd", "abc"};
    sa_chrf chrf = {0};
    ck_assert(sa_chrf_add(&chrf, &metrics, "abc", references, 3, NULL));
    ck_assert_double_eq_tol(sa_chrf_value(&chrf, &metrics), 100, CLOSE);
    ck_assert_int_eq(chrf.reference[0], 3);
}
END_TEST

int main(void) {
    TCase *tests;
    Suite *suite = suite_of("chrf", &tests);
    tcase_add_checked_fixture(tests, defaults, NULL);
    tcase_add_test(tests, equal_sentences_score_100);
    tcase_add_test(tests, nothing_in_common_scores_0);
    tcase_add_test(tests, recall_counts_more);
    tcase_add_test(tests, orders_are_counted_apart);
    tcase_add_test(tests, ngrams_beyond_the_reference_do_not_count);
    tcase_add_test(tests, white_space_counts_when_wanted);
    tcase_add_loop_test(tests, words_are_cut_at_marks, 0, sizeof words / sizeof *words);
    tcase_add_test(tests, every_mark_is_a_word_of_its_own);
    tcase_add_test(tests, the_best_reference_counts);
    return suite_run(suite);
}
