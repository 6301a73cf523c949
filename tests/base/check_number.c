/* Numbers as text: strict reading, shortest writing, and no locale can change either. */
#include "base/number.h"
#include "support/suite.h"

#include <float.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *written(double value) {
    static char text[512];
    sa_buffer out = {0};
    sa_number_add(&out, value);
    snprintf(text, sizeof text, "%s", out.text);
    sa_buffer_release(&out);
    return text;
}

static const char *fixed(double value, int decimals) {
    static char text[512];
    sa_buffer out = {0};
    sa_number_add_fixed(&out, value, decimals);
    snprintf(text, sizeof text, "%s", out.text);
    sa_buffer_release(&out);
    return text;
}

START_TEST(reads_decimal_numbers) {
    static const struct {
        const char *text;
        double value;
    } rows[] = {{"0", 0},
                {"12", 12},
                {"-0.5", -0.5},
                {"+.5", 0.5},
                {"3.", 3},
                {"1e-3", 0.001},
                {"2.5E+2", 250},
                {"007", 7},
                {"1e-400", 0},
                {"0.1", 0.1},
                {"4.9e-324", 4.9e-324},
                {"1.7976931348623157e308", DBL_MAX}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        double value = -99;
        ck_assert_msg(sa_number_parse(rows[i].text, &value), "%s", rows[i].text);
        ck_assert_double_eq(value, rows[i].value);
    }
}
END_TEST

START_TEST(refuses_what_is_no_decimal_number) {
    static const char *const texts[] = {"",      " 1",  "1 ",    "1,5",   "0x10",    "0x1p3",
                                        "inf",   "nan", "-inf",  "1e999", "-1e999",  "12abc",
                                        ".",     "-",   "+-1",   "1e",    "1e+",     "e5",
                                        "1.2.3", "--1", "1_000", "1\n",   "\xd9\xa1"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        double value = -99;
        ck_assert_msg(!sa_number_parse(texts[i], &value), "'%s'", texts[i]);
        ck_assert_double_eq(value, -99);
    }
}
END_TEST

START_TEST(reads_integers) {
    int64_t value = 0;
    ck_assert(sa_integer_parse("9223372036854775807", &value) && value == INT64_MAX);
    ck_assert(sa_integer_parse("-9223372036854775808", &value) && value == INT64_MIN);
    ck_assert(sa_integer_parse("+42", &value) && value == 42);
    ck_assert(sa_integer_parse("-0", &value) && value == 0);
    static const char *const wrong[] = {"",
                                        "-",
                                        "1.0",
                                        "1e3",
                                        " 1",
                                        "1 ",
                                        "9223372036854775808",
                                        "-9223372036854775809",
                                        "99999999999999999999",
                                        "0x1",
                                        "1-"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        value = -99;
        ck_assert_msg(!sa_integer_parse(wrong[i], &value) && value == -99, "'%s'", wrong[i]);
    }
}
END_TEST

START_TEST(writes_few_digits) {
    ck_assert_str_eq(written(0), "0");
    ck_assert_str_eq(written(-0.0), "-0");
    ck_assert_str_eq(written(0.1), "0.1");
    ck_assert_str_eq(written((double)0.1f), "0.1");
    ck_assert_str_eq(written((double)0.3333333433f), "0.33333334");
    ck_assert_str_eq(written(1.0 / 3), "0.3333333333333333");
    ck_assert_str_eq(written(0.1 + 0.2), "0.30000000000000004");
    ck_assert_str_eq(written(4294967296.0), "4294967296");
    ck_assert_str_eq(written(-250000), "-250000");
    ck_assert_str_eq(written(1e15), "1000000000000000");
    ck_assert_str_eq(written(-1e15), "-1000000000000000");
    ck_assert_str_eq(written(1e16), "1e+16");
    ck_assert_str_eq(written((double)FLT_MAX), "3.4028235e+38");
    ck_assert_str_eq(written(1e300), "1e+300");
    ck_assert_str_eq(written(1e-7), "1e-07");
    ck_assert_str_eq(written(4.9e-324), "4.94065645841247e-324");
    ck_assert_str_eq(written(INFINITY), "inf");
    ck_assert_str_eq(written(-INFINITY), "-inf");
    ck_assert_str_eq(written(NAN), "nan");
    ck_assert_str_eq(written(-(double)NAN), "nan");
}
END_TEST

