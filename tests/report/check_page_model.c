/* What a page has of a model: attention, losses and translations of the first sentences. */
#include "attention/score.h"
#include "report/html_report.h"
#include "support/small_training.h"
#include "support/suite.h"

#include <math.h>

static sa_pair pairs[] = {{.source = "w1 w2", .target = "v2 v1"},
                          {.source = "w3", .target = "v4 v4 v3"}};
static double log_probability[2];
static int targets[2];

static bool note_loss(void *context, size_t pair, const sa_alignment *alignment, sa_error *why) {
    (void)context, (void)why;
    log_probability[pair] = alignment->log_probability, targets[pair] = alignment->targets;
    return true;
}

START_TEST(a_page_translates_its_sentences) {
    char path[160];
    const sa_settings settings = small_settings();
    const sa_corpus corpus = {.name = "pairs", .pairs = pairs, .count = 2};
    const char *const texts[] = {pairs[0].source, pairs[1].source};
    sa_translation found[2] = {0};
    sa_search search;
    sa_html_report report;
    ck_assert_msg(train(&settings, false), "%s", error.text);
    snprintf(path, sizeof path, "%s/best.safetensors", out_path);
    sa_model *model = sa_model_open(path, 1, &error);
    ck_assert_msg(model != NULL, "%s", error.text);
    sa_search_init(&search);
    ck_assert(sa_translate(model, texts, 2, &search, found, &error));
    ck_assert(sa_align(model, &(sa_align_options){0}, pairs, 2, note_loss, NULL, &error));

    sa_html_report_init(&report, "align", "title", 1);
    sa_html_report_model(&report, "model", sa_model_settings(model), 0);
    ck_assert_msg(sa_html_report_align(&report, model, &corpus, &error), "%s", error.text);
    ck_assert_uint_eq(json_array_size(report.sentences), 2);
    ck_assert_uint_eq(json_array_size(report.matrices), 2);
    for (size_t i = 0; i < 2; i++) {
        const json_t *entry = json_array_get(report.matrices, i);
        const char *const reference = pairs[i].target, *const * references[] = {&reference};
        const char *const text = found[i].text;
        sa_metrics metrics = settings.metrics;
        sa_metric_values values;
        metrics.effective_order = true;
        ck_assert(sa_compute_metrics(&metrics, &text, references, 1, 1, &values, &error));
        ck_assert_str_eq(json_string_value(json_object_get(entry, "translation")), text);
        ck_assert_double_eq(json_number_value(json_object_get(entry, "bleu")), values.bleu);
        ck_assert_double_eq_tol(json_number_value(json_object_get(entry, "loss")),
                                -log_probability[i] / targets[i], 0.5001e-4);
        ck_assert_uint_eq(strlen(json_string_value(json_object_get(entry, "p"))),
                          2 * (size_t)targets[i]);
    }
    sa_html_report_release(&report);
    sa_translations_release(found, 2);
    sa_model_close(model);
}
END_TEST

/* Links of words are shown where tokens are words; one beyond the sentence is an error there. */
START_TEST(a_page_shows_the_links_of_words) {
    static const struct {
        const char *options, *gold;
        int shown; /* -1: it is an error */
    } rows[] = {{"", "0-1 1-0", 2}, {"", "0-1 1-2", -1}, {"tokenizer=space-bpe", "0-1 1-0", 0}};
    sa_settings settings = small_settings();
    sa_pair pair = {.source = "w1 w2", .target = "v2 v1", .line = 7};
    const sa_corpus corpus = {.name = "pairs", .pairs = &pair, .count = 1, .gold = true};
    sa_html_report report;
    char gold[16];
    pair.gold = strcpy(gold, rows[_i].gold);
    set_all(&settings, rows[_i].options);
    ck_assert_msg(train(&settings, false), "%s", error.text);
    sa_model *model = sa_model_open(last_path, 1, &error);
    ck_assert_msg(model != NULL, "%s", error.text);
    sa_html_report_init(&report, "align", "title", 1);
    sa_html_report_model(&report, "model", sa_model_settings(model), 0);
    const bool good = sa_html_report_align(&report, model, &corpus, &error);
    ck_assert_msg(good == (rows[_i].shown >= 0), "%s", error.text);
    if (good) {
        const json_t *links = json_object_get(json_array_get(report.sentences, 0), "gold");
        ck_assert_uint_eq(json_array_size(links), (size_t)rows[_i].shown);
    } else {
        ck_assert_int_eq(error.code, SA_DATA);
        ck_assert_str_eq(error.text, "pairs:7: link 1-2 is beyond the sentence (2 and 2 tokens)");
    }
    sa_html_report_release(&report);
    sa_model_close(model);
}
END_TEST

/* They change no result: the same pages on any machine. */
START_TEST(a_page_does_not_tell_of_threads) {
    sa_settings settings = small_settings();
    json_t *told[2];
    for (int k = 0; k < 2; k++) {
        sa_html_report report;
        settings.threads = 1 + 2 * k;
        sa_html_report_init(&report, "align", "title", 1);
        sa_html_report_model(&report, "model", &settings, 0);
        told[k] = json_incref(json_object_get(report.model, "settings"));
        sa_html_report_release(&report);
    }
    ck_assert_uint_gt(json_object_size(told[0]), 10);
    ck_assert(json_equal(told[0], told[1]));
    json_decref(told[0]), json_decref(told[1]);
}
END_TEST

START_TEST(a_page_names_the_seeds) {
    sa_settings settings = small_settings();
    sa_html_report report;
    settings.seed = 7;
    sa_html_report_init(&report, "compare", "title", 1);
    sa_html_report_model(&report, "model", &settings, 3);
    json_t *wanted = json_pack("[i, i, i]", 7, 8, 9);
    ck_assert(json_equal(json_object_get(report.model, "seeds"), wanted));
    json_decref(wanted);
    sa_html_report_release(&report);
}
END_TEST

/* Of these normalizers the weights of words may sum to less than 1; so may any without settings. */
START_TEST(a_page_tells_whether_there_is_a_null_key) {
    static const char *const with[] = {"null", "null-key", "sink", "stick-breaking", "softpick"};
    for (int k = -1; k < 0 || sa_normalizers[k].name; k++) {
        sa_settings settings = small_settings();
        sa_html_report report;
        bool wanted = k < 0;
        for (size_t i = 0; k >= 0 && i < sizeof with / sizeof *with; i++)
            wanted |= strcmp(sa_normalizers[k].name, with[i]) == 0;
        settings.normalizer = k;
        sa_html_report_init(&report, "align", "title", 1);
        sa_html_report_model(&report, "model", k < 0 ? NULL : &settings, 0);
        ck_assert_int_eq(json_is_true(json_object_get(report.model, "null_key")), wanted);
        sa_html_report_release(&report);
    }
}
END_TEST

int main(void) {
    TCase *tests;
    Suite *suite = suite_of("page_model", &tests);
    tcase_add_checked_fixture(tests, set_up, scratch_remove);
    tcase_add_test(tests, a_page_translates_its_sentences);
    tcase_add_loop_test(tests, a_page_shows_the_links_of_words, 0, 3);
    tcase_add_test(tests, a_page_does_not_tell_of_threads);
    tcase_add_test(tests, a_page_names_the_seeds);
    tcase_add_test(tests, a_page_tells_whether_there_is_a_null_key);
    return suite_run(suite);
}
