/* Attention statistics, by hand. */
#include "metrics/attention_statistics.h"
#include "support/suite.h"

#include <math.h>

/* Two words and EOS, on both sides. */
static const double small[] = {
    0.75, 0.25, 0,   /* word 0 */
    0.5,  0,    0.5, /* word 1 goes back */
    0,    0.5,  0.5, /* EOS */
};
static const double small_entropy =
    -0.75 * -0.28768207245178090 + 0.25 * 1.3862943611198906 + 2 * 0.69314718055994531;

static sa_attention_stats stats_of(const double *weights, int targets, int sources) {
    sa_attention_stats attention = {0};
    sa_attention_stats_add(&attention, weights, weights, 1, targets, sources);
    return attention;
}

static sa_eval_result figures_of(const sa_attention_stats *attention) {
    sa_eval_result figures;
    sa_attention_figures(attention, &figures);
    return figures;
}

START_TEST(a_small_matrix) {
    const sa_attention_stats attention = stats_of(small, 3, 3);
    ck_assert_uint_eq(attention.rows, 3);
    ck_assert_uint_eq(attention.cells, 9);
    ck_assert_uint_eq(attention.zeros, 3);
    ck_assert_double_eq_tol(attention.entropy, small_entropy, 1e-15);
    ck_assert_double_eq_tol(attention.max_entropy, 3 * log(3), 1e-15);
    ck_assert_double_eq(attention.weight, 2); /* of rows 0 and 1 */
    ck_assert_double_eq(attention.eos_weight, 0.5);
    ck_assert_uint_eq(attention.sources, 2);
    ck_assert_uint_eq(attention.covered, 2); /* 1.25 and 0.75 */
    ck_assert_uint_eq(attention.steps, 1);
    ck_assert_uint_eq(attention.monotone, 1); /* word 0 both times */
    ck_assert_double_eq_tol(figures_of(&attention).entropy, small_entropy / 3, 1e-15);
    ck_assert_double_eq_tol(sa_attention_normalized_entropy(&attention),
                            small_entropy / (3 * log(3)), 1e-15);
    ck_assert_double_eq(figures_of(&attention).coverage, 1);
    ck_assert_double_eq(figures_of(&attention).end_weight, 0.25);
    ck_assert_double_eq(figures_of(&attention).monotonicity, 1);
    ck_assert_double_eq(figures_of(&attention).zeros, 3 / 9.);
    ck_assert_double_eq(figures_of(&attention).row_sum, 1);
    ck_assert_double_nan(sa_attention_max_column(&attention)); /* too short to say */
}
END_TEST

START_TEST(half_a_word_is_covered_and_less_is_not) {
    const double weights[] = {0.5, 0.25, 0.25, 0, 0.2, 0.8};
    const sa_attention_stats attention = stats_of(weights, 2, 3);
    ck_assert_uint_eq(attention.sources, 2);
    ck_assert_uint_eq(attention.covered, 1); /* 0.5, and 0.45 */
}
END_TEST

START_TEST(steps_go_on_stay_or_go_back) {
    const double weights[] = {
        0,   1,   0,   0,   0,   /* 1 */
        0,   0,   0.4, 0,   0.6, /* on to 2: EOS does not count */
        0,   0,   0,   1,   0,   /* on to 3 */
        0,   0.5, 0.5, 0,   0,   /* back to 1, the first of equals */
        0,   1,   0,   0,   0,   /* stays */
        1,   0,   0,   0,   0,   /* back to 0 */
        0.2, 0.2, 0.2, 0.2, 0.2, /* the row of EOS does not count */
    };
    const sa_attention_stats attention = stats_of(weights, 7, 5);
    ck_assert_uint_eq(attention.steps, 5);
    ck_assert_uint_eq(attention.monotone, 3);
    ck_assert_double_eq(figures_of(&attention).monotonicity, 0.6);
}
END_TEST

