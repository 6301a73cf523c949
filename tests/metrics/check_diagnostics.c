/* Every diagnostic: reached, just missed, and absent; length balance. */
#include "metrics/attention_statistics.h"
#include "metrics/diagnostics.h"
#include "metrics/length_balance.h"
#include "metrics/linking.h"
#include "support/suite.h"

#include <math.h>
#include <string.h>

/* ---- Symptoms -------------------------------------------------------------------------------- */

enum { WORDS = 5, T = WORDS + 1, S = WORDS + 1 };

/* A healthy model: every word attends to its own, and every word is known. */
static sa_diagnostic_stats healthy(void) {
    sa_diagnostic_stats stats = {.identical_tokens_align = true,
                                 .aer = 0.1,
                                 .aer_before = 0.9,
                                 .aer_after = 0.9,
                                 .sentences = 100,
                                 .source_words = 500,
                                 .target_words = 500,
                                 .train_pairs = 1000};
    double weights[T * S] = {0};
    for (int t = 0; t < T; t++) weights[t * S + t] = 1;
    sa_attention_stats_add(&stats.attention, weights, weights, 1, T, S);
    return stats;
}

/* All pairs are alike: each row has `share` at one position, and the rest is uniform. */
static void look_at(sa_diagnostic_stats *stats, int place, double share) {
    double weights[T * S];
    for (int t = 0; t < T; t++)
        for (int j = 0; j < S; j++) weights[t * S + j] = (1 - share) / S + (j == place ? share : 0);
    stats->attention = (sa_attention_stats){0};
    sa_attention_stats_add(&stats->attention, weights, weights, 1, T, S);
}

/* The names of all that is found, each in brackets. */
static const char *found(const sa_diagnostic_stats *stats) {
    static char names[512];
    double figure;
    names[0] = 0;
    for (size_t row = 0; row < SA_DIAGNOSTICS; row++) {
        if (!sa_diagnostic_applies(stats, row, &figure)) continue;
        ck_assert_double_ge(figure, sa_diagnostics[row].threshold);
        strcat(strcat(strcat(names, "["), sa_diagnostics[row].name), "]");
    }
    return names;
}

START_TEST(nothing_is_found_in_the_healthy) {
    sa_diagnostic_stats stats = healthy();
    ck_assert_str_eq(found(&stats), "");
    stats.train_pairs = 0;
    stats.attention = (sa_attention_stats){0};
    stats.aer = stats.aer_before = stats.aer_after = NAN;
    ck_assert_str_eq(found(&stats), ""); /* nothing is known of attention or training */
    ck_assert_str_eq(found(&(sa_diagnostic_stats){.aer = NAN, .aer_before = NAN, .aer_after = NAN}),
                     "");
}
END_TEST

START_TEST(uniform_attention) {
    sa_diagnostic_stats stats = healthy();
    look_at(&stats, 0, 0);
    ck_assert_str_eq(found(&stats), "[uniform attention]");
    stats.uniform_by_design = true;
    ck_assert_str_eq(found(&stats), "[uniform attention by choice]");
    stats = healthy();
    stats.attention.max_entropy = 10;
    stats.attention.head_entropy = 9.01;
    ck_assert_str_eq(found(&stats), "[uniform attention]");
    stats.attention.head_entropy = 8.99;
    ck_assert_str_eq(found(&stats), "");
}
END_TEST

START_TEST(one_place_takes_all) {
    sa_diagnostic_stats stats = healthy();
    look_at(&stats, S - 1, 0.45); /* and 0.55 / 6 */
    ck_assert_str_eq(found(&stats), "[stuck on EOS]");
    look_at(&stats, S - 1, 0.35); /* 0.458 in all */
    ck_assert_str_eq(found(&stats), "");
    look_at(&stats, 2, 0.55); /* 0.625 in all */
    ck_assert_str_eq(found(&stats), "[one word takes all]");
    look_at(&stats, 2, 0.5); /* 0.583 in all */
    ck_assert_str_eq(found(&stats), "");
}
END_TEST

START_TEST(off_by_one_by_gold_links) {
    sa_diagnostic_stats stats = healthy();
    stats.aer = 0.5, stats.aer_after = 0.44;
    ck_assert_str_eq(found(&stats), "[off by one]");
    stats.aer_after = 0.46;
    ck_assert_str_eq(found(&stats), "");
    stats.aer_before = 0.2;
    ck_assert_str_eq(found(&stats), "[off by one]");
}
END_TEST

