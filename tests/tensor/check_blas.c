/* The memory that OpenBLAS is going to map, which is looked for before it takes it: without it
 * OpenBLAS ends the process. */
#include "support/suite.h"
#include "tensor/blas.h"

#include <sys/resource.h>

/* Of nearly no data, memory that is writable counts; afterwards there is enough again. */
START_TEST(memory_that_is_not_there_is_told_of) {
    struct rlimit usual, least;
    sa_error error = {0};
    ck_assert_int_eq(getrlimit(RLIMIT_DATA, &usual), 0);
    least = usual, least.rlim_cur = 1 << 20;
    ck_assert_int_eq(setrlimit(RLIMIT_DATA, &least), 0);
    const bool found = sa_blas_check_memory(_i, &error);
    ck_assert_int_eq(setrlimit(RLIMIT_DATA, &usual), 0);
    ck_assert(!found);
    ck_assert_int_eq(error.code, SA_LIMIT);
    ck_assert_str_eq(error.text,
                     _i == 1 ? "no memory for the products of 1 thread: OpenBLAS maps 134217728 "
                               "bytes for each (see ulimit -v, ulimit -d, --threads)"
                             : "no memory for the products of 2 threads: OpenBLAS maps 134217728 "
                               "bytes for each (see ulimit -v, ulimit -d, --threads)");
    ck_assert(sa_blas_check_memory(_i, &error));
}
END_TEST

int main(void) {
    TCase *tests;
    Suite *suite = suite_of("blas", &tests);
    tcase_add_loop_test(tests, memory_that_is_not_there_is_told_of, 1, 3);
    return suite_run(suite);
}