START_TEST(steps_are_between_words_that_attend_to_one) {
    const double weights[] = {
        0, 0, 1, 0, /* 2 */
        0, 0, 0, 1, /* EOS alone */
        0, 0, 0, 0, /* nothing */
        1, 0, 0, 0, /* 0 */
        0, 1, 0, 0, /* on to 1 */
        0, 0, 0, 1, /* the row of EOS */
    };
    const sa_attention_stats attention = stats_of(weights, 6, 4);
    ck_assert_uint_eq(attention.steps, 1);
    ck_assert_uint_eq(attention.monotone, 1);
}
END_TEST

START_TEST(one_column_of_four_words) {
    const double weights[] = {
        0, 0.9, 0, 0, 0.1,  0, 0.7,  0.3, 0,   0, 0.2, 0.8, 0,
        0, 0,   0, 0, 0.25, 0, 0.75, 0.1, 0.9, 0, 0,   0, /* the last row is that of EOS */
    };
    const sa_attention_stats attention = stats_of(weights, 5, 5);
    ck_assert_double_eq_tol(attention.column, 0.9 + 0.7 + 0.8, 1e-15);
    ck_assert_double_eq(attention.long_rows, 4);
    ck_assert_double_eq_tol(sa_attention_max_column(&attention), 0.6, 1e-15);
    double even[25]; /* a column of less than one word */
    for (int i = 0; i < 25; i++) even[i] = i % 5 < 4 ? 0.125 : 0.5;
    const sa_attention_stats small_columns = stats_of(even, 5, 5);
    ck_assert_double_eq(sa_attention_max_column(&small_columns), 0.125);
    const double none[20] = {0}; /* three words on either side are too few */
    const sa_attention_stats few_targets = stats_of(none, 4, 5), few_sources = stats_of(none, 5, 4);
    ck_assert_double_nan(sa_attention_max_column(&few_targets));
    ck_assert_double_nan(sa_attention_max_column(&few_sources));
}
END_TEST

START_TEST(heads_count_alone) {
    const double mean[] = {0.5, 0.5}, heads[] = {1, 0, 0, 1};
    sa_attention_stats attention = {0};
    sa_attention_stats_add(&attention, mean, heads, 2, 1, 2);
    ck_assert_double_eq_tol(attention.entropy, log(2), 1e-15);
    ck_assert_double_eq(attention.head_entropy, 0);
    ck_assert_double_eq(sa_attention_normalized_entropy(&attention), 0);
}
END_TEST

/* Four rows of two heads, of which one has no entropy. */
START_TEST(entropies_of_heads_are_averaged) {
    const double mean[] = {0.75, 0.25, 0.5, 0.5}, heads[] = {1, 0, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5};
    sa_attention_stats attention = {0};
    sa_attention_stats_add(&attention, mean, heads, 2, 2, 2);
    ck_assert_double_eq_tol(attention.head_entropy, 1.5 * log(2), 1e-15);
    ck_assert_double_eq_tol(sa_attention_normalized_entropy(&attention), 0.75, 1e-15);
}
END_TEST

START_TEST(equal_weights_are_even) {
    const double weights[] = {0.25, 0.25, 0.25, 0.25, 0.25, 0.25, 0.25, 0.25};
    const sa_attention_stats attention = stats_of(weights, 2, 4);
    ck_assert_double_eq_tol(sa_attention_normalized_entropy(&attention), 1, 1e-15);
    ck_assert_double_eq(figures_of(&attention).end_weight, 0.25);
}
END_TEST

/* Up to the last word that has weight, never back; all where weight is missing. */
START_TEST(words_are_read_before_others_are_written) {
    const double weights[] = {
        0.5,  0.5, 0, 0, /* 2 of 3 words and EOS */
        1,    0,   0, 0, /* still 2 */
        0,    0,   1, 0, /* 3 */
        0.25, 0.5, 0, 0, /* 4 */
        0,    0,   0, 1, /* the row of EOS does not count */
    };
    sa_attention_stats attention = {0};
    sa_attention_stats_add_read(&attention, weights, 5, 4);
    ck_assert_double_eq(figures_of(&attention).latency, (2 + 2 + 3 + 4) / 4.);
    ck_assert_double_eq(figures_of(&attention).source_length, 4);
}
END_TEST

