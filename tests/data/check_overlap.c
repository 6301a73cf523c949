/* Held-out pairs, and pairs that two corpora share. */
#include "base/rng.h"
#include "data/overlap.h"
#include "support/suite.h"

#include <stdio.h>
#include <string.h>

static sa_settings settings;

#define PAIRS(...)                                                                                 \
    (sa_corpus) {                                                                                  \
        .pairs = (sa_pair[]){__VA_ARGS__},                                                         \
        .count = sizeof((sa_pair[]){__VA_ARGS__}) / sizeof(sa_pair), .name = "x.tsv",              \
    }

static void defaults(void) {
    sa_settings_init(&settings);
}

static size_t hold_out(const sa_corpus *corpus, size_t most, bool *held) {
    settings.hold_out = (int)most;
    return sa_corpus_hold_out(&settings, corpus, held, NULL);
}

/* ---- Holding out ----------------------------------------------------------------------------- */

enum { MANY = 4000 };

/* Pairs of which two at a time share their source. */
static sa_corpus many_pairs(void) {
    static char text[MANY][24];
    static sa_pair pairs[MANY];
    for (size_t i = 0; i < MANY; i++) {
        snprintf(text[i], sizeof text[i], "sentence %zu", i / 2);
        pairs[i] = (sa_pair){text[i], "x", NULL, i + 1};
    }
    return (sa_corpus){.pairs = pairs, .count = MANY, .name = "x.tsv"};
}

START_TEST(a_twentieth_is_held_out) {
    static bool held[MANY];
    const sa_corpus corpus = many_pairs();
    const size_t count = hold_out(&corpus, 0, held);
    size_t marked = 0;
    for (size_t i = 0; i < MANY; i++) marked += held[i];
    ck_assert_uint_eq(marked, count);
    ck_assert_uint_ge(count, MANY / 25);
    ck_assert_uint_le(count, MANY / 16);
}
END_TEST

/* At most the limit, out of the pairs that are held out without one. */
START_TEST(no_more_are_held_out_than_asked) {
    static bool held[MANY], all[MANY];
    const sa_corpus corpus = many_pairs();
    const size_t every = hold_out(&corpus, 0, all);
    ck_assert_uint_eq(hold_out(&corpus, every, held), every);
    ck_assert_mem_eq(held, all, sizeof held);
    for (size_t most = every / 2; most > 10; most /= 2) {
        const size_t count = hold_out(&corpus, most, held);
        ck_assert_uint_le(count, most);
        ck_assert_uint_gt(count, 0);
        for (size_t i = 0; i < MANY; i += 2)
            ck_assert(held[i] == held[i + 1] && (all[i] || !held[i]));
    }
}
END_TEST

START_TEST(equal_sources_stay_together) {
    static bool held[MANY];
    const sa_corpus corpus = many_pairs();
    hold_out(&corpus, 0, held);
    for (size_t i = 0; i < MANY; i += 2) ck_assert(held[i] == held[i + 1]);
}
END_TEST

/* Whether a pair is held out depends on its source alone, not on its position or on other pairs. */
START_TEST(the_choice_is_stable) {
    static bool held[MANY], again[MANY];
    sa_corpus corpus = many_pairs();
    hold_out(&corpus, 0, held);
    for (size_t i = 0; i < MANY / 2; i++) corpus.pairs[i] = corpus.pairs[MANY - 1 - i];
    corpus.count = MANY / 2;
    hold_out(&corpus, 0, again);
    for (size_t i = 0; i < MANY / 2; i++) ck_assert(again[i] == held[MANY - 1 - i]);
}
END_TEST

START_TEST(four_pairs_give_one_source) {
    bool held[4];
    const sa_corpus two = PAIRS({"a", "x", NULL, 1}, {"b", "y", NULL, 2});
    ck_assert_uint_eq(hold_out(&two, 0, held), 1);
    ck_assert(held[0] != held[1]);
    const sa_corpus four =
        PAIRS({"a", "x", NULL, 1}, {"b", "y", NULL, 2}, {"a", "z", NULL, 3}, {"b", "w", NULL, 4});
    ck_assert_uint_eq(hold_out(&four, 0, held), 2);
    ck_assert(held[0] == held[2] && held[1] == held[3] && held[0] != held[1]);
}
END_TEST

