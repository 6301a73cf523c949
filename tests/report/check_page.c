/* What goes into the HTML report. */
#include "report/html_report.h"
#include "support/golden.h"
#include "support/scratch.h"
#include "support/suite.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Packed weights -------------------------------------------------------------------------- */

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

static int digit(char letter) {
    const char *at = strchr(digits, letter);
    ck_assert_ptr_nonnull(at);
    return (int)(at - digits);
}

/* Reads what sa_page_weights wrote; returns how many weights there were. */
static size_t unpack(const json_t *packed, double *weights) {
    const char *text = json_string_value(packed);
    size_t count = 0;
    ck_assert_uint_eq(json_string_length(packed) % 2, 0);
    for (size_t i = 0; i < json_string_length(packed); i += 2) {
        int number = 64 * digit(text[i]) + digit(text[i + 1]);
        if (number < 1024)
            weights[count++] = number / 1000.0;
        else if (number > 3072)
            weights[count++] = (3072 - number) / 1000.0;
        else
            for (; number > 1024; number--) weights[count++] = 0;
    }
    return count;
}

START_TEST(weights_come_back) {
    enum { COUNT = 9000 };
    double *weights = calloc(COUNT, sizeof *weights), *back = calloc(2 * COUNT, sizeof *back);
    bool failed = false;
    weights[0] = 1, weights[1] = 0.5, weights[3] = 0.0004, weights[4] = 0.0006;
    for (int i = 10; i < 50; i++) weights[i] = 1.0 / i;
    weights[60] = -0.25, weights[61] = -0.001;
    weights[8000] = 0.25; /* behind more zeros than one number tells */
    json_t *packed = sa_page_weights(weights, COUNT, &failed);
    ck_assert(!failed);
    ck_assert_uint_eq(unpack(packed, back), COUNT);
    for (int i = 0; i < COUNT; i++) ck_assert_double_le(fabs(weights[i] - back[i]), 0.0005 + 1e-12);
    ck_assert_double_eq(back[8000], 0.25);
    ck_assert_double_eq(back[4], 0.001);
    json_decref(packed);
    free(weights), free(back);
}
END_TEST

START_TEST(weights_are_packed_as_written_down) {
    const double weights[] = {1, 0, 0, 0, 0.063, 1.5, -1};
    bool failed = false;
    json_t *packed = sa_page_weights(weights, 7, &failed),
           *none = sa_page_weights(NULL, 0, &failed);
    ck_assert(!failed);
    /* 1000, 3 zeros, 63, 1000, -1000 */
    ck_assert_str_eq(json_string_value(packed), "PoQDA/Po/o");
    ck_assert_str_eq(json_string_value(none), "");
    json_decref(packed), json_decref(none);
}
END_TEST

/* ---- Names ----------------------------------------------------------------------------------- */

static const char *const page_names[][2] = {
    {"", ""},
    {"/", "/"},
    {"./", "."},
    {"out", "out"},
    {"out//", "out"},
    {"./out/", "out"},
    {"./././out", "out"},
    {"../out", "../out"},
    {".hidden", ".hidden"},
    {"/data/demo/best.safetensors", "demo/best"},
    {".safetensors", ".safetensors"},
    {"a/b/train.en,a/b/train.fr", "b/train.en,b/train.fr"},
    {",./x", ",x"},
};
enum { PAGE_NAMES = sizeof page_names / sizeof *page_names };

START_TEST(two_parts_of_a_path_are_shown) {
    char name[SA_PAGE_NAME];
    sa_page_name(page_names[_i][0], name);
    ck_assert_str_eq(name, page_names[_i][1]);
}
END_TEST

/* ---- Data ------------------------------------------------------------------------------------ */

static sa_html_report report;

static void report_of(size_t models) {
    sa_html_report_init(&report, "align", "title", models);
    sa_html_report_model(&report, "model", NULL, 0);
}

static const json_t *entry_of(size_t index, const char *field) {
    return json_object_get(json_array_get(report.matrices, index), field);
}

/* Adds a matrix whose heads all have the weights of the mean. */
static void add_matrix(size_t index, const char *target, int heads, const double *weight,
                       const char *method) {
    const char *const words[] = {target, "</s>"}, *const source[] = {"cat", "</s>"};
    double weights[4 * 4];
    sa_alignment alignment = {.targets = 2,
                              .sources = 2,
                              .heads = heads,
                              .layers = 1,
                              .target = words,
                              .source = source,
                              .weights = weights};
    for (int h = 0; h < heads; h++) alignment.method[h] = method;
    if (!method) alignment.method[0] = NULL;
    for (int i = 0; i < 4 * (heads + 1); i++) weights[i] = weight[i % 4];
    sa_html_report_matrix(&report, index, &alignment, NULL, 0);
}

