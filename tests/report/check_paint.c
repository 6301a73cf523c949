/* Pictures as PNG and PDF: their sizes, that they never change, and where a text and the dashes of
 * an outline are. */
#include "report/figure.h"
#include "report/matrix.h"
#include "support/scratch.h"
#include "support/suite.h"

#include <softalign/report.h>

#include <malloc.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#ifdef SOFTALIGN_PANGOCAIRO
#include <cairo.h>
#endif

/* Two words in boxes, in units that are not all pixels. */
static sa_drawing draw_two_words(void) {
    sa_drawing drawing = {.width = 90, .height = 60, .scale = 1};
    static const sa_shape shapes[] = {
        {SA_SHAPE_FILLED, {255, 255, 255}, {0, 0, 90, 60}, 0, false, false, SA_ANCHOR_LEFT, 0},
        {SA_SHAPE_OUTLINE, {255, 0, 0}, {4.5, 4.5, 80, 50}, 1, true, false, SA_ANCHOR_LEFT, 0},
        {SA_SHAPE_TEXT, {0, 0, 0}, {5, 5, 40, 50}, 14, false, false, SA_ANCHOR_RIGHT, 0},
        {SA_SHAPE_TEXT, {0, 0, 9}, {50, 5, 30, 50}, 14, false, true, SA_ANCHOR_MIDDLE, 0}};
    for (int i = 0; i < 4; i++) sa_drawing_add(&drawing, &shapes[i], i < 2 ? NULL : "chat");
    return drawing;
}

static unsigned read_big(const char *bytes) {
    const unsigned char *b = (const unsigned char *)bytes;
    return (unsigned)b[0] << 24 | (unsigned)b[1] << 16 | (unsigned)b[2] << 8 | b[3];
}

static sa_buffer paint(bool pdf) {
    const char *missing_glyphs;
    sa_drawing drawing = draw_two_words();
    sa_buffer out = {0};
    sa_error error;
    ck_assert_msg(sa_drawing_paint(&drawing, pdf, &out, &missing_glyphs, &error), "%s", error.text);
    sa_drawing_release(&drawing);
    return out;
}

START_TEST(png_and_pdf_have_their_size_and_never_change) {
    sa_error error;
    if (!sa_drawing_can_render(NULL, &error)) {
        ck_assert_int_eq(error.code, SA_USAGE);
        ck_assert_ptr_nonnull(strstr(error.text, "libpango1.0-dev"));
        printf("PNG and PDF are not built in: skipped\n");
        return;
    }
    sa_drawing drawing = draw_two_words();
    sa_buffer png = paint(false), pdf = paint(true);
    ck_assert_mem_eq(png.text, "\x89PNG\r\n\x1a\n", 8);
    ck_assert_uint_eq(read_big(png.text + 16), (unsigned)(2 * drawing.width));
    ck_assert_uint_eq(read_big(png.text + 20), (unsigned)(2 * drawing.height));
    ck_assert_mem_eq(pdf.text, "%PDF-1.", 7);
    ck_assert_str_eq(pdf.text + pdf.size - 6, "%%EOF\n");
    sa_buffer again = paint(false);
    ck_assert(again.size == png.size && memcmp(again.text, png.text, png.size) == 0);
    sa_buffer_release(&again);
    sleep(1); /* a file that held the time would differ now */
    again = paint(true);
    ck_assert(again.size == pdf.size && memcmp(again.text, pdf.text, pdf.size) == 0);
    sa_buffer_release(&again), sa_buffer_release(&png), sa_buffer_release(&pdf);
    sa_drawing_release(&drawing);
}
END_TEST

/* The ending of a path says what is saved. */
/* Libraries keep some memory, but not more with each picture. LeakSanitizer ignores what they keep
 * (fontconfig.lsan). */
START_TEST(pictures_give_their_memory_back) {
    sa_error error;
    if (!sa_drawing_can_render(NULL, &error)) return;
    size_t used[2];
    for (int i = 0; i < 2; i++) {
        for (int k = 0; k < 50; k++) {
            sa_buffer out = paint(k % 2);
            sa_buffer_release(&out);
        }
        used[i] = mallinfo2().uordblks;
    }
    ck_assert_uint_lt(used[1], used[0] + 1000000); /* a context alone has 110,000 bytes */
}
END_TEST

