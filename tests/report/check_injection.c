/* Words that try to be more than words stay words: in CSV, in SVG and on the terminal. */
#include "report/figure.h"
#include "report/matrix.h"
#include "support/csv_reader.h"
#include "support/payloads.h"
#include "support/suite.h"
#include "support/svg_reader.h"
#include "support/terminal_text.h"

/* ---- Matrices of payloads -------------------------------------------------------------------- */

enum { SIDE = 40 };

static double weights[PAYLOADS_MOST * SIDE];

/* Some payloads, at which all of them look, or only these. */
static sa_alignment make(int first, bool all) {
    const int left = payload_count - first, some = left < SIDE ? left : SIDE;
    for (int i = 0; i < PAYLOADS_MOST * SIDE; i++) weights[i] = i % 5 / 4.;
    return (sa_alignment){.targets = all ? payload_count : some,
                          .sources = some,
                          .target = (const char *const *)payloads + (all ? 0 : first),
                          .source = (const char *const *)payloads + first,
                          .heads = 1,
                          .layers = 1,
                          .weights = weights};
}

START_TEST(they_are_many_and_each_another) {
    printf("injection payloads: %d\n", payload_count);
    ck_assert_int_ge(payload_count, 200);
    for (int i = 0; i < payload_count; i++)
        for (int j = 0; j < i; j++) ck_assert_str_ne(payloads[i], payloads[j]);
}
END_TEST

/* ---- CSV ------------------------------------------------------------------------------------- */

START_TEST(a_heatmap_holds_words_and_numbers) {
    for (int first = 0; first < payload_count; first += SIDE) {
        const sa_alignment alignment = make(first, !TEST_SANITIZED);
        const double *weight = weights;
        sa_buffer csv = {0}, cell = {0};
        sa_matrix_csv(&alignment, false, &csv);
        const char *at = csv.text;
        for (int s = 0; s < alignment.sources; s++) {
            ck_assert_int_eq(*at++, ',');
            at = cells_expect_word(at, alignment.source[s], &cell);
        }
        for (int t = 0; t < alignment.targets; t++) {
            ck_assert_int_eq(*at++, '\n');
            at = cells_expect_word(at, alignment.target[t], &cell);
            for (int s = 0; s < alignment.sources; s++) {
                ck_assert_int_eq(*at++, ',');
                at = cells_expect_number(at, *weight++, &cell);
            }
        }
        ck_assert_str_eq(at, "\n");
        sa_buffer_release(&csv);
        sa_buffer_release(&cell);
    }
}
END_TEST

START_TEST(a_long_table_holds_words_and_numbers) {
    const sa_alignment alignment = make(0, true);
    const bool spreadsheet = _i;
    sa_buffer csv = {0};
    sa_matrix_tidy(&alignment,
                   &(sa_tidy){.head = SA_HEADS_ALL,
                              .pair = &(sa_pair){.line = 7, .row = 2},
                              .words = spreadsheet},
                   &csv);
    cells_expect_tidy(csv.text, &alignment, spreadsheet);
    sa_buffer_release(&csv);
}
END_TEST

/* ---- What is shown --------------------------------------------------------------------------- */

START_TEST(a_picture_shows_words_as_text) {
    for (int first = 0; first < payload_count; first += SIDE) {
        const sa_alignment alignment = make(first, false);
        sa_drawing drawing = {0};
        sa_buffer svg = {0};
        ck_assert(sa_figure_draw(&alignment, &(sa_figure){0}, &drawing, NULL));
        sa_drawing_svg(&drawing, &svg);
        ck_assert(!svg.failed);
        svg_expect(&drawing, svg.text);
        terminal_expect_harmless(svg.text, false);
        sa_buffer_release(&svg);
        sa_drawing_release(&drawing);
    }
}
END_TEST

START_TEST(a_terminal_shows_words_as_text) {
    for (int first = 0; first < payload_count; first += SIDE) {
        const sa_alignment alignment = make(first, !TEST_SANITIZED);
        sa_buffer out = {0};
        sa_matrix_terminal(&alignment, &(sa_terminal){.colors = (sa_color_mode)_i, .columns = 80},
                           &out);
        terminal_strip(out.text);
        terminal_expect_harmless(out.text, true);
        for (const char *at = out.text; *at; at += span_outside(at, "\n") + 1)
            ck_assert_int_le(sa_utf8_width(at, span_outside(at, "\n")), 80);
        sa_buffer_release(&out);
    }
}
END_TEST

int main(void) {
    TCase *tests;
    Suite *suite = suite_of("injection", &tests);
    tcase_add_unchecked_fixture(tests, payloads_read, payloads_free);
    tcase_add_test(tests, they_are_many_and_each_another);
    tcase_add_test(tests, a_heatmap_holds_words_and_numbers);
    tcase_add_loop_test(tests, a_long_table_holds_words_and_numbers, 0, 2);
    tcase_add_test(tests, a_picture_shows_words_as_text);
    tcase_add_loop_test(tests, a_terminal_shows_words_as_text, SA_COLOR_MODE_NONE,
                        SA_COLOR_MODE_TRUE + 1);
    return suite_run(suite);
}
