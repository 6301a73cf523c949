/* Every choice and number of the public functions out of its range, and impossible counts: the
 * answer is SA_USAGE and names the field. */
#include "support/arguments.h"

#include <limits.h>
#include <math.h>

/* ---- Fields ---------------------------------------------------------------------------------- */

static int threads, count_of_models, max_len, precision, site;

static bool do_translate(void) {
    return sa_translate(model, texts, 1, &search, &translation, &error);
}
static bool do_metrics(void) {
    return sa_compute_metrics(&metrics, texts, references, 1, 1, &values, &error);
}
static bool do_evaluate(void) {
    return sa_evaluate(model, &corpus, &search, &linking, results, &error);
}
static bool do_gradients(void) {
    return sa_check_gradients(&checking, &error);
}
static bool do_train(void) {
    return sa_train(&training, &trained, &error);
}
static bool do_align(void) {
    return sa_align(model, &aligning, corpus.pairs, 1, each, NULL, &error);
}
static sa_aligner_options align_words = {.iterations = 1};
static bool do_align_words(void) {
    sa_aligner *one = sa_aligner_train(&corpus, NULL, &align_words, NULL, NULL, &error);
    sa_aligner_free(one);
    return one;
}
static bool do_attend(void) {
    return sa_attend(&attending, &attended, &error);
}
static bool do_annotate(void) {
    explaining.annotations = true;
    return sa_explain(model, &explaining, &error);
}
static bool do_explain(void) {
    return sa_explain(model, &explaining, &error);
}
static bool do_prove(void) {
    return sa_prove(model, &proving, &error);
}
static bool do_open(void) {
    sa_model *one = sa_model_open(model_path, threads, &error);
    sa_model_close(one);
    return one;
}
static bool do_max_len(void) {
    return sa_model_set_max_len(model, max_len, &error);
}
static bool do_precision(void) {
    return sa_model_set_precision(model, precision, &error);
}
static bool do_average(void) {
    return sa_average_models(paths, count_of_models, new_path, &error);
}
static bool do_ensemble(void) {
    return sa_translate_ensemble(models, count_of_models, texts, 1, &search, &translation, &error);
}

static bool do_compare(void) {
    return sa_compare(&comparing, &compared, &error);
}
static bool do_show(void) {
    return sa_page_add_alignment(page, &alignment, (sa_attention_site)site, NULL, &error);
}

/* Puts numbers out of range into a field; the function that reads it must name it. */
static void expect_refused(void *field, sa_option_kind kind, double min, double max,
                           bool (*function)(void), const char *name) {
    const double wrong[] = {min - 1, max + 1, INT_MIN, INT_MAX};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        if (wrong[i] >= min && wrong[i] <= max) continue;
        double saved_real, real = wrong[i];
        int64_t saved_long, whole = (int64_t)wrong[i];
        int saved_int, integer = (int)fmax(INT_MIN, fmin(wrong[i], INT_MAX));
        void *saved = kind == SA_OPTION_REAL    ? (void *)&saved_real
                      : kind == SA_OPTION_INT64 ? (void *)&saved_long
                                                : (void *)&saved_int;
        const void *number = kind == SA_OPTION_REAL    ? (const void *)&real
                             : kind == SA_OPTION_INT64 ? (const void *)&whole
                                                       : (const void *)&integer;
        const size_t size = kind == SA_OPTION_REAL    ? sizeof real
                            : kind == SA_OPTION_INT64 ? sizeof whole
                                                      : sizeof integer;
        if (size == sizeof integer && (wrong[i] < INT_MIN || wrong[i] > INT_MAX)) continue;
        memcpy(saved, field, size);
        memcpy(field, number, size);
        error = (sa_error){0};
        expect_usage(function(), name, name);
        memcpy(field, saved, size);
    }
}

static const struct options {
    const sa_option *(*option)(size_t i);
    void *fields;
    bool (*function)(void);
} tables[] = {
    {sa_settings_option, &settings, do_gradients},     {sa_settings_option, &settings, do_train},
    {sa_search_option, &search, do_translate},         {sa_search_option, &search, do_evaluate},
    {sa_metrics_option, &metrics, do_metrics},         {sa_link_option, &linking, do_evaluate},
    {sa_aligner_option, &align_words, do_align_words},
};

