/* Options as they are written, ranges as they are shown, the names that are suggested, and what is
 * said without memory. */
#include "base/option.h"
#include "config/settings.h"
#include "support/memory_failures.h"
#include "support/suite.h"

#include <math.h>
#include <stddef.h>

typedef struct fields {
    int count;
    double rate;
    bool tie;
    int kind;
    const char *out;
} fields;

#define AT(field) SA_SCOPE_RUN, offsetof(fields, field)
static const sa_option options[] = {
    {"count", SA_INT(AT(count), 2, 1, 9, "N"), "how many"},
    {"rate", SA_REAL(AT(rate), 0.5, 0, 1.5, "X"), "how fast"},
    {"tie", SA_SWITCH(AT(tie)), "share"},
    {"kind", SA_WORDS(AT(kind), 0, "one", "two", "three"), "which"},
    {"out", SA_OPTION_TEXT, AT(out), 0, 0, 0, NULL, NULL, 0, "DIR", ""},
    {0}};
enum { COUNT, RATE, TIE, KIND, OUT };

static sa_error error;
static sa_buffer out;

static void expect(const char *wanted) {
    ck_assert_str_eq(out.text ? out.text : "", wanted);
    sa_buffer_release(&out);
}

/* As the command reads it: a switch that is on is its name alone. */
START_TEST(an_argument_sets_the_value) {
    sa_option_add_argument(&options[COUNT], 3, &out), expect("--count 3");
    sa_option_add_argument(&options[RATE], 0.25, &out), expect("--rate 0.25");
    sa_option_add_argument(&options[TIE], 1, &out), expect("--tie");
    sa_option_add_argument(&options[TIE], 0, &out), expect("--tie=no");
    sa_option_add_argument(&options[KIND], 2, &out), expect("--kind three");
}
END_TEST

START_TEST(ranges_are_written_in_full_or_brief) {
    static const char *const full[] = {"a whole number from 1 to 9", "a number from 0 to 1.5",
                                       "yes or no", "one, two or three", ""};
    static const char *const brief[] = {"1 to 9", "0 to 1.5", "yes or no", "one, two or three", ""};
    for (int i = 0; i <= OUT; i++) {
        sa_option_format_range(&options[i], false, &out), expect(full[i]);
        sa_option_format_range(&options[i], true, &out), expect(brief[i]);
    }
}
END_TEST

START_TEST(numbers_out_of_range_change_nothing) {
    static const struct {
        int option;
        double number;
        bool good;
    } rows[] = {{COUNT, 1, true},    {COUNT, 9, true},   {COUNT, 0, false}, {COUNT, 10, false},
                {COUNT, 2.5, false}, {RATE, 1.5, true},  {RATE, 0, true},   {RATE, 1.75, false},
                {RATE, -.5, false},  {RATE, NAN, false}, {TIE, 1, true},    {TIE, 0, true},
                {TIE, 2, false},     {TIE, .5, false},   {KIND, 2, true},   {KIND, 3, false},
                {KIND, -1, false},   {KIND, 1.5, false}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const sa_option *option = &options[rows[i].option];
        fields all;
        sa_options_init(options, &all);
        const double before = sa_option_get(option, &all);
        ck_assert_msg(sa_option_set_number(option, &all, rows[i].number) == rows[i].good, "--%s %g",
                      option->name, rows[i].number);
        ck_assert_double_eq(sa_option_get(option, &all), rows[i].good ? rows[i].number : before);
    }
}
END_TEST

/* Names of 63 letters are compared, longer ones are not. */
START_TEST(long_names_are_not_suggested) {
    for (size_t size = 63; size <= 64; size++) {
        char wanted[65] = "", other[65] = "";
        memset(wanted, 'a', size), memset(other, 'a', size);
        sa_nearest nearest = {.wanted = wanted};
        wanted[7] = 'b';
        sa_nearest_consider(&nearest, other);
        ck_assert_int_eq(nearest.name != NULL, size == 63);
        nearest = (sa_nearest){.wanted = wanted};
        wanted[62] = 0; /* shorter than the other one */
        sa_nearest_consider(&nearest, other);
        ck_assert_int_eq(nearest.name != NULL, size == 63);
    }
}
END_TEST

START_TEST(nothing_is_suggested_of_no_names) {
    sa_nearest nearest = {.wanted = "train"};
    ck_assert_str_eq(sa_nearest_hint_in(&nearest, NULL), "");
}
END_TEST

/* From here on, every call for memory fails, or none. */
static void without_memory(bool fails) {
    memory_calls = 0;
    memory_first = fails ? 1 : LONG_MAX;
}

/* What was wrong is named even if the right values cannot be listed. */
START_TEST(refusals_need_no_memory) {
    fields all;
    sa_settings settings;
    sa_options_init(options, &all), sa_settings_init(&settings);
    without_memory(true);
    const bool set = sa_options_set(options, &all, "count", "10", &error);
    without_memory(false);
    ck_assert(!set && error.code == SA_USAGE);
    ck_assert_str_eq(error.text, "--count '10': expected another value");
    all.count = 10;
    without_memory(true);
    const bool checked = sa_options_check(options, &all, &error);
    without_memory(false);
    ck_assert(!checked && error.code == SA_USAGE);
    ck_assert_str_eq(error.text, "--count '': expected another value");
    without_memory(true);
    sa_settings_fail_difference(sa_option_find(sa_settings_options, "lr"), &settings, "m",
                                "so it stays", &error);
    without_memory(false);
    ck_assert_int_eq(error.code, SA_USAGE);
    ck_assert_str_eq(error.text, "--lr: 'm' was trained with another value, so it stays");
}
END_TEST

static bool refuse_settings(sa_error *why) {
    sa_settings settings;
    sa_settings_init(&settings);
    settings.model = SA_MODEL_TRANSFORMER, settings.attn = 64, settings.heads = 3;
    return sa_settings_check(&settings, why) ||
           strcmp(why->text, "--heads 3 does not divide --attn 64") == 0;
}

/* What is said of settings that do not fit each other is said whole, or that there is no memory. */
START_TEST(reasons_are_not_cut_off) {
    ck_assert(refuse_settings(&error));
    ck_assert_int_eq(fail_allocations(refuse_settings), 0);
}
END_TEST

int main(void) {
    TCase *tests;
    Suite *suite = suite_of("option", &tests);
    tcase_add_test(tests, an_argument_sets_the_value);
    tcase_add_test(tests, ranges_are_written_in_full_or_brief);
    tcase_add_test(tests, numbers_out_of_range_change_nothing);
    tcase_add_test(tests, long_names_are_not_suggested);
    tcase_add_test(tests, nothing_is_suggested_of_no_names);
    tcase_add_test(tests, refusals_need_no_memory);
    tcase_add_test(tests, reasons_are_not_cut_off);
    return suite_run(suite);
}
