/* BLEU against sacreBLEU 2.6's values (tests/golden/own.*: its 13a tokens; the scores below), and
 * cases small enough to work out by hand. */
#include "base/file.h"
#include "eval/bleu.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define OWN TEST_ROOT "/tests/golden/own.tsv"
#define TATOEBA TEST_ROOT "/../shared/data/metrics/tatoeba1000.hyp-ref.tsv.gz"

/* The last digits of exp and log may differ between machines. */
#define CLOSE 1e-12

/* Calls `each` for the two sides of every line. */
static int for_pairs(const char *path, void (*each)(void *context, char *left, char *right),
                     void *context) {
    sa_file file;
    sa_error error;
    ck_assert_msg(sa_file_read(&file, path, 1 << 20, &error), "%s", error.text);
    sa_lines lines = {.file = &file};
    bool failed = false;
    char *line;
    for (size_t size; sa_lines_next(&lines, &line, &size, &failed, &error);) {
        char *tab = strchr(line, '\t');
        ck_assert_ptr_nonnull(tab);
        *tab = 0;
        each(context, line, tab + 1);
    }
    ck_assert_msg(!failed, "%s", error.text);
    sa_file_release(&file);
    return (int)lines.number;
}

static void add(void *bleu, char *hypothesis, char *reference) {
    ck_assert(sa_bleu_add(bleu, hypothesis, reference, NULL));
}

static void expect_counts(const sa_bleu *bleu, const int64_t *match, const int64_t *total) {
    for (int n = 0; n < SA_BLEU_ORDER; n++) {
        ck_assert_int_eq(bleu->match[n], match[n]);
        ck_assert_int_eq(bleu->total[n], total[n]);
    }
}

static double score_of(char *hypothesis, char *reference) {
    sa_bleu bleu = {0};
    add(&bleu, hypothesis, reference);
    return sa_bleu_score(&bleu);
}

/* ---- Tokens ---------------------------------------------------------------------------------- */

static void tokenize(void *out, char *left, char *right) {
    sa_bleu_tokenize(left, out);
    sa_buffer_adds(out, "\t");
    sa_bleu_tokenize(right, out);
    sa_buffer_adds(out, "\n");
}

START_TEST(tokens_are_those_of_13a) {
    sa_buffer ours = {0};
    sa_file theirs;
    ck_assert_int_eq(for_pairs(OWN, tokenize, &ours), 32);
    ck_assert(sa_file_read(&theirs, TEST_ROOT "/tests/golden/own.13a.tsv", 1 << 20, NULL));
    ck_assert_str_eq(ours.text, theirs.data);
    sa_file_release(&theirs);
    sa_buffer_release(&ours);
}
END_TEST

static const struct {
    const char *text, *tokens;
} cuts[] = {
    {"", ""},
    {" \t\xc2\xa0\xe3\x80\x80 ", ""},
    {"a  b\xe2\x80\xaf"
     "c",
     "a b c"},
    {"1.5, 2,000 .5 5. end.", "1.5 , 2,000 . 5 5 . end ."},
    {"don't pre-war 1990-2000", "don't pre-war 1990 - 2000"},
    {"&amp;quot; &quot;&lt;&gt;", "& quot ; \" < >"}, /* an entity made by another stays */
    {"&amp;lt;&amp;amp;", "< & amp ;"},               /* unless it is undone later */
    {"a\x1c"
     "b\xe1\x9a\x80"
     "c\xc2\x85"
     "d\xe2\x80\xa8"
     "e\xe2\x81\x9f"
     "f",
     "a b c d e f"},
    {"a<skipped>b", "ab"},
    {"...", ". . ."},
    {"«été»", "«été»"},
};

START_TEST(tokens_of_edge_cases) {
    sa_buffer out = {0};
    sa_buffer_adds(&out, "");
    sa_bleu_tokenize(cuts[_i].text, &out);
    ck_assert_str_eq(out.text, cuts[_i].tokens);
    sa_buffer_release(&out);
}
END_TEST

/* ---- Golden scores --------------------------------------------------------------------------- */

static const int64_t own_match[] = {197, 156, 129, 108}, own_total[] = {228, 197, 168, 143};

START_TEST(score_of_the_own_corpus) {
    sa_bleu bleu = {0};
    for_pairs(OWN, add, &bleu);
    expect_counts(&bleu, own_match, own_total);
    ck_assert_int_eq(bleu.hypothesis, 228);
    ck_assert_int_eq(bleu.reference, 225);
    ck_assert_double_eq_tol(sa_bleu_score(&bleu), 79.36691041737934, CLOSE);
}
END_TEST