START_TEST(off_by_one_by_equal_words) {
    sa_diagnostic_stats stats = healthy();
    stats.attention.identical = 100, stats.attention.aligned[1] = 30,
    stats.attention.aligned[2] = 51;
    ck_assert_str_eq(found(&stats), ""); /* gold links take precedence */
    stats.aer = stats.aer_before = stats.aer_after = NAN;
    ck_assert_str_eq(found(&stats), "[off by one, by identical tokens]");
    stats.attention.aligned[2] = 49;
    ck_assert_str_eq(found(&stats), "");
    stats.attention.aligned[0] = 90;
    stats.identical_tokens_align = false;
    ck_assert_str_eq(found(&stats), "");
    stats.identical_tokens_align = true;
    stats.attention.identical = 19, stats.attention.aligned[0] = 19, stats.attention.aligned[1] = 0;
    ck_assert_str_eq(found(&stats), ""); /* too few to tell */
    stats.attention.identical = 20, stats.attention.aligned[0] = 20;
    ck_assert_str_eq(found(&stats), "[off by one, by identical tokens]");
}
END_TEST

START_TEST(shares_of_sentences_and_words) {
    static const struct {
        size_t at, least;
        const char *name;
    } counts[] = {
        {offsetof(sa_diagnostic_stats, over), 10, "[over-translation]"},
        {offsetof(sa_diagnostic_stats, under), 10, "[under-translation]"},
        {offsetof(sa_diagnostic_stats, unknown_source), 25, "[source vocabulary too small]"},
        {offsetof(sa_diagnostic_stats, unknown_target), 25, "[target vocabulary too small]"},
        {offsetof(sa_diagnostic_stats, known_sources), 10, "[sources seen in training]"},
        {offsetof(sa_diagnostic_stats, known_pairs), 10, "[pairs seen in training]"},
    };
    sa_diagnostic_stats stats = healthy();
    size_t *count = (size_t *)((char *)&stats + counts[_i].at);
    *count = counts[_i].least;
    ck_assert_str_eq(found(&stats), counts[_i].name);
    --*count;
    ck_assert_str_eq(found(&stats), "");
}
END_TEST

START_TEST(every_row_is_whole) {
    for (const sa_diagnostic *row = sa_diagnostics; row < sa_diagnostics + SA_DIAGNOSTICS; row++) {
        ck_assert(row->name && row->measure && row->threshold > 0);
        ck_assert_uint_gt(strlen(row->lesson), 200);
        ck_assert_ptr_null(strchr(row->lesson, '\n'));
        ck_assert_ptr_null(strstr(row->lesson, "  "));
        ck_assert_ptr_nonnull(strstr(row->lesson, "Read "));
    }
    ck_assert_double_eq(sa_diagnostics[SA_DIAGNOSTIC_OFF_BY_ONE].threshold, SA_AER_MARGIN);
}
END_TEST

/* ---- Balance --------------------------------------------------------------------------------- */

/* A text of one-letter words, followed by EOS. */
static int split(const char *letters, char (*words)[2], const char **list) {
    int count = 0;
    for (; letters[count]; count++) {
        words[count][0] = letters[count], words[count][1] = 0;
        list[count] = words[count];
    }
    list[count] = "</s>";
    return count;
}

START_TEST(repetitions) {
    static const struct {
        const char *text;
        int repeated;
    } cases[] = {
        {"", 0},           {"a", 0},     {"abcabd", 0},     {"aba", 0},    {"aa", 1},
        {"aaaa", 3},       {"xabab", 2}, {"xababab", 4},    {"abcabc", 3}, {"abcdabcd", 4},
        {"abcdeabcde", 0}, {"aabb", 2},  {"abcabcabcd", 6},
    };
    char words[16][2];
    const char *list[16];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const int count = split(cases[i].text, words, list);
        ck_assert_msg(sa_length_balance_repeated(list, count) == cases[i].repeated, "%s: %d",
                      cases[i].text, sa_length_balance_repeated(list, count));
    }
}
END_TEST

static sa_length_balance balance_of(const char *own, const char *reference) {
    char words[2][16][2];
    const char *list[2][16];
    const sa_attended_text one = {list[0], split(own, words[0], list[0]) + 1, true, NULL},
                           other = {list[1], split(reference, words[1], list[1]) + 1, true, NULL};
    return sa_length_balance_compute(&one, &other, 4);
}

