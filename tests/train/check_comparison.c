/* Comparisons: statistics over seeds, files and tables of the same numbers, what a second call
 * trains and evaluates again. */
#include "base/json.h"
#include "support/small_training.h"
#include "support/suite.h"

#include <math.h>
#include <stdlib.h>

enum { SEEDS = 3, MODELS = 2 };

static json_t *compared; /* the JSON of the last comparison */
static char *table;

static int occurrences(const char *text, const char *what) {
    int found = 0;
    for (const char *at = text; (at = strstr(at, what)); at++) found++;
    return found;
}

static void take_notes(void *context, const sa_progress *progress) {
    if (progress) take_note(context, progress); /* NULL: a training has ended */
}

static void compare(const sa_settings *settings, const char *test) {
    sa_compare_result result;
    const sa_compare_options options = {.train = train_path,
                                        .test = test,
                                        .models = "fixed,bahdanau",
                                        .out = out_path,
                                        .settings = settings,
                                        .seeds = SEEDS,
                                        .report = take_notes};
    *notes = 0;
    ck_assert_msg(sa_compare(&options, &result, &error), "%s", error.text);
    json_decref(compared), free(table);
    compared = json_loads(result.json, 0, NULL);
    table = strdup(result.table);
    sa_compare_result_release(&result);
    ck_assert(!result.stopped && !result.table && !result.json);
}

static sa_settings settings_of_comparison(void) {
    sa_settings settings = small_settings();
    settings.hidden = 65; /* about which every training has a note */
    settings.steps = 4;
    return settings;
}

static double number(const json_t *object, const char *key) {
    const json_t *value = json_object_get(object, key);
    return json_is_number(value) ? json_number_value(value) : NAN;
}

static const json_t *run_of(int model, int seed) {
    return json_array_get(json_object_get(compared, "runs"), (size_t)(model * SEEDS + seed));
}

static void make_pairs(void) {
    set_up();
    scratch_write(scratch_path("test.tsv"), "w1 w0\tv0 v1\nw2 w1\tv1 v2\n", 24);
    scratch_write(scratch_path("other.tsv"), "w50 w25\tv25 v50\n", 16);
}

static void remove_pairs(void) {
    json_decref(compared), free(table);
    compared = NULL, table = NULL;
    scratch_remove();
}

START_TEST(statistics_are_those_of_the_runs) {
    static const char *const columns[] = {"loss", "perplexity", "entropy", "seconds"};
    const sa_settings settings = settings_of_comparison();
    compare(&settings, scratch_path("test.tsv"));
    for (int m = 0; m < MODELS; m++)
        for (int c = m ? 0 : 1; c < 4; c++) {
            const json_t *all = json_array_get(json_object_get(compared, "models"), (size_t)m);
            double x[SEEDS], sum = 0, squares = 0;
            for (int s = 0; s < SEEDS; s++) sum += x[s] = number(run_of(m, s), columns[c]);
            if (isnan(sum)) continue; /* a fixed context has no entropy */
            for (int s = 0; s < SEEDS; s++) squares += pow(x[s] - sum / SEEDS, 2);
            const double low = fmin(fmin(x[0], x[1]), x[2]), high = fmax(fmax(x[0], x[1]), x[2]),
                         middle = sum - low - high, tolerance = 1e-6 * fabs(sum);
            ck_assert_double_eq_tol(number(all, columns[c]), middle, tolerance);
            ck_assert_double_eq_tol(number(json_object_get(all, "mean"), columns[c]), sum / SEEDS,
                                    tolerance);
            ck_assert_double_eq_tol(number(json_object_get(all, "sd"), columns[c]),
                                    sqrt(squares / (SEEDS - 1)), tolerance);
            ck_assert_double_eq(number(json_object_get(all, "min"), columns[c]), low);
            ck_assert_double_eq(number(json_object_get(all, "max"), columns[c]), high);
        }
}
END_TEST