START_TEST(files_are_what_their_endings_say) {
    const sa_alignment alignment = {.targets = 1,
                                    .sources = 1,
                                    .target = (const char *const[]){"</s>"},
                                    .source = (const char *const[]){"</s>"},
                                    .weights = (const double[]){1}};
    sa_drawing drawing = {0};
    sa_buffer wanted[4] = {{0}};
    const char *missing_glyphs, *const names[] = {"a.csv", "a.b.SVG", "a.png", "a.pdf"};
    const int kinds = sa_drawing_can_render(NULL, NULL) ? 4 : 2;
    sa_error error;
    ck_assert(sa_figure_draw(&alignment, &(sa_figure){.site = SA_SITE_PREFIX}, &drawing, NULL));
    sa_matrix_csv(&alignment, false, &wanted[0]);
    sa_drawing_svg(&drawing, &wanted[1]);
    for (int pdf = 0; pdf < kinds - 2; pdf++)
        ck_assert(sa_drawing_paint(&drawing, pdf, &wanted[2 + pdf], &missing_glyphs, NULL));
    scratch_make();
    for (int i = 0; i < kinds; i++) {
        size_t size;
        const char *path = scratch_path(names[i]);
        ck_assert(sa_alignment_save(&alignment, SA_SITE_PREFIX, path, &error));
        char *bytes = scratch_read(path, &size);
        ck_assert(size == wanted[i].size && memcmp(bytes, wanted[i].text, size) == 0);
        free(bytes), sa_buffer_release(&wanted[i]);
    }
    sa_drawing_release(&drawing);
    ck_assert(!sa_alignment_save(&alignment, SA_SITE_CROSS, scratch_path("none/a.csv"), &error));
    ck_assert_int_eq(error.code, SA_OPEN);
    for (int i = 0; i < 2; i++) {
        ck_assert(!sa_alignment_save(&alignment, SA_SITE_CROSS, i ? "svg" : "a.gif", &error));
        ck_assert_int_eq(error.code, SA_USAGE);
        ck_assert_str_eq(error.text, i ? "'svg' must end in .svg, .png, .pdf or .csv"
                                       : "'a.gif' must end in .svg, .png, .pdf or .csv");
    }
    const sa_attention_site beyond = (sa_attention_site)(SA_SITE_PREFIX + 1);
    ck_assert(!sa_alignment_save(&alignment, beyond, scratch_path("a.svg"), &error));
    ck_assert_int_eq(error.code, SA_USAGE);
    ck_assert_str_eq(error.text, "'site' is 4: expected 0 to 3");
    scratch_remove();
}
END_TEST

#ifdef SOFTALIGN_PANGOCAIRO

static cairo_status_t read_bytes(void *from, unsigned char *bytes, unsigned size) {
    const char **at = from;
    memcpy(bytes, *at, size);
    *at += size;
    return CAIRO_STATUS_SUCCESS;
}

enum { SIDE = 200, PIXELS = 2 * SIDE }; /* of a picture */

/* Whether each pixel is light, in a picture of these shapes on black. */
static void paint_light(const sa_shape *shapes, size_t count, const char *text,
                        bool light[PIXELS][PIXELS]) {
    sa_drawing drawing = {.width = SIDE, .height = SIDE, .scale = 1};
    sa_buffer png = {0};
    const char *missing_glyphs, *at;
    for (size_t i = 0; i < count; i++) sa_drawing_add(&drawing, &shapes[i], text);
    ck_assert(sa_drawing_paint(&drawing, false, &png, &missing_glyphs, NULL));
    ck_assert_ptr_null(missing_glyphs);
    at = png.text;
    cairo_surface_t *image = cairo_image_surface_create_from_png_stream(read_bytes, &at);
    const int stride = cairo_image_surface_get_stride(image);
    ck_assert_int_eq(cairo_image_surface_get_width(image), PIXELS);
    for (int y = 0; y < PIXELS; y++)
        for (int x = 0; x < PIXELS; x++)
            light[y][x] = cairo_image_surface_get_data(image)[y * stride + 4 * x] >= 128;
    cairo_surface_destroy(image);
    sa_buffer_release(&png), sa_drawing_release(&drawing);
}

