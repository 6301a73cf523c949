/* Tables of results, as text and as JSON. */
#include "report/table.h"
#include "support/suite.h"

#include <math.h>
#include <string.h>

static const sa_column columns[] = {
    {"words", "words", 7},
    {"loss", "loss", 9, 3},
    {NULL, "share", 9, 1, " %"},
    {0},
};

/* Shares are percentages in text; a column of width -1 is only in JSON. */
static const sa_column shares[] = {
    {"exact", "exact %", 9, 1, .scale = 100},
    {"count", NULL, -1},
    {"time", "time", 8, 1},
    {0},
};

START_TEST(rows_stand_below_their_titles) {
    sa_buffer out = {0};
    sa_table_titles("model", 6, columns, &out);
    sa_table_row("one", 6, columns, (const double[]){12, 1.23456, 5}, &out);
    sa_table_row("two", 6, columns, (const double[]){3, NAN, 99.96}, &out);
    sa_table_row("three", 6, columns, (const double[]){0, 2e15, -1}, &out);
    ck_assert_str_eq(out.text, "model   words     loss    share\n"
                               "one        12    1.235    5.0 %\n"
                               "two         3        -  100.0 %\n"
                               "three       02.000e+15   -1.0 %\n");
    sa_buffer_release(&out);
}
END_TEST

START_TEST(json_has_the_columns_with_keys) {
    json_t *object = sa_table_json(json_object(), columns, (const double[]){12, 1.23456, 5});
    ck_assert_uint_eq(json_object_size(object), 2);
    ck_assert_int_eq(json_integer_value(json_object_get(object, "words")), 12);
    ck_assert(json_real_value(json_object_get(object, "loss")) == 1.23456);
    sa_table_json(object, columns, (const double[]){12, NAN, 5});
    ck_assert(json_is_null(json_object_get(object, "loss")));
    json_decref(object);
}
END_TEST

START_TEST(numbers_are_scaled_in_text_and_kept_in_json) {
    static const double values[] = {0.25, 12.5, 2};
    sa_buffer out = {0};
    sa_table_titles("model", 5, shares, &out);
    sa_table_row("one", 5, shares, values, &out);
    ck_assert_str_eq(out.text, "model  exact %    time\n"
                               "one       25.0     2.0\n");
    sa_buffer_release(&out);
    json_t *object = sa_table_json(json_object(), shares, values);
    ck_assert(json_real_value(json_object_get(object, "exact")) == 0.25);
    ck_assert(json_real_value(json_object_get(object, "count")) == 12.5); /* no whole number */
    ck_assert(json_is_real(json_object_get(object, "time")));
    json_decref(object);
}
END_TEST

int main(void) {
    TCase *tests;
    Suite *suite = suite_of("table", &tests);
    tcase_add_test(tests, rows_stand_below_their_titles);
    tcase_add_test(tests, json_has_the_columns_with_keys);
    tcase_add_test(tests, numbers_are_scaled_in_text_and_kept_in_json);
    return suite_run(suite);
}
