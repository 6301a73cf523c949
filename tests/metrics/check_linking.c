/* Links from attention weights. */
#include "metrics/linking.h"
#include "support/suite.h"

static sa_link_options linking;
static sa_link links[16];

static void defaults(void) {
    sa_link_options_init(&linking);
}

static size_t make(const double *weights, int targets, int sources, int shift) {
    ck_assert_uint_le(sa_linking_capacity(targets, sources), 16);
    return sa_linking_extract(&linking, weights, targets, sources, shift, links);
}

static void expect(size_t i, int source, int target) {
    ck_assert_int_eq(links[i].source, source);
    ck_assert_int_eq(links[i].target, target);
    ck_assert(!links[i].possible);
}

/* Three words on each side, and EOS. */
static const double weights[] = {
    .1, .7, .1, .1, /* */
    .2, .2, .5, .1, /* */
    .8, .1, .1, .0, /* */
    .0, .3, .0, .7, /* the row of EOS */
};

START_TEST(a_target_word_links_to_its_largest_weight) {
    ck_assert_uint_eq(make(weights, 4, 4, 0), 3);
    expect(0, 1, 0), expect(1, 2, 1), expect(2, 0, 2);
}
END_TEST

START_TEST(rows_may_speak_for_the_word_before_or_after) {
    ck_assert_uint_eq(make(weights, 4, 4, -1), 3);
    expect(0, 2, 0), expect(1, 0, 1), expect(2, 1, 2);
    ck_assert_uint_eq(make(weights, 4, 4, 1), 2);
    expect(0, 1, 1), expect(1, 2, 2);
}
END_TEST

START_TEST(ties_go_to_the_first_and_end_marks_get_nothing) {
    static const double tied[] = {
        .2, .4, .4, .0, /* a tie */
        .1, .0, .2, .7, /* EOS has the largest weight */
        .0, .0, .0, 1., /* it has all */
        .9, .1, .0, .0, /* its row */
    };
    ck_assert_uint_eq(make(tied, 4, 4, 0), 3);
    expect(0, 1, 0), expect(1, 2, 1), expect(2, 0, 2);
}
END_TEST

START_TEST(all_weights_from_the_threshold_on) {
    ck_assert(sa_option_set(&sa_linking_options[0], &linking, "threshold", NULL));
    linking.threshold = 0.2;
    ck_assert_uint_eq(make(weights, 4, 4, 0), 5);
    expect(0, 1, 0), expect(1, 0, 1), expect(2, 1, 1), expect(3, 2, 1), expect(4, 0, 2);
    linking.threshold = 0.75;
    ck_assert_uint_eq(make(weights, 4, 4, 0), 1);
    expect(0, 0, 2);
    ck_assert_uint_eq(make(weights, 4, 4, 1), 0); /* the row after the last word */
    linking.threshold = 0;
    ck_assert_uint_eq(make(weights, 4, 4, 0), 9);
}
END_TEST

START_TEST(the_null_key_may_have_the_largest_weight) {
    static const double lacking[] = {
        .3, .2, .0, .1, /* 0.4 on the null key */
        .3, .2, .0, .4, /* 0.1 */
        .0, .0, .0, .0, /* all */
        .0, .0, .0, .0, /* the row of EOS */
    };
    ck_assert_uint_eq(make(lacking, 4, 4, 0), 3); /* a window makes rows smaller, too */
    linking.null_key = true;
    ck_assert_uint_eq(make(lacking, 4, 4, 0), 1);
    expect(0, 0, 1);
}
END_TEST

START_TEST(end_marks_alone_have_no_links) {
    static const double ones[] = {1, 1, 1};
    for (int shift = -1; shift <= 1; shift++) {
        ck_assert_uint_eq(make(ones, 3, 1, shift), 0);
        ck_assert_uint_eq(make(ones, 1, 3, shift), 0);
        ck_assert_uint_eq(make(ones, 1, 1, shift), 0);
    }
}
END_TEST

int main(void) {
    TCase *tests;
    Suite *suite = suite_of("linking", &tests);
    tcase_add_checked_fixture(tests, defaults, NULL);
    tcase_add_test(tests, a_target_word_links_to_its_largest_weight);
    tcase_add_test(tests, rows_may_speak_for_the_word_before_or_after);
    tcase_add_test(tests, ties_go_to_the_first_and_end_marks_get_nothing);
    tcase_add_test(tests, all_weights_from_the_threshold_on);
    tcase_add_test(tests, the_null_key_may_have_the_largest_weight);
    tcase_add_test(tests, end_marks_alone_have_no_links);
    return suite_run(suite);
}
