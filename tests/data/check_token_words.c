/* Attention between sub-words, merged to words: known cases by hand, and against the definition on
 * random subwords. A word shifted by one subword, a mean for a sum, or a head mixed up shows here.
 */
#include "base/rng.h"
#include "data/corpus.h"
#include "data/encoding.h"
#include "metrics/linking.h"

#include <stdlib.h>
#include <string.h>

#include "support/suite.h"

static sa_error error;

#define COUNT(list) ((int)(sizeof(list) / sizeof *(list)))

static void words_are(const char *const *words, int count, const char *const *expected) {
    for (int i = 0; i < count; i++) ck_assert_str_eq(words[i], expected[i]);
}

static void numbers_are(const double *numbers, int count, const double *expected) {
    for (int i = 0; i < count; i++) ck_assert_double_eq_tol(numbers[i], expected[i], 1e-15);
}

/* "the low@@ est </s>": 3 words of 4 subwords, as "plus ba@@ s </s>" is. */
static const char *const source[] = {"the", "low@@", "est", "</s>"};
static const char *const target[] = {"plus", "ba@@", "s", "</s>"};
static const double weights[] = {
    0.1, 0.2, 0.3, 0.4, /* plus */
    0.0, 0.9, 0.1, 0.0, /* ba@@ */
    0.2, 0.1, 0.5, 0.2, /* s */
    0.0, 0.0, 0.0, 1.0, /* </s> */
};
/* Columns: the, low@@ + est, </s>. Row "bas": the mean of two. */
static const double merged[] = {
    0.1, 0.5, 0.4, /* plus */
    0.1, 0.8, 0.1, /* bas: (0 + 0.2) / 2, (1 + 0.6) / 2, (0 + 0.2) / 2 */
    0.0, 0.0, 1.0, /* </s> */
};

START_TEST(a_known_case_by_hand) {
    const sa_alignment subwords = {4, 4, 1, 1, target, source, weights, -2.5};
    sa_alignment words;
    ck_assert(sa_alignment_merge(&subwords, &words, &error));
    ck_assert_int_eq(words.targets, 3);
    ck_assert_int_eq(words.sources, 3);
    words_are(words.target, 3, (const char *const[]){"plus", "bas", "</s>"});
    words_are(words.source, 3, (const char *const[]){"the", "lowest", "</s>"});
    numbers_are(words.weights, COUNT(merged), merged);
    ck_assert_ptr_eq(words.weights, sa_alignment_weights(&words, 1, 1));
    ck_assert_double_eq(words.log_probability, -2.5);
    sa_alignment_release(&words);
}
END_TEST

/* The mean of two heads and each of them; the second attends to "the" only. */
START_TEST(each_head_is_merged) {
    double all[3 * 16] = {0}, *heads = all + 16;
    memcpy(heads, weights, sizeof weights);
    for (int t = 0; t < 4; t++) heads[16 + 4 * t] = 1;
    for (int i = 0; i < 16; i++) all[i] = (heads[i] + heads[16 + i]) / 2;
    const sa_alignment subwords = {4, 4, 2, 1, target, source, all, 0};
    sa_alignment words;
    ck_assert(sa_alignment_merge(&subwords, &words, &error));
    ck_assert_int_eq(words.heads, 2);
    numbers_are(sa_alignment_weights(&words, 0, 1), 9, merged);
    for (int t = 0; t < 3; t++)
        for (int s = 0; s < 3; s++) {
            ck_assert_double_eq(sa_alignment_weights(&words, 0, 2)[3 * t + s], s == 0);
            ck_assert_double_eq_tol(words.weights[3 * t + s], (merged[3 * t + s] + (s == 0)) / 2,
                                    1e-15);
        }
    sa_alignment_release(&words);
}
END_TEST

