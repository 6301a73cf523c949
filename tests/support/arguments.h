/* arguments: one of everything that public functions are given, good as it is. */
#ifndef TEST_ARGUMENTS_H
#define TEST_ARGUMENTS_H

#include "support/small_training.h"
#include "support/suite.h"

#include <stdlib.h>

static sa_model *model;
static sa_model *models[1];
static sa_corpus corpus;
static char model_path[160], new_path[160], compare_path[160];
static const char *paths[1] = {model_path};
static const char *texts[1] = {"w1 w0"};
static const char *const *references[1] = {texts};
static sa_settings settings;
static sa_search search;
static sa_metrics metrics;
static sa_link_options linking;
static sa_align_options aligning;
static sa_sentence_result *results;
static size_t chosen[1];
static const double numbers[4] = {1, 2, 3, 4};
static sa_attend_options attending;
static sa_explain_options explaining;
static sa_gradcheck_options checking;
static sa_prove_options proving;
static sa_train_options training;
static const char *words[2] = {"a@@", "b"};
static const double weights[4] = {0.5, 0.5, 0.5, 0.5};
static sa_alignment alignment;
static sa_page *page;
static sa_compare_options comparing;

/* What they fill in. */
static sa_translation translation;
static sa_metric_values values;
static sa_eval_result summary;
static sa_diagnosis diagnosis;
static sa_attend_result attended;
static sa_train_result trained;
static sa_compare_result compared;

static inline void take_value(void *context, const sa_explain_pair *pair,
                              const sa_explain_value *value) {
    (void)context, (void)pair, (void)value;
}

static inline bool take_alignment(void *context, size_t index, const sa_alignment *one,
                                  sa_error *why) {
    (void)context, (void)index, (void)one, (void)why;
    return true;
}

static bool (*each)(void *, size_t, const sa_alignment *, sa_error *) = take_alignment;

/* Once, for all tests of a program: a fixture for tcase_add_unchecked_fixture. */
static inline void train_once(void) {
    set_up();
    settings = small_settings();
    settings.steps = 2;
    ck_assert_msg(train(&settings, false), "%s", error.text);
    snprintf(model_path, sizeof model_path, "%s/best.safetensors", out_path);
}

/* Before each test, which has names of its own for what it writes. */
static inline void prepare(void) {
    static int number;
    char name[40];
    snprintf(name, sizeof name, "new-%d-%d", (int)getpid(), ++number);
    strcpy(new_path, scratch_path(name));
    snprintf(name, sizeof name, "compared-%d-%d", (int)getpid(), number);
    strcpy(compare_path, scratch_path(name));
    model = models[0] = sa_model_open(model_path, 1, &error);
    ck_assert_msg(model && sa_corpus_open(&corpus, train_path, &error), "%s", error.text);
    sa_search_init(&search), sa_metrics_init(&metrics), sa_link_options_init(&linking);
    results = calloc(corpus.count, sizeof *results);
    ck_assert_msg(sa_evaluate(model, &corpus, &search, NULL, results, &error), "%s", error.text);
    const sa_table table = {.name = "t", .rows = 2, .cols = 2, .numbers = numbers};
    attending = (sa_attend_options){.heads = 1, .query = table, .keys = table, .values = table};
    explaining = (sa_explain_options){.source = texts[0], .each = take_value};
    checking = (sa_gradcheck_options){.settings = &settings};
    proving = (sa_prove_options){.corpus = &corpus, .limit = 1};
    training = (sa_train_options){.settings = &settings, .train = train_path, .out = new_path};
    comparing = (sa_compare_options){.train = train_path,
                                     .test = train_path,
                                     .models = "fixed",
                                     .out = compare_path,
                                     .settings = &settings,
                                     .seeds = 1};
    page = sa_page_open("title", "model", &settings, &error);
    ck_assert_ptr_nonnull(page);
    alignment = (sa_alignment){.targets = 2,
                               .sources = 2,
                               .heads = 1,
                               .layers = 1,
                               .target = words,
                               .source = words,
                               .weights = weights};
}

static inline void finish(void) {
    sa_sentence_results_release(results, corpus.count);
    free(results);
    sa_page_close(page);
    sa_model_close(model);
    sa_corpus_close(&corpus);
}

/* The function failed with SA_USAGE, and its message has the name. */
static inline void expect_usage(bool good, const char *name, const char *what) {
    ck_assert_msg(!good, "%s: accepted", what);
    ck_assert_msg(error.code == SA_USAGE && strstr(error.text, name), "%s: %d '%s', no '%s'", what,
                  (int)error.code, error.text, name);
}

#endif