START_TEST(one_source_is_both) {
    bool held[2];
    const sa_corpus one = PAIRS({"a", "x", NULL, 1});
    ck_assert_uint_eq(hold_out(&one, 0, held), 1);
    ck_assert(held[0]);
    const sa_corpus twice = PAIRS({"a", "x", NULL, 1}, {"a", "y", NULL, 2});
    ck_assert_uint_eq(hold_out(&twice, 0, held), 2);
    ck_assert(held[0] && held[1]);
}
END_TEST

/* 30 pairs used to leave one for validation, on which a score says nothing. */
START_TEST(few_pairs_leave_enough_for_a_score) {
    static bool held[MANY], all[MANY];
    sa_corpus corpus = many_pairs();
    const struct {
        size_t pairs, least, most;
    } cases[] = {{2, 2, 2}, {10, 2, 2}, {20, 4, 4}, {30, 6, 6}, {198, 5, 20}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        corpus.count = cases[i].pairs;
        const size_t count = hold_out(&corpus, 0, held);
        ck_assert_msg(count >= cases[i].least && count <= cases[i].most, "%zu of %zu", count,
                      corpus.count);
    }
    ck_assert_uint_eq(hold_out(&corpus, 2, held), 2);
    /* with 200 or more, the choice is by hash alone, as before */
    corpus = many_pairs();
    corpus.count = 200;
    hold_out(&corpus, 0, held);
    for (size_t i = 0; i < corpus.count; i++)
        all[i] = sa_hash(corpus.pairs[i].source, strlen(corpus.pairs[i].source)) % 20 == 0;
    ck_assert_mem_eq(held, all, corpus.count);
}
END_TEST

/* Of sources that all differ, and of which no hash is held out: a fifth, at most five; of 200 one.
 */
START_TEST(few_pairs_give_a_fifth) {
    static const struct {
        size_t pairs, held;
    } cases[] = {{2, 1}, {4, 1}, {10, 2}, {24, 4}, {25, 5}, {30, 5}, {199, 5}, {200, 1}};
    static char text[200][24];
    static bool held[200];
    sa_corpus corpus = many_pairs();
    for (size_t i = 0, number = 0; i < 200; number++) {
        snprintf(text[i], sizeof text[i], "source %zu", number);
        corpus.pairs[i].source = text[i];
        i += sa_hash(text[i], strlen(text[i])) % 20 != 0;
    }
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        corpus.count = cases[i].pairs;
        ck_assert_uint_eq(hold_out(&corpus, 0, held), cases[i].held);
    }
    corpus.count = 30;
    ck_assert_uint_eq(hold_out(&corpus, 3, held), 3);
}
END_TEST

/* Pairs of equal sources, which no hash holds out, are held out together or not at all: one of the
 * limit stays unused. */
START_TEST(a_source_that_exceeds_the_limit_stays) {
    static char text[30][24];
    static bool held[30];
    sa_corpus corpus = many_pairs();
    for (size_t i = 0, number = 0; i < 30; number++) {
        snprintf(text[i], sizeof text[i], "source %zu", number);
        corpus.pairs[i].source = corpus.pairs[i + 1].source = text[i];
        i += sa_hash(text[i], strlen(text[i])) % 20 != 0 ? 2 : 0;
    }
    corpus.count = 30;
    static const size_t counts[] = {2, 2, 2, 4, 4};
    for (size_t most = 1; most <= 5; most++)
        ck_assert_uint_eq(hold_out(&corpus, most, held), counts[most - 1]);
    for (size_t i = 0; i < 30; i += 2) ck_assert(held[i] == held[i + 1]);
    ck_assert_uint_eq(hold_out(&corpus, 0, held), 6); /* five or more */
}
END_TEST

/* Something is left to learn from, even where every hash is one of those that are held out. */
START_TEST(some_pairs_are_never_held_out) {
    enum { PAIRS = 6 };
    static char text[PAIRS][24];
    static bool held[PAIRS];
    sa_corpus corpus = many_pairs();
    for (size_t i = 0, number = 0; i < PAIRS; number++) {
        snprintf(text[i], sizeof text[i], "source %zu", number);
        corpus.pairs[i].source = text[i];
        i += sa_hash(text[i], strlen(text[i])) % 20 == 0;
    }
    for (corpus.count = 2; corpus.count <= PAIRS; corpus.count++)
        ck_assert_uint_eq(hold_out(&corpus, 0, held), 1);
}
END_TEST

/* Texts that differ only in white space have the same tokens; with --lowercase, only in case, too.
 */