START_TEST(tables_have_all_columns) {
    const sa_settings settings = settings_of_comparison();
    char wanted[64], path[192];
    size_t size;
    compare(&settings, scratch_path("test.tsv"));
    const json_t *all = json_array_get(json_object_get(compared, "models"), 1);
    snprintf(wanted, sizeof wanted, " %.3f ", number(all, "perplexity"));
    ck_assert_msg(strstr(table, wanted) != NULL, "no%sin\n%s", wanted, table);
    snprintf(wanted, sizeof wanted, " %.1f ", number(all, "seconds"));
    ck_assert_msg(strstr(table, wanted) != NULL, "no%sin\n%s", wanted, table);
    snprintf(wanted, sizeof wanted, " %.4f ", number(all, "loss"));
    ck_assert_msg(strstr(table, wanted) != NULL, "no%sin\n%s", wanted, table);
    snprintf(path, sizeof path, "%s/table.csv", out_path);
    char *csv = scratch_read(path, &size), *line = strtok(csv, "\n");
    ck_assert_str_eq(line, "model,seed,parameters,seconds,updates,loss,perplexity,bleu,exact,aer,"
                           "entropy,zeros,words_per_second,cache_bytes_per_step,p");
    for (int k = 0; k < MODELS * (SEEDS + 1); k++) {
        line = strtok(NULL, "\n");
        ck_assert_ptr_nonnull(line);
        ck_assert_int_eq(occurrences(line, ","), 14);
    }
    ck_assert_ptr_null(strtok(NULL, "\n"));
    free(csv);
}
END_TEST

START_TEST(nothing_is_done_twice) {
    const sa_settings settings = settings_of_comparison();
    compare(&settings, scratch_path("test.tsv"));
    const double loss = number(run_of(1, 2), "loss");
    ck_assert_int_eq(occurrences(notes, "trained: 4 updates"), MODELS * SEEDS);
    ck_assert_int_eq(occurrences(notes, "with so few pairs"), 1);
    compare(&settings, scratch_path("test.tsv"));
    ck_assert_int_eq(occurrences(notes, "trained: "), 0);
    ck_assert_double_eq(number(run_of(1, 2), "loss"), loss);
    compare(&settings, scratch_path("other.tsv"));
    ck_assert_int_eq(occurrences(notes, "trained: 4 updates"), MODELS * SEEDS);
    ck_assert_double_ne(number(run_of(1, 2), "loss"), loss);
    ck_assert_double_eq(number(run_of(0, 0), "updates"), 4);
}
END_TEST

/* The rate of alignment errors is that of the links that the test pairs have now. */
START_TEST(other_gold_links_are_scored_again) {
    static const char *const links[] = {"0-1 1-0", "0-1 1-1"};
    const sa_settings settings = settings_of_comparison();
    const char *path = scratch_path("test.tsv");
    for (int i = 0; i < 2; i++) {
        char text[64];
        snprintf(text, sizeof text, "w1 w0\tv0 v1\t%s\nw2 w1\tv1 v2\t0-0\n", links[i]);
        scratch_write(path, text, strlen(text));
        compare(&settings, path);
        ck_assert_int_eq(occurrences(notes, "trained: 4 updates"), MODELS * SEEDS);
    }
}
END_TEST

/* ---- Runs ------------------------------------------------------------------------------------ */

static sa_model *best_of(const char *folder) {
    char path[192];
    snprintf(path, sizeof path, "%s/%s/best.safetensors", out_path, folder);
    sa_model *model = sa_model_open(path, 1, &error);
    ck_assert_msg(model != NULL, "%s", error.text);
    return model;
}

/* Counts the translations that do not end, of a run whose scores are those of its best model by
 * greedy search. */
