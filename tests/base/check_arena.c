/* Memory that is taken in lines and given back from the end. */
#include "base/arena.h"
#include "support/suite.h"

#if __has_include(<sanitizer/asan_interface.h>)
#include <sanitizer/asan_interface.h>
#endif
#ifdef __has_feature
#if __has_feature(address_sanitizer)
#define BESIDE(address) __asan_address_is_poisoned(address)
#endif
#endif

START_TEST(what_is_rewound_is_given_again) {
    sa_arena arena = {0};
    sa_error error;
    ck_assert(sa_arena_init(&arena, 1000, &error));
    const char *first = sa_arena_alloc(&arena, 10, 1);
    const size_t start = arena.used;
    const char *second = sa_arena_alloc(&arena, 10, 1);
    const size_t end = sa_arena_rewind(&arena, start);
    ck_assert(second > first && end > start);
    ck_assert_uint_eq(arena.used, start);
    ck_assert_ptr_eq(sa_arena_alloc(&arena, 1, 1), second);
    sa_arena_advance(&arena, end + 64);
    ck_assert_uint_eq(arena.used, end + 64);
    sa_arena_advance(&arena, end);
    ck_assert_uint_eq(arena.used, end + 64);
    sa_arena_release(&arena);
}
END_TEST

#ifdef BESIDE
/* The address sanitizer reports what is read or written beside the allocations, but not what two
 * groups that share memory use in turn. */
START_TEST(what_lies_beside_is_reported) {
    static const size_t sizes[] = {1, 4, 12, 60, 63, 64, 65, 200};
    sa_arena arena = {0};
    sa_error error;
    ck_assert(sa_arena_init(&arena, 1000, &error));
    char *const base = arena.base;
    for (int turn = 0; turn < 2; turn++) {
        for (size_t i = 0; i < 1024; i++) ck_assert(BESIDE(base + i));
        for (int i = 0; i < 8; i++) {
            const char *x = sa_arena_alloc(&arena, sizes[i], 1);
            for (size_t k = 0; k < sizes[i]; k++) ck_assert(!BESIDE(x + k));
            ck_assert(BESIDE(x + sizes[i]));
        }
        sa_arena_rewind(&arena, 0);
    }
    sa_arena_alloc(&arena, 10, 1);
    const size_t start = arena.used;
    const char *first = sa_arena_alloc(&arena, 100, 1);
    const size_t end = sa_arena_rewind(&arena, start);
    const char *second = sa_arena_alloc(&arena, 30, 1);
    sa_arena_advance(&arena, end);
    ck_assert(first == second && !BESIDE(first + 99) && BESIDE(first + 100));
    sa_arena_release(&arena);
}
END_TEST
#endif

int main(void) {
    TCase *tests;
    Suite *suite = suite_of("arena", &tests);
    tcase_add_test(tests, what_is_rewound_is_given_again);
#ifdef BESIDE
    tcase_add_test(tests, what_lies_beside_is_reported);
#endif
    return suite_run(suite);
}
