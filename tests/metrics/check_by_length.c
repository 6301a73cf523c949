/* The bands of source length. */
#include "metrics/metrics.h"
#include "support/suite.h"

#include <limits.h>

/* The name of the only band that contains a length. */
static const char *band_of(int words) {
    const char *name = NULL;
    for (const sa_length_band *band = sa_length_bands; band->name; band++)
        if (sa_length_band_contains(band, words)) {
            ck_assert_msg(!name, "%d words: %s and %s", words, name, band->name);
            name = band->name;
        }
    ck_assert_msg(name, "%d words", words);
    return name;
}

static const struct {
    int words;
    const char *name;
} lengths[] = {
    {1, "1-2"},    {2, "1-2"},    {3, "3-5"},    {5, "3-5"},    {6, "6-10"},      {10, "6-10"},
    {11, "11-15"}, {15, "11-15"}, {16, "16-20"}, {20, "16-20"}, {21, "21-30"},    {30, "21-30"},
    {31, "31-40"}, {40, "31-40"}, {41, "41+"},   {9999, "41+"}, {INT_MAX, "41+"},
};

START_TEST(bands_hold_what_their_names_say) {
    ck_assert_str_eq(band_of(lengths[_i].words), lengths[_i].name);
}
END_TEST

START_TEST(every_length_has_one_band) {
    for (int words = 0; words < 100; words++) band_of(words);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("bylength");
    TCase *cases = tcase_create("bands");
    tcase_add_loop_test(cases, bands_hold_what_their_names_say, 0,
                        sizeof lengths / sizeof *lengths);
    tcase_add_test(cases, every_length_has_one_band);
    suite_add_tcase(suite, cases);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