static size_t run_is(int i, const char *folder) {
    sa_eval_result wanted;
    sa_search search;
    sa_corpus test;
    size_t cut = 0;
    sa_model *model = best_of(folder);
    ck_assert(sa_corpus_open(&test, scratch_path("test.tsv"), &error));
    sa_sentence_result *each = calloc(test.count, sizeof *each);
    sa_search_init(&search);
    search.beam = 1;
    ck_assert(sa_evaluate(model, &test, &search, NULL, each, &error));
    ck_assert(sa_eval_summarize(NULL, &test, each, NULL, test.count, &wanted, &error));
    for (size_t k = 0; k < test.count; k++) cut += !each[k].complete;
    const json_t *run = run_of(i / SEEDS, i % SEEDS);
    const struct {
        const char *key;
        double value;
    } scores[] = {
        {"parameters", (double)sa_model_parameters(model)},
        {"updates", 4},
        {"loss", wanted.loss},
        {"perplexity", wanted.perplexity},
        {"bleu", wanted.bleu},
        {"exact", wanted.exact},
        {"aer", wanted.aer},
        {"entropy", wanted.entropy},
        {"zeros", wanted.zeros},
        {"cache_bytes_per_step",
         (double)sa_settings_cache_size(sa_model_settings(model)).target_word},
        {"sentences", (double)test.count},
        {"target_words", (double)wanted.target_words},
    };
    for (size_t k = 0; k < sizeof scores / sizeof *scores; k++) {
        const double found = number(run, scores[k].key);
        ck_assert_msg(isnan(scores[k].value)
                          ? isnan(found)
                          : fabs(found - scores[k].value) <= 1e-6 * fmax(1, fabs(found)),
                      "%s of %s: %.9g, not %.9g", scores[k].key, folder, found, scores[k].value);
    }
    sa_sentence_results_release(each, test.count);
    free(each);
    sa_corpus_close(&test);
    sa_model_close(model);
    return cut;
}

START_TEST(scores_are_those_of_an_evaluation) {
    const sa_settings settings = settings_of_comparison();
    char note[80];
    int cut = 0;
    scratch_write(scratch_path("test.tsv"), "w1 w0\tv0 v1\t0-1 1-0\nw2 w1\tv1 v2\t0-0\n", 36);
    compare(&settings, scratch_path("test.tsv"));
    for (int i = 0; i < MODELS * SEEDS; i++) {
        char folder[32];
        snprintf(folder, sizeof folder, "%s-s%d", i < SEEDS ? "fixed" : "bahdanau", i % SEEDS + 1);
        const size_t own = run_is(i, folder);
        snprintf(note, sizeof note, "note: %zu of the 2 translations were cut before they ended",
                 own);
        if (own) ck_assert_msg(strstr(notes, note) != NULL, "%s", notes);
        cut += own > 0;
    }
    ck_assert_int_eq(occurrences(notes, "translations were cut"), cut);
}
END_TEST

/* Only the log knows the time that a killed training took, the record what its updates took; and
 * only models with attention have something to show. */
