/* Word aligners on texts: the words, sums and probabilities of their alignments, and the lexicon,
 * sorted. */
#include "support/suite.h"

#include <softalign.h>
#include <softalign/lab.h>
#include <softalign/report.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { PAIRS = 6, MOST = 64 };
static sa_pair pairs[PAIRS] = {
    {.source = "the cat", .target = "le chat"},    {.source = "the dog", .target = "le chien"},
    {.source = "a cat", .target = "un chat"},      {.source = "a dog", .target = "un chien"},
    {.source = "the bird", .target = "l' oiseau"}, {.source = "the", .target = "le"},
};
static const sa_corpus corpus = {.pairs = pairs, .count = PAIRS, .name = "pairs"};
static sa_aligner *aligner;
static sa_error error;

/* Counts without a prior, so that probabilities sum to 1. */
static void learn(void) {
    sa_aligner_options options;
    sa_aligner_options_init(&options);
    options.alpha = 1; /* "none" */
    aligner = sa_aligner_train(&corpus, NULL, &options, NULL, NULL, &error);
    ck_assert_msg(aligner != NULL, "%s", error.text);
}

static void forget(void) {
    sa_aligner_free(aligner);
}

static void expect_text(const char *const *word, int count, const char *text) {
    char words[128] = "";
    for (int i = 0; i < count; i++) strcat(strcat(words, i ? " " : ""), word[i]);
    ck_assert_str_eq(words, text);
}

/* Returns the source word with the most weight. */
static int most(const sa_alignment *alignment, int t) {
    const double *row = alignment->weights + t * alignment->sources;
    int best = 0;
    for (int j = 1; j < alignment->sources; j++)
        if (row[j] > row[best]) best = j;
    return best;
}

static bool expect_words(void *context, size_t index, const sa_alignment *alignment,
                         sa_error *why) {
    const int T = alignment->targets, S = alignment->sources;
    char text[128];
    double log_p = 0;
    (void)why;
    ck_assert_uint_eq(index, (size_t)(*(int *)context)++);
    snprintf(text, sizeof text, "%s </s>", pairs[index].source);
    expect_text(alignment->source, S, text);
    snprintf(text, sizeof text, "%s </s>", pairs[index].target);
    expect_text(alignment->target, T, text);
    ck_assert(alignment->heads == 1 && alignment->layers == 1);
    for (int t = 0; t < T; t++) {
        double sum = 0;
        for (int j = 0; j < S; j++) sum += alignment->weights[t * S + j];
        ck_assert_double_le(sum, 1 + 1e-12);
        log_p += alignment->token_log_probabilities[t];
    }
    for (int j = 0; j < S; j++)
        ck_assert_double_eq(alignment->weights[(T - 1) * S + j], j == S - 1);
    ck_assert_double_eq(alignment->token_log_probabilities[T - 1], 0);
    ck_assert_double_lt(alignment->token_log_probabilities[0], 0);
    ck_assert_double_eq_tol(alignment->log_probability, log_p, 1e-12);
    for (int t = 0; index < 4 && t < T; t++) ck_assert_int_eq(most(alignment, t), t);
    return true;
}

START_TEST(alignments_are_of_words) {
    int seen = 0;
    ck_assert_msg(sa_aligner_align(aligner, pairs, PAIRS, expect_words, &seen, &error), "%s",
                  error.text);
    ck_assert_int_eq(seen, PAIRS);
}
END_TEST

static bool stop(void *context, size_t index, const sa_alignment *alignment, sa_error *why) {
    (void)index, (void)alignment, (void)why;
    return ++*(int *)context < 3;
}

START_TEST(a_caller_may_end_it) {
    int seen = 0;
    ck_assert(!sa_aligner_align(aligner, pairs, PAIRS, stop, &seen, &error));
    ck_assert_int_eq(seen, 3);
}
END_TEST

typedef struct entry {
    char source[16], target[16];
    double t;
} entry;
typedef struct lexicon {
    entry entries[MOST];
    int count;
} lexicon;

static bool keep(void *context, const char *source, const char *target, double t, sa_error *why) {
    lexicon *all = context;
    entry *own = &all->entries[all->count++];
    (void)why;
    ck_assert_int_le(all->count, MOST);
    snprintf(own->source, sizeof own->source, "%s", source);
    snprintf(own->target, sizeof own->target, "%s", target);
    own->t = t;
    return true;
}

