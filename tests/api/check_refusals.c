/* Wrong arguments to public functions: each is refused with its reason. */
#include "base/memory.h"
#include "support/small_training.h"
#include "support/suite.h"

static char model_path[160];

static sa_model *trained(const sa_settings *settings) {
    ck_assert_msg(train(settings, false), "%s", error.text);
    snprintf(model_path, sizeof model_path, "%s/best.safetensors", out_path);
    sa_model *model = sa_model_open(model_path, 1, &error);
    ck_assert_msg(model != NULL, "%s", error.text);
    return model;
}

static void refuse(bool good, sa_code code, const char *text) {
    ck_assert(!good);
    ck_assert_str_eq(error.text, text);
    ck_assert_int_eq(error.code, code);
}

static bool together(sa_model *const *models, int number, const sa_search *search) {
    sa_translation out = {0};
    const char *const source = "w1 w0";
    const bool good = sa_translate_ensemble(models, number, &source, 1, search, &out, &error);
    sa_translations_release(&out, 1);
    return good;
}

/* ---- Translating ----------------------------------------------------------------------------- */

START_TEST(models_that_cannot_translate_together) {
    sa_search search;
    sa_settings settings = small_settings();
    sa_search_init(&search);
    sa_model *models[20] = {trained(&settings)};
    settings.seed = 2;
    models[1] = trained(&settings);
    settings.lowercase = true;
    models[2] = trained(&settings);
    settings.min_freq = 2;
    models[3] = trained(&settings);
    ck_assert_msg(together(models, 2, &search), "%s", error.text);
    refuse(together(models, 3, &search), SA_USAGE,
           "model 3 uses a different tokenizer than model 1");
    sa_model_close(models[2]);
    models[2] = models[3];
    refuse(together(models, 3, &search), SA_USAGE,
           "model 3 has different target words from model 1");
    refuse(together(NULL, 0, &search), SA_USAGE, "0 models: 1 to 16 translate together");
    refuse(together(models, 17, &search), SA_USAGE, "17 models: 1 to 16 translate together");
    sa_model_close(models[0]), sa_model_close(models[1]), sa_model_close(models[3]);
}
END_TEST

START_TEST(searches_that_make_no_sense) {
    sa_search search;
    sa_settings settings = small_settings();
    sa_search_init(&search);
    ck_assert(sa_settings_set(&settings, "decoder", "fixed", &error));
    sa_model *model = trained(&settings);
    search.nbest = 3;
    refuse(together(&model, 1, &search), SA_USAGE, "the n-best list (3) must be 1 to the beam (1)");
    search.nbest = 1, search.replace_unknown = true;
    refuse(together(&model, 1, &search), SA_USAGE,
           "replacing unknown words requires a model with attention; its decoder is 'fixed'");
    search.replace_unknown = false, search.coverage = 0.5;
    refuse(together(&model, 1, &search), SA_USAGE,
           "the coverage penalty requires a model with attention; its decoder is 'fixed'");
    sa_model_close(model);
}
END_TEST

/* ---- Averaging ------------------------------------------------------------------------------- */

/* Trains on pairs of these two words only, and keeps the model. */
static void learn_words(const char *from, const char *to, const char *name) {
    const sa_settings settings = small_settings();
    sa_buffer text = {0};
    for (int i = 0; i < 9; i++) sa_buffer_addf(&text, "%s\t%s\n%s\t%s\n", from, to, from, to);
    scratch_write(train_path, text.text, text.size);
    sa_buffer_release(&text);
    ck_assert_msg(train(&settings, false), "%s", error.text);
    ck_assert_int_eq(rename(last_path, name), 0);
}

START_TEST(models_of_other_words_have_no_mean) {
    const char *const files[] = {scratch_path("one"), scratch_path("source"),
                                 scratch_path("target")},
                      *const mean = scratch_path("mean");
    learn_words("a b", "c d", files[0]);
    learn_words("a e", "c d", files[1]);
    learn_words("a b", "c e", files[2]);
    for (int i = 1; i < 3; i++) {
        const char *const two[] = {files[0], files[i]};
        char message[512];
        snprintf(message, sizeof message, "'%s' has a different vocabulary from '%s'", two[1],
                 two[0]);
        refuse(sa_average_models(two, 2, mean, &error), SA_USAGE, message);
        ck_assert(access(mean, F_OK) != 0);
    }
}
END_TEST

