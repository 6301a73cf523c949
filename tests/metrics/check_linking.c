/* Links from attention weights. */
#include "metrics/linking.h"
#include "support/suite.h"

#include <stdlib.h>
#include <string.h>

static sa_link_options linking;
static sa_link links[16];

static void defaults(void) {
    sa_link_options_init(&linking);
}

static size_t make(const double *weights, int targets, int sources) {
    size_t count;
    sa_link *made = sa_linking_extract(&linking, weights, targets, sources, &count, NULL);
    ck_assert_uint_le(count, 16);
    memcpy(links, made, count * sizeof *links);
    free(made);
    return count;
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
    ck_assert_uint_eq(make(weights, 4, 4), 3);
    expect(0, 1, 0), expect(1, 2, 1), expect(2, 0, 2);
}
END_TEST

START_TEST(ties_go_to_the_first_and_end_marks_get_nothing) {
    static const double tied[] = {
        .2, .4, .4, .0, /* a tie */
        .1, .0, .2, .7, /* EOS has the largest weight */
        .9, .1, .0, .0, /* its row */
    };
    ck_assert_uint_eq(make(tied, 3, 4), 2);
    expect(0, 1, 0), expect(1, 2, 1);
}
END_TEST

START_TEST(no_word_is_linked_to_a_weight_of_zero) {
    static const double on_the_end[] = {
        .0, .0, .0, 1., /* hard attention that draws EOS */
        .0, .0, .0, .0, /* monotonic attention that selects no word */
        .0, -1, .0, 2., /* the difference of two maps */
        .9, .1, .0, .0, /* the row of EOS */
    };
    ck_assert_uint_eq(make(on_the_end, 4, 4), 0);
    linking.links = SA_LINKS_THRESHOLD;
    linking.threshold = 0;
    ck_assert_uint_eq(make(on_the_end, 4, 4), 0);
}
END_TEST

START_TEST(equal_weights_leave_no_more_to_the_null_key) {
    double equal[2 * 7] = {0}; /* of n words and the null key; EOS has none */
    linking.null_key = true;
    for (int n = 1; n <= 6; n++) {
        for (int s = 0; s < n; s++) equal[s] = 1. / (n + 1);
        ck_assert_uint_eq(make(equal, 2, n + 1), 1);
        expect(0, 0, 0);
    }
}
END_TEST

START_TEST(all_weights_from_the_threshold_on) {
    ck_assert_double_eq(linking.threshold, 0.3); /* the default */
    ck_assert(sa_option_set(&sa_linking_options[0], &linking, "threshold", NULL));
    linking.threshold = 0.2;
    ck_assert_uint_eq(make(weights, 4, 4), 5);
    expect(0, 1, 0), expect(1, 0, 1), expect(2, 1, 1), expect(3, 2, 1), expect(4, 0, 2);
    linking.threshold = 0.75;
    ck_assert_uint_eq(make(weights, 4, 4), 1);
    expect(0, 0, 2);
    linking.threshold = 0;
    ck_assert_uint_eq(make(weights, 4, 4), 9);
}
END_TEST

START_TEST(the_null_key_may_have_the_largest_weight) {
    static const double lacking[] = {
        .3, .2, .0, .1, /* 0.4 on the null key */
        .3, .2, .0, .4, /* 0.1 */
        .0, .0, .0, .0, /* all */
        .0, .0, .0, .0, /* the row of EOS */
    };
    ck_assert_uint_eq(make(lacking, 4, 4), 2); /* a window makes rows smaller, too */
    linking.null_key = true;
    ck_assert_uint_eq(make(lacking, 4, 4), 1);
    expect(0, 0, 1);
}
END_TEST

START_TEST(end_marks_alone_have_no_links) {
    static const double ones[] = {1, 1, 1};
    ck_assert_uint_eq(make(ones, 3, 1), 0);
    ck_assert_uint_eq(make(ones, 1, 3), 0);
    ck_assert_uint_eq(make(ones, 1, 1), 0);
}
END_TEST

START_TEST(whole_matrices_have_links_of_end_marks) {
    linking.whole = true;
    ck_assert_uint_eq(make(weights, 4, 4), 4);
    expect(0, 1, 0), expect(3, 3, 3);
}
END_TEST

/* ---- Matrices of an alignment ---------------------------------------------------------------- */

/* The number of the matrix, which holds it; -1: there is none. */
static int matrix(int heads, int layers, int layer, int head) {
    static const double numbers[] = {0, 1, 2, 3, 4, 5, 6};
    const sa_alignment alignment = {
        .targets = 1, .sources = 1, .heads = heads, .layers = layers, .weights = numbers};
    const double *own = sa_alignment_weights(&alignment, layer, head);
    return own ? (int)*own : -1;
}

static size_t size_of(int heads, int layers) {
    return sa_alignment_size(
        &(sa_alignment){.targets = 2, .sources = 3, .heads = heads, .layers = layers});
}

/* The mean, the heads, and those of each layer. */
START_TEST(matrices_stand_in_order) {
    static const int wanted[3][3] = {{0, 1, 2}, {-1, 3, 4}, {-1, 5, 6}};
    for (int layer = 0; layer < 3; layer++)
        for (int head = 0; head < 3; head++)
            ck_assert_int_eq(matrix(2, 2, layer, head), wanted[layer][head]);
    ck_assert(matrix(2, 2, 3, 1) == -1 && matrix(2, 2, 1, 3) == -1);
    ck_assert(matrix(2, 2, -1, 0) == -1 && matrix(2, 2, 0, -1) == -1);
    ck_assert(matrix(1, 2, 0, 1) == 0 && matrix(1, 2, 1, 1) == 1 && matrix(1, 2, 2, 0) == 2);
    ck_assert(matrix(2, 1, 0, 0) == 0 && matrix(2, 1, 1, 2) == 2 && matrix(1, 1, 1, 1) == 0);
    ck_assert(size_of(1, 1) == 6 && size_of(2, 1) == 18 && size_of(1, 2) == 18);
    ck_assert_uint_eq(size_of(2, 2), 42);
    ck_assert_ptr_null(sa_alignment_weights(NULL, 0, 0));
    ck_assert_ptr_null(sa_alignment_weights(&(sa_alignment){.heads = 1, .layers = 1}, 0, 0));
}
END_TEST

int main(void) {
    TCase *tests;
    Suite *suite = suite_of("linking", &tests);
    tcase_add_checked_fixture(tests, defaults, NULL);
    tcase_add_test(tests, a_target_word_links_to_its_largest_weight);
    tcase_add_test(tests, no_word_is_linked_to_a_weight_of_zero);
    tcase_add_test(tests, equal_weights_leave_no_more_to_the_null_key);
    tcase_add_test(tests, ties_go_to_the_first_and_end_marks_get_nothing);
    tcase_add_test(tests, all_weights_from_the_threshold_on);
    tcase_add_test(tests, the_null_key_may_have_the_largest_weight);
    tcase_add_test(tests, end_marks_alone_have_no_links);
    tcase_add_test(tests, whole_matrices_have_links_of_end_marks);
    tcase_add_test(tests, matrices_stand_in_order);
    return suite_run(suite);
}