START_TEST(counts_of_a_thousand_sentences_add_up) {
    sa_bleu bleu = {0};
    int sentences = 0;
    while (sentences < 1000) sentences += for_pairs(OWN, add, &bleu);
    ck_assert_int_eq(sentences, 1024);
    for (int n = 0; n < SA_BLEU_ORDER; n++) {
        ck_assert_int_eq(bleu.match[n], 32 * own_match[n]);
        ck_assert_int_eq(bleu.total[n], 32 * own_total[n]);
    }
    ck_assert_double_eq_tol(sa_bleu_score(&bleu), 79.36691041737934, CLOSE);
}
END_TEST

START_TEST(score_of_real_sentences) {
    if (access(TATOEBA, R_OK) != 0) {
        printf("skipped: no %s\n", TATOEBA);
        return;
    }
    sa_bleu bleu = {0};
    ck_assert_int_eq(for_pairs(TATOEBA, add, &bleu), 1000);
    expect_counts(&bleu, (int64_t[]){7153, 4896, 3368, 2269}, (int64_t[]){8068, 7068, 6069, 5073});
    ck_assert_int_eq(bleu.hypothesis, 8068);
    ck_assert_int_eq(bleu.reference, 8269);
    ck_assert_double_eq_tol(sa_bleu_score(&bleu), 60.94713064582786, CLOSE);
}
END_TEST

/* ---- By hand --------------------------------------------------------------------------------- */

START_TEST(equal_sentences_score_100) {
    ck_assert_double_eq_tol(score_of("a b c d", "a b c d"), 100, CLOSE);
    ck_assert_double_eq_tol(score_of(" a  b c, d.", "a b c , d ."), 100, CLOSE);
    ck_assert_double_lt(score_of("A b c d e", "a b c d e"), 100); /* case counts */
}
END_TEST

START_TEST(nothing_to_compare_scores_0) {
    ck_assert_double_eq(sa_bleu_score(&(sa_bleu){0}), 0);
    ck_assert_double_eq(score_of("", ""), 0);
    ck_assert_double_eq(score_of("", "a b c d"), 0);
    ck_assert_double_eq(score_of("a b c d", ""), 0);
    ck_assert_double_eq(score_of("a b c d", "e f g h"), 0);
}
END_TEST

START_TEST(short_sentences_have_no_score_alone_but_count) {
    sa_bleu bleu = {0};
    add(&bleu, "word", "word");
    expect_counts(&bleu, (int64_t[]){1, 0, 0, 0}, (int64_t[]){1, 0, 0, 0});
    ck_assert_double_eq(sa_bleu_score(&bleu), 0);
    add(&bleu, "a b c d", "a b c d");
    add(&bleu, "", "");
    expect_counts(&bleu, (int64_t[]){5, 3, 2, 1}, (int64_t[]){5, 3, 2, 1});
    ck_assert_double_eq_tol(sa_bleu_score(&bleu), 100, CLOSE);
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

START_TEST(orders_without_a_match_are_smoothed) {
    /* 4/4, 1/3, then half a match of 2 and a quarter of 1: (1/48)^(1/4) */
    ck_assert_double_eq_tol(score_of("a b c d", "a b d c"), 37.99178428257963, CLOSE);
}
END_TEST

START_TEST(short_translations_pay_long_ones_do_not) {
    /* all n-grams match: exp(1 - 8/4) */
    ck_assert_double_eq_tol(score_of("a b c d", "a b c d e f g h"), 36.787944117144235, CLOSE);
    /* 4/5, 3/4, 2/3, 1/2 and no reward or penalty for the fifth word: (1/5)^(1/4) */
    ck_assert_double_eq_tol(score_of("a b c d e", "a b c d"), 66.87403049764220, CLOSE);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("bleu");
    TCase *tokens = tcase_create("tokens");
    tcase_add_test(tokens, tokens_are_those_of_13a);
    tcase_add_loop_test(tokens, tokens_of_edge_cases, 0, sizeof cuts / sizeof *cuts);
    suite_add_tcase(suite, tokens);
    TCase *golden = tcase_create("golden");
    tcase_add_test(golden, score_of_the_own_corpus);
    tcase_add_test(golden, counts_of_a_thousand_sentences_add_up);
    tcase_add_test(golden, score_of_real_sentences);
    suite_add_tcase(suite, golden);
    TCase *hand = tcase_create("by hand");
    tcase_add_test(hand, equal_sentences_score_100);
    tcase_add_test(hand, nothing_to_compare_scores_0);
    tcase_add_test(hand, short_sentences_have_no_score_alone_but_count);
    tcase_add_test(hand, a_repeated_word_matches_as_often_as_it_stands_in_the_reference);
    tcase_add_test(hand, ngrams_do_not_cross_sentences_or_words);
    tcase_add_test(hand, orders_without_a_match_are_smoothed);
    tcase_add_test(hand, short_translations_pay_long_ones_do_not);
    suite_add_tcase(suite, hand);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
