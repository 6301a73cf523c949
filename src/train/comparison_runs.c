/* comparison_runs: trains, resumes and scores the runs of a comparison; run.json keeps their state.
 */
#include "base/number.h"
#include "config/settings.h"
#include "inference/model.h"
#include "report/film.h"
#include "report/pair_scores.h"
#include "train/compare.h"
#include "train/session.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const sa_column sa_compare_columns[] = {
    [SA_COMPARE_PARAMETERS] = {"parameters", "parameters", 12},
    [SA_COMPARE_SECONDS] = {"seconds", "seconds", 9, 1},
    [SA_COMPARE_UPDATES] = {"updates", "updates", 9},
    [SA_COMPARE_LOSS] = {"loss", "loss", 9, 4},
    [SA_COMPARE_PERPLEXITY] = {"perplexity", "perplexity", 12, 3},
    [SA_COMPARE_BLEU] = {"bleu", "BLEU", 9, 2},
    [SA_COMPARE_EXACT] = {"exact", "exact %", 9, 1, .scale = 100},
    [SA_COMPARE_AER] = {"aer", "AER", 9, 3},
    [SA_COMPARE_ENTROPY] = {"entropy", "entropy", 9, 3},
    [SA_COMPARE_ZEROS] = {"zeros", "zeros %", 9, 1, .scale = 100},
    [SA_COMPARE_SPEED] = {"words_per_second", "words/s", 9},
    [SA_COMPARE_CACHE] = {"cache_bytes_per_step", "cache B/step", 14},
    [SA_COMPARE_P] = {"p", "p", 9, 3},
    [SA_COMPARE_SENTENCES] = {"sentences", NULL, -1},
    [SA_COMPARE_WORDS] = {"target_words", NULL, -1},
    [SA_COMPARE_COLUMNS] = {0},
};

const sa_column sa_compare_band_columns[] = {
    {"sentences", NULL, -1},
    {"bleu", NULL, -1, 2},
    {"low", NULL, -1, 2},
    {"high", NULL, -1, 2},
    {0},
};

enum { RECORD_DEPTH = 3 }; /* by_length, a band, its values */

/* ---- Writing --------------------------------------------------------------------------------- */

json_t *sa_compare_json_bands(const sa_compare_run *run) {
    json_t *bands = json_object();
    for (int i = 0; i < SA_LENGTH_BANDS; i++)
        if (*run->bands[i] > 0)
            json_object_set_new(
                bands, sa_length_bands[i].name,
                sa_table_json(json_object(), sa_compare_band_columns, run->bands[i]));
    return bands;
}

/* Returns whether the option changes the result of a run. */
static bool matters(const sa_option *row) {
    return strcmp(row->name, "threads") != 0 && strcmp(row->name, "keep") != 0;
}

static json_t *json_hash(uint64_t hash) {
    return json_sprintf("%016llx", (unsigned long long)hash);
}

/* Returns the record of a run; NULL when memory runs out. */
static json_t *json_run(const sa_compare_run *run, const sa_compare_data *data) {
    json_t *settings = json_object();
    for (const sa_option *row = sa_settings_options; row->name; row++)
        if (matters(row))
            json_object_set_new(settings, row->name, json_real(sa_option_get(row, &run->settings)));
    return json_pack("{s:o, s:o, s:o, s:f, s:f, s:I, s:I, s:b, s:b, s:o, s:o, s:o, s:o}",
                     "settings", settings, "train", json_hash(data->hash[0]), "valid",
                     json_hash(data->hash[1]), "seconds", run->spent.seconds, "updating",
                     run->spent.updating, "words", (json_int_t)run->spent.words, "updates",
                     (json_int_t)run->updates, "trained", run->trained, "diverged", run->diverged,
                     "test", json_hash(run->test), "figures",
                     sa_table_json(json_object(), sa_compare_columns, run->scores), "by_length",
                     sa_compare_json_bands(run), "samples",
                     run->test ? sa_json_vector(run->samples, SA_COMPARE_SAMPLES) : json_null());
}

