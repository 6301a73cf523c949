/* The weights that enter the mean, and the mean. */
#include "config/settings.h"
#include "train/session.h"

#include "support/suite.h"

enum { CAPACITY = 3, SIZE = 2 };

static sa_settings settings;
static sa_averaging averaging;

static void set_up(void) {
    sa_settings_init(&settings);
    settings.average = CAPACITY;
    ck_assert(sa_averaging_open(&averaging, &settings, SIZE, NULL));
}

static void tear_down(void) {
    sa_averaging_close(&averaging);
}

/* Validation number i has this BLEU, and the weights i and -10 i. */
static const double bleu[] = {5, 9, 2, 7, 2, 9, 8, 1};
enum { ROWS = sizeof bleu / sizeof *bleu };

static void validate(int row) {
    const sa_real weights[SIZE] = {(sa_real)row, (sa_real)(-10 * row)};
    sa_averaging_add(&averaging, &settings, row, (sa_validation){.loss = row, .bleu = bleu[row]},
                     weights);
}

static void mean_is(int rows, double of_rows) {
    sa_real mean[SIZE];
    sa_averaging_mean(&averaging, sa_averaging_count(&averaging, rows), mean);
    ck_assert_float_eq_tol(mean[0], (float)of_rows, 1e-6f);
    ck_assert_float_eq_tol(mean[1], (float)(-10 * of_rows), 1e-5f);
}

START_TEST(the_last_ones) {
    static const double means[] = {0, 0.5, 1, 2, 3, 4, 5, 6};
    for (int row = 0; row < ROWS; row++) {
        validate(row);
        mean_is(row + 1, means[row]);
    }
}
END_TEST

/* 0 1 2, 0 1 3 (7 beats 2), 4 stays out, 1 3 5 (9 beats 5), 1 5 6 (8 beats 7), 7 stays out. */
START_TEST(the_best_ones) {
    static const double means[] = {0, 0.5, 1, 4.0 / 3, 4.0 / 3, 9.0 / 3, 12.0 / 3, 12.0 / 3};
    settings.average_of = SA_AVERAGE_BEST;
    settings.criterion = SA_CRITERION_BLEU;
    for (int row = 0; row < ROWS; row++) {
        validate(row);
        mean_is(row + 1, means[row]);
    }
}
END_TEST

/* The smallest losses are those of the first rows. */
START_TEST(the_best_by_loss) {
    settings.average_of = SA_AVERAGE_BEST;
    for (int row = 0; row < ROWS; row++) validate(row);
    mean_is(ROWS, 1);
}
END_TEST

START_TEST(no_room_is_no_failure) {
    sa_averaging none;
    settings.average = 0;
    ck_assert(sa_averaging_open(&none, &settings, SIZE, NULL));
    sa_averaging_add(&none, &settings, 0, (sa_validation){0}, NULL);
    ck_assert_uint_eq(sa_averaging_count(&none, 5), 0);
    sa_averaging_close(&none);
}
END_TEST

START_TEST(memory_that_nobody_has) {
    sa_averaging large;
    sa_error error = {0};
    ck_assert(!sa_averaging_open(&large, &settings, SIZE_MAX / 2, &error));
    ck_assert_int_eq(error.code, SA_LIMIT);
    sa_averaging_close(&large);
}
END_TEST

/* Of several that are equally good the first stays the best. */
START_TEST(equal_figures_are_not_better) {
    static const int criteria[] = {SA_CRITERION_LOSS, SA_CRITERION_BLEU, SA_CRITERION_CHRF};
    const sa_validation mean = {.loss = 2, .bleu = 30, .chrf = 50};
    for (int k = 0; k < 3; k++) {
        sa_validation other = mean;
        ck_assert(!sa_validation_better(criteria[k], mean, other));
        other.loss += k == 0, other.bleu -= k == 1, other.chrf -= k == 2;
        ck_assert(sa_validation_better(criteria[k], mean, other));
        ck_assert(!sa_validation_better(criteria[k], other, mean));
    }
}
END_TEST

int main(void) {
    TCase *tests;
    Suite *suite = suite_of("averaging", &tests);
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, the_last_ones);
    tcase_add_test(tests, the_best_ones);
    tcase_add_test(tests, the_best_by_loss);
    tcase_add_test(tests, equal_figures_are_not_better);
    tcase_add_test(tests, no_room_is_no_failure);
    tcase_add_test(tests, memory_that_nobody_has);
    return suite_run(suite);
}
