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
static const double perplexity[] = {2.543615599075984, 2.104712299294775, 1.972159624467936,
                                    1.9101644683647412};
static const struct {
    int32_t e, f;
    double t;
} lexicon_of_four[] = {
    {SA_EOS, A, 0.19676863902174482},  {SA_EOS, B, 0.7906834640840154},
    {SA_EOS, C, 0.012547896894239963}, {A, A, 0.7684278817971472},
    {A, B, 0.007553290143201511},      {A, C, 0.22401882805965123},
    {B, A, 0.03778681957880947},       {B, B, 0.9622131804211905},
    {C, A, 0.22011865739161557},       {C, C, 0.7798813426083845},
};
enum { ENTRIES = sizeof lexicon_of_four / sizeof *lexicon_of_four };

static sa_error error;

/* After some iterations, whose perplexities are compared. */
static sa_ibm1_lexicon learned(int iterations) {
    sa_ibm1_lexicon lexicon;
    double counts[ENTRIES];
    ck_assert_msg(sa_ibm1_init(&lexicon, source, target, PAIRS, WORDS, &error), "%s", error.text);
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
        0.3933106136249751,
        0.11266510008268597,
        0.3933106136249751,
        0, /* the empty word: 0.10 */
        0.18059234700280816,
        0.6286998430678629,
        0.18059234700280816,
        0, /* 0.01 */
        0,
        0,
        0,
        1,
    };
    double weights[3 * 4];
    sa_ibm1_weights(&lexicon, &source[1], &target[1], weights);
    for (int k = 0; k < 12; k++) ck_assert_double_eq_tol(weights[k], golden[k], 1e-15);
    const double all = 2 * 0.22401882805965123 + 0.7798813426083845 + 0.012547896894239963;
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
