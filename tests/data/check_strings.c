/* Sets of strings: many entries, in any order, found again. */
#include "base/rng.h"
#include "data/tokens.h"

#include <stdio.h>
#include <string.h>

#include "support/suite.h"

static sa_error error;

START_TEST(strings_keep_their_numbers) {
    sa_strings strings = {0};
    char text[32];
    ck_assert_int_eq(sa_strings_find(&strings, "x", 1), -1);
    for (int round = 0; round < 2; round++)
        for (int i = 0; i < 5000; i++) {
            const int size = snprintf(text, sizeof text, "%d", i * 7919);
            ck_assert_int_eq(sa_strings_add(&strings, text, (size_t)size, &error), i);
        }
    ck_assert_uint_eq(strings.count, 5000);
    const sa_token last = sa_strings_get(&strings, 4999);
    ck_assert_uint_eq(last.size, strlen("39587081"));
    ck_assert_mem_eq(last.text, "39587081", last.size);
    ck_assert_int_eq(sa_strings_find(&strings, "7919", 3), -1); /* "791" */
    sa_strings_release(&strings);
}
END_TEST

START_TEST(any_bytes_are_strings) {
    sa_strings strings = {0};
    ck_assert_int_eq(sa_strings_add(&strings, "", 0, &error), 0);
    ck_assert_int_eq(sa_strings_add(&strings, "a\0b", 3, &error), 1);
    ck_assert_int_eq(sa_strings_add(&strings, "a\0c", 3, &error), 2);
    ck_assert_int_eq(sa_strings_find(&strings, "a", 1), -1);
    ck_assert_int_eq(sa_strings_find(&strings, "", 0), 0);
    ck_assert_int_eq(sa_strings_find(&strings, "a\0b", 3), 1);
    sa_strings_release(&strings);
}
END_TEST

/* The longest run of occupied slots. */
static size_t longest_run(const sa_strings *strings) {
    size_t longest = 0, run = 0;
    for (size_t i = 0; i < strings->slots; i++) {
        run = strings->slot[i] ? run + 1 : 0;
        if (run > longest) longest = run;
    }
    return longest;
}

/* Words with equal low bits in an unkeyed hash would occupy one run of slots. Half of the slots are
 * free, so that with a keyed hash runs have logarithmic length. */
START_TEST(words_made_to_collide_do_not) {
    enum { WORDS = 1000, SLOTS = 2048 };
    sa_strings strings = {0};
    char text[32];
    for (int number = 0; strings.count < WORDS; number++) {
        const size_t size = (size_t)snprintf(text, sizeof text, "%d", number);
        if (sa_hash(text, size) % SLOTS) continue;
        ck_assert_int_ge(sa_strings_add(&strings, text, size, &error), 0);
    }
    ck_assert_uint_eq(strings.slots, SLOTS);
    ck_assert_uint_lt(longest_run(&strings), 300);
    sa_strings_release(&strings);
}
END_TEST

/* Of a set that seems to be full already. */
START_TEST(a_set_has_as_many_strings_as_its_numbers) {
    sa_strings full = {.count = INT32_MAX - 1};
    ck_assert_int_eq(sa_strings_add(&full, "x", 1, &error), -1);
    ck_assert_str_eq(error.text, "more than 2147483646 different words");
    ck_assert_int_eq(error.code, SA_LIMIT);
    ck_assert(full.count == INT32_MAX - 1 && !full.slot && !full.text.text);
}
END_TEST

int main(void) {
    TCase *tests;
    Suite *suite = suite_of("strings", &tests);
    tcase_add_test(tests, strings_keep_their_numbers);
    tcase_add_test(tests, any_bytes_are_strings);
    tcase_add_test(tests, words_made_to_collide_do_not);
    tcase_add_test(tests, a_set_has_as_many_strings_as_its_numbers);
    return suite_run(suite);
}
