/* The colors of weights. */
#include "report/drawing.h"
#include "support/suite.h"

#include <stdlib.h>

static void expect_color(double weight, int red, int green, int blue) {
    const sa_color color = sa_weight_color(weight, false);
    ck_assert_int_eq(color.red, red);
    ck_assert_int_eq(color.green, green);
    ck_assert_int_eq(color.blue, blue);
}

static int lightness(sa_color color) {
    return 299 * color.red + 587 * color.green + 114 * color.blue;
}

START_TEST(the_scale_is_fixed_from_0_to_1) {
    expect_color(0, 255, 255, 255);
    expect_color(0.8, 51, 51, 51);
    expect_color(1, 0, 0, 0);
    expect_color(-1e-9, 255, 255, 255);
    expect_color(1 + 1e-6, 0, 0, 0);
    for (int i = 1; i <= 100; i++) /* from light to dark, evenly */
        ck_assert_int_lt(lightness(sa_weight_color(i / 100., false)),
                         lightness(sa_weight_color((i - 1) / 100., false)));
}
END_TEST

static int lightness_of_entry(int entry) {
    static const int levels[] = {0, 95, 135, 175, 215, 255};
    const int place = entry - 16;
    ck_assert_int_ge(place, 0);
    return entry >= 232
               ? 1000 * (8 + 10 * (entry - 232))
               : 299 * levels[place / 36] + 587 * levels[place / 6 % 6] + 114 * levels[place % 6];
}

START_TEST(negative_weights_are_green) {
    expect_color(-1, 0x00, 0x70, 0x3c);
    expect_color(-2, 0x00, 0x70, 0x3c);
    expect_color(-0.5, 128, 184, 158);
    ck_assert_int_eq(sa_weight_palette_index(-0.06, false), 29);
    ck_assert_int_eq(sa_weight_palette_index(-0.04, false), 231);
}
END_TEST

START_TEST(numbers_of_both_signs_are_green_and_purple) {
    const sa_color most = sa_weight_color(1, true), zero = sa_weight_color(0, true);
    const sa_color least = sa_weight_color(-1, true);
    ck_assert_int_eq(most.red << 16 | most.green << 8 | most.blue, 0x6d2a8c);
    ck_assert_int_eq(least.red << 16 | least.green << 8 | least.blue, 0x00703c);
    ck_assert_int_eq(zero.red << 16 | zero.green << 8 | zero.blue, 0xffffff);
    ck_assert_int_eq(sa_weight_palette_index(0.06, true), 54);
    ck_assert_int_eq(sa_weight_palette_index(0.04, true), 255);
    ck_assert_int_eq(sa_weight_palette_index(-0.06, true), 29);
}
END_TEST

START_TEST(a_palette_has_the_same_scale) {
    int before = lightness_of_entry(sa_weight_palette_index(0, false));
    for (int i = 0; i <= 100; i++) {
        const int exact = lightness(sa_weight_color(i / 100., false));
        const int light = lightness_of_entry(sa_weight_palette_index(i / 100., false));
        ck_assert_int_le(abs(light - exact), 30 * 1000);
        ck_assert_int_le(light, before);
        before = light;
    }
    ck_assert_int_eq(sa_weight_palette_index(0, false), 231);
    ck_assert_int_eq(sa_weight_palette_index(1, false), 16);
}
END_TEST

int main(void) {
    TCase *tests;
    Suite *suite = suite_of("shade", &tests);
    tcase_add_test(tests, the_scale_is_fixed_from_0_to_1);
    tcase_add_test(tests, negative_weights_are_green);
    tcase_add_test(tests, numbers_of_both_signs_are_green_and_purple);
    tcase_add_test(tests, a_palette_has_the_same_scale);
    return suite_run(suite);
}
