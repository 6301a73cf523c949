/* suite: runs a test program's suite. */
#ifndef TEST_SUITE_H
#define TEST_SUITE_H

#include "support/assertions.h"

/* A suite of that name with one test case, which `tests` points to afterwards. */
static inline Suite *suite_of(const char *name, TCase **tests) {
    Suite *suite = suite_create(name);
    *tests = tcase_create(name);
    suite_add_tcase(suite, *tests);
    return suite;
}

/* What main returns. */
static inline int suite_run(Suite *suite) {
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}

#endif