static const double weight[] = {1, 0, 0.25, 0.75}, nothing[4];

START_TEST(a_fact_without_a_name_is_left_out) {
    report_of(1);
    sa_html_report_fact_file(&report, "train", "");
    sa_html_report_fact_file(&report, "valid", "a/b/c");
    const json_t *facts = json_object_get(report.data, "facts");
    ck_assert_uint_eq(json_array_size(facts), 1);
    ck_assert_str_eq(json_string_value(json_array_get(json_array_get(facts, 0), 1)), "b/c");
    sa_html_report_release(&report);
}
END_TEST

START_TEST(files_come_along) {
    sa_error error;
    static const char *const texts[] = {"", "step,loss\n1,2\n"};
    scratch_make();
    report_of(1);
    for (int i = 0; i < 2; i++) {
        scratch_write(scratch_path("log.csv"), texts[i], strlen(texts[i]));
        ck_assert(sa_html_report_add_file(&report, scratch, "log.csv", &error));
        const json_t *files = json_object_get(report.data, "files");
        ck_assert_str_eq(json_string_value(json_object_get(files, "log.csv")), texts[i]);
    }
    ck_assert(!sa_html_report_add_file(&report, scratch, "none.csv", &error));
    ck_assert_int_eq(error.code, SA_OPEN);
    sa_html_report_release(&report);
    scratch_remove();
}
END_TEST

/* Sentences come in their order; a model with other tokens shows its own. */
START_TEST(models_share_their_sentences) {
    static const char *const targets[][2] = {{"chat", "chien"}, {"chat", "loup"}};
    report_of(2);
    for (int m = 0; m < 2; m++) {
        if (m) sa_html_report_model(&report, "other", NULL, 0);
        add_matrix(0, targets[m][0], 1, weight, NULL);
        if (!m) add_matrix(2, "late", 1, weight, NULL);
        add_matrix(1, targets[m][1], 1, weight, NULL);
        ck_assert_uint_eq(json_array_size(report.matrices), 2);
    }
    ck_assert_uint_eq(json_array_size(report.sentences), 2);
    ck_assert_uint_eq(report.offered, 3);
    ck_assert_ptr_null(entry_of(0, "words"));
    const json_t *own = json_object_get(entry_of(1, "words"), "target");
    ck_assert_str_eq(json_string_value(json_array_get(own, 0)), "loup");
    sa_html_report_release(&report);
}
END_TEST

/* Roles are of the heads of one model: a pair with more heads, of another, has none. */
START_TEST(roles_are_of_one_model) {
    report_of(1);
    add_matrix(0, "chat", 2, weight, NULL);
    json_t *roles = json_deep_copy(json_object_get(report.model, "roles"));
    ck_assert_uint_eq(json_array_size(roles), 2);
    add_matrix(1, "chien", 3, weight, NULL);
    ck_assert(json_equal(json_object_get(report.model, "roles"), roles));
    ck_assert(!report.failed);
    json_decref(roles);
    sa_html_report_release(&report);
}
END_TEST

START_TEST(attributions_of_nothing_stay_nothing) {
    report_of(1);
    add_matrix(0, "chat", 1, nothing, "gradients");
    add_matrix(1, "chat", 1, weight, "gradients");
    for (size_t i = 0; i < 2; i++) {
        double back[4] = {9, 9, 9, 9};
        ck_assert_double_eq(json_number_value(json_array_get(entry_of(i, "scales"), 0)), (double)i);
        ck_assert_uint_eq(unpack(entry_of(i, "heads"), back), 4);
        ck_assert_mem_eq(back, i ? weight : nothing, sizeof back);
    }
    sa_html_report_release(&report);
}
END_TEST

/* Two layers of two heads with all that a sentence may have, a model with other words that shows
 * the second sentence only in part, and attributions. */