/* Replaces run.json. */
static bool write_record(const sa_compare_run *run, const sa_compare_data *data, sa_error *error) {
    sa_buffer text = {0};
    sa_json_add(json_run(run, data), JSON_INDENT(2), &text);
    return sa_save_text_in(run->folder, "run.json", &text, error);
}

/* ---- Reading --------------------------------------------------------------------------------- */

#define OTHER "choose another --out, or --overwrite"

/* SA_BUSY names an option whose value was another one. */
static bool check_settings(const sa_compare_run *run, const json_t *record, const char *path,
                           sa_error *error) {
    sa_settings stored = run->settings;
    const json_t *settings = json_object_get(record, "settings");
    for (const sa_option *row = sa_settings_options; row->name; row++) {
        const json_t *value = json_object_get(settings, row->name);
        if (!matters(row)) continue;
        if (!json_is_number(value) || !sa_option_set_number(row, &stored, json_number_value(value)))
            return sa_fail(error, SA_DATA, "%s: settings: '%s' is missing or impossible: " OTHER,
                           path, row->name);
        if (sa_option_get(row, &stored) == sa_option_get(row, &run->settings)) continue;
        sa_settings_fail_difference(row, &stored, run->folder, OTHER, error);
        if (error) error->code = SA_BUSY;
        return false;
    }
    return true;
}

static bool check_pairs(const sa_compare_run *run, const json_t *record, const char *key,
                        uint64_t hash, sa_error *error) {
    const char *stored = json_string_value(json_object_get(record, key));
    return (stored && strtoull(stored, NULL, 16) == hash) ||
           sa_fail(error, SA_BUSY, "--%s: '%s' was trained with other pairs, " OTHER, key,
                   run->folder);
}

static double number_of(const json_t *value) {
    return json_is_number(value) ? json_number_value(value) : NAN;
}

/* Returns false when something is missing or has the wrong type. */
static bool read_fields(sa_compare_run *run, json_t *record) {
    const char *test;
    json_t *figures, *bands, *samples = json_object_get(record, "samples");
    int trained, diverged;
    json_int_t words, updates;
    if (json_unpack(record, "{s:F, s:F, s:I, s:I, s:b, s:b, s:s, s:o, s:o}", "seconds",
                    &run->spent.seconds, "updating", &run->spent.updating, "words", &words,
                    "updates", &updates, "trained", &trained, "diverged", &diverged, "test", &test,
                    "figures", &figures, "by_length", &bands) != 0 ||
        !(run->spent.seconds >= 0) || !(run->spent.updating >= 0) || words < 0 || updates < 0)
        return false;
    run->recorded = true;
    run->trained = trained;
    run->diverged = diverged;
    run->spent.words = words;
    run->updates = updates;
    /* without samples the run is scored again */
    run->test = json_array_size(samples) == SA_COMPARE_SAMPLES ? strtoull(test, NULL, 16) : 0;
    for (size_t i = 0; i < SA_COMPARE_SAMPLES; i++)
        run->samples[i] = number_of(json_array_get(samples, i));
    for (size_t i = 0; i < SA_COMPARE_COLUMNS; i++)
        run->scores[i] = number_of(json_object_get(figures, sa_compare_columns[i].key));
    for (size_t i = 0; i < SA_LENGTH_BANDS; i++)
        for (size_t k = 0; k < SA_COMPARE_BAND_COLUMNS; k++)
            run->bands[i][k] = number_of(json_object_get(
                json_object_get(bands, sa_length_bands[i].name), sa_compare_band_columns[k].key));
    return true;
}

/* Restores the run from run.json, if that exists. SA_BUSY: the folder holds a training with other
 * settings or pairs, or of another command. SA_DATA: run.json is damaged. */