/* Of two words more often than in the reference, if they stand there twice; and twice more of a
 * word that follows itself. */
START_TEST(words_that_come_again) {
    static const struct {
        const char *own, *reference;
        int repetitions;
    } cases[] = {{"", "ab", 0},     {"a", "a", 0},       {"abcd", "", 0},      {"abab", "abcd", 1},
                 {"aaa", "ab", 6},  {"aab", "ab", 2},    {"aab", "aab", 0},    {"ababab", "xyz", 5},
                 {"aaaa", "aa", 6}, {"abab", "abab", 0}, {"abab", "xabab", 0}, {"xabyab", "z", 2}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const sa_length_balance balance = balance_of(cases[i].own, cases[i].reference);
        ck_assert_msg(balance.repetitions == cases[i].repetitions, "%s: %d", cases[i].own,
                      (int)balance.repetitions);
    }
}
END_TEST

/* A source word is dropped that has less than a fifth of what a word may have. */
START_TEST(words_that_get_no_weight) {
    const char *const words[] = {"</s>"};
    const double own[] = {0.2, 0.1, 0.7}, least[] = {0.5, 0.2, 0.3}, less[] = {0.5, 0.19, 0.31};
    const sa_attended_text one = {words, 1, true, own}, other = {words, 1, true, least},
                           third = {words, 1, true, less};
    ck_assert_int_eq((int)sa_length_balance_compute(&one, &other, 3).dropped, 1);
    ck_assert_int_eq((int)sa_length_balance_compute(&one, &third, 3).dropped, 0);
    ck_assert_int_eq((int)sa_length_balance_compute(&other, &one, 3).dropped, 0);
}
END_TEST

START_TEST(two_words_and_a_quarter_matter) {
    ck_assert(sa_length_balance_is_off(2, 8) && !sa_length_balance_is_off(2, 9));
    ck_assert(!sa_length_balance_is_off(1.99, 1) && sa_length_balance_is_off(2.25, 9));
    ck_assert(sa_length_balance_is_off(2, 0));
}
END_TEST

START_TEST(words_too_many_and_too_few) {
    sa_length_balance balance = balance_of("abcdef", "abcd");
    ck_assert_double_eq(sa_length_balance_over(&balance), 2);
    ck_assert_double_eq(sa_length_balance_under(&balance), 0);
    ck_assert(balance.over.position == -1 && balance.under.position == -1);
    balance = balance_of("ab", "abcde");
    ck_assert_double_eq(sa_length_balance_over(&balance), 0);
    ck_assert_double_eq(sa_length_balance_under(&balance), 3);
    balance = balance_of("abab", "abcd");
    ck_assert_double_eq(sa_length_balance_over(&balance), 2);
    balance = balance_of("abab", "cdcd"); /* the reference repeats itself, too */
    ck_assert_double_eq(sa_length_balance_over(&balance), 0);
    balance = balance_of("", "abcd");
    ck_assert_double_eq(sa_length_balance_under(&balance), 4);
}
END_TEST

START_TEST(weights_beside_those_of_the_reference) {
    static const char *const words[] = {"a", "b", "</s>"};
    const double own[] = {1, 0, 0, 0.9, 0, 0.1, 0.6, 0, 0.4};
    const double due[] = {1, 0, 0, 0, 1, 0, 0, 0.25, 0.75};
    const sa_attended_text one = {words, 3, true, own}, other = {words, 3, true, due};
    const sa_length_balance balance = sa_length_balance_compute(&one, &other, 3);
    ck_assert_int_eq(balance.over.position, 0);
    ck_assert_double_eq_tol(balance.over.weight, 2.5, 1e-15);
    ck_assert_double_eq(balance.over.expected, 1);
    ck_assert_int_eq(balance.under.position, 1);
    ck_assert_double_eq(balance.under.weight, 0);
    ck_assert_double_eq(balance.under.expected, 1.25);
    ck_assert_double_eq_tol(sa_length_balance_over(&balance), 1.5, 1e-15);
    ck_assert_double_eq(sa_length_balance_under(&balance), 1.25);
    const double idle[] = {0.1, 0, 0.9, 0, 0, 1, 0, 0, 1}; /* EOS is no word */
    ck_assert_int_eq(sa_length_balance_compute(&(sa_attended_text){words, 3, true, idle}, &other, 3)
                         .over.position,
                     0);
    /* words alone are compared where the reference was not aligned */
    const sa_attended_text alone = {words, 3, true, NULL};
    ck_assert_int_eq(sa_length_balance_compute(&one, &alone, 3).over.position, -1);
    const sa_length_balance same = sa_length_balance_compute(&other, &other, 3);
    ck_assert_double_eq(sa_length_balance_over(&same), 0);
    ck_assert_double_eq(sa_length_balance_under(&same), 0);
    ck_assert_int_eq(same.over.position, 0); /* the first of equals */
    ck_assert_int_eq(same.under.position, 0);
}
END_TEST

