/* Induction heads, by hand. */
#include "metrics/induction.h"
#include "support/suite.h"

enum { N = 6 };
static const int32_t words[N] = {7, 8, 9, 7, 8, 8}; /* 7 and 8 come again, the last 8 twice */
static const double planted[N][N] = {
    {1},
    {0.25, 0.75},
    {0, 0.5, 0.5},
    {0, 0.75, 0.125, 0.125},        /* 7: after the first stands word 1 */
    {0, 0, 0.5, 0.25, 0.25},        /* 8: after the first stands word 2 */
    {0, 0.125, 0.25, 0, 0.5, 0.125} /* 8: words 2 and, after the second, this one itself: no */
};

START_TEST(repeated_words) {
    static const bool expected[N] = {false, false, false, true, true, true};
    for (int i = 0; i < N; i++) ck_assert_int_eq(sa_is_repeated(words, i), expected[i]);
    const int32_t twice[] = {7, 7}; /* nothing stands between */
    ck_assert(!sa_is_repeated(twice, 1));
}
END_TEST

static void expect(const sa_induction *sum) {
    ck_assert_uint_eq(sum->rows, N - 1);
    ck_assert_uint_eq(sum->repeated, 3);
    ck_assert_double_eq(sum->prefix, 0.75 + 0.5 + 0.25);
    ck_assert_double_eq(sum->previous, 0.25 + 0.5 + 0.125 + 0.25 + 0.5);
}

START_TEST(a_planted_matrix) {
    sa_induction whole = {0}, parts = {0};
    for (int i = 0; i < N; i++) {
        sa_induction_add(&whole, planted[i], words, i, 0, i + 1);
        sa_induction_add(&parts, planted[i], words, i, 0, 3);
        sa_induction_add(&parts, planted[i] + 3, words, i, 3, N);
    }
    expect(&whole);
    expect(&parts);
}
END_TEST

int main(void) {
    TCase *tests;
    Suite *suite = suite_of("induction", &tests);
    tcase_add_test(tests, repeated_words);
    tcase_add_test(tests, a_planted_matrix);
    return suite_run(suite);
}
