/* Pages, pictures, explanations and files of weights while calls for memory fail, each alone and
 * with all later ones: no block is lost, and the error names memory. */
#include "report/explanation.h"
#include "report/html_report.h"
#include "report/matrix.h"
#include "report/matrix_file.h"
#include "report/table.h"
#include "support/memory_failures.h"
#include "support/small_training.h"
#include "support/suite.h"

#include <dirent.h>

/* The list and its entries come from the C library, but we free them. */
WRAP(int, scandir,
     (const char *folder, struct dirent ***list, int (*wanted)(const struct dirent *),
      int (*compare)(const struct dirent **, const struct dirent **))) {
    const int count = __real_scandir(folder, list, wanted, compare);
    if (count >= 0) count_block(*list);
    for (int i = 0; i < count; i++) count_block((*list)[i]);
    return count;
}

static const char *const words[] = {"a", "b"};
static const double weights[] = {.5, .5, 1, 0, 1, 0, 0, 1, 0, 1, 1, 0};
static const double log_p[] = {-1, -2}, generation[] = {.25, .75};

/* Two words, and two heads below their mean. */
static sa_alignment two_heads(void) {
    return (sa_alignment){.targets = 2,
                          .sources = 2,
                          .heads = 2,
                          .layers = 1,
                          .target = words,
                          .source = words,
                          .weights = weights,
                          .token_log_probabilities = log_p,
                          .generation_probabilities = generation,
                          .log_probability = -3};
}

static void write_text(const char *name, const char *text) {
    scratch_write(scratch_path(name), text, strlen(text));
}

static sa_buffer whole; /* what is written when nothing fails */

/* Compares a text that was written with the first one. */
static void expect_whole(const char *text) {
    if (!whole.text) sa_buffer_adds(&whole, text);
    size_t same = 0;
    while (text[same] && text[same] == whole.text[same]) same++;
    ck_assert_msg(text[same] == whole.text[same], "written: %.60s, not %.60s", text + same,
                  whole.text + same);
}

/* Writes it once while nothing fails, then while each call for memory does, one after the other.
 * Returns how often it was written then. */
static int write_without_memory(bool (*work)(sa_error *error)) {
    whole = (sa_buffer){0};
    json_set_alloc_funcs(malloc, free);
    ck_assert_msg(work(&error), "%s", error.text);
    const int written = fail_allocations(work);
    sa_buffer_release(&whole);
    return written;
}

/* ---- Pages ----------------------------------------------------------------------------------- */

static bool make_page(sa_error *why) {
    const sa_alignment alignment = two_heads();
    sa_alignment attribution = alignment;
    attribution.method[0] = "occlusion", attribution.method[1] = "norms";
    const char *html = NULL;
    sa_page *page = sa_page_open("title", "model", NULL, why);
    if (page && sa_page_add_alignment(page, &alignment, SA_SITE_CROSS, "0-0", why) &&
        sa_page_add_alignment(page, &attribution, SA_SITE_CROSS, NULL, why) &&
        sa_page_add_training(page, scratch, why) && (html = sa_page_html(page, why)))
        expect_whole(html);
    const bool good = html;
    sa_page_close(page);
    return good;
}

START_TEST(pages_without_memory) {
    mkdir(scratch_path("film"), 0777);
    mkdir(scratch_path("film/0001"), 0777);
    mkdir(scratch_path("film/0001/head-1"), 0777);
    write_text("log.csv", "step,seconds,train_loss,valid_loss,valid_bleu\n3,1,2,1.5,45.678\n");
    write_text("film/0001/00000003.csv", ",a\nx,1\n");
    write_text("film/0001/head-1/00000003.csv", ",a\nx,1\n");
    ck_assert_int_eq(write_without_memory(make_page), 0);
}
END_TEST

static sa_model *model;