START_TEST(writing_then_reading_gives_the_same_number) {
    uint64_t bits = 0x9e3779b97f4a7c15u;
    for (int i = 0; i < 20000; i++) {
        bits = bits * 6364136223846793005u + 1442695040888963407u;
        double wide, back = 0;
        memcpy(&wide, &bits, sizeof wide);
        if (!isfinite(wide)) continue;
        ck_assert_msg(sa_number_parse(written(wide), &back), "%a", wide);
        ck_assert_msg(back == wide, "%a is written %s", wide, written(wide));
        uint32_t half = (uint32_t)(bits >> 32);
        float narrow;
        memcpy(&narrow, &half, sizeof narrow);
        if (!isfinite(narrow)) continue;
        ck_assert(sa_number_parse(written((double)narrow), &back));
        ck_assert_msg((float)back == narrow, "%a is written %s", (double)narrow,
                      written((double)narrow));
    }
}
END_TEST

START_TEST(writes_every_digit_of_a_double) {
    static const struct {
        double value;
        const char *text;
    } rows[] = {{0.1, "0.1"},   {0.1f, "0.10000000149011612"},  {0.5, "0.5"}, {-3e20, "-3e+20"},
                {1100, "1100"}, {1.0 / 3, "0.3333333333333333"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        sa_buffer out = {0};
        sa_number_add_exact(&out, rows[i].value);
        ck_assert_str_eq(out.text, rows[i].text);
        sa_buffer_release(&out);
    }
}
END_TEST

START_TEST(writes_fixed_decimals) {
    ck_assert_str_eq(fixed(3.14159, 2), "3.14");
    ck_assert_str_eq(fixed(99.996, 2), "100.00");
    ck_assert_str_eq(fixed(2, 0), "2");
    ck_assert_str_eq(fixed(-0.004, 2), "-0.00");
    ck_assert_str_eq(fixed(NAN, 3), "nan");
    ck_assert_str_eq(fixed(1e15, 1), "1000000000000000.0");
    ck_assert_str_eq(fixed(exp(569.9), 3), "3.195e+247"); /* a perplexity */
    ck_assert_str_eq(fixed(-DBL_MAX, 1), "-1.8e+308");
}
END_TEST

/* Compiles a German locale into the folder, where the process finds it. */
static bool speak_german(const char *folder) {
    char command[256];
    snprintf(command, sizeof command, "localedef -i de_DE -f UTF-8 %s/de_DE.UTF-8 >/dev/null 2>&1",
             folder);
    if (system(command) != 0) return false;
    setenv("LOCPATH", folder, 1);
    bool german = setlocale(LC_ALL, "de_DE.UTF-8") != NULL;
    setlocale(LC_ALL, "C");
    return german;
}

START_TEST(a_german_locale_changes_nothing) {
    char text[32];
    double value = 0;
    ck_assert(setlocale(LC_ALL, "de_DE.UTF-8"));
    snprintf(text, sizeof text, "%.1f", 1.5);
    ck_assert_str_eq(text, "1,5");
    ck_assert_str_eq(written(1.5), "1.5");
    ck_assert_str_eq(fixed(1.25, 1), "1.2");
    ck_assert(sa_number_parse("0.5", &value) && value == 0.5);
    ck_assert(!sa_number_parse("0,5", &value));
    snprintf(text, sizeof text, "%.1f", 1.5); /* the caller's locale is restored */
    ck_assert_str_eq(text, "1,5");
}
END_TEST

int main(void) {
    Suite *suite = suite_create("number");
    TCase *cases = tcase_create("number");
    tcase_add_test(cases, reads_decimal_numbers);
    tcase_add_test(cases, refuses_what_is_no_decimal_number);
    tcase_add_test(cases, reads_integers);
    tcase_add_test(cases, writes_few_digits);
    tcase_add_test(cases, writing_then_reading_gives_the_same_number);
    tcase_add_test(cases, writes_every_digit_of_a_double);
    tcase_add_test(cases, writes_fixed_decimals);
    char folder[] = "/tmp/softalign-locale-XXXXXX", command[64];
    bool german = mkdtemp(folder) && speak_german(folder);
    if (german) tcase_add_test(cases, a_german_locale_changes_nothing);
    suite_add_tcase(suite, cases);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    snprintf(command, sizeof command, "rm -r %s", folder);
    if (failed || system(command) != 0) return 1;
    if (!german) puts("localedef, or its sources of de_DE (locales), is missing: skipped");
    return german ? 0 : 77;
}
