#include "base/option.h"
#include "layers/optimizer.h"
#include "support/suite.h"

#include <math.h>
#include <string.h>

static const sa_schedule *schedule_of(const char *name) {
    const sa_schedule *row = sa_schedules;
    while (row->name && strcmp(row->name, name) != 0) row++;
    ck_assert_msg(row->name, "no schedule %s", name);
    return row;
}

START_TEST(names_and_what_decays) {
    ck_assert_str_eq(SA_NAME(sa_schedules, 0), "plateau");
    ck_assert_str_eq(SA_NAME(sa_schedules, 1), "constant");
    ck_assert_str_eq(SA_NAME(sa_schedules, 2), "inverse-sqrt");
    ck_assert_str_eq(SA_NAME(sa_schedules, 3), "linear");
    ck_assert_str_eq(SA_NAME(sa_schedules, 4), "cosine");
    ck_assert_ptr_null(SA_NAME(sa_schedules, 5));
    ck_assert_ptr_null(SA_NAME(sa_schedules, 1000));
    for (const sa_schedule *row = sa_schedules; row->name; row++)
        ck_assert_int_eq(row->decays, strcmp(row->name, "plateau") == 0);
    for (int i = 0; i < 5; i++) ck_assert_int_eq(sa_schedules[i].needs_steps, i >= 3);
}
END_TEST

/* Section 5.3 (Vaswani et al. 2017) with the numbers of its base model, d = 512 and a warm-up of
 * 4000, computed with 40 digits. */
START_TEST(the_papers_rates) {
    static const struct {
        int64_t step;
        double rate;
    } paper[] = {{1, 1.74692810742e-7},     {1000, 1.74692810742e-4}, {3999, 6.98596550158e-4},
                 {4000, 6.98771242969e-4},  {4001, 6.98683912937e-4}, {16000, 3.49385621484e-4},
                 {100000, 1.39754248594e-4}};
    const sa_schedule *schedule = schedule_of("inverse-sqrt");
    const double peak = 1 / sqrt(512.0 * 4000);
    for (size_t i = 0; i < sizeof paper / sizeof *paper; i++) {
        const double rate = peak * sa_schedule_factor(schedule, paper[i].step, 4000, 0);
        ck_assert_double_eq_tol(rate, paper[i].rate, 1e-11 * paper[i].rate);
    }
}
END_TEST

/* For every schedule: a straight line from 0 to the full rate. */
START_TEST(every_warm_up_is_a_line) {
    for (const sa_schedule *row = sa_schedules; row->name; row++) {
        for (int64_t step = 1; step <= 8; step++)
            ck_assert_double_eq(sa_schedule_factor(row, step, 8, 20), (double)step / 8);
        ck_assert_double_eq(sa_schedule_factor(row, 1, 1, 20), 1);
        ck_assert_double_eq(sa_schedule_factor(row, 1, 0, 20), 1);
    }
}
END_TEST

/* Without a warm-up, or with one of a single update, the decay begins at the first update. */
START_TEST(what_follows_a_warm_up) {
    const sa_schedule *root = schedule_of("inverse-sqrt");
    for (int64_t warmup = 0; warmup <= 1; warmup++) {
        ck_assert_double_eq(sa_schedule_factor(root, 4, warmup, 0), 0.5);
        ck_assert_double_eq(sa_schedule_factor(root, 100, warmup, 0), 0.1);
        ck_assert_double_eq(sa_schedule_factor(root, 1000000, warmup, 0), 0.001);
    }
    ck_assert_double_eq(sa_schedule_factor(root, 32, 8, 0), 0.5);
    const char *const flat[] = {"plateau", "constant"};
    for (int i = 0; i < 2; i++)
        for (int64_t warmup = 0; warmup <= 8; warmup += 4)
            ck_assert_double_eq(sa_schedule_factor(schedule_of(flat[i]), 1000000, warmup, 0), 1);
}
END_TEST

/* PyTorch's CosineAnnealingLR with T_max = 10 and a learning rate of 1, before its steps 0 to 10; a
 * line falls by equal parts. Both count from the last update of the warm-up and would reach 0 after
 * the last of all. */
START_TEST(what_falls_to_zero) {
    static const double torch[] = {
        1,   0.9755282581475768, 0.9045084971874737,  0.7938926261462366,  0.6545084971874737,
        0.5, 0.3454915028125263, 0.20610737385376343, 0.09549150281252627, 0.02447174185242318,
        0,
    };
    const sa_schedule *cosine = schedule_of("cosine"), *linear = schedule_of("linear");
    for (int i = 0; i <= 10; i++) {
        ck_assert_double_eq_tol(sa_schedule_factor(cosine, 5 + i, 5, 14), torch[i], 1e-15);
        ck_assert_double_eq_tol(sa_schedule_factor(linear, 5 + i, 5, 14), 1 - i / 10.0, 1e-15);
        ck_assert_double_eq_tol(sa_schedule_factor(linear, 1 + i, 0, 10), 1 - i / 10.0, 1e-15);
    }
    for (int64_t step = 8; step < 20; step++) { /* a warm-up that takes all updates, or more */
        ck_assert(sa_schedule_factor(linear, step, 8, 8) >= 0);
        ck_assert(sa_schedule_factor(cosine, step, 8, 4) <= 1);
    }
}
END_TEST

int main(void) {
    TCase *tests;
    Suite *suite = suite_of("schedule", &tests);
    tcase_add_test(tests, names_and_what_decays);
    tcase_add_test(tests, the_papers_rates);
    tcase_add_test(tests, every_warm_up_is_a_line);
    tcase_add_test(tests, what_follows_a_warm_up);
    tcase_add_test(tests, what_falls_to_zero);
    return suite_run(suite);
}