/* The empty word, then source words by frequency and, among equals, in byte order; of each the
 * probabilities fall, and all of them sum to 1. */
START_TEST(the_lexicon_is_sorted) {
    static const char *const order[] = {"", "the", "a", "cat", "dog", "bird"};
    lexicon all = {.count = 0};
    ck_assert(sa_aligner_lexicon_each(aligner, 0, keep, &all, &error));
    int word = 0;
    double sum = 0;
    for (int i = 0; i < all.count; i++) {
        const entry *own = &all.entries[i];
        const bool next = i && strcmp(own->source, own[-1].source) != 0;
        if (next) ck_assert_double_eq_tol(sum, 1, 1e-6);
        if (next) word++, sum = 0;
        ck_assert_str_eq(own->source, order[word]);
        if (i && !next) ck_assert_double_le(own->t, own[-1].t);
        sum += own->t;
    }
    ck_assert_int_eq(word, 5);
    ck_assert_double_eq_tol(sum, 1, 1e-6);
}
END_TEST

/* Equals are in the order of their words: the most frequent first, then in byte order. */
START_TEST(equal_translations_are_sorted_by_word) {
    static sa_pair only[] = {{.source = "a", .target = "z x y"}};
    static const char *const order[] = {"x", "y", "z"};
    const sa_corpus one = {.pairs = only, .count = 1, .name = "only"};
    sa_aligner_options options;
    lexicon all = {.count = 0};
    sa_aligner_options_init(&options);
    options.model = SA_ALIGNER_MODEL1, options.alpha = 1;
    sa_aligner *own = sa_aligner_train(&one, NULL, &options, NULL, NULL, &error);
    ck_assert_msg(own != NULL, "%s", error.text);
    ck_assert(sa_aligner_lexicon_each(own, 0, keep, &all, &error));
    ck_assert_int_eq(all.count, 6);
    for (int i = 0; i < 6; i++) {
        ck_assert_str_eq(all.entries[i].source, i < 3 ? "" : "a");
        ck_assert_str_eq(all.entries[i].target, order[i % 3]);
        ck_assert_double_eq(all.entries[i].t, all.entries[0].t);
    }
    sa_aligner_free(own);
}
END_TEST

/* A threshold leaves those at least as probable: the least of them, then one more than that. */
START_TEST(a_threshold_is_a_least_probability) {
    lexicon all = {.count = 0}, some = {.count = 0}, fewer = {.count = 0};
    ck_assert(sa_aligner_lexicon_each(aligner, 0, keep, &all, &error));
    const double limit = all.entries[all.count / 2].t;
    ck_assert(sa_aligner_lexicon_each(aligner, limit, keep, &some, &error));
    ck_assert(sa_aligner_lexicon_each(aligner, nextafter(limit, 2), keep, &fewer, &error));
    int at_least = 0, above = 0;
    for (int i = 0; i < all.count; i++)
        at_least += all.entries[i].t >= limit, above += all.entries[i].t > limit;
    ck_assert_int_gt(at_least, above);
    ck_assert_int_eq(some.count, at_least);
    ck_assert_int_eq(fewer.count, above);
    for (int i = 0; i < some.count; i++) ck_assert_double_ge(some.entries[i].t, limit);
}
END_TEST

/* Of a failure nothing is left, as a detector of leaks sees. */
START_TEST(pairs_that_are_all_too_long) {
    sa_settings settings;
    sa_settings_init(&settings);
    settings.max_len = 1;
    const sa_corpus longer = {.pairs = pairs, .count = PAIRS - 1, .name = "pairs"};
    ck_assert_ptr_null(sa_aligner_train(&longer, &settings, NULL, NULL, NULL, &error));
}
END_TEST

int main(void) {
    TCase *tests;
    Suite *suite = suite_of("word_aligner", &tests);
    tcase_add_checked_fixture(tests, learn, forget);
    tcase_add_test(tests, alignments_are_of_words);
    tcase_add_test(tests, a_caller_may_end_it);
    tcase_add_test(tests, the_lexicon_is_sorted);
    tcase_add_test(tests, equal_translations_are_sorted_by_word);
    tcase_add_test(tests, a_threshold_is_a_least_probability);
    tcase_add_test(tests, pairs_that_are_all_too_long);
    return suite_run(suite);
}