static bool restore(sa_compare_run *run, const sa_compare_data *data, sa_error *error) {
    char path[SA_PATH_SIZE];
    sa_file file;
    const char *found;
    if (sa_file_missing(sa_path_in(path, run->folder, "run.json")))
        return sa_training_find(run->folder, &found, error) &&
               (!found || sa_fail(error, SA_BUSY,
                                  "'%s' holds a training that was not made by 'compare' (no "
                                  "run.json): " OTHER,
                                  run->folder));
    if (!sa_file_read(&file, path, SA_LINE_LIMIT, error)) return false;
    json_t *record = sa_json_parse(file.data, file.size, RECORD_DEPTH, path, "record", error);
    const bool good =
        record && check_settings(run, record, path, error) &&
        check_pairs(run, record, "train", data->hash[0], error) &&
        check_pairs(run, record, "valid", data->hash[1], error) &&
        (read_fields(run, record) || sa_fail(error, SA_DATA, "%s: not written by 'compare'", path));
    sa_file_release(&file);
    json_decref(record);
    return good;
}

sa_model *sa_compare_model_open(const sa_compare_run *run, sa_error *error) {
    char best[SA_PATH_SIZE];
    return sa_model_open(sa_path_in(best, run->folder, "best.safetensors"), run->settings.threads,
                         error);
}

/* ---- Reports --------------------------------------------------------------------------------- */

/* Reports progress; NULL: the current training has ended. */
static void report(const sa_comparison *all, const sa_progress *progress) {
    if (all->options->report) all->options->report(all->options->context, progress);
}

__attribute__((format(printf, 2, 3))) static void note(const sa_comparison *all, const char *format,
                                                       ...) {
    char line[8192];
    va_list values;
    va_start(values, format);
    vsnprintf(line, sizeof line, format, values);
    va_end(values);
    report(all, &(sa_progress){.kind = SA_PROGRESS_NOTE, .note = line});
}

/* ---- Training -------------------------------------------------------------------------------- */

/* Reports progress, but not again what the training of another run has noted about these pairs or
 * settings. */
static void report_progress(void *context, const sa_progress *progress) {
    sa_comparison *all = context;
    const char *line = progress->kind == SA_PROGRESS_NOTE ? progress->note : "";
    const bool is_note = strncmp(line, "note: ", 6) == 0;
    if (is_note && all->notes.text && strstr(all->notes.text, line)) return;
    if (is_note) sa_buffer_addf(&all->notes, "%s\n", line);
    report(all, progress);
}

/* Decides whether to resume what is in the folder, or removes it before the record of this run is
 * written: with that record, the model of another training would pass for this run's after a
 * kill. */
static bool begin_folder(const sa_compare_run *run, bool *resume, sa_error *error) {
    static const char *const record[] = {"run.json"};
    char last[SA_PATH_SIZE];
    *resume = run->recorded && !sa_file_missing(sa_path_in(last, run->folder, "last.safetensors"));
    return *resume || (sa_directory_create(run->folder, error) &&
                       sa_directory_remove(run->folder, record, 1, error) &&
                       sa_training_remove(run->folder, error));
}

/* Takes the time from the log: after a kill, only the log knows it. */
static bool read_seconds(void *context, const char *const *cells, sa_error *error) {
    sa_compare_run *run = context;
    double seconds;
    if (sa_number_parse(cells[SA_LOG_SECONDS], &seconds) && seconds > run->spent.seconds)
        run->spent.seconds = seconds;
    return true;
}

static sa_train_options training_of(const sa_comparison *all, const sa_compare_run *run) {
    const sa_corpus *snapshots = &all->data.snapshot_pairs;
    return (sa_train_options){.settings = &run->settings,
                              .train = all->options->train,
                              .columns = all->options->columns,
                              .valid = all->options->valid,
                              .out = run->folder,
                              .snapshot_pairs = snapshots->pairs,
                              .snapshot_count =
                                  sa_settings_has_attention(&run->settings) ? snapshots->count : 0,
                              .pausing = true,
                              .stop = all->stop};
}