START_TEST(data_as_they_are_written) {
    static const char *const cat[] = {"the", "cat", "</s>"}, *const chat[] = {"chat", "</s>"},
                             *const cats[] = {"cats", "</s>"};
    static const sa_link gold[] = {{1, 0, false}, {0, 0, true}};
    static const double weights[7][6] = {{.25, .5, .25, 0, 0, 1}, /* mean */
                                         {0, 1, 0, 0, 0, 1},      /* of each head */
                                         {.5, 0, .5, 0, 0, 1},
                                         {0, 1, 0, 0, 0, 1}, /* of the first layer's heads */
                                         {1, 0, 0, 0, 0, 1},
                                         {0, 1, 0, .2, .3, .5},
                                         {0, 0, 1, 0, .0004, .9996}},
                        scores[] = {0, 0, 0, 0, -2, 1, .5, 0, 0, 0, 0, .1}, log_p[] = {-0.25, -1.5},
                        gate[] = {.875, .125};
    sa_settings settings;
    sa_settings_init(&settings);
    settings.seed = 3;
    sa_html_report_init(&report, "compare", "title", 3);
    sa_html_report_site(&report, SA_SITE_CROSS);
    sa_html_report_fact(&report, "train", "a.tsv");
    sa_html_report_model(&report, "heads", &settings, 2);
    json_object_clear(json_object_get(report.model, "settings")); /* those of every option */
    sa_alignment first = {.targets = 2,
                          .sources = 3,
                          .heads = 2,
                          .layers = 2,
                          .target = chat,
                          .source = cat,
                          .weights = *weights,
                          .log_probability = -1.75,
                          .token_log_probabilities = log_p,
                          .generation_probabilities = gate},
                 second = {.targets = 2,
                           .sources = 2,
                           .target = chat,
                           .source = cats,
                           .weights = (const double[]){.9, .1, 0, 1}};
    sa_html_report_matrix(&report, 0, &first, gold, 2);
    second.heads = second.layers = 1;
    sa_html_report_matrix(&report, 1, &second, NULL, 0);
    sa_html_report_model(&report, "other", NULL, 0);
    second.source = chat;
    sa_html_report_matrix(&report, 0, &first, gold, 2);
    sa_html_report_matrix(&report, 1, &second, NULL, 0);
    sa_html_report_model(&report, "methods", NULL, 0);
    second.heads = 2, second.source = cats, second.weights = scores;
    second.method[0] = "occlusion", second.method[1] = "norms";
    sa_html_report_matrix(&report, 1, &second, NULL, 0);
    json_object_del(report.data, "version");
    char *json = json_dumps(report.data, JSON_INDENT(1) | JSON_REAL_PRECISION(9));
    sa_buffer text = {0};
    sa_buffer_adds(&text, json), sa_buffer_adds(&text, "\n");
    expect_golden(&text, "page-data.json");
    free(json);
    sa_html_report_release(&report);
}
END_TEST

/* One head attends to the word itself, the other to the first, and in the next model the other way
 * around. */
START_TEST(roles_and_gaze_are_of_the_last_model) {
    enum { WORDS = 60, CELLS = WORDS * WORDS };
    static double weights[3 * CELLS]; /* the mean, and two heads */
    static char names[WORDS][16];
    const char *words[WORDS];
    for (int i = 0; i < WORDS; i++) {
        snprintf(names[i], sizeof names[i], "w%d", i);
        words[i] = names[i];
    }
    sa_html_report_init(&report, "align", "title", 2);
    sa_html_report_site(&report, SA_SITE_ENCODER);
    for (int m = 0; m < 2; m++) {
        for (int i = 0; i < CELLS; i++) {
            weights[i] = m;
            weights[(1 + m) * CELLS + i] = i / WORDS == i % WORDS;
            weights[(2 - m) * CELLS + i] = i % WORDS == 0;
        }
        sa_html_report_model(&report, "model", NULL, 0);
        sa_html_report_matrix(&report, 0,
                              &(sa_alignment){.targets = WORDS,
                                              .sources = WORDS,
                                              .heads = 2,
                                              .layers = 1,
                                              .target = words,
                                              .source = words,
                                              .weights = weights},
                              NULL, 0);
        const json_t *roles = json_object_get(report.model, "roles"),
                     *gaze = json_object_get(report.model, "gaze");
        ck_assert_str_eq(json_string_value(json_array_get(roles, (size_t)m)), "same");
        ck_assert_str_eq(json_string_value(json_array_get(roles, 1 - (size_t)m)), "first");
        ck_assert_double_eq(json_number_value(json_object_get(gaze, "zeros")), 1 - m);
    }
    sa_html_report_release(&report);
}
END_TEST

