/* Pictures of matrices: where the shapes lie, for words of many scripts and sizes; that SVG says
 * the same and nothing else. */
#include "report/figure.h"
#include "support/golden.h"
#include "support/suite.h"
#include "support/svg_reader.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- What is drawn --------------------------------------------------------------------------- */

enum { MOST = 60 };

static const char *const latin[] = {"the", "black", "cat", "WWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWW",
                                    "</s>"};
static const char *const arabic[] = {"القطة", "السوداء", "تنام", "؟", "תֵּל־אָבִיב", "</s>"};
static const char *const japanese[] = {"猫", "は", "日本語の長い長い単語がここにあるので切られる",
                                       "。", "</s>"};
static const char *const emoji[] = {
    "👩‍👩‍👧‍👦", "❤️", "🇫🇷", "e\xcc\x81", "﷽", "</s>"};
static const char *const short_words[] = {"a", "b", "c"};
static const struct {
    const char *name;
    const char *const *words;
    int count;
} lists[] = {
#define LIST(words)                                                                                \
    { #words, words, (int)(sizeof(words) / sizeof *(words)) }
    LIST(latin), LIST(arabic), LIST(japanese), LIST(emoji), LIST(short_words),
};
enum { LISTS = sizeof lists / sizeof *lists };

static const struct {
    int targets, sources, heads;
} sizes[] = {{1, 1, 1},   {1, 40, 1}, {40, 1, 1}, {12, 12, 1}, {13, 12, 1},
             {40, 40, 1}, {3, 5, 2},  {6, 2, 8},  {26, 26, 3}};
enum { SIZES = sizeof sizes / sizeof *sizes };

static const char *target_words[MOST], *source_words[MOST];
static double weights[9 * MOST * MOST];

/* The words of a list again and again on the one side, those of the next on the other. */
static sa_alignment make(int list, int size) {
    const int next = (list + 1) % LISTS;
    for (int i = 0; i < MOST; i++) {
        target_words[i] = lists[list].words[i % lists[list].count];
        source_words[i] = lists[next].words[i % lists[next].count];
    }
    for (int i = 0; i < 9 * MOST * MOST; i++) weights[i] = i % 7 / 6.;
    return (sa_alignment){.targets = sizes[size].targets,
                          .sources = sizes[size].sources,
                          .heads = sizes[size].heads,
                          .target = target_words,
                          .source = source_words,
                          .weights = weights};
}

static sa_drawing draw(const sa_alignment *alignment, const sa_figure *figure) {
    sa_drawing drawing = {0};
    ck_assert(sa_figure_draw(alignment, figure, &drawing, NULL));
    return drawing;
}

/* ---- Places ---------------------------------------------------------------------------------- */

static bool overlap(const sa_box *a, const sa_box *b) {
    const double touch = 1e-9;
    return a->x + a->width > b->x + touch && b->x + b->width > a->x + touch &&
           a->y + a->height > b->y + touch && b->y + b->height > a->y + touch;
}

static bool is_same_box(const sa_box *a, const sa_box *b) {
    return a->x == b->x && a->y == b->y && a->width == b->width && a->height == b->height;
}

static void expect_room(const sa_drawing *drawing, const sa_shape *shape) {
    const sa_box *box = &shape->box;
    const double line = shape->kind == SA_SHAPE_OUTLINE ? shape->size / 2 : 0;
    ck_assert(box->x >= line && box->y >= line);
    ck_assert(box->x + box->width <= drawing->width - line);
    ck_assert(box->y + box->height <= drawing->height - line);
    if (shape->kind != SA_SHAPE_TEXT) return;
    const char *text = drawing->text_buffer.text + shape->text;
    const double along = shape->rotated ? box->height : box->width;
    const double across = shape->rotated ? box->width : box->height;
    ck_assert_msg(sa_drawing_text_width(text, drawing->font) * shape->size <= along,
                  "no room for '%s'", text);
    ck_assert_msg(shape->size <= across, "'%s' is too high", text);
}

/* Under the sanitizers some words are compared with all other shapes. */
enum { COMPARED = TEST_SANITIZED ? 53 : 1 };

START_TEST(nothing_overlaps_or_is_cut) {
    const sa_link links[] = {{.possible = false}, {.possible = true}};
    sa_alignment alignment = make(_i / SIZES, _i % SIZES);
    if (_i % 2) alignment.generation_probabilities = weights;
    sa_drawing drawing = draw(&alignment, &(sa_figure){.gold = links, .golds = 2});
    for (size_t i = 1; i < drawing.count; i++) { /* 0 is the paper */
        const sa_shape *one = &drawing.shapes[i];
        expect_room(&drawing, one);
        for (size_t j = 1; one->kind == SA_SHAPE_TEXT && i % COMPARED == 0 && j < drawing.count;
             j++) {
            const sa_shape *other = &drawing.shapes[j];
            const bool cell = other->kind == SA_SHAPE_FILLED && is_same_box(&one->box, &other->box);
            if (i == j || cell || other->kind == SA_SHAPE_OUTLINE) continue;
            ck_assert_msg(!overlap(&one->box, &other->box),
                          "%s, %d x %d: '%s' lies on another shape", lists[_i / SIZES].name,
                          alignment.targets, alignment.sources,
                          drawing.text_buffer.text + one->text);
        }
    }
    sa_drawing_release(&drawing);
}
END_TEST

static size_t count_kind(const sa_drawing *drawing, sa_shape_kind kind, bool rotated) {
    size_t count = 0;
    for (size_t i = 0; i < drawing->count; i++)
        count += drawing->shapes[i].kind == kind && drawing->shapes[i].rotated == rotated;
    return count;
}

START_TEST(few_cells_hold_values_and_long_words_are_turned) {
    enum { SCALE = 5 }; /* 1, 0.5, 0, weight, and the name of the other axis is turned */
    sa_alignment alignment = make(0, 3);
    sa_drawing drawing = draw(&alignment, &(sa_figure){0});
    size_t shown = 0; /* all but those of 0.00 */
    for (int i = 0; i < 12 * 12; i++) shown += fabs(alignment.weights[i]) >= 0.005;
    ck_assert_uint_lt(shown, 12 * 12);
    ck_assert_uint_eq(count_kind(&drawing, SA_SHAPE_TEXT, false), 12 + shown + SCALE);
    ck_assert_uint_eq(count_kind(&drawing, SA_SHAPE_TEXT, true), 12 + 1);
    sa_drawing_release(&drawing);
    alignment.targets = 13;
    drawing = draw(&alignment, &(sa_figure){0});
    ck_assert_uint_eq(count_kind(&drawing, SA_SHAPE_TEXT, false), 13 + SCALE);
    sa_drawing_release(&drawing);
    alignment.source = short_words, alignment.sources = 3;
    drawing = draw(&alignment, &(sa_figure){0});
    ck_assert_uint_eq(count_kind(&drawing, SA_SHAPE_TEXT, true), 1);
    sa_drawing_release(&drawing);
}
END_TEST

START_TEST(what_is_too_large_is_refused) {
    static const char *many[5000];
    static const int counts[][2] = {{5000, 5000}, {900, 1}, {1, 900}, {320, 320}};
    for (int i = 0; i < 5000; i++) many[i] = "word";
    for (int i = 0; i < 4; i++) { /* the last: 20 pixels a word, 6400 x 6400 */
        char wanted[80];
        sa_drawing drawing = {0};
        sa_error error;
        const sa_alignment alignment = {
            .targets = counts[i][0], .sources = counts[i][1], .target = many, .source = many};
        ck_assert(!sa_figure_draw(&alignment, &(sa_figure){0}, &drawing, &error));
        ck_assert_int_eq(error.code, SA_LIMIT);
        snprintf(wanted, sizeof wanted, "a picture of %d rows and %d columns is too large",
                 counts[i][0], counts[i][1]);
        ck_assert_str_eq(error.text, wanted);
        sa_drawing_release(&drawing);
    }
}
END_TEST

static const sa_shape *find_text(const sa_drawing *drawing, const char *text) {
    for (size_t i = 0; i < drawing->count; i++)
        if (drawing->shapes[i].kind == SA_SHAPE_TEXT &&
            strcmp(drawing->text_buffer.text + drawing->shapes[i].text, text) == 0)
            return &drawing->shapes[i];
    return NULL;
}

START_TEST(axes_have_names) {
    static const struct {
        sa_attention_site site;
        const char *across, *down;
    } names[] = {{SA_SITE_CROSS, "source", "target"},
                 {SA_SITE_ENCODER, "source, attended to", "source"},
                 {SA_SITE_DECODER, "target, attended to", "target"}};
    const sa_alignment alignment = make(0, 0);
    sa_drawing drawing = draw(&alignment, &(sa_figure){.site = names[_i].site});
    const sa_shape *across = find_text(&drawing, names[_i].across),
                   *down = find_text(&drawing, names[_i].down);
    ck_assert(across && down && !across->rotated && down->rotated);
    for (size_t i = 0; i < drawing.count; i++)
        if (drawing.shapes[i].kind == SA_SHAPE_TEXT) expect_room(&drawing, &drawing.shapes[i]);
    sa_drawing_release(&drawing);
}
END_TEST

/* Weights of any sum (Graves 2013): what is above the scale has its last color. */
START_TEST(the_scale_tells_of_weights_above_1) {
    for (int above = 0; above < 2; above++) {
        sa_drawing drawing = draw(&(sa_alignment){.targets = 1,
                                                  .sources = 3,
                                                  .target = latin,
                                                  .source = latin,
                                                  .weights = (double[]){0, above ? 2.5 : 1, 0}},
                                  &(sa_figure){0});
        ck_assert((find_text(&drawing, "≥ 1") != NULL) == above);
        ck_assert((find_text(&drawing, "1") != NULL) == !above);
        expect_room(&drawing, find_text(&drawing, above ? "≥ 1" : "1"));
        sa_drawing_release(&drawing);
    }
}
END_TEST

/* The cell that holds this number has this color. */
static void expect_color(const sa_drawing *drawing, const char *number, sa_color color) {
    const sa_shape *text = find_text(drawing, number), *cell = NULL;
    ck_assert_msg(text != NULL, "no %s", number);
    for (size_t i = 0; i < drawing->count; i++)
        if (is_same_box(&drawing->shapes[i].box, &text->box) && !cell) cell = &drawing->shapes[i];
    ck_assert(cell && cell->kind == SA_SHAPE_FILLED &&
              memcmp(&cell->color, &color, sizeof color) == 0);
}

/* Attributions have a scale of their own, with a unit; with both signs it is symmetric. */
START_TEST(the_scale_of_attributions_is_that_of_the_largest) {
    for (int both = 0; both < 2; both++) {
        sa_drawing drawing = draw(&(sa_alignment){.targets = 1,
                                                  .sources = 3,
                                                  .target = latin,
                                                  .source = latin,
                                                  .method = {"occlusion"},
                                                  .weights = (double[]){0, 6, both ? -3 : 3}},
                                  &(sa_figure){0});
        ck_assert(find_text(&drawing, "6") && find_text(&drawing, "nats"));
        ck_assert(!find_text(&drawing, "weight") && !find_text(&drawing, "≥ 1"));
        ck_assert((find_text(&drawing, "-6") != NULL) == both);
        ck_assert((find_text(&drawing, "3") != NULL) == !both);
        expect_color(&drawing, both ? "-3.00" : "3.00", sa_weight_color(both ? -0.5 : 0.5, both));
        expect_color(&drawing, "6.00", sa_weight_color(1, both));
        expect_room(&drawing, find_text(&drawing, "nats"));
        sa_drawing_release(&drawing);
    }
    const sa_alignment two = {.targets = 1,
                              .sources = 1,
                              .heads = 2,
                              .target = latin,
                              .source = latin,
                              .method = {"attention", "occlusion"},
                              .weights = (double[]){1, 1, -4}};
    sa_drawing drawing = draw(&two, &(sa_figure){0});
    static const char *const texts[] = {"attention, 1 = 1 weight", "occlusion, 1 = 4 nats",
                                        "relative", "-1"};
    for (int i = 0; i < 4; i++) ck_assert_ptr_nonnull(find_text(&drawing, texts[i]));
    sa_drawing_release(&drawing);
}
END_TEST

/* The largest of attributions may be below 1; weights may be off by rounding. */
START_TEST(scales_of_small_numbers) {
    sa_alignment alignment = {.targets = 1,
                              .sources = 2,
                              .target = latin,
                              .source = latin,
                              .method = {"gradient"},
                              .weights = (const double[]){0.125, 0.25}};
    sa_figure_scale scale = sa_figure_scale_of(&alignment, 0);
    ck_assert_str_eq(scale.unit, "norm of the gradient");
    ck_assert_double_eq(scale.most, 0.25);
    ck_assert(!scale.is_signed);
    alignment.weights = (const double[]){0, 0};
    ck_assert_double_gt(sa_figure_scale_of(&alignment, 0).most, 0); /* which divides them */
    *alignment.method = NULL;
    alignment.weights = (const double[]){1 + 5e-6, -5e-6};
    ck_assert(!sa_figure_scale_of(&alignment, 0).is_signed);
    sa_drawing drawing = draw(&alignment, &(sa_figure){0});
    ck_assert(find_text(&drawing, "1") && !find_text(&drawing, "≥ 1"));
    sa_drawing_release(&drawing);
}
END_TEST

/* Weights are 0, 1/6 ...; a number is 14 / 96 inch high, which is 10.5 points. */
START_TEST(numbers_below_5_points_are_left_out) {
    const double gates[12] = {0.44};
    for (int wide = 0; wide < 2; wide++) {
        sa_alignment alignment = make(4, 3);
        alignment.generation_probabilities = gates;
        sa_drawing own = draw(&alignment, &(sa_figure){0});
        const double least = own.width * 25.4 / 96 * 5 / 10.5;
        sa_drawing drawing = draw(&alignment, &(sa_figure){.width = least + (wide ? 0.1 : -0.1)});
        ck_assert(find_text(&own, "0.17") && find_text(&own, "0.44"));
        ck_assert(!find_text(&drawing, "0.17") == !wide && !find_text(&drawing, "0.44") == !wide);
        ck_assert(wide ? drawing.width == own.width : drawing.width < own.width);
        sa_drawing_release(&drawing), sa_drawing_release(&own);
    }
}
END_TEST

/* Four heads in a column of a paper: words stand at the edges of the grid, in a larger font. */
START_TEST(texts_have_5_points_in_a_column_of_80_mm) {
    static const char *const words[] = {"they",    "come", "to", "the", "large",
                                        "airport", "at",   "9",  ".",   "</s>"};
    const sa_alignment alignment = {.targets = 10,
                                    .sources = 10,
                                    .heads = 4,
                                    .layers = 2,
                                    .target = words,
                                    .source = words,
                                    .weights = weights};
    sa_drawing drawing = draw(&alignment, &(sa_figure){.width = 80});
    int seen = 0;
    for (size_t i = 0; i < drawing.count; i++) {
        const sa_shape *shape = &drawing.shapes[i];
        if (shape->kind != SA_SHAPE_TEXT) continue;
        ck_assert_double_ge(shape->size * drawing.scale * 72 / 96, 5);
        expect_room(&drawing, shape);
        seen += strcmp(drawing.text_buffer.text + shape->text, "airport") == 0;
    }
    ck_assert_int_eq(seen, 4); /* above two columns, left of two rows */
    sa_drawing_release(&drawing);
}
END_TEST

/* However narrow the column: rows hold no larger font. */
START_TEST(no_text_is_larger_than_its_row) {
    const sa_alignment alignment = make(4, 3);
    double largest = 0;
    sa_drawing drawing = draw(&alignment, &(sa_figure){.width = 2});
    for (size_t i = 0; i < drawing.count; i++) {
        const sa_shape *shape = &drawing.shapes[i];
        if (shape->kind == SA_SHAPE_TEXT) largest = fmax(largest, shape->size);
    }
    ck_assert_double_eq(largest, 18);
    ck_assert_double_eq_tol(drawing.width * drawing.scale, 2 * 96 / 25.4, 1e-12);
    sa_drawing_release(&drawing);
}
END_TEST

/* Numbers have at most three digits, so that a cell holds them. */
START_TEST(large_numbers_fit_their_cells) {
    static const char *const large[] = {"a", "b", "c", "d", "e", "</s>"};
    const sa_alignment alignment = {.targets = 1,
                                    .sources = 6,
                                    .target = latin,
                                    .source = large,
                                    .method = {"occlusion"},
                                    .weights =
                                        (double[]){9.994, 13.65, -24.96, 123.4, 9.995, 99.95}};
    sa_drawing drawing = draw(&alignment, &(sa_figure){0});
    static const char *const texts[] = {"9.99", "13.7", "-25", "123", "10.0", "100"};
    for (int i = 0; i < 6; i++) {
        const sa_shape *text = find_text(&drawing, texts[i]);
        ck_assert_msg(text != NULL, "no %s", texts[i]);
        expect_room(&drawing, text);
    }
    sa_drawing_release(&drawing);
}
END_TEST

START_TEST(heads_and_outlines_are_named) {
    const sa_link links[] = {{.possible = false}, {.possible = true}};
    sa_alignment alignment = make(0, 6);
    alignment.layers = 3;
    for (size_t golds = 0; golds < 3; golds++) {
        sa_figure figure = {.gold = links, .golds = golds, .layer = golds == 2 ? 3 : 0};
        sa_drawing drawing = draw(&alignment, &figure);
        ck_assert(!find_text(&drawing, "gold link") == (golds < 1));
        ck_assert(!find_text(&drawing, "possible") == (golds < 2));
        ck_assert(
            find_text(&drawing, figure.layer ? "layer 3, head 2" : "head 2, mean of 3 layers"));
        sa_drawing_release(&drawing);
    }
}
END_TEST

START_TEST(columns_follow_the_direction_of_the_source) {
    static const sa_link gold[] = {{.source = 1, .target = 0}};
    static const char *const hebrew[] = {"החתול", "ישן", "</s>"}, *const english[] = {"a", "b",
                                                                                      "c"};
    for (int rtl = 0; rtl < 2; rtl++) {
        const char *const *source = rtl ? hebrew : english;
        sa_drawing drawing = draw(&(sa_alignment){.targets = 1,
                                                  .sources = 3,
                                                  .target = latin,
                                                  .source = source,
                                                  .weights = (double[]){1, 0, 0}},
                                  &(sa_figure){.gold = gold, .golds = 1});
        const sa_box *first = &find_text(&drawing, source[0])->box,
                     *second = &find_text(&drawing, source[1])->box,
                     *weight = &find_text(&drawing, "1.00")->box;
        ck_assert(rtl ? second->x < first->x : first->x < second->x);
        ck_assert_double_eq(weight->x, first->x);
        const sa_shape *outline = NULL;
        for (size_t i = 0; i < drawing.count; i++)
            if (!outline && drawing.shapes[i].kind == SA_SHAPE_OUTLINE &&
                drawing.shapes[i].size == 2) /* the key has another */
                outline = &drawing.shapes[i];
        ck_assert(outline && outline->box.x > second->x && outline->box.y > weight->y);
        ck_assert(overlap(&outline->box, &(sa_box){second->x, weight->y, 9, weight->height}));
        sa_drawing_release(&drawing);
    }
}
END_TEST

/* Of the first and the last character of each range of scripts, and of its neighbors. */
START_TEST(estimated_widths_of_scripts) {
    static const struct {
        const char *text;
        double width;
    } cases[] = {
        {"\u00bf", 1},
        {"\u00c0", 0.85},
        {"\u024f", 0.85},
        {"\u0250", 1},
        {"\u05d0", 0.75},
        {"\u07c0", 0.75},
        {"\u0905", 0.85},
        {"\u0b15", 0.85},
        {"\u0b95", 1.3},
        {"\u0c15", 1.3},
        {"\u0d15", 1.3},
        {"\u0d9a", 1.3},
        {"\u0e01", 0.8},
        {"\u0ec0", 0.8},
        {"\u1000", 1.3},
        {"\u109e", 1.3},
        {"\u10a0", 1},
        {"\u2e3a", 3},
        {"\u2e3b", 3},
        {"\ufdfd", 7.5},
        {"\U00011005", 1.9},
        {"\U00012000", 4},
        {"\u4e00", 1.3},
        {"\u03b1", 1},
        {"W", 1},
        {"i", 0.48},
        {"A", 0.84},
        {"Z", 0.84},
        {"a", 0.65},
        {"#", 0.84},
        {"\u0b95\u0bbf\u0d15", 2.6},
        {"ab", 1.3},
        {"\u0301", 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        ck_assert_msg(fabs(sa_drawing_estimate_width(cases[i].text) - cases[i].width) < 1e-12,
                      "%s: %g", cases[i].text, sa_drawing_estimate_width(cases[i].text));
}
END_TEST

/* "Ǆ" is half as wide again as the estimate. */
START_TEST(a_wide_word_has_its_measured_width) {
    static const char wide[] = "ǄǄǄǄǄǄ";
    ck_assert_double_ge(sa_drawing_text_width("every@@", NULL),
                        sa_drawing_estimate_width("every@@"));
    if (sa_drawing_can_render(NULL, NULL))
        ck_assert_double_gt(sa_drawing_text_width(wide, NULL),
                            1.3 * sa_drawing_estimate_width(wide));
}
END_TEST

/* ---- SVG ------------------------------------------------------------------------------------- */

START_TEST(svg_is_well_formed_and_words_stay_text) {
    const sa_link links[] = {{.possible = false}, {.possible = true}};
    const sa_alignment alignment = make(_i / SIZES, _i % SIZES);
    sa_drawing drawing = draw(&alignment, &(sa_figure){.gold = links, .golds = 2});
    sa_buffer svg = {0};
    sa_drawing_svg(&drawing, &svg);
    ck_assert(!svg.failed);
    svg_expect(&drawing, svg.text);
    sa_buffer_release(&svg);
    sa_drawing_release(&drawing);
}
END_TEST

/* Words of two scripts, turned and not; sure and possible links; heads of a layer, with the p_gen
 * of each word; attributions with a unit each, of a source read from right to left; numbers above a
 * limit; what is printed in 60 mm. */
static const struct {
    const char *name;
    sa_alignment alignment;
    sa_figure figure;
} pictures[] = {
    {"figure",
     {.targets = 2,
      .sources = 3,
      .target = (const char *const[]){"chat", "</s>"},
      .source = (const char *const[]){"the", "قطة", "</s>"},
      .weights = (const double[]){0.75, 0.25, 0, 1 / 3., 0, 2 / 3.}},
     {.gold = (const sa_link[]){{0, 0, false}, {1, 1, true}}, .golds = 2}},
    {"figure-heads",
     {.targets = 3,
      .sources = 2,
      .heads = 5,
      .layers = 2,
      .target = (const char *const[]){"I", "it", "</s>"},
      .source = (const char *const[]){"airport", "</s>"},
      .weights = weights,
      .generation_probabilities = (const double[]){1, 0.375, 0}},
     {.gold = (const sa_link[]){{1, 0, true}},
      .golds = 1,
      .layer = 2,
      .numbers = 0.5,
      .site = SA_SITE_ENCODER}},
    {"figure-methods",
     {.targets = 2,
      .sources = 5,
      .heads = 3,
      .target = (const char *const[]){"a", "</s>"},
      .source = (const char *const[]){"אב", "אבג", "אב", "אבגד", "</s>"},
      .method = {"norms", "occlusion", "attention"},
      .weights = (const double[]){0,  1,  0,   0, 0,   1, 0, 0,    0, 0, /* the mean, not drawn */
                                  .5, 0,  0,   0, 1.5, 0, 1, .004, 0, 0, /* norms */
                                  -8, 12, 9.2, 0, 0,   0, 1, -150, 0, 0, /* occlusion */
                                  0,  .2, .8,  0, 0,   0, 0, .5,   0, .5}},
     {.font = "DejaVu Sans", .numbers = SA_NUMBERS_ALL}},
    {"figure-print",
     {.targets = 13,
      .sources = 2,
      .target = (const char *const[]){"a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k",
                                      "a word of 30 columns, no less.", "</s>"},
      .source = (const char *const[]){"a", "</s>"},
      .weights = (const double[]){0, 1, 1, 0, .25, .75, .5, 1.5, 0, 1, 0, 1, 0,
                                  1, 0, 1, 0, 1,   0,   1,  0,   1, 0, 1, 0, 1}},
     {.width = 60, .site = SA_SITE_PREFIX}},
    {"figure-plain",
     {.targets = 1,
      .sources = 2,
      .target = (const char *const[]){""},
      .source = (const char *const[]){"a", "</s>"},
      .weights = (const double[]){-.5, 1}},
     {.numbers = SA_NUMBERS_NONE, .site = SA_SITE_DECODER}},
};

START_TEST(pictures_as_they_are_written) {
    char name[40];
    for (int i = 0; i < 9 * MOST * MOST; i++) weights[i] = i % 7 / 6.;
    sa_drawing drawing = draw(&pictures[_i].alignment, &pictures[_i].figure);
    sa_buffer svg = {0};
    snprintf(name, sizeof name, "%s.svg", pictures[_i].name);
    sa_drawing_svg(&drawing, &svg);
    expect_golden(&svg, name);
    sa_drawing_release(&drawing);
}
END_TEST

START_TEST(what_xml_forbids_is_shown_as_a_question) {
    sa_drawing drawing = {.width = 1, .height = 1};
    sa_buffer svg = {0};
    sa_drawing_add(&drawing, &(sa_shape){.kind = SA_SHAPE_TEXT, .box = {0, 0, 1, 1}, .size = 1},
                   "a\x01\uffff\ufffez");
    sa_drawing_svg(&drawing, &svg);
    ck_assert_ptr_nonnull(strstr(svg.text, ">a\ufffd\ufffd\ufffdz</text>"));
    sa_buffer_release(&svg);
    sa_drawing_release(&drawing);
}
END_TEST

int main(void) {
    TCase *tests;
    Suite *suite = suite_of("figure", &tests);
    tcase_add_loop_test(tests, nothing_overlaps_or_is_cut, 0, LISTS * SIZES);
    tcase_add_test(tests, numbers_below_5_points_are_left_out);
    tcase_add_test(tests, texts_have_5_points_in_a_column_of_80_mm);
    tcase_add_test(tests, no_text_is_larger_than_its_row);
    tcase_add_test(tests, large_numbers_fit_their_cells);
    tcase_add_test(tests, heads_and_outlines_are_named);
    tcase_add_test(tests, few_cells_hold_values_and_long_words_are_turned);
    tcase_add_test(tests, what_is_too_large_is_refused);
    tcase_add_loop_test(tests, axes_have_names, 0, 3);
    tcase_add_test(tests, the_scale_tells_of_weights_above_1);
    tcase_add_test(tests, the_scale_of_attributions_is_that_of_the_largest);
    tcase_add_test(tests, scales_of_small_numbers);
    tcase_add_test(tests, columns_follow_the_direction_of_the_source);
    tcase_add_test(tests, estimated_widths_of_scripts);
    tcase_add_test(tests, a_wide_word_has_its_measured_width);
    tcase_add_loop_test(tests, svg_is_well_formed_and_words_stay_text, 0, LISTS * SIZES);
    tcase_add_loop_test(tests, pictures_as_they_are_written, 0, sizeof pictures / sizeof *pictures);
    tcase_add_test(tests, what_xml_forbids_is_shown_as_a_question);
    return suite_run(suite);
}