static bool train(sa_comparison *all, sa_compare_run *run, sa_error *error) {
    const sa_compare_data *data = &all->data;
    sa_train_options training = training_of(all, run);
    training.report = report_progress, training.context = all;
    if (!begin_folder(run, &training.resume, error)) return false;
    training.overwrite = !training.resume; /* the record allows it */
    if (!training.resume)
        run->spent = (sa_train_cost){0};
    else if (!sa_training_log_read(run->folder, false, read_seconds, run, error))
        return false;
    training.spent = run->spent;
    if (!write_record(run, data, error)) return false;
    sa_train_result result;
    const bool good = sa_train(&training, &result, error);
    report(all, NULL);
    run->diverged = !good && error->code == SA_DIVERGED;
    if (!good && !run->diverged) return false;
    if (run->diverged) note(all, "%s", error->text);
    run->trained = run->diverged || strcmp(result.reason, "stopped") != 0;
    run->spent = result.spent;
    run->updates = result.steps;
    run->scores[SA_COMPARE_SECONDS] = run->spent.seconds;
    run->scores[SA_COMPARE_UPDATES] = (double)run->updates;
    run->scores[SA_COMPARE_SPEED] =
        run->spent.words ? (double)run->spent.words / run->spent.updating : NAN;
    return write_record(run, data, error);
}

/* ---- Evaluation ------------------------------------------------------------------------------ */

/* Sets the BLEU of bootstrap samples of all pairs, and BLEU by source length with its confidence
 * interval. */
static bool resample(sa_compare_run *run, const sa_corpus *test, const sa_sentence_result *each,
                     sa_error *error) {
    const sa_resampling resampling = {SA_COMPARE_SAMPLES, 1};
    const sa_metrics *metrics = &run->settings.metrics;
    sa_metric_stats *all = sa_new(2 * test->count, sizeof *all, error);
    bool good = all;
    for (size_t k = 0; good && k < test->count; k++)
        good = sa_metric_stats_compute(&all[k], metrics, each[k].translation,
                                       (const char *const *)&each[k].reference, 1, error);
    for (int i = 0; good && i <= SA_LENGTH_BANDS; i++) {
        const sa_length_band *band = &sa_length_bands[i]; /* the last one has no name: all pairs */
        sa_metric_stats sum = {0}, *some = all + test->count;
        size_t count = 0;
        for (size_t k = 0; k < test->count; k++) {
            if (band->name && !sa_length_band_contains(band, each[k].source_words)) continue;
            sa_metric_stats_add(&sum, &all[k]);
            some[count++] = all[k];
        }
        double *bleu = count ? sa_bootstrap_values(some, count, metrics, &resampling, error) : NULL;
        good = bleu || !count;
        if (bleu && !band->name) memcpy(run->samples, bleu, sizeof run->samples);
        if (band->name) *run->bands[i] = (double)count;
        if (bleu && band->name) {
            const sa_confidence_interval range =
                sa_confidence_interval_of(bleu, SA_COMPARE_SAMPLES);
            run->bands[i][1] = sa_bleu_value(&sum.bleu, metrics);
            run->bands[i][2] = range.low, run->bands[i][3] = range.high;
        }
        free(bleu);
    }
    free(all);
    return good;
}

static bool score(sa_compare_run *run, const sa_corpus *test, const sa_sentence_result *each,
                  sa_error *error) {
    sa_eval_result all;
    if (!sa_eval_summarize(&run->settings.metrics, test, each, NULL, test->count, &all, error) ||
        !resample(run, test, each, error))
        return false;
    json_t *figures = sa_eval_json(&all);
    for (int k = 0; k < SA_COMPARE_COLUMNS; k++) {
        const json_t *figure = json_object_get(figures, sa_compare_columns[k].key);
        if (figure) run->scores[k] = number_of(figure);
    }
    json_decref(figures);
    return true;
}

