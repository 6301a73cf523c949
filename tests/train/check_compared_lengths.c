/* What a comparison keeps of the length of sentences and of chance: for each band of source lengths
 * the number of sentences, their BLEU and its interval, and BLEU of samples of all sentences. */
#include "base/json.h"
#include "inference/model.h"
#include "metrics/metrics.h"
#include "support/small_training.h"
#include "support/suite.h"

#include <math.h>
#include <stdlib.h>

enum { SAMPLES = 1000, PAIRS = 8 };

/* Source lengths on both sides of the ends of bands; the last pair is not among those that are
 * trained on. */
static const char *const sources[PAIRS] = {"a",
                                           "b c",
                                           "c d e",
                                           "d e a b c",
                                           "e d c b a e",
                                           "a b c d e a b c d e",
                                           "a a b b c c d d e e a",
                                           "b b b a a a e e"};
static const int words[PAIRS] = {1, 2, 3, 5, 6, 10, 11, 8};
static const struct {
    const char *name;
    int least, most, pairs;
} bands[] = {{"1-2", 1, 2, 2},     {"3-5", 3, 5, 2},     {"6-10", 6, 10, 3},
             {"11-15", 11, 15, 1}, {"16-20", 16, 20, 0}, {"41+", 41, 1000, 0}};
enum { BANDS = sizeof bands / sizeof *bands };

static sa_settings settings;
static json_t *record;
static sa_metric_stats stats[PAIRS]; /* of the translations */

/* A target is its source. */
static void write_pairs(const char *path, int count) {
    sa_buffer text = {0};
    for (int i = 0; i < count; i++) sa_buffer_addf(&text, "%s\t%s\n", sources[i], sources[i]);
    scratch_write(path, text.text, text.size);
    sa_buffer_release(&text);
}

/* Compares a single model, and translates with it. */
static void train_model(void) {
    char test_path[128], path[192];
    sa_compare_result result;
    set_up();
    strcpy(test_path, scratch_path("test.tsv"));
    write_pairs(train_path, PAIRS - 1), write_pairs(test_path, PAIRS);
    settings = small_settings();
    set_all(&settings, "embed=16 hidden=16 attn=16 maxout=16 lr=0.03 steps=60 valid-every=20");
    const sa_compare_options options = {.train = train_path,
                                        .valid = train_path,
                                        .test = test_path,
                                        .models = "bahdanau",
                                        .out = out_path,
                                        .settings = &settings,
                                        .seeds = 1};
    ck_assert_msg(sa_compare(&options, &result, &error), "%s", error.text);
    sa_compare_result_release(&result);
    snprintf(path, sizeof path, "%s/bahdanau-s1/run.json", out_path);
    record = json_load_file(path, 0, NULL);
    snprintf(path, sizeof path, "%s/bahdanau-s1/best.safetensors", out_path);
    sa_model *model = sa_model_open(path, 1, &error);
    ck_assert_msg(model != NULL, "%s", error.text);
    sa_translation found[PAIRS] = {0};
    sa_search search;
    sa_search_init(&search);
    search.beam = 1;
    ck_assert(sa_translate(model, sources, PAIRS, &search, found, &error));
    for (int i = 0; i < PAIRS; i++)
        ck_assert(sa_metric_stats_compute(&stats[i], &settings.metrics, found[i].text, &sources[i],
                                          1, &error));
    sa_translations_release(found, PAIRS);
    sa_model_close(model);
}

static void close_all(void) {
    json_decref(record);
    record = NULL;
    scratch_remove();
}

/* BLEU of samples of those pairs. */
static double *samples_of(const sa_metric_stats *some, int count) {
    const sa_resampling resampling = {SAMPLES, 1};
    double *values =
        sa_bootstrap_values(some, (size_t)count, &settings.metrics, &resampling, &error);
    ck_assert_ptr_nonnull(values);
    return values;
}

static void number_is(const json_t *value, double wanted, const char *what) {
    ck_assert_msg(json_is_number(value) && fabs(json_number_value(value) - wanted) <= 1e-4,
                  "%s: %g, not %g", what, json_number_value(value), wanted);
}

static int ascending(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* 25 of 1000 samples lie below an interval of 95 %, and 25 above it. */
START_TEST(each_band_has_its_sentences) {
    const json_t *by_length = json_object_get(record, "by_length");
    int wide = 0;
    for (int k = 0; k < BANDS; k++) {
        const json_t *band = json_object_get(by_length, bands[k].name);
        sa_metric_stats own[PAIRS], sum = {0};
        int count = 0;
        for (int i = 0; i < PAIRS; i++) {
            if (words[i] < bands[k].least || words[i] > bands[k].most) continue;
            own[count++] = stats[i];
            sa_metric_stats_add(&sum, &stats[i]);
        }
        ck_assert_int_eq(count, bands[k].pairs);
        ck_assert_int_eq(band != NULL, count > 0);
        if (!count) continue;
        double *values = samples_of(own, count);
        qsort(values, SAMPLES, sizeof *values, ascending);
        number_is(json_object_get(band, "sentences"), count, bands[k].name);
        number_is(json_object_get(band, "bleu"), sa_bleu_value(&sum.bleu, &settings.metrics),
                  bands[k].name);
        number_is(json_object_get(band, "low"), values[25], bands[k].name);
        number_is(json_object_get(band, "high"), values[SAMPLES - 26], bands[k].name);
        wide += values[25] < values[SAMPLES - 26];
        free(values);
    }
    ck_assert_int_eq(json_object_size(by_length), 4);
    ck_assert_int_ge(wide, 1);
}
END_TEST

START_TEST(samples_are_of_all_sentences) {
    const json_t *samples = json_object_get(record, "samples");
    double *wanted = samples_of(stats, PAIRS);
    ck_assert_uint_eq(json_array_size(samples), SAMPLES);
    for (size_t i = 0; i < SAMPLES; i++)
        number_is(json_array_get(samples, i), wanted[i], "a sample");
    ck_assert_double_ne(wanted[0], wanted[1]);
    free(wanted);
}
END_TEST

int main(void) {
    TCase *tests;
    Suite *suite = suite_of("compared_lengths", &tests);
    tcase_add_unchecked_fixture(tests, train_model, close_all);
    tcase_add_test(tests, each_band_has_its_sentences);
    tcase_add_test(tests, samples_are_of_all_sentences);
    return suite_run(suite);
}