START_TEST(words_stay_as_they_are) {
    static const char *const plain[] = {"a@", "@@", "b", "</s>"};
    const sa_alignment subwords = {4, 4, 1, 1, plain, plain, weights, 0};
    sa_alignment words;
    ck_assert(sa_alignment_merge(&subwords, &words, &error));
    ck_assert_int_eq(words.targets, 4);
    words_are(words.target, 4, plain);
    words_are(words.source, 4, plain);
    numbers_are(words.weights, 16, weights);
    sa_alignment_release(&words);
}
END_TEST

START_TEST(subwords_without_weights_are_joined) {
    const sa_alignment subwords = {4, 4, 1, 1, target, source, NULL, 0};
    sa_alignment words;
    ck_assert(sa_alignment_merge(&subwords, &words, &error));
    ck_assert_ptr_null(words.weights);
    ck_assert_str_eq(words.target[1], "bas");
    sa_alignment_release(&words);
}
END_TEST

/* "the low@@ est </s>" and "plus ba@@ s </s>": a link between words is one between all their
 * subwords, sure or possible as before; a link of no word, or of EOS, is dropped. */
START_TEST(links_go_to_all_subwords) {
    int source_word[] = {0, 1, 1, 2}, target_word[] = {0, 1, 1, 2};
    const sa_token_words from = {source_word, 4, 3}, to = {target_word, 4, 3};
    static const sa_link expected[] = {{0, 0, false}, {1, 0, true},  {2, 0, true}, {1, 1, false},
                                       {1, 2, false}, {2, 1, false}, {2, 2, false}};
    sa_link *links;
    size_t count;
    ck_assert(sa_links_parse("0-0 1p0 1-1 2-2 3-0 0-5", &links, &count, &error));
    ck_assert(sa_links_of_subwords(&from, &to, &links, &count, &error));
    ck_assert_uint_eq(count, COUNT(expected));
    for (size_t i = 0; i < count; i++) {
        ck_assert_int_eq(links[i].source, expected[i].source);
        ck_assert_int_eq(links[i].target, expected[i].target);
        ck_assert_int_eq(links[i].possible, expected[i].possible);
    }
    free(links);
}
END_TEST

/* Words of 1 to 4 subwords; every merged weight against the double sum that defines it. */
START_TEST(random_pieces_follow_the_definition) {
    enum { ROWS = 23, COLS = 17 };
    int row_word[ROWS], col_word[COLS];
    double x[ROWS * COLS], out[ROWS * COLS];
    sa_rng rng = sa_rng_seed((uint64_t)_i, 0);
    for (int t = 0; t < ROWS; t++)
        row_word[t] = t ? row_word[t - 1] + (sa_rng_below(&rng, 3) > 0) : 0;
    for (int s = 0; s < COLS; s++)
        col_word[s] = s ? col_word[s - 1] + (sa_rng_below(&rng, 2) > 0) : 0;
    for (int i = 0; i < ROWS * COLS; i++) x[i] = sa_rng_uniform(&rng), out[i] = 99;
    sa_merge_weights(x, ROWS, COLS, row_word, col_word, out);
    const int words = col_word[COLS - 1] + 1;
    for (int i = 0; i <= row_word[ROWS - 1]; i++)
        for (int j = 0; j < words; j++) {
            double sum = 0;
            int subwords = 0;
            for (int t = 0; t < ROWS; t++) {
                subwords += row_word[t] == i;
                for (int s = 0; s < COLS; s++)
                    if (row_word[t] == i && col_word[s] == j) sum += x[t * COLS + s];
            }
            ck_assert_double_eq_tol(out[i * words + j], sum / subwords, 1e-12);
        }
}
END_TEST

