/* location_aware.h: its equations on numbers worked out by hand. */
#include "attention/location_aware.h"
#include "support/differences.h"
#include "support/suite.h"
#include "tensor/vec.h"

#include <string.h>

enum { WORDS = 4, K = 2, WIDTH = 3 };

static sa_mat matrix(int rows, int cols, const double *from) {
    const sa_mat x = unset(rows, cols);
    for (int i = 0; i < rows; i++)
        memcpy(sa_row(x, i), from + i * cols, (size_t)cols * sizeof *from);
    return x;
}

/* The first filter finds the word after the one attended to, the second weighs all three. */
static const double filters[K * WIDTH] = {0, 0, 1, 10, 100, 1000};

/* Of alpha = (.1, .2, .3, .4): outside the source there is no weight. */
START_TEST(filters_see_neighbors) {
    static const double weights[WORDS] = {.1, .2, .3, .4};
    static const double wanted[WORDS * K] = {0, 12, .1, 123, .2, 234, .3, 340};
    const sa_location_aware w = {matrix(K, WIDTH, filters), filled(1, K, 0), filled(1, 1, 0)};
    const sa_mat f = unset(WORDS, K);
    sa_location_aware_forward(w, matrix(1, WORDS, weights), f, filled(WORDS, 1, 0));
    ck_assert_double_le(farthest(f, matrix(WORDS, K, wanted)), 1e-13);
}
END_TEST

/* A filter may be wider than the source. */
START_TEST(filters_may_be_wider_than_the_source) {
    static const double wide[7] = {1, 2, 4, 8, 16, 32, 64}, weights[2] = {.5, .25};
    const sa_location_aware w = {matrix(1, 7, wide), filled(1, 1, 0), filled(1, 1, 0)};
    const sa_mat f = unset(2, 1);
    sa_location_aware_forward(w, matrix(1, 2, weights), f, filled(2, 1, 0));
    ck_assert_double_eq(*sa_row(f, 0), .5 * 8 + .25 * 4);
    ck_assert_double_eq(*sa_row(f, 1), .5 * 16 + .25 * 8);
}
END_TEST

/* k_j + W_f f_j + b_a, of the second of two heads. */
START_TEST(keys_are_added_to) {
    static const double rows[4] = {7, 7, 2, -1}, biases[2] = {7, .5}, weights[WORDS] = {0, 1, 0, 0};
    const sa_location_aware all = {matrix(K, WIDTH, filters), matrix(2, K, rows),
                                   matrix(1, 2, biases)};
    const sa_mat k = filled(WORDS, 1, 3);
    static const double wanted[WORDS] = {3.5 - 10, 3.5 - 100, 3.5 + 2 - 1000, 3.5};
    sa_location_aware_forward(sa_location_aware_head(all, 2, 1), matrix(1, WORDS, weights),
                              unset(WORDS, K), k);
    for (int j = 0; j < WORDS; j++) ck_assert_double_eq_tol(*sa_row(k, j), wanted[j], 1e-13);
}
END_TEST

static sa_mat own, alpha, k_before, f, dy;
static sa_location_aware w;

static double sum_of_keys(void) {
    const sa_mat k = unset(WORDS, 3);
    sa_copy_mat(k_before, k);
    sa_location_aware_forward(w, alpha, f, k);
    return weighted_sum(k, dy);
}

START_TEST(filters_backward) {
    sa_binder counting = {0};
    sa_location_aware dw;
    sa_location_aware_bind(&counting, "attention", 3, K, 5);
    own = drawn(1, (int)counting.offset);
    const sa_mat down = filled(1, own.cols, BEFORE), dalpha = filled(1, WORDS, BEFORE);
    w = sa_location_aware_bind(&(sa_binder){.buffer = own.x}, "attention", 3, K, 5);
    dw = sa_location_aware_bind(&(sa_binder){.buffer = down.x}, "attention", 3, K, 5);
    alpha = drawn(1, WORDS), k_before = drawn(WORDS, 3), f = unset(WORDS, K), dy = drawn(WORDS, 3);
    sum_of_keys();
    sa_location_aware_backward(w, alpha, f, dy, unset(WORDS, K), dalpha, dw);
    CHECK_ADDED(sum_of_keys, alpha, dalpha);
    CHECK_ADDED(sum_of_keys, own, down);
}
END_TEST

int main(void) {
    TCase *tests;
    Suite *suite = suite_of("location-aware attention in double", &tests);
    tcase_add_checked_fixture(tests, numbers_open, numbers_close);
    tcase_add_test(tests, filters_see_neighbors);
    tcase_add_test(tests, filters_may_be_wider_than_the_source);
    tcase_add_test(tests, keys_are_added_to);
    tcase_add_test(tests, filters_backward);
    return suite_run(suite);
}