static bool evaluate(const sa_comparison *all, sa_compare_run *run, sa_error *error) {
    const sa_corpus *test = &all->data.test;
    const sa_watch watch = {.stop = all->stop};
    size_t cut = 0;
    sa_search search;
    sa_search_init(&search);
    search.beam = 1;
    sa_model *model = sa_compare_model_open(run, error);
    if (model) sa_pool_watch(model->pool, &watch);
    sa_sentence_result *each = model ? sa_new(test->count, sizeof *each, error) : NULL;
    bool good = each && sa_evaluate(model, test, &search, NULL, each, error);
    for (size_t i = 0; good && i < test->count; i++) cut += !each[i].complete;
    if (good) {
        good = score(run, test, each, error);
        sa_sentence_results_release(each, test->count);
    }
    free(each);
    run->scores[SA_COMPARE_PARAMETERS] = (double)sa_model_parameters(model);
    run->scores[SA_COMPARE_CACHE] = (double)sa_settings_cache_size(&run->settings).target_word;
    sa_model_close(model);
    if (!good) return false;
    run->test = all->data.test_hash;
    note(all, "trained: %lld updates, %.1f s; test loss %.4f, BLEU %.2f", (long long)run->updates,
         run->spent.seconds, run->scores[SA_COMPARE_LOSS], run->scores[SA_COMPARE_BLEU]);
    if (cut)
        note(all, "note: %zu of the %zu translations were cut before they ended", cut, test->count);
    return write_record(run, &all->data, error);
}

/* ---- All runs -------------------------------------------------------------------------------- */

static bool is_done(const sa_compare_run *run, const sa_compare_data *data) {
    return run->trained && (run->diverged || run->test == data->test_hash);
}

/* Restores all runs. With --overwrite, ignores records of something else. */
static bool read_records(sa_comparison *all, sa_error *error) {
    size_t done = 0, count = all->model_count * all->seeds;
    for (size_t i = 0; i < count; i++) {
        sa_error why = {0};
        if (!restore(&all->runs[i], &all->data, &why) &&
            !(all->options->overwrite && (why.code == SA_BUSY || why.code == SA_DATA)))
            return sa_fail(error, why.code, "%s", why.text);
        done += is_done(&all->runs[i], &all->data);
    }
    const sa_compare_data *data = &all->data;
    const char *const path[] = {all->options->train, all->options->valid};
    if (data->test.remarks) note(all, "note: %s", data->test.remarks);
    if (data->test.note) note(all, "note: %s", data->test.note);
    for (int i = 0; i < 2; i++) /* scores on memorized pairs say nothing about unseen ones */
        if (data->shared[i])
            note(all, "note: %zu of the %zu test pairs also occur in '%s'", data->shared[i],
                 data->test.count, path[i]);
    if (done) note(all, "%zu of %zu runs are done already", done, count);
    return true;
}

/* Checks that every run can be trained and evaluated, as far as its settings and pairs tell. */
static bool check_runs(const sa_comparison *all, sa_error *error) {
    const sa_corpus *test = &all->data.test;
    const sa_compare_run *most = NULL; /* the run with the most to check */
    bool attends = false, guided = false;
    for (size_t i = 0; i < all->model_count * all->seeds; i++) {
        const sa_compare_run *run = &all->runs[i];
        if (is_done(run, &all->data)) continue;
        const bool guides = run->settings.guided_alignment > 0,
                   has_attention = sa_settings_has_attention(&run->settings);
        if (!most || guides || (!guided && has_attention)) most = run;
        attends |= has_attention, guided |= guides;
    }
    if (!most) return true;
    const sa_train_options training = training_of(all, most);
    return sa_training_check(&training, test, attends && test->gold, error);
}

bool sa_compare_finish_runs(sa_comparison *all, sa_error *error) {
    const size_t count = all->model_count * all->seeds;
    bool good = read_records(all, error) && check_runs(all, error);
    for (size_t i = 0; good && i < count && !*all->stop; i++) {
        sa_compare_run *run = &all->runs[i % all->model_count * all->seeds + i / all->model_count];
        if (is_done(run, &all->data)) continue;
        note(all, "== %s, seed %lld (%zu of %zu)", run->model->name, (long long)run->settings.seed,
             i + 1, count);
        good = (run->trained || train(all, run, error)) &&
               (*all->stop || is_done(run, &all->data) || evaluate(all, run, error) || *all->stop);
    }
    return good;
}
