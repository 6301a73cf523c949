/* The colors of weights. */
#include "base/option.h"
#include "report/drawing.h"
#include "support/suite.h"

#include <stdlib.h>

static void expect_color(int map, double weight, int red, int green, int blue) {
    const sa_color color = sa_colormap_color(map, weight);
    ck_assert_int_eq(color.red, red);
    ck_assert_int_eq(color.green, green);
    ck_assert_int_eq(color.blue, blue);
}

START_TEST(the_scale_is_fixed_from_0_to_1) {
    enum { INK, GREY, VIRIDIS };
    expect_color(GREY, 0, 0, 0, 0);
    expect_color(GREY, 0.2, 51, 51, 51);
    expect_color(GREY, 1, 255, 255, 255);
    expect_color(INK, 0, 255, 255, 255);
    expect_color(INK, 0.8, 51, 51, 51);
    expect_color(INK, 1, 0, 0, 0);
    expect_color(VIRIDIS, 0, 0x44, 0x01, 0x54);
    expect_color(VIRIDIS, 1 / 3., 0x31, 0x68, 0x8e);
    expect_color(VIRIDIS, 1, 0xfd, 0xe7, 0x25);
    expect_color(VIRIDIS, -1e-9, 0x44, 0x01, 0x54);
    expect_color(VIRIDIS, 1 + 1e-6, 0xfd, 0xe7, 0x25);
    for (int map = INK; map <= VIRIDIS; map++) /* from dark to light, or back, evenly */
        for (int i = 1; i <= 100; i++) {
            const sa_color low = sa_colormap_color(map, (i - 1) / 100.);
            const sa_color high = sa_colormap_color(map, i / 100.);
            const int more = 299 * (high.red - low.red) + 587 * (high.green - low.green) +
                             114 * (high.blue - low.blue);
            ck_assert(map == INK ? more < 0 : more > 0);
        }
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
    for (int map = 0; SA_NAME(sa_colormaps, (size_t)map); map++) {
        expect_color(map, -1, 0x00, 0x70, 0x3c);
        expect_color(map, -2, 0x00, 0x70, 0x3c);
        const sa_color zero = sa_colormap_color(map, 0), half = sa_colormap_color(map, -0.5);
        ck_assert_int_le(abs(2 * half.red - zero.red - 0x00), 1);
        ck_assert_int_le(abs(2 * half.green - zero.green - 0x70), 1);
        ck_assert_int_le(abs(2 * half.blue - zero.blue - 0x3c), 1);
        ck_assert_int_eq(sa_colormap_palette_index(map, -0.06), 29);
        ck_assert_int_eq(sa_colormap_palette_index(map, -0.04), sa_colormap_palette_index(map, 0));
    }
}
END_TEST

START_TEST(numbers_of_both_signs_are_green_and_purple) {
    for (int map = 0; SA_NAME(sa_colormaps, (size_t)map); map++) {
        const sa_color most = sa_signed_color(map, 1), zero = sa_signed_color(map, 0);
        const sa_color least = sa_signed_color(map, -1), white = sa_colormap_color(map, 0);
        ck_assert_int_eq(most.red << 16 | most.green << 8 | most.blue, 0x6d2a8c);
        ck_assert_int_eq(least.red << 16 | least.green << 8 | least.blue, 0x00703c);
        ck_assert_int_eq(zero.red << 16 | zero.green << 8 | zero.blue,
                         white.red << 16 | white.green << 8 | white.blue);
        ck_assert_int_eq(sa_signed_palette_index(map, 0.06), 54);
        ck_assert_int_eq(sa_signed_palette_index(map, -0.06), 29);
    }
}
END_TEST

START_TEST(a_palette_has_the_same_scale) {
    const int ink = 0; /* the default: white is low, as on the page */
    for (int map = 0; SA_NAME(sa_colormaps, (size_t)map); map++) {
        int before = lightness_of_entry(sa_colormap_palette_index(map, 0));
        for (int i = 0; i <= 100; i++) {
            const sa_color color = sa_colormap_color(map, i / 100.);
            const int exact = 299 * color.red + 587 * color.green + 114 * color.blue;
            const int light = lightness_of_entry(sa_colormap_palette_index(map, i / 100.));
            ck_assert_int_le(abs(light - exact), 30 * 1000);
            ck_assert(map == ink ? light <= before : light >= before);
            before = light;
        }
    }
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