START_TEST(a_killed_run_goes_on) {
    sa_settings settings = settings_of_comparison();
    char log_path[192], record_path[192], film[192];
    sa_compare_result result;
    sa_compare_options options = {.train = train_path,
                                  .test = scratch_path("test.tsv"),
                                  .snapshots = scratch_path("test.tsv"),
                                  .models = "fixed,bahdanau",
                                  .out = out_path,
                                  .settings = &settings,
                                  .seeds = 1,
                                  .report = take_notes};
    ck_assert_msg(sa_compare(&options, &result, &error), "%s", error.text);
    sa_compare_result_release(&result);
    snprintf(film, sizeof film, "%s/fixed-s1/film", out_path);
    ck_assert_int_eq(access(film, F_OK), -1);
    snprintf(film, sizeof film, "%s/bahdanau-s1/film/0002", out_path);
    ck_assert_int_eq(access(film, F_OK), 0);
    snprintf(log_path, sizeof log_path, "%s/bahdanau-s1/log.csv", out_path);
    snprintf(record_path, sizeof record_path, "%s/bahdanau-s1/run.json", out_path);
    size_t size;
    char *log = scratch_read(log_path, &size), *rest = log;
    sa_buffer later = {0};
    for (char *line; (line = strsep(&rest, "\n")) && *line;) { /* "epoch,step,seconds,.." */
        char *seconds = strchr(strchr(line, ',') + 1, ',') + 1, *after = strchr(seconds, ',');
        if (*line == 'e')
            sa_buffer_addf(&later, "%s\n", line);
        else
            sa_buffer_addf(&later, "%.*s5000.25%s\n", (int)(seconds - line), line, after);
    }
    scratch_write(log_path, later.text, later.size);
    free(log), sa_buffer_release(&later);
    json_t *record = json_load_file(record_path, 0, NULL);
    json_object_set_new(record, "trained", json_false());
    json_object_set_new(record, "updating", json_real(1000));
    json_object_set_new(record, "words", json_integer(4000000));
    ck_assert_int_eq(json_dump_file(record, record_path, 0), 0);
    json_decref(record);
    *notes = 0;
    ck_assert_msg(sa_compare(&options, &result, &error), "%s", error.text);
    sa_compare_result_release(&result);
    ck_assert_msg(strstr(notes, "1 of 2 runs are done already") != NULL, "%s", notes);
    ck_assert_msg(strstr(notes, ", resumed") != NULL, "%s", notes);
    record = json_load_file(record_path, 0, NULL);
    ck_assert_double_ge(number(record, "seconds"), 5000.25);
    ck_assert_double_lt(number(record, "seconds"), 5100);
    ck_assert(json_is_true(json_object_get(record, "trained")));
    ck_assert_int_eq(json_integer_value(json_object_get(record, "updates")), 4);
    ck_assert_double_eq(number(record, "updating"), 1000);
    ck_assert_double_eq(number(json_object_get(record, "figures"), "words_per_second"), 4000);
    json_decref(record);
}
END_TEST

/* It is not trained again, and the rest of the comparison is there. */
START_TEST(a_run_that_diverges_has_no_scores) {
    sa_settings settings = settings_of_comparison();
    char page[160], wanted[256];
    set_all(&settings, "optimizer=sgd lr=1e9 clip=0");
    snprintf(page, sizeof page, "%s/page.html", scratch);
    snprintf(wanted, sizeof wanted,
             "'%s/bahdanau-s1' diverged: it has no scores (a smaller --lr or --clip helps)",
             out_path);
    const sa_compare_options options = {.train = train_path,
                                        .test = scratch_path("test.tsv"),
                                        .models = "bahdanau",
                                        .out = out_path,
                                        .settings = &settings,
                                        .seeds = 1,
                                        .html = page,
                                        .report = take_notes};
    for (int turn = 0; turn < 2; turn++) {
        sa_compare_result result;
        *notes = 0;
        ck_assert(!sa_compare(&options, &result, &error));
        ck_assert_str_eq(error.text, wanted);
        ck_assert_int_eq(error.code, SA_DIVERGED);
        ck_assert(result.table && strstr(result.json, "\"loss\": null"));
        sa_compare_result_release(&result);
        ck_assert_int_eq(access(page, F_OK), 0);
        ck_assert_int_eq(strstr(notes, "1 of 1 runs are done already") != NULL, turn);
    }
}
END_TEST

int main(void) {
    TCase *tests;
    Suite *suite = suite_of("comparison", &tests);
    tcase_add_checked_fixture(tests, make_pairs, remove_pairs);
    tcase_add_test(tests, statistics_are_those_of_the_runs);
    tcase_add_test(tests, tables_have_all_columns);
    tcase_add_test(tests, nothing_is_done_twice);
    tcase_add_test(tests, other_gold_links_are_scored_again);
    tcase_add_test(tests, scores_are_those_of_an_evaluation);
    tcase_add_test(tests, a_killed_run_goes_on);
    tcase_add_test(tests, a_run_that_diverges_has_no_scores);
    return suite_run(suite);
}
