/* check: the assertions of <check.h> that the targets and support/ use, for programs without a
 * test runner: a failure aborts, and libFuzzer saves the input. It hides the real <check.h>
 * because this folder comes first in the include path. */
#ifndef TEST_FUZZ_CHECK_H
#define TEST_FUZZ_CHECK_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ck_assert_msg(condition, ...)                                                              \
    ((condition) ? (void)0                                                                         \
                 : (fprintf(stderr, "%s:%d: ", __FILE__, __LINE__), fprintf(stderr, __VA_ARGS__),  \
                    fputc('\n', stderr), abort()))
#define ck_assert(condition) ck_assert_msg(condition, "%s", #condition)

#define ck_assert_str_eq(a, b)                                                                     \
    ck_assert_msg(strcmp(a, b) == 0, "%s is '%s', not '%s' as %s", #a, a, b, #b)
#define ck_assert_mem_eq(a, b, size)                                                               \
    ck_assert_msg(memcmp(a, b, size) == 0, "%s and %s differ", #a, #b)

#define FUZZ_COMPARED(type, format, a, sign, b)                                                    \
    ck_assert_msg((type)(a)sign(type)(b), "%s " #sign " %s: " format ", " format, #a, #b,          \
                  (type)(a), (type)(b))
#define ck_assert_int_eq(a, b) FUZZ_COMPARED(long long, "%lld", a, ==, b)
#define ck_assert_int_le(a, b) FUZZ_COMPARED(long long, "%lld", a, <=, b)
#define ck_assert_int_lt(a, b) FUZZ_COMPARED(long long, "%lld", a, <, b)
#define ck_assert_int_ge(a, b) FUZZ_COMPARED(long long, "%lld", a, >=, b)
#define ck_assert_uint_eq(a, b) FUZZ_COMPARED(size_t, "%zu", a, ==, b)
#define ck_assert_uint_le(a, b) FUZZ_COMPARED(size_t, "%zu", a, <=, b)
#define ck_assert_uint_gt(a, b) FUZZ_COMPARED(size_t, "%zu", a, >, b)
#define ck_assert_double_eq(a, b) FUZZ_COMPARED(double, "%.17g", a, ==, b)
#define ck_assert_double_le(a, b) FUZZ_COMPARED(double, "%.17g", a, <=, b)
#define ck_assert_double_ge(a, b) FUZZ_COMPARED(double, "%.17g", a, >=, b)

#endif