static bool report_it(sa_error *why) {
    static sa_pair pairs[] = {{.source = "w1 w2", .target = "v2", .gold = "0-0"}};
    const sa_corpus corpus = {.pairs = pairs, .count = 1, .name = "pairs"};
    sa_html_report report;
    sa_buffer html = {0};
    sa_json_watch();
    sa_html_report_init(&report, "align", "title", 1);
    sa_html_report_model(&report, "model", sa_model_settings(model), 1);
    bool good = sa_html_report_align(&report, model, &corpus, why);
    if (good) sa_html_report_write(&report, &html);
    if (good && html.failed) good = sa_fail_memory(why, html.size);
    if (good) expect_whole(html.text);
    sa_html_report_release(&report);
    sa_buffer_release(&html);
    return good;
}

START_TEST(reports_of_a_model_without_memory) {
    sa_settings settings = small_settings();
    settings.steps = 1;
    ck_assert_msg(train(&settings, false), "%s", error.text);
    model = sa_model_open(last_path, 1, &error);
    ck_assert_msg(model != NULL, "%s", error.text);
    ck_assert_int_eq(write_without_memory(report_it), 0);
    sa_model_close(model);
}
END_TEST

static bool write_texts(sa_error *why) {
    const sa_page_text text = {"title", scratch_path("notes"), "figure=film,update=0,column=loss"};
    sa_html_report report;
    sa_buffer html = {0};
    sa_json_watch();
    sa_html_report_init(&report, "align", "title", 1);
    bool good = sa_page_end(&report, true, &text, &html, why);
    if (good && html.failed) good = sa_fail_memory(why, html.size);
    if (good) expect_whole(html.text);
    sa_buffer_release(&html);
    return good;
}

START_TEST(notes_without_memory) {
    write_text("notes", "# A title\n\nSee\nthis.\n```\ncode\n```\n[one](a.html)\n"
                        "Question: Why?\nAnswer: So.\n");
    ck_assert_int_eq(write_without_memory(write_texts), 0);
}
END_TEST

/* ---- Weights of other programs --------------------------------------------------------------- */

#define HEADER "{\"a\":{\"dtype\":\"U8\",\"shape\":[1,2],\"data_offsets\":[0,2]}}"

static const struct {
    const char *name, *inside, *text;
    size_t size;
    double x, y; /* its weights */
} files[] = {
    {"m.jsonl", "",
     "{\"weights\":[[[0.5,0.5]],[[0,1]]],\"source\":[\"a\",\"b\"],\"target\":[\"x\"]}\n", 0, .25,
     .75},
    {"m.jsonl", "", "{\"weights\":[[0.25,0.75]]}\n", 0, .25, .75},
    {"m.csv", "", ",a,b\nx,1,0\n", 0, 1, 0},
    {"m.npy", "",
     "\x93NUMPY\1\0\x3a\0{'descr': '|u1', 'fortran_order': False, 'shape': (1, 2)}\n\1", 70, 1, 0},
    {"m.safetensors", ":a", "\x37\0\0\0\0\0\0\0" HEADER "\1", 8 + 55 + 2, 1, 0},
};
static int which;

static bool read_weights(sa_error *why) {
    char name[64];
    sa_matrix_file file = {.gold = "0-0"};
    snprintf(name, sizeof name, "%s%s", files[which].name, files[which].inside);
    const bool good =
        sa_matrix_file_open(&file, scratch_path(name), why) && sa_matrix_file_next(&file, why);
    if (good) {
        ck_assert_double_eq(file.alignment.weights[0], files[which].x);
        ck_assert_double_eq(file.alignment.weights[1], files[which].y);
    }
    sa_matrix_file_close(&file);
    return good;
}

START_TEST(files_of_weights_without_memory) {
    const size_t size = files[_i].size ? files[_i].size : strlen(files[_i].text);
    _Static_assert(sizeof HEADER - 1 == 55, "the header's length");
    scratch_write(scratch_path(files[_i].name), files[_i].text, size);
    which = _i;
    ck_assert_msg(read_weights(&error), "%s", error.text);
    ck_assert_int_eq(fail_allocations(read_weights), 0);
}
END_TEST