/* Malaviya et al. 2018, by hand. Of "ababcc" beside "abc": ab occurs once more and twice in all: 1;
 * ba and bc once each; cc once more, w w: 2. */
START_TEST(repetitions_beside_the_reference) {
    static const struct {
        const char *own, *reference;
        int repetitions;
    } cases[] = {
        {"", "", 0},         {"abcd", "abcd", 0}, {"ababcc", "abc", 3},  {"aaa", "a", 6},
        {"aaa", "aa", 3},    {"aa", "aa", 0},     {"abab", "abab", 0},   {"abab", "cd", 2},
        {"ababab", "ab", 4}, {"aa", "b", 2},      {"abcabc", "abcd", 2}, {"ab", "ababab", 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        ck_assert_msg(balance_of(cases[i].own, cases[i].reference).repetitions ==
                          cases[i].repetitions,
                      "%s beside %s: %d", cases[i].own, cases[i].reference,
                      balance_of(cases[i].own, cases[i].reference).repetitions);
}
END_TEST

/* Weights of 3 source words and EOS: the first has 0.15 and is dropped; the second, 0.2, is not;
 * the third, 0.1, has no more with the reference. */
START_TEST(dropped_words) {
    static const char *const words[] = {"a", "</s>"};
    const double own[] = {0.1, 0.2, 0.05, 0.65, 0.05, 0, 0.05, 0.9};
    const double due[] = {0.2, 0.8, 0, 0, 0, 0, 0.1, 0.9};
    const sa_attended_text one = {words, 2, true, own}, other = {words, 2, true, due};
    ck_assert_int_eq(sa_length_balance_compute(&one, &other, 4).dropped, 1);
    ck_assert_int_eq(sa_length_balance_compute(&other, &other, 4).dropped, 0);
}
END_TEST

/* A translation that was cut off at the maximum length has no EOS. */
START_TEST(a_cut_text_counts_all_its_words) {
    static const char *const words[] = {"a", "b", "c"};
    const sa_attended_text cut = {words, 3, false, NULL}, whole = {words, 3, true, NULL};
    const sa_length_balance balance = sa_length_balance_compute(&cut, &whole, 3);
    ck_assert_int_eq(balance.words, 3);
    ck_assert_int_eq(balance.reference, 2);
}
END_TEST

START_TEST(off_is_two_words_and_a_quarter) {
    ck_assert(sa_length_balance_is_off(2, 8));
    ck_assert(!sa_length_balance_is_off(2, 9));
    ck_assert(!sa_length_balance_is_off(1.9, 2));
    ck_assert(sa_length_balance_is_off(2, 0));
    ck_assert(!sa_length_balance_is_off(0, 0));
}
END_TEST

int main(void) {
    TCase *tests;
    Suite *suite = suite_of("diagnostics", &tests);
    tcase_add_test(tests, nothing_is_found_in_the_healthy);
    tcase_add_test(tests, uniform_attention);
    tcase_add_test(tests, one_place_takes_all);
    tcase_add_test(tests, off_by_one_by_gold_links);
    tcase_add_test(tests, off_by_one_by_equal_words);
    tcase_add_loop_test(tests, shares_of_sentences_and_words, 0, 6);
    tcase_add_test(tests, every_row_is_whole);
    tcase_add_test(tests, repetitions);
    tcase_add_test(tests, words_that_come_again);
    tcase_add_test(tests, words_that_get_no_weight);
    tcase_add_test(tests, two_words_and_a_quarter_matter);
    tcase_add_test(tests, words_too_many_and_too_few);
    tcase_add_test(tests, weights_beside_those_of_the_reference);
    tcase_add_test(tests, repetitions_beside_the_reference);
    tcase_add_test(tests, dropped_words);
    tcase_add_test(tests, a_cut_text_counts_all_its_words);
    tcase_add_test(tests, off_is_two_words_and_a_quarter);
    return suite_run(suite);
}
