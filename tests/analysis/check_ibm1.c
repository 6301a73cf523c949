/* Model 1: golden values of an independent program that follows Brown et al. (1993) word by word.
 */
#include "analysis/ibm1.h"
#include "support/suite.h"

#include <math.h>

enum { PAIRS = 4, WORDS = 6, A = 3, B = 4, C = 5 };

/* "a b" - "a b", "a c a" - "a c", "b" - "b b"; and a pair that is too long to be read. */
static const sa_sentence source[PAIRS] = {
    {(int32_t[]){A, B, SA_EOS}, 3, NULL},
    {(int32_t[]){A, C, A, SA_EOS}, 4, NULL},
    {(int32_t[]){B, SA_EOS}, 2, NULL},
    {NULL, 1000, NULL},
};
static const sa_sentence target[PAIRS] = {
    {(int32_t[]){A, B, SA_EOS}, 3, NULL},
    {(int32_t[]){A, C, SA_EOS}, 3, NULL},
    {(int32_t[]){B, B, SA_EOS}, 3, NULL},
    {(int32_t[]){A, SA_EOS}, 2, NULL},
};
static const double perplexity[] = {3.0000000000000004, 2.098514775535695, 1.969638759910539,
                                    1.908837025364625};
static const struct {
    int32_t e, f;
    double t;
} lexicon_of_four[] = {
    {SA_EOS, A, 0.19359815361463203},  {SA_EOS, B, 0.7942953106994856},
    {SA_EOS, C, 0.012106535685882353}, {A, A, 0.7703268032837316},
    {A, B, 0.007413686924362402},      {A, C, 0.22225950979190592},
    {B, A, 0.037829076985696354},      {B, B, 0.9621709230143036},
    {C, A, 0.21797779742368475},       {C, C, 0.7820222025763154},
};
enum { ENTRIES = sizeof lexicon_of_four / sizeof *lexicon_of_four };

static sa_error error;

/* After some iterations, whose perplexities are compared. */
static sa_ibm1_lexicon learned(int iterations) {
    sa_ibm1_lexicon lexicon;
    double counts[ENTRIES];
    ck_assert_msg(sa_ibm1_init(&lexicon, source, target, PAIRS, WORDS, WORDS, &error), "%s",
                  error.text);
    ck_assert_uint_eq(lexicon.row[WORDS], ENTRIES);
    for (int i = 0; i < iterations; i++)
        ck_assert_double_eq_tol(sa_ibm1_iterate(&lexicon, source, target, PAIRS, counts),
                                perplexity[i], 1e-14);
    return lexicon;
}

START_TEST(the_lexicon_after_four_iterations) {
    sa_ibm1_lexicon lexicon = learned(4);
    for (int k = 0; k < ENTRIES; k++) {
        const int32_t e = lexicon_of_four[k].e;
        ck_assert_msg((size_t)k >= lexicon.row[e] && (size_t)k < lexicon.row[e + 1], "entry %d", k);
        ck_assert_int_eq(lexicon.target[k], lexicon_of_four[k].f);
        ck_assert_double_eq_tol(lexicon.t[k], lexicon_of_four[k].t, 1e-15);
    }
    sa_ibm1_release(&lexicon);
}
END_TEST

START_TEST(weights_are_posteriors_and_leave_the_empty_word_its_own) {
    sa_ibm1_lexicon lexicon = learned(4);
    static const double golden[] = {
        0.39458822876775956,
        0.11165582273583305,
        0.39458822876775956,
        0, /* the empty word: 0.10 */
        0.17943721964863682,
        0.6313515667571551,
        0.17943721964863682,
        0, /* 0.01 */
        0,
        0,
        0,
        1,
    };
    double weights[3 * 4];
    sa_ibm1_weights(&lexicon, &source[1], &target[1], weights);
    for (int k = 0; k < 12; k++) ck_assert_double_eq_tol(weights[k], golden[k], 1e-15);
    const double all = 2 * 0.22225950979190592 + 0.7820222025763154 + 0.012106535685882353;
    ck_assert_double_eq_tol(sa_ibm1_log_probability(&lexicon, &source[1], C), log(all / 4), 1e-15);
    sa_ibm1_release(&lexicon);
}
END_TEST

START_TEST(an_unknown_word_comes_from_the_empty_word) {
    sa_ibm1_lexicon lexicon = learned(1);
    const sa_sentence unknown = {(int32_t[]){SA_UNK, SA_EOS}, 2, NULL};
    double weights[2 * 3];
    sa_ibm1_weights(&lexicon, &source[0], &unknown, weights);
    for (int k = 0; k < 5; k++) ck_assert_double_eq(weights[k], 0);
    ck_assert_double_eq(weights[5], 1);
    sa_ibm1_weights(&lexicon, &unknown, &target[0],
                    weights); /* nothing but the empty word is known */
    for (int k = 0; k < 4; k++) ck_assert_double_eq(weights[k], 0);
    sa_ibm1_release(&lexicon);
}
END_TEST

int main(void) {
    TCase *tests;
    Suite *suite = suite_of("ibm1", &tests);
    tcase_add_test(tests, the_lexicon_after_four_iterations);
    tcase_add_test(tests, weights_are_posteriors_and_leave_the_empty_word_its_own);
    tcase_add_test(tests, an_unknown_word_comes_from_the_empty_word);
    return suite_run(suite);
}
