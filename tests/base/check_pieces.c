/* Pieces: every item once, in order; and the error of the first piece that fails. */
#include "base/pieces.h"
#include "base/thread.h"
#include "support/suite.h"

#include <stdio.h>

enum { ITEMS = 5000 };

typedef struct seen {
    int times[ITEMS];
    size_t first[4];
    int fails; /* pieces from this one on fail */
} seen;

static bool look(void *context, int piece, size_t first, size_t count, sa_error *error) {
    seen *all = context;
    all->first[piece] = first;
    for (size_t i = first; i < first + count; i++) all->times[i]++;
    return piece < all->fails || sa_fail(error, SA_DATA, "piece %d, %zu items", piece, count);
}

START_TEST(short_lists_are_not_cut) {
    ck_assert_int_eq(sa_pieces_for(4, 0), 1);
    ck_assert_int_eq(sa_pieces_for(4, 1023), 1);
    ck_assert_int_eq(sa_pieces_for(4, 1024), 2);
    ck_assert_int_eq(sa_pieces_for(4, 100000), 4);
    ck_assert_int_eq(sa_pieces_for(1, 100000), 1);
    ck_assert_int_eq(sa_pieces_for(0, 1000000), sa_cpu_count());
}
END_TEST

START_TEST(every_item_belongs_to_one_piece) {
    for (int pieces = 1; pieces <= 4; pieces++)
        for (size_t count = ITEMS - 3; count <= ITEMS; count++) {
            seen all = {.fails = 4};
            ck_assert(sa_pieces_run(pieces, count, look, &all, NULL));
            for (size_t i = 0; i < ITEMS; i++) ck_assert_int_eq(all.times[i], i < count);
            for (int i = 1; i < pieces; i++) ck_assert_uint_lt(all.first[i - 1], all.first[i]);
        }
}
END_TEST

START_TEST(the_first_piece_that_fails_is_reported) {
    sa_error error = {0};
    for (int fails = 0; fails < 3; fails++) {
        seen all = {.fails = fails};
        char text[32];
        ck_assert(!sa_pieces_run(3, ITEMS, look, &all, &error));
        snprintf(text, sizeof text, "piece %d, %d items", fails, fails ? 1667 : 1666);
        ck_assert_str_eq(error.text, text);
        ck_assert_int_eq(error.code, SA_DATA);
        ck_assert(!sa_pieces_run(3, ITEMS, look, &all, NULL));
    }
}
END_TEST

int main(void) {
    TCase *tests;
    Suite *suite = suite_of("pieces", &tests);
    tcase_add_test(tests, short_lists_are_not_cut);
    tcase_add_test(tests, every_item_belongs_to_one_piece);
    tcase_add_test(tests, the_first_piece_that_fails_is_reported);
    return suite_run(suite);
}