START_TEST(pairs_add_up) {
    static const char *const target[] = {"a", "b", "</s>"}, *const source[] = {"b", "c", "</s>"};
    sa_attention_stats all = stats_of(small, 3, 3), one = all;
    sa_attention_stats_add_identical(&one, small, target, 3, source, 3);
    const sa_attention_stats twice = one;
    sa_attention_stats_sum(&one, &twice);
    sa_attention_stats_add(&all, small, small, 1, 3, 3);
    sa_attention_stats_add_identical(&all, small, target, 3, source, 3);
    sa_attention_stats_add_identical(&all, small, target, 3, source, 3);
    ck_assert_mem_eq(&one, &all, sizeof all);
}
END_TEST

START_TEST(every_count_adds_up) {
    sa_attention_stats sum = {.rows = 1,
                              .words = 2,
                              .cells = 3,
                              .zeros = 4,
                              .entropy = 5,
                              .head_entropy = 6,
                              .max_entropy = 7,
                              .weight = 8,
                              .eos_weight = 9,
                              .sources = 10,
                              .covered = 11,
                              .steps = 12,
                              .monotone = 13,
                              .long_rows = 14,
                              .column = 15,
                              .online = 16,
                              .read = 17,
                              .available = 18,
                              .identical = 19,
                              .aligned = {20, 21, 22}};
    const sa_attention_stats one = sum;
    sa_attention_stats_sum(&sum, &one), sa_attention_stats_sum(&sum, &one);
    ck_assert(sum.rows == 3 && sum.words == 6 && sum.cells == 9 && sum.zeros == 12);
    ck_assert(sum.entropy == 15 && sum.head_entropy == 18 && sum.max_entropy == 21);
    ck_assert(sum.weight == 24 && sum.eos_weight == 27 && sum.sources == 30 && sum.covered == 33);
    ck_assert(sum.steps == 36 && sum.monotone == 39 && sum.long_rows == 42 && sum.column == 45);
    ck_assert(sum.online == 48 && sum.read == 51 && sum.available == 54 && sum.identical == 57);
    ck_assert(sum.aligned[0] == 60 && sum.aligned[1] == 63 && sum.aligned[2] == 66);
}
END_TEST

START_TEST(nothing_has_no_figure) {
    const sa_attention_stats none = {0}, wordless = stats_of((const double[]){1}, 1, 1);
    ck_assert_double_nan(figures_of(&none).entropy);
    ck_assert_double_nan(sa_attention_normalized_entropy(&none));
    ck_assert_double_nan(figures_of(&none).coverage);
    ck_assert_double_nan(figures_of(&none).end_weight);
    ck_assert_double_nan(figures_of(&none).monotonicity);
    ck_assert_double_nan(figures_of(&wordless).coverage);
    ck_assert_double_nan(
        sa_attention_normalized_entropy(&wordless)); /* one position has no entropy */
    ck_assert_double_eq(figures_of(&wordless).entropy, 0);
}
END_TEST

/* ---- Twins ----------------------------------------------------------------------------------- */