/* Returns the bounds of a white text. */
static sa_box paint_ink(const sa_shape *shape, const char *text) {
    static bool light[PIXELS][PIXELS];
    const sa_shape black = {.kind = SA_SHAPE_TEXT, .box = {9, 9, 9, 9}, .size = 9}; /* unseen */
    int first[2] = {PIXELS, PIXELS}, last[2] = {-1, -1};
    paint_light((sa_shape[]){black, *shape}, 2, text, light);
    for (int i = 0; i < PIXELS * PIXELS; i++) {
        const int place[] = {i % PIXELS, i / PIXELS};
        if (!light[place[1]][place[0]]) continue;
        for (int k = 0; k < 2; k++) {
            if (place[k] < first[k]) first[k] = place[k];
            if (place[k] > last[k]) last[k] = place[k];
        }
    }
    return (sa_box){first[0] / 2., first[1] / 2., (last[0] - first[0] + 1) / 2.,
                    (last[1] - first[1] + 1) / 2.};
}

/* Capitals stand on the baseline, at the side of their box, and are narrowed to its width. */
START_TEST(text_is_painted_where_svg_has_it) {
    const sa_color white = {255, 255, 255};
    sa_shape shape = {.kind = SA_SHAPE_TEXT, .color = white, .box = {30, 50, 100, 40}, .size = 16};
    sa_box ink;
    for (int side = SA_ANCHOR_LEFT; side <= SA_ANCHOR_RIGHT; side++) {
        shape.side = side, shape.rotated = false;
        ink = paint_ink(&shape, "HHH");
        const double width = ink.width;
        ck_assert_double_eq_tol(ink.y + ink.height, 50 + (40 + 0.72 * 16) / 2, 0.8);
        ck_assert_double_eq_tol(ink.x, 30 + (100 - width) * side / 2, 3);
        shape.rotated = true, shape.box = (sa_box){30, 50, 40, 100}; /* upwards */
        ink = paint_ink(&shape, "HHH");
        ck_assert_double_eq_tol(ink.x + ink.width, 30 + (40 + 0.72 * 16) / 2, 0.8);
        ck_assert_double_eq_tol(ink.y + ink.height, 150 - (100 - width) * side / 2, 3);
        shape.box = (sa_box){30, 50, 100, 40};
    }
    shape.rotated = false, shape.box.width = 20;
    ink = paint_ink(&shape, "HHHHHHHH");
    ck_assert_double_eq_tol(ink.x, 30, 1);
    ck_assert_double_eq_tol(ink.width, 20, 1.5);
}
END_TEST

/* The middle of the upper line: 6 units on, 6 off. A filled box has no line. */
START_TEST(dashes_are_twice_as_long_as_wide) {
    static bool light[PIXELS][PIXELS];
    const sa_color white = {255, 255, 255};
    paint_light((sa_shape[]){{SA_SHAPE_OUTLINE, white, {10, 20, 96, 60}, 3, true},
                             {SA_SHAPE_OUTLINE, white, {10, 100, 96, 20}, 3},
                             {SA_SHAPE_FILLED, white, {50, 140, 30, 20}}},
                3, NULL, light);
    for (int unit = 2; unit < 94; unit++) {
        ck_assert_msg(light[40][2 * (10 + unit) + 1] == (unit / 6 % 2 == 0), "unit %d", unit);
        ck_assert(light[200][2 * (10 + unit)] && !light[220][2 * (10 + unit)]);
    }
    for (int y = 0; y < 6; y++) ck_assert_int_eq(light[2 * (97 + y) + 1][100], 1 <= y && y < 4);
    for (int i = 0; i < PIXELS * 60; i++) {
        const int x = i % PIXELS / 2, y = 135 + i / PIXELS / 2;
        ck_assert_int_eq(light[2 * y][2 * x], x >= 50 && x < 80 && y >= 140 && y < 160);
    }
}
END_TEST

/* At 300 dpi a drawing that is scaled; one without has 192. */
START_TEST(a_scaled_picture_has_300_dpi) {
    const char *missing_glyphs;
    sa_drawing drawing = draw_two_words();
    sa_buffer png = {0};
    drawing.scale = 0.64;
    ck_assert(sa_drawing_paint(&drawing, false, &png, &missing_glyphs, NULL));
    ck_assert_uint_eq(read_big(png.text + 16), 180); /* 90 * 0.64 * 300 / 96 */
    ck_assert_uint_eq(read_big(png.text + 20), 120);
    sa_buffer_release(&png), sa_drawing_release(&drawing);
}
END_TEST