/* ---- Sentences that are too long --------------------------------------------------------------
 */

static bool ignore(void *context, size_t index, const sa_alignment *alignment, sa_error *reason) {
    (void)index, (void)alignment, (void)reason;
    *(bool *)context = true;
    return true;
}

static void ignore_value(void *context, const sa_explain_pair *pair,
                         const sa_explain_value *value) {
    (void)pair, (void)value;
    *(bool *)context = true;
}

START_TEST(sentences_that_are_too_long) {
    sa_settings settings = small_settings();
    sa_model *model = trained(&settings);
    sa_pair pairs[] = {{.source = "w1 w0", .target = "w1", .line = 1},
                       {.source = "w1", .target = "w1 w1 w0", .line = 2},
                       {.source = "w1 w0 w1", .target = "w1", .line = 3}};
    const sa_corpus corpus = {.pairs = pairs, .count = 3, .name = "x.tsv"};
    const char *const sources[] = {pairs[0].source, pairs[2].source, pairs[1].source};
    sa_translation out[3];
    sa_sentence_result results[3];
    sa_search search;
    sa_search_init(&search);
    bool called = false;
    ck_assert(sa_model_set_max_len(model, 2, &error));
    refuse(sa_align(model, NULL, pairs, 3, ignore, &called, &error), SA_LIMIT,
           "line 2: the target has 3 tokens, more than --max-len 2");
    refuse(sa_evaluate(model, &corpus, &search, NULL, results, &error), SA_LIMIT,
           "x.tsv:2: the target has 3 tokens, more than --max-len 2");
    sa_explain_options job = {
        .source = "w1 w0 w1", .step = 1, .each = ignore_value, .context = &called};
    refuse(sa_explain(model, &job, &error), SA_LIMIT,
           "the source has 3 tokens, more than --max-len 2");
    ck_assert(!called); /* the first pair was not aligned, either */
    ck_assert_msg(sa_translate(model, sources, 3, &search, out, &error), "%s", error.text);
    ck_assert(!out[0].too_long && out[0].words && !out[2].too_long && out[2].words);
    ck_assert(out[1].too_long && !out[1].complete && out[1].source_words == 3);
    ck_assert_str_eq(out[1].text, "");
    sa_translations_release(out, 3);
    ck_assert(sa_model_set_max_len(model, 3, &error));
    ck_assert(sa_align(model, NULL, pairs, 3, ignore, &called, &error) && called);
    sa_model_close(model);
}
END_TEST

START_TEST(texts_that_are_not_utf8) {
    sa_settings settings = small_settings();
    sa_model *model = trained(&settings);
    const char *const sources[] = {"w1 w0", "w1 \xe9 w0"}; /* in Latin-1 */
    sa_pair pair = {.source = "w1", .target = "\xff"};
    const sa_corpus corpus = {.pairs = &pair, .count = 1, .name = "x.tsv"};
    sa_translation out[2];
    sa_sentence_result result;
    sa_metric_values values;
    sa_metrics metrics;
    sa_search search;
    sa_search_init(&search);
    sa_metrics_init(&metrics);
    refuse(sa_translate(model, sources, 2, &search, out, &error), SA_USAGE,
           "'sources[1]' is not UTF-8 at byte 4: 0xE9");
    bool called = false;
    refuse(sa_align(model, NULL, &pair, 1, ignore, &called, &error), SA_USAGE,
           "'pairs[0].target' is not UTF-8 at byte 1: 0xFF");
    refuse(sa_evaluate(model, &corpus, &search, NULL, &result, &error), SA_USAGE,
           "'corpus[0].target' is not UTF-8 at byte 1: 0xFF");
    const char *const *references = sources;
    refuse(sa_compute_metrics(&metrics, sources, &references, 1, 2, &values, &error), SA_USAGE,
           "'hypotheses[1]' is not UTF-8 at byte 4: 0xE9");
    sa_model_close(model);
}
END_TEST