START_TEST(options_out_of_range_are_named) {
    const struct options *table = &tables[_i];
    const sa_option *row;
    for (size_t i = 0; (row = table->option(i)); i++) {
        if (row->kind == SA_OPTION_SWITCH || row->kind == SA_OPTION_TEXT) continue;
        double max = row->max, min = row->min;
        if (row->kind == SA_OPTION_CHOICE) {
            min = max = 0;
            while (sa_option_choice(row, (size_t)max + 1)) max++;
        }
        expect_refused((char *)table->fields + row->offset, row->kind, min, max, table->function,
                       row->name);
    }
}
END_TEST

static int position;

static bool do_diagnose_position(void) {
    results[0].details->balance.over = (sa_source_coverage){position, 9, 0};
    results[0].details->balance.words = 60, results[0].details->balance.reference = 2;
    results[0].details->balance.repeated = 50;
    return sa_diagnose(model, &corpus, results, NULL, &diagnosis, &error);
}

static const struct field {
    const char *name;
    void *field;
    int min, max;
    bool (*function)(void);
} fields[] = {
    {"attention", &attending.attention, SA_ATTENTION_ADDITIVE, SA_ATTENTION_LINEAR, do_attend},
    {"heads", &attending.heads, 1, INT_MAX, do_attend},
    {"positions", &attending.positions, SA_POSITIONS_NONE, SA_POSITIONS_FORGETTING, do_attend},
    {"--self", &attending.query.rows, 1, INT_MAX, do_attend},
    {"--self", &attending.values.cols, 1, INT_MAX, do_attend},
    {"site", &aligning.site, SA_SITE_CROSS, SA_SITE_CROSS, do_align},
    {"layer", &aligning.layer, 0, 1, do_align},
    {"override.kind", &aligning.override.kind, SA_OVERRIDE_NONE, SA_OVERRIDE_EXPECTED, do_align},
    {"override.kind", &search.override.kind, SA_OVERRIDE_NONE, SA_OVERRIDE_EXPECTED, do_translate},
    {"nbest", &search.nbest, 1, 1000, do_translate},
    {"threads", &threads, 0, 256, do_open},
    {"max_len", &max_len, 1, 1000000, do_max_len},
    {"precision", &precision, SA_PRECISION_FLOAT32, SA_PRECISION_BF16, do_precision},
    {"model", &count_of_models, 1, INT_MAX, do_average},
    {"models", &count_of_models, 1, 16, do_ensemble},
    {"site", &site, SA_SITE_CROSS, SA_SITE_PREFIX, do_show},
    {"seeds", &comparing.seeds, 1, INT_MAX, do_compare},
    {"step", &explaining.step, 0, 1000, do_explain},
    {"site", &explaining.site, SA_SITE_CROSS, SA_SITE_ENCODER, do_explain},
    {"site", &explaining.site, SA_SITE_ENCODER, SA_SITE_DECODER, do_annotate},
    {"limit", &proving.limit, 1, INT_MAX, do_prove},
    {"position", &position, INT_MIN, 2, do_diagnose_position},
};
enum { FIELDS = sizeof fields / sizeof *fields };

START_TEST(fields_out_of_range_are_named) {
    const struct field *one = &fields[_i];
    expect_refused(one->field, SA_OPTION_INT, one->min, one->max, one->function, one->name);
}
END_TEST

/* Functions that cannot fail. */
START_TEST(odd_settings_have_no_null_key) {
    const int odd[] = {-1, 99, INT_MIN, INT_MAX};
    sa_settings nulled;
    sa_settings_init(&nulled);
    ck_assert(!sa_settings_has_null_key(&nulled));
    nulled.normalizer = SA_NORMALIZER_NULL;
    ck_assert(sa_settings_has_null_key(&nulled));
    for (int i = 0; i < 4; i++) {
        sa_settings one = nulled, other = nulled;
        one.normalizer = odd[i], other.attention = odd[i];
        ck_assert(!sa_settings_has_null_key(&one) && !sa_settings_has_null_key(&other));
    }
}
END_TEST

