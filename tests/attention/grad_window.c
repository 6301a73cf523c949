/* Which positions a window covers. What windows do to weights is in grad_attention.c. */
#include "attention/window.h"
#include "support/numbers.h"
#include "support/suite.h"

START_TEST(windows_reach_as_far_as_the_sentence) {
    static const struct {
        double p;
        int D, S, first, count;
    } cases[] = {{1, 1, 5, 0, 2},   {5, 1, 5, 3, 2},   {3, 1, 5, 1, 3},
                 {2.5, 1, 5, 1, 2}, {0.2, 1, 5, 0, 1}, {4.999, 10, 5, 0, 5},
                 {0.5, 1, 1, 0, 1}, {3, 2, 3, 0, 3},   {NAN, 2, 5, 0, 5}};
    const sa_span span = sa_window_span(cases[_i].p, cases[_i].D, cases[_i].S);
    ck_assert_int_eq(span.first, cases[_i].first);
    ck_assert_int_eq(span.count, cases[_i].count);
}
END_TEST

int main(void) {
    TCase *tests;
    Suite *suite = suite_of("windows in double", &tests);
    tcase_add_loop_test(tests, windows_reach_as_far_as_the_sentence, 0, 9);
    return suite_run(suite);
}