START_TEST(twins_stay_together) {
    static char text[MANY][24];
    static bool held[MANY];
    sa_corpus corpus = many_pairs();
    for (size_t i = 0; i < MANY; i++) {
        snprintf(text[i], sizeof text[i], i % 2 ? "%s  %zu" : "%s %zu", i % 4 ? "word" : "Word",
                 i / 4);
        corpus.pairs[i].source = text[i];
    }
    hold_out(&corpus, 0, held);
    for (size_t i = 2; i < MANY; i += 4) ck_assert(held[i] == held[i + 1]);
    settings.lowercase = true;
    ck_assert_uint_gt(hold_out(&corpus, 0, held), 0);
    for (size_t i = 0; i < MANY; i += 4)
        ck_assert(held[i] == held[i + 1] && held[i] == held[i + 2] && held[i] == held[i + 3]);
}
END_TEST

/* ---- Overlap --------------------------------------------------------------------------------- */

START_TEST(pairs_are_found_among_others) {
    sa_pair known[] = {{"b", "1", NULL, 1}, {"a", "1", NULL, 2}, {"b", "2", NULL, 3}};
    sa_pair tested[] = {
        {"b", "2", NULL, 1}, {"b", "3", NULL, 2}, {"c", "1", NULL, 3}, {"a", "1", NULL, 4}};
    const sa_corpus train = {.pairs = known, .count = 3}, test = {.pairs = tested, .count = 4},
                    none = {.pairs = known, .count = 0};
    size_t sources, pairs;
    ck_assert(sa_corpus_overlap(&settings, &test, &train, &sources, &pairs, NULL));
    ck_assert_uint_eq(sources, 3);
    ck_assert_uint_eq(pairs, 2);
    ck_assert(sa_corpus_overlap(&settings, &test, &none, &sources, &pairs, NULL));
    ck_assert(sources == 0 && pairs == 0);
}
END_TEST

START_TEST(repeated_pairs_count_each_time) {
    sa_pair first[] = {{"a", "x", NULL, 1}, {"a", "x", NULL, 2}, {"b", "y", NULL, 3}};
    sa_pair second[] = {{"a", "y", NULL, 1}, {"b", "x", NULL, 2}, {"a", "x", "0-0", 3}};
    const sa_corpus one = {.pairs = first, .count = 3}, other = {.pairs = second, .count = 3};
    size_t pairs;
    ck_assert(sa_corpus_overlap(&settings, &one, &other, NULL, &pairs, NULL));
    ck_assert_uint_eq(pairs, 2);
    ck_assert(sa_corpus_overlap(&settings, &other, &one, NULL, &pairs, NULL));
    ck_assert_uint_eq(pairs, 1);
}
END_TEST

START_TEST(twins_count_as_shared) {
    sa_pair known[] = {{"a  cat", "un chat", NULL, 1}, {"ab", "x", NULL, 2}, {"a", "b c", NULL, 3}};
    sa_pair tested[] = {
        {"a cat ", "un  chat", NULL, 1}, {"a b", "x", NULL, 2}, {"a b", "c", NULL, 3}};
    const sa_corpus train = {.pairs = known, .count = 3}, test = {.pairs = tested, .count = 3};
    size_t sources, pairs;
    ck_assert(sa_corpus_overlap(&settings, &test, &train, &sources, &pairs, NULL));
    ck_assert_uint_eq(sources, 1);
    ck_assert_uint_eq(pairs, 1);
}
END_TEST

int main(void) {
    TCase *tests;
    Suite *suite = suite_of("overlap", &tests);
    tcase_add_checked_fixture(tests, defaults, NULL);
    tcase_add_test(tests, a_twentieth_is_held_out);
    tcase_add_test(tests, no_more_are_held_out_than_asked);
    tcase_add_test(tests, equal_sources_stay_together);
    tcase_add_test(tests, the_choice_is_stable);
    tcase_add_test(tests, four_pairs_give_one_source);
    tcase_add_test(tests, one_source_is_both);
    tcase_add_test(tests, few_pairs_leave_enough_for_a_score);
    tcase_add_test(tests, few_pairs_give_a_fifth);
    tcase_add_test(tests, a_source_that_exceeds_the_limit_stays);
    tcase_add_test(tests, some_pairs_are_never_held_out);
    tcase_add_test(tests, twins_stay_together);
    tcase_add_test(tests, pairs_are_found_among_others);
    tcase_add_test(tests, repeated_pairs_count_each_time);
    tcase_add_test(tests, twins_count_as_shared);
    return suite_run(suite);
}