/* Those of `attend`: a row may be a slice of a longer one. */
START_TEST(steps_have_their_rows) {
    const sa_attend_step step = {.name = "Q",
                                 .formula = "X W_q'",
                                 .head = 4,
                                 .rows = 2,
                                 .cols = 1,
                                 .stride = 3,
                                 .numbers = (double[]){1, 9, 9, 2, 9, 9}};
    json_t *json = sa_page_step(&step),
           *wanted = json_pack("{s:s, s:s, s:i, s:[[f], [f]]}", "name", "Q", "formula", "X W_q'",
                               "head", 4, "numbers", 1.0, 2.0);
    ck_assert(json_equal(json, wanted));
    json_decref(json), json_decref(wanted);
}
END_TEST

/* Adds a matrix of uniform weights. */
static void add_large(size_t index, int targets, int sources, int heads) {
    const size_t numbers = (size_t)(heads + 1) * (size_t)targets * (size_t)sources;
    const int most = targets > sources ? targets : sources;
    const char **words = calloc((size_t)most, sizeof *words);
    double *weights = calloc(numbers, sizeof *weights);
    for (int i = 0; i < most; i++) words[i] = "a";
    for (size_t i = 0; i < numbers; i++) weights[i] = 0.5;
    sa_html_report_matrix(&report, index,
                          &(sa_alignment){.targets = targets,
                                          .sources = sources,
                                          .heads = heads,
                                          .layers = 1,
                                          .target = words,
                                          .source = words,
                                          .weights = weights},
                          NULL, 0);
    free(words), free(weights);
}

/* 2.4 million bytes of matrices for all models, and 1.2 million of single heads, of which a model
 * may take its share of what is left; a weight takes two. */
START_TEST(large_pages_leave_out) {
    report_of(1);
    add_large(0, 1000, 1199, 1), add_large(1, 1000, 1, 1), add_large(2, 1, 1, 1);
    ck_assert_uint_eq(json_array_size(report.sentences), 2);
    ck_assert_uint_eq(report.offered, 3);
    sa_html_report_release(&report);
    report_of(3);
    add_large(0, 1000, 100, 2), add_large(1, 1, 1, 2); /* 400,000 and 4 */
    ck_assert(entry_of(0, "heads") && !entry_of(1, "heads") && entry_of(1, "mean"));
    add_large(2, 1000, 400, 1); /* a third of the dense ones */
    ck_assert_uint_eq(json_array_size(report.sentences), 2);
    sa_html_report_model(&report, "other", NULL, 0);
    add_large(0, 1000, 99, 2), add_large(1, 1000, 1, 2), add_large(2, 1, 1, 2);
    ck_assert(entry_of(0, "heads") && entry_of(1, "heads"));
    sa_html_report_model(&report, "third", NULL, 0);
    add_large(0, 1000, 99, 2), add_large(1, 1000, 2, 2);
    ck_assert(entry_of(0, "heads") && !entry_of(1, "heads"));
    sa_html_report_release(&report);
}
END_TEST

/* ---- The page -------------------------------------------------------------------------------- */

START_TEST(a_page_shows_200_sentences_and_says_of_how_many) {
    for (size_t count = 200; count <= 202; count += 2) {
        sa_buffer page = {0};
        report_of(1);
        for (size_t i = 0; i < count; i++) add_matrix(i, "chat", 1, weight, NULL);
        ck_assert_uint_eq(json_array_size(report.sentences), 200);
        sa_html_report_write(&report, &page);
        ck_assert(!page.failed);
        const char *said = strstr(page.text, "\"sentences shown\",\"200 of ");
        if (count == 200)
            ck_assert_ptr_null(said);
        else
            ck_assert(said && strstr(said, "\"200 of 202\""));
        sa_buffer_release(&page);
    }
}
END_TEST