/* ---- Tables ---------------------------------------------------------------------------------- */

static bool write_tables(sa_error *why) {
    const sa_alignment alignment = two_heads();
    const sa_pair pair = {.row = 1, .line = 1};
    const sa_link link = {.source = 1};
    const sa_tidy tidy = {.pair = &pair, .linked = true, .gold = &link, .golds = 1};
    const sa_column columns[] = {{"a", "a", 6, 1, "%", 100}, {"b", "b", 6, 2, NULL, 0}, {0}};
    sa_buffer array = {0}, text = {0};
    sa_matrix_npy(&alignment, 1, &array);
    sa_matrix_tidy(&alignment, &tidy, &text);
    sa_table_row("row", 4, columns, weights, &text);
    const bool good = (!array.failed && !text.failed) || sa_fail_memory(why, text.size);
    if (good) expect_whole(text.text);
    sa_buffer_release(&array), sa_buffer_release(&text);
    return good;
}

START_TEST(tables_without_memory) {
    ck_assert_int_eq(write_without_memory(write_tables), 0);
}
END_TEST

/* ---- Pictures and explanations --------------------------------------------------------------- */

static const char *picture;

static bool save_it(sa_error *why) {
    const sa_alignment alignment = two_heads();
    return sa_alignment_save(&alignment, SA_SITE_CROSS, picture, why);
}

/* A picture that cannot be made leaves the old one. */
START_TEST(pictures_without_memory) {
    static const char *const names[] = {"a.csv", "a.svg", "a.pdf"};
    size_t size, before;
    picture = scratch_path(names[_i]);
    ck_assert_msg(save_it(&error), "%s", error.text);
    char *first = scratch_read(picture, &before);
    ck_assert_int_eq(fail_allocations(save_it), 0);
    char *last = scratch_read(picture, &size);
    ck_assert_uint_eq(size, before);
    ck_assert_mem_eq(first, last, size);
    free(first), free(last);
}
END_TEST

static bool explain_it(sa_error *why) {
    static const int ids[] = {4, 5};
    const sa_explain_pair pair = {.source = words,
                                  .target = words,
                                  .source_token_ids = ids,
                                  .target_token_ids = ids,
                                  .sources = 2,
                                  .targets = 2};
    const sa_explain_value column = {.step = 1,
                                     .equation = "e = a",
                                     .letters = "e_ij",
                                     .shape = SA_SHAPE_COLUMN,
                                     .rows = 2,
                                     .cols = 1,
                                     .numbers = weights,
                                     .row = words,
                                     .chosen = -1};
    sa_explanation text = {.digits = 2};
    sa_explanation_add(&text, &pair, &column);
    sa_explanation_add(&text, &pair, &column);
    sa_explanation_add(&text, &pair, NULL);
    const bool good = !text.out.failed || sa_fail_memory(why, text.out.size);
    if (good) expect_whole(text.out.text);
    sa_explanation_release(&text);
    return good;
}

START_TEST(explanations_without_memory) {
    ck_assert_int_eq(write_without_memory(explain_it), 0);
}
END_TEST

int main(void) {
    TCase *tests;
    Suite *suite = suite_of("report_memory", &tests);
    tcase_add_checked_fixture(tests, set_up, scratch_remove);
    tcase_set_timeout(tests, 20);
    tcase_add_test(tests, pages_without_memory);
    tcase_add_test(tests, reports_of_a_model_without_memory);
    tcase_add_test(tests, notes_without_memory);
    tcase_add_loop_test(tests, files_of_weights_without_memory, 0, sizeof files / sizeof *files);
    tcase_add_test(tests, tables_without_memory);
    tcase_add_loop_test(tests, pictures_without_memory, 0, 3);
    tcase_add_test(tests, explanations_without_memory);
    return suite_run(suite);
}