/* Calls check the options of their parts, too: override, dictionary, alignment, metrics. */
START_TEST(options_that_there_are_not) {
    sa_settings settings = small_settings();
    sa_model *model = trained(&settings);
    sa_pair pair = {.source = "w1 w0", .target = "w1", .line = 1};
    const sa_corpus corpus = {.pairs = &pair, .count = 1, .name = "x.tsv"}, nameless = {0};
    sa_sentence_result result;
    sa_eval_result scores;
    sa_diagnosis diagnosis;
    sa_metrics metrics;
    sa_link_options linking;
    sa_search search;
    sa_search_init(&search), sa_metrics_init(&metrics), sa_link_options_init(&linking);
    search.override.kind = SA_OVERRIDE_EXPECTED + 1;
    refuse(together(&model, 1, &search), SA_USAGE, "'override.kind' is 7: expected 0 to 6");
    refuse(sa_evaluate(model, &corpus, &search, NULL, &result, &error), SA_USAGE,
           "'override.kind' is 7: expected 0 to 6");
    search.override.kind = SA_OVERRIDE_NONE, search.dictionary = &nameless;
    refuse(together(&model, 1, &search), SA_USAGE, "'dictionary->name' is NULL");
    search.dictionary = NULL, search.nbest = 0;
    refuse(together(&model, 1, &search), SA_USAGE, "'nbest' is 0: expected 1 to 1000");
    search.nbest = 1, linking.at = SA_ALIGN_INPUT;
    refuse(sa_evaluate(model, &corpus, &search, &linking, &result, &error), SA_USAGE,
           "--align-at input needs a Transformer, luong or cgru");
    ck_assert(sa_evaluate(model, &corpus, &search, NULL, &result, &error));
    metrics.chrf_order = 0;
    refuse(sa_eval_summarize(&metrics, &corpus, &result, NULL, 1, &scores, &error), SA_USAGE,
           "--chrf-order '0': expected a whole number from 1 to 12");
    refuse(sa_diagnose(model, &corpus, &result, &nameless, &diagnosis, &error), SA_USAGE,
           "'train->name' is NULL");
    settings.max_len = -1;
    ck_assert_ptr_null(sa_aligner_train(&corpus, &settings, NULL, NULL, NULL, &error));
    ck_assert_str_eq(error.text, "--max-len '-1': expected a whole number from 1 to 1000");
    sa_sentence_results_release(&result, 1);
    sa_model_close(model);
}
END_TEST

/* ---- Attending ------------------------------------------------------------------------------- */

START_TEST(attention_that_there_is_not) {
    sa_attend_result attended;
    sa_attend_options job = {.attention = -1, .heads = 1};
    refuse(sa_attend(&job, &attended, &error), SA_USAGE, "there is no attention score -1");
    job.attention = 99;
    refuse(sa_attend(&job, &attended, &error), SA_USAGE, "there is no attention score 99");
    job.attention = 0, job.positions = SA_POSITIONS_LEARNED;
    refuse(sa_attend(&job, &attended, &error), SA_USAGE,
           "--positions learned: there is no model that learned them");
    job.positions = 0, job.heads = 0;
    refuse(sa_attend(&job, &attended, &error), SA_USAGE, "--heads 0: at least 1");
}
END_TEST

int main(void) {
    TCase *tests;
    Suite *suite = suite_of("refusals", &tests);
    tcase_add_checked_fixture(tests, set_up, scratch_remove);
    tcase_set_timeout(tests, 20);
    tcase_add_test(tests, models_that_cannot_translate_together);
    tcase_add_test(tests, searches_that_make_no_sense);
    tcase_add_test(tests, models_of_other_words_have_no_mean);
    tcase_add_test(tests, sentences_that_are_too_long);
    tcase_add_test(tests, texts_that_are_not_utf8);
    tcase_add_test(tests, options_that_there_are_not);
    tcase_add_test(tests, attention_that_there_is_not);
    return suite_run(suite);
}