/* 1001 x 1001 numbers for each long pair, 512 MiB together. */
START_TEST(few_long_pairs_are_held_at_once) {
    enum { PAIRS = 2048, LONG = 5000 };
    static char text[LONG + 1];
    static const char *texts[PAIRS];
    memset(text, 'x', LONG);
    for (int i = 0; i < PAIRS; i++) texts[i] = text + LONG - 60;
    ck_assert_uint_eq(sa_alignments_together(texts, texts, sizeof *texts, PAIRS, 1000), PAIRS);
    ck_assert_uint_eq(sa_alignments_together(texts, texts, sizeof *texts, 0, 1000), 0);
    for (int i = 0; i < PAIRS; i++) texts[i] = text;
    ck_assert_uint_eq(sa_alignments_together(texts, texts, sizeof *texts, PAIRS, 1000), 67);
    ck_assert_uint_eq(sa_alignments_together(texts, texts, sizeof *texts, PAIRS, 1000000), 3);
    for (int i = 0; i < PAIRS; i++) texts[i] = i % 100 == 99 ? text : text + LONG - 1;
    /* Of 100 pairs one has 5001 x 5001 numbers, each other one 4: the third long one is the last.
     */
    ck_assert_uint_eq(sa_alignments_together(texts, texts, sizeof *texts, PAIRS, 1000000), 300);
    /* Of those before the last half none is short, of those after it all are. */
    for (int i = 0; i < PAIRS; i++) texts[i] = i < PAIRS / 2 ? text : text + LONG - 1;
    ck_assert_uint_eq(sa_alignments_together(texts + PAIRS / 2, texts + PAIRS / 2, sizeof *texts,
                                             PAIRS / 2, 1000000),
                      PAIRS / 2);
}
END_TEST

/* "the cat sleeps." has 3 words between blanks and 4 tokens: links that never reach the last token
 * seem to count words between blanks. */
START_TEST(links_of_words_between_blanks_are_seen) {
    static const struct {
        const char *gold[4];
        int tokenizer;
        size_t sentences;
    } cases[] = {
        {{"0-0 1-1 2-2", "0-0", "0-0", "0-0"}, SA_TOKENIZER_WORD, 3},
        {{"0-0 1-1 2-2", "0-0", "0-0", "0-0"}, SA_TOKENIZER_BPE, 3},
        {{"0-0 1-1 2-2", "0-0", "0-0", "0-0"}, SA_TOKENIZER_SPACE, 0},
        {{"2-2 3-3", "0-0", "0-0", "0-0"}, SA_TOKENIZER_WORD, 0},
        {{"0-0 1-1 2-2", "", "0-0", "0-0"}, SA_TOKENIZER_WORD, 0}, /* too few */
    };
    static const char *const texts[] = {"the cat sleeps.", "Why?", "Go on!", "le chat dort ."};
    for (int i = 0; i < COUNT(cases); i++) {
        sa_settings settings;
        sa_pair pairs[4] = {0};
        size_t sentences = 99;
        sa_settings_init(&settings);
        settings.tokenizer = cases[i].tokenizer;
        for (int k = 0; k < 4; k++)
            pairs[k] = (sa_pair){texts[k], texts[k], cases[i].gold[k], (size_t)k + 1};
        const sa_corpus corpus = {.pairs = pairs, .count = 4, .gold = true, .name = "x.tsv"};
        ck_assert(sa_gold_counts_blanks(&corpus, &settings, &sentences, &error));
        ck_assert_uint_eq(sentences, cases[i].sentences);
    }
}
END_TEST

int main(void) {
    TCase *tests;
    Suite *suite = suite_of("merging", &tests);
    tcase_add_test(tests, a_known_case_by_hand);
    tcase_add_test(tests, each_head_is_merged);
    tcase_add_test(tests, words_stay_as_they_are);
    tcase_add_test(tests, subwords_without_weights_are_joined);
    tcase_add_test(tests, links_go_to_all_subwords);
    tcase_add_loop_test(tests, random_pieces_follow_the_definition, 0, 20);
    tcase_add_test(tests, links_of_words_between_blanks_are_seen);
    tcase_add_test(tests, few_long_pairs_are_held_at_once);
    return suite_run(suite);
}
