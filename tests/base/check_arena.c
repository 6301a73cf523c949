/* Memory that is taken in lines and given back from the end. */
#include "base/arena.h"
#include "support/suite.h"

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

int main(void) {
    TCase *tests;
    Suite *suite = suite_of("arena", &tests);
    tcase_add_test(tests, what_is_rewound_is_given_again);
    return suite_run(suite);
}