/* In points of 1/72 inch. */
START_TEST(a_pdf_has_the_size_of_its_drawing) {
    static const char mark[] = "/MediaBox [ 0 0";
    const char *missing_glyphs;
    double width, height;
    int found = 0;
    sa_drawing drawing = draw_two_words();
    sa_buffer pdf = {0};
    drawing.scale = 0.64;
    ck_assert(sa_drawing_paint(&drawing, true, &pdf, &missing_glyphs, NULL));
    for (size_t i = 0; i + sizeof mark < pdf.size; i++) {
        if (memcmp(pdf.text + i, mark, sizeof mark - 1) != 0) continue;
        ck_assert_int_eq(sscanf(pdf.text + i + sizeof mark - 1, "%lf %lf", &width, &height), 2);
        ck_assert_double_eq_tol(width, 43.2, 1e-3); /* 90 * 0.64 * 72 / 96 */
        ck_assert_double_eq_tol(height, 28.8, 1e-3);
        found++;
    }
    ck_assert_int_gt(found, 0);
    sa_buffer_release(&pdf), sa_drawing_release(&drawing);
}
END_TEST

/* Of at most 32767 pixels a side; a unit has two. */
START_TEST(what_is_too_large_to_paint_is_refused) {
    for (int large = 0; large < 2; large++) {
        const char *missing_glyphs;
        sa_error error = {0};
        sa_drawing drawing = {.width = 16383 + large, .height = 1, .scale = 1};
        sa_buffer png = {0};
        ck_assert_int_eq(sa_drawing_paint(&drawing, false, &png, &missing_glyphs, &error), !large);
        if (large) {
            ck_assert_int_eq(error.code, SA_LIMIT);
            ck_assert_msg(strncmp(error.text, "cannot paint a picture: ", 24) == 0, "%s",
                          error.text);
        } else
            ck_assert_uint_eq(read_big(png.text + 16), 32766);
        sa_buffer_release(&png);
    }
}
END_TEST

START_TEST(fonts_must_be_there) {
    sa_error error = {0};
    ck_assert(!sa_drawing_can_render("No Such Font", &error));
    ck_assert_int_eq(error.code, SA_USAGE);
    ck_assert_str_eq(error.text,
                     "--font 'No Such Font': no such font on this machine (fc-list : family)");
}
END_TEST

/* The last of several texts with a character that no font has. */
START_TEST(missing_glyphs_are_reported) {
    static const char *const texts[] = {"\U0010fffd", "a\U0010fffd", "b"};
    const char *missing_glyphs;
    sa_drawing drawing = {.width = 90, .height = 60, .scale = 1};
    sa_buffer png = {0};
    for (int i = 0; i < 3; i++)
        sa_drawing_add(&drawing, &(sa_shape){SA_SHAPE_TEXT, .box = {0, 0, 90, 20}, .size = 14},
                       texts[i]);
    ck_assert(sa_drawing_paint(&drawing, false, &png, &missing_glyphs, NULL));
    ck_assert_str_eq(missing_glyphs, texts[1]);
    sa_buffer_release(&png), sa_drawing_release(&drawing);
}
END_TEST

#endif

int main(void) {
    TCase *tests;
    Suite *suite = suite_of("paint", &tests);
    tcase_add_test(tests, png_and_pdf_have_their_size_and_never_change);
    tcase_add_test(tests, pictures_give_their_memory_back);
    tcase_add_test(tests, files_are_what_their_endings_say);
#ifdef SOFTALIGN_PANGOCAIRO
    tcase_add_test(tests, text_is_painted_where_svg_has_it);
    tcase_add_test(tests, dashes_are_twice_as_long_as_wide);
    tcase_add_test(tests, a_scaled_picture_has_300_dpi);
    tcase_add_test(tests, a_pdf_has_the_size_of_its_drawing);
    tcase_add_test(tests, what_is_too_large_to_paint_is_refused);
    tcase_add_test(tests, fonts_must_be_there);
    tcase_add_test(tests, missing_glyphs_are_reported);
#endif
    return suite_run(suite);
}