START_TEST(odd_settings_have_no_attention) {
    const int odd[] = {-1, 99, INT_MIN, INT_MAX};
    for (int i = 0; i < 4; i++) {
        sa_settings one = settings, other = settings;
        one.decoder = odd[i], other.model = odd[i];
        ck_assert(!sa_settings_has_attention(&one) && !sa_settings_has_attention(&other));
        ck_assert_ptr_null(sa_alignment_weights(&alignment, odd[i], 0));
        ck_assert_ptr_null(sa_alignment_weights(&alignment, 0, odd[i]));
    }
}
END_TEST

/* ---- Counts ---------------------------------------------------------------------------------- */

START_TEST(counts_are_bounded) {
    const size_t odd[] = {SIZE_MAX, SIZE_MAX / 2, (size_t)INT_MAX + 1};
    for (int i = 0; i < 3; i++) {
        const size_t n = odd[i];
        sa_corpus many = corpus;
        many.count = n;
        expect_usage(sa_translate(model, texts, n, &search, &translation, &error), "sources", "n");
        expect_usage(sa_align(model, NULL, corpus.pairs, n, each, NULL, &error), "pairs", "n");
        expect_usage(sa_compute_metrics(&metrics, texts, references, 1, n, &values, &error),
                     "hypotheses", "n");
        expect_usage(sa_compute_metrics(&metrics, texts, references, n, 1, &values, &error),
                     "reference_count", "n");
        expect_usage(sa_evaluate(model, &many, &search, NULL, results, &error), "corpus", "n");
        expect_usage(sa_eval_summarize(NULL, &corpus, results, NULL, n, &summary, &error),
                     "results", "n");
        training.snapshot_pairs = corpus.pairs, training.snapshot_count = n;
        expect_usage(do_train(), "snapshot_pairs", "n");
    }
    const char *prefixes[] = {NULL, "x"};
    sa_sentence_results_release(results, corpus.count);
    search.target_prefix = prefixes;
    expect_usage(do_translate(), "target_prefix", "prefix NULL");
    expect_usage(do_evaluate(), "target_prefix", "prefix NULL");
    prefixes[0] = "\xff";
    expect_usage(do_translate(), "target_prefix", "prefix not UTF-8");
    search.target_prefix = NULL;
    chosen[0] = corpus.count;
    expect_usage(sa_eval_summarize(NULL, &corpus, results, chosen, 1, &summary, &error), "chosen",
                 "chosen");
    chosen[0] = 0;
}
END_TEST

START_TEST(nothing_is_little_work) {
    sa_corpus none = {.name = "none"};
    ck_assert(sa_translate(model, NULL, 0, &search, NULL, &error));
    ck_assert(sa_align(model, NULL, NULL, 0, each, NULL, &error));
    ck_assert(sa_compute_metrics(&metrics, NULL, references, 1, 0, &values, &error));
    ck_assert(sa_evaluate(model, &none, &search, NULL, NULL, &error));
    ck_assert(sa_eval_summarize(NULL, &none, NULL, NULL, 0, &summary, &error));
}
END_TEST

START_TEST(texts_that_are_null_are_named) {
    const char *const holes[] = {"w1", NULL};
    sa_translation out[2];
    sa_pair pair = {.source = "w1", .target = NULL};
    expect_usage(sa_translate(model, holes, 2, &search, out, &error), "sources[1]", "translate");
    expect_usage(sa_align(model, NULL, &pair, 1, each, NULL, &error), "pairs[0].target", "align");
    sa_corpus one = {.name = "one", .pairs = &pair, .count = 1};
    expect_usage(sa_evaluate(model, &one, &search, NULL, results, &error), "corpus[0].target",
                 "evaluate");
}
END_TEST

int main(void) {
    TCase *tests;
    Suite *suite = suite_of("ranges", &tests);
    tcase_add_unchecked_fixture(tests, train_once, scratch_remove);
    tcase_add_checked_fixture(tests, prepare, finish);
    tcase_set_timeout(tests, 20);
    tcase_add_loop_test(tests, options_out_of_range_are_named, 0, sizeof tables / sizeof *tables);
    tcase_add_loop_test(tests, fields_out_of_range_are_named, 0, FIELDS);
    tcase_add_test(tests, odd_settings_have_no_null_key);
    tcase_add_test(tests, odd_settings_have_no_attention);
    tcase_add_test(tests, counts_are_bounded);
    tcase_add_test(tests, nothing_is_little_work);
    tcase_add_test(tests, texts_that_are_null_are_named);
    return suite_run(suite);
}
