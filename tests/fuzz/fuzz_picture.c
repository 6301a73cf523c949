/* SVG, terminal output and the HTML page. The input is a byte each for the size of a matrix, its
 * heads and its options, a byte for every weight, and a line for every word. */
#include "fuzz.h"
#include "report/figure.h"
#include "report/html_report.h"
#include "report/matrix.h"
#include "support/svg_reader.h"
#include "support/terminal_text.h"

#include <jansson.h>

enum { SIDE = 8, HEADS = 3, MOST = 2048 };

typedef struct scene {
    double weights[(1 + HEADS) * SIDE * SIDE]; /* the mean, then the heads */
    char *target[SIDE], *source[SIDE];
    sa_alignment alignment;
    sa_link gold[SIDE];
    unsigned ways;
} scene;

static char *word_of(fuzz_input *input) {
    const fuzz_input part = fuzz_until(input, '\n');
    const bool good =
        fuzz_is_utf8(part.at, part.size) && !(part.size && memchr(part.at, 0, part.size));
    return fuzz_copy(good ? part : (fuzz_input){"word", 4});
}

static void make(scene *it, fuzz_input *input) {
    const int T = 1 + (int)(fuzz_byte(input) % SIDE), S = 1 + (int)(fuzz_byte(input) % SIDE);
    const int heads = 1 + (int)(fuzz_byte(input) % HEADS);
    *it = (scene){.ways = fuzz_byte(input)};
    for (int i = 0; i < T * S; i++) {
        it->weights[i] = fuzz_byte(input) / 255.;
        for (int k = 0; k < heads; k++) it->weights[(k + 1) * T * S + i] = it->weights[i] / (k + 1);
    }
    for (int t = 0; t < T; t++) {
        it->target[t] = word_of(input);
        it->gold[t] = (sa_link){.source = t % S, .target = t, .possible = t & 1};
    }
    for (int s = 0; s < S; s++) it->source[s] = word_of(input);
    it->alignment = (sa_alignment){.targets = T,
                                   .sources = S,
                                   .heads = heads,
                                   .target = (const char *const *)it->target,
                                   .source = (const char *const *)it->source,
                                   .weights = it->weights};
}

static void release(scene *it) {
    for (int t = 0; t < it->alignment.targets; t++) free(it->target[t]);
    for (int s = 0; s < it->alignment.sources; s++) free(it->source[s]);
}

static void draw(const scene *it) {
    const sa_figure figure = {.gold = it->ways & 8 ? it->gold : NULL,
                              .golds = it->ways & 8 ? (size_t)it->alignment.targets : 0,
                              .numbers = it->ways & 32 ? SA_NUMBERS_NONE : SA_NUMBERS_AUTO};
    sa_drawing drawing = {0};
    sa_error error = {0};
    ck_assert_msg(sa_figure_draw(&it->alignment, &figure, &drawing, &error), "%s", error.text);
    sa_buffer svg = {0};
    sa_drawing_svg(&drawing, &svg);
    ck_assert(!svg.failed);
    svg_expect(&drawing, svg.text);
    terminal_expect_harmless(svg.text, false);
    sa_buffer_release(&svg);
    sa_drawing_release(&drawing);
}

static void show(const scene *it) {
    enum { COLUMNS = 60 };
    const sa_terminal screen = {.colors = (sa_color_mode)(it->ways % 3), .columns = COLUMNS};
    sa_buffer out = {0};
    sa_matrix_terminal(&it->alignment, &screen, &out);
    ck_assert(!out.failed && fuzz_is_utf8(out.text, out.size));
    terminal_strip(out.text);
    terminal_expect_harmless(out.text, true);
    for (const char *at = out.text; *at; at += strcspn(at, "\n") + (at[strcspn(at, "\n")] != 0))
        ck_assert_int_le(sa_utf8_width(at, strcspn(at, "\n")), COLUMNS);
    sa_buffer_release(&out);
}

/* The words as the data of the page: none ends the element or begins another, and a browser
 * reads what was written. */
static void write_page(const scene *it) {
    json_t *words = json_array();
    for (int t = 0; t < it->alignment.targets; t++)
        json_array_append_new(words, json_string(it->target[t]));
    char *json = json_dumps(words, JSON_ENSURE_ASCII | JSON_COMPACT);
    sa_buffer page = {0};
    sa_page_write(json, &page);
    ck_assert(!page.failed);
    const size_t before = strlen((const char *)sa_page_before);
    const size_t after = strlen((const char *)sa_page_after);
    ck_assert_mem_eq(page.text, sa_page_before, before);
    ck_assert_mem_eq(page.text + page.size - after, sa_page_after, after);
    const char *data = page.text + before;
    const size_t size = page.size - before - after;
    for (size_t i = 0; i < size; i++) ck_assert(data[i] >= ' ' && !strchr("<>&", data[i]));
    json_t *read = json_loadb(data, size, 0, NULL);
    ck_assert(read && json_equal(read, words));
    json_decref(read), json_decref(words);
    free(json);
    sa_buffer_release(&page);
}

static void pack(const scene *it) {
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const int count = it->alignment.targets * it->alignment.sources;
    bool failed = false;
    int at = 0;
    json_t *packed = sa_page_weights(it->weights, (size_t)count, &failed);
    const char *text = json_string_value(packed);
    for (size_t i = 0; i + 1 < json_string_length(packed); i += 2) {
        const long number =
            64 * (strchr(digits, text[i]) - digits) + (strchr(digits, text[i + 1]) - digits);
        for (long k = 0; k < (number > 1024 ? number - 1024 : 1); k++, at++) {
            ck_assert_int_lt(at, count);
            const double weight = number > 1024 ? 0 : (double)number / 1000;
            ck_assert_double_le(weight - it->weights[at], 0.0005 + 1e-12);
            ck_assert_double_le(it->weights[at] - weight, 0.0005 + 1e-12);
        }
    }
    ck_assert_int_eq(at, count);
    json_decref(packed);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    fuzz_input input = fuzz_input_of(data, size);
    scene it;
    if (size > MOST) return 0;
    make(&it, &input);
    draw(&it);
    show(&it);
    write_page(&it);
    pack(&it);
    release(&it);
    return 0;
}