START_TEST(a_program_makes_a_page) {
    static const char *const source[] = {"the", "cat", "</s>"}, *const target[] = {"chat", "</s>"};
    const sa_alignment alignment = {.targets = 2,
                                    .sources = 3,
                                    .heads = 1,
                                    .layers = 1,
                                    .target = target,
                                    .source = source,
                                    .weights = (double[]){0, 1, 0, 0, 0, 1}};
    static const char *const parts[] = {"\"seeds\":[5]", "\"site\":\"decoder\"",
                                        "\"gold\":[[1,0,false]]"};
    sa_error error;
    sa_settings settings;
    sa_settings_init(&settings);
    settings.seed = 5;
    sa_page *page = sa_page_open("title", "model", &settings, &error);
    ck_assert_msg(page != NULL, "%s", error.text);
    ck_assert(sa_page_add_alignment(page, &alignment, SA_SITE_DECODER, "1-0", &error));
    ck_assert(!sa_page_add_alignment(page, &alignment, SA_SITE_DECODER, "1-1", &error));
    ck_assert_str_eq(error.text, "page:2: link 1-1 is beyond the sentence (2 and 1 tokens)");
    const char *html = sa_page_html(page, &error);
    ck_assert_ptr_nonnull(html);
    for (int i = 0; i < 3; i++)
        ck_assert_msg(strstr(html, parts[i]) != NULL, "the page has no %s", parts[i]);
    sa_page_close(page);
}
END_TEST

START_TEST(data_cannot_end_their_element) {
    sa_buffer page = {0};
    sa_page_write("{\"a\":\"</script><!--<script>&amp;\"}", &page);
    ck_assert(!page.failed);
    const char *data = strstr(page.text, "<script id=\"data\" type=\"application/json\">");
    ck_assert_ptr_nonnull(data);
    data = strchr(data, '>') + 1;
    data += strspn(data, " \n");
    const char *expected =
        "{\"a\":\"\\u003c/script\\u003e\\u003c!--\\u003cscript\\u003e\\u0026amp;\"}";
    ck_assert_mem_eq(data, expected, strlen(expected));
    data += strlen(expected);
    ck_assert_mem_eq(data + strspn(data, " \n"), "</script>", strlen("</script>"));
    sa_buffer_release(&page);
}
END_TEST

/* The names of SVG and MathML, and papers, which only a click opens. */
static bool is_known(const char *address) {
    static const char *const known[] = {
        "http://www.w3.org/2000/svg\"", "http://www.w3.org/1998/Math/MathML\"",
        "https://arxiv.org/abs/", "https://doi.org/10.", "https://www.evanmiller.org/attention"};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strncmp(address, known[i], strlen(known[i])) == 0) return true;
    return false;
}

START_TEST(page_is_whole_and_asks_for_nothing) {
    sa_buffer page = {0};
    static const char *const never[] = {
        "http:",          "https:", "src=",      "href=",
        "@import",        "url(",   "innerHTML", "insertAdjacentHTML",
        "document.write", "eval(",  "@data@",    "@script@"};
    sa_page_write("{}", &page);
    ck_assert(strncmp(page.text, "<!doctype html>\n", 16) == 0);
    ck_assert_str_eq(page.text + page.size - 8, "</html>\n");
    ck_assert_ptr_nonnull(strstr(page.text, "default-src 'none'; script-src 'sha256-"));
    for (size_t i = 0; i < sizeof never / sizeof *never; i++) {
        const char *found = strstr(page.text, never[i]);
        while (found && is_known(found)) found = strstr(found + 1, never[i]);
        ck_assert_msg(!found, "the page has '%s'", never[i]);
    }
    sa_buffer_release(&page);
}
END_TEST

int main(void) {
    TCase *tests;
    Suite *suite = suite_of("page", &tests);
    tcase_add_test(tests, weights_come_back);
    tcase_add_test(tests, weights_are_packed_as_written_down);
    tcase_add_loop_test(tests, two_parts_of_a_path_are_shown, 0, PAGE_NAMES);
    tcase_add_test(tests, a_fact_without_a_name_is_left_out);
    tcase_add_test(tests, files_come_along);
    tcase_add_test(tests, models_share_their_sentences);
    tcase_add_test(tests, roles_are_of_one_model);
    tcase_add_test(tests, attributions_of_nothing_stay_nothing);
    tcase_add_test(tests, data_as_they_are_written);
    tcase_add_test(tests, roles_and_gaze_are_of_the_last_model);
    tcase_add_test(tests, steps_have_their_rows);
    tcase_add_test(tests, large_pages_leave_out);
    tcase_add_test(tests, a_page_shows_200_sentences_and_says_of_how_many);
    tcase_add_test(tests, a_program_makes_a_page);
    tcase_add_test(tests, data_cannot_end_their_element);
    tcase_add_test(tests, page_is_whole_and_asks_for_nothing);
    return suite_run(suite);
}