START_TEST(identical_tokens_align_with_links_moved_or_not) {
    static const char *const target[] = {"x", "Ann", ".", "</s>"}, *const source[] = {"Ann", "y",
                                                                                      ".", "</s>"};
    const double own[] = {0, 1, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
    sa_attention_stats attention = {0};
    sa_attention_stats_add_identical(&attention, own, target, 4, source, 4);
    ck_assert_uint_eq(attention.identical, 2);
    ck_assert_uint_eq(attention.aligned[0], 0);
    ck_assert_uint_eq(attention.aligned[1], 2);
    ck_assert_uint_eq(attention.aligned[2], 0);
    const double late[] = {0, 0, 0, 1, 0, 1, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0};
    attention = (sa_attention_stats){0};
    sa_attention_stats_add_identical(&attention, late, target, 4, source, 4);
    /* Each row says what the word before should have said; the row of EOS does not count. */
    ck_assert_uint_eq(attention.aligned[0], 1);
    ck_assert_uint_eq(attention.aligned[1], 0);
}
END_TEST

/* The first words of both sides, whose link stands in the row of the word before or after. */
START_TEST(first_words_may_be_identical) {
    static const char *const target[] = {"Ann", "x", "</s>"}, *const source[] = {"Ann", "y",
                                                                                 "</s>"};
    const double early[] = {0, 1, 0, 1, 0, 0, 0, 0, 1}, right[] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    sa_attention_stats attention = {0};
    sa_attention_stats_add_identical(&attention, early, target, 3, source, 3);
    ck_assert_uint_eq(attention.identical, 1);
    ck_assert(!attention.aligned[2] && !attention.aligned[1] && attention.aligned[0] == 1);
    attention = (sa_attention_stats){0};
    sa_attention_stats_add_identical(&attention, right, target, 3, source, 3);
    ck_assert(!attention.aligned[2] && attention.aligned[1] == 1 && !attention.aligned[0]);
}
END_TEST

/* A link in the row before its word's own, where only EOS has more weight than the word. */
START_TEST(links_of_the_row_before_count_and_those_to_eos_do_not) {
    static const char *const target[] = {"x", "Ann", "</s>"};
    static const char *const source[] = {"Ann", "y", "</s>"};
    const double weights[] = {1, 0, 0, 0.4, 0, 0.6, 0, 0, 1};
    sa_attention_stats attention = {0};
    sa_attention_stats_add_identical(&attention, weights, target, 3, source, 3);
    ck_assert_uint_eq(attention.identical, 1);
    ck_assert(!attention.aligned[0] && attention.aligned[1] == 1 && attention.aligned[2] == 1);
}
END_TEST

START_TEST(a_repeated_word_does_not_count) {
    static const char *const once[] = {"a", "b", "</s>"}, *const twice[] = {"a", "a", "</s>"};
    sa_attention_stats attention = {0};
    sa_attention_stats_add_identical(&attention, small, twice, 3, once, 3);
    sa_attention_stats_add_identical(&attention, small, once, 3, twice, 3);
    ck_assert_uint_eq(attention.identical, 0);
}
END_TEST

/* ---- Entropy --------------------------------------------------------------------------------- */

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

START_TEST(weights_above_one_are_divided_by_their_sum) {
    const double weights[] = {1.5, 0.5};
    ck_assert_double_eq_tol(sa_entropy_sum(weights, 1, 2), -0.75 * log(0.75) - 0.25 * log(0.25),
                            1e-15);
}
END_TEST

START_TEST(weights_below_one_stay_as_they_are) {
    const double weights[] = {0.25, 0.125};
    ck_assert_double_eq_tol(sa_entropy_sum(weights, 1, 2), 0.25 * log(4) + 0.125 * log(8), 1e-15);
}
END_TEST

int main(void) {
    TCase *tests;
    Suite *suite = suite_of("attention_statistics", &tests);
    tcase_add_test(tests, a_small_matrix);
    tcase_add_test(tests, half_a_word_is_covered_and_less_is_not);
    tcase_add_test(tests, steps_go_on_stay_or_go_back);
    tcase_add_test(tests, steps_are_between_words_that_attend_to_one);
    tcase_add_test(tests, one_column_of_four_words);
    tcase_add_test(tests, heads_count_alone);
    tcase_add_test(tests, entropies_of_heads_are_averaged);
    tcase_add_test(tests, equal_weights_are_even);
    tcase_add_test(tests, pairs_add_up);
    tcase_add_test(tests, every_count_adds_up);
    tcase_add_test(tests, first_words_may_be_identical);
    tcase_add_test(tests, links_of_the_row_before_count_and_those_to_eos_do_not);
    tcase_add_test(tests, nothing_has_no_figure);
    tcase_add_test(tests, identical_tokens_align_with_links_moved_or_not);
    tcase_add_test(tests, a_repeated_word_does_not_count);
    tcase_add_test(tests, one_word_with_all_the_weight_has_none);
    tcase_add_test(tests, equal_weights_have_the_most);
    tcase_add_test(tests, rows_add_up);
    tcase_add_test(tests, weights_above_one_are_divided_by_their_sum);
    tcase_add_test(tests, weights_below_one_stay_as_they_are);
    tcase_add_test(tests, words_are_read_before_others_are_written);
    return suite_run(suite);
}
