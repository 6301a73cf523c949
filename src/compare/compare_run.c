#include "base/file.h"
#include "base/number.h"
#include "base/save.h"
#include "compare/compare.h"
#include "report/pair_scores.h"
#include "report/training_log.h"
#include "session/start.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

__attribute__((format(printf, 2, 3))) static void note(const sa_comparison *all, const char *format,
                                                       ...) {
    char line[8192];
    va_list values;
    va_start(values, format);
    vsnprintf(line, sizeof line, format, values);
    va_end(values);
    all->note(all->context, line);
}

/* ---- Training -------------------------------------------------------------------------------- */

typedef struct run_reporter {
    const sa_comparison *all;
    sa_compare_run *run;
} run_reporter;

/* A validation has just saved last.safetensors: recording its cost beside it keeps the time right
 * even when the training is killed. */
static void report_progress(void *context, const sa_progress *report) {
    const run_reporter *to = context;
    to->all->progress(to->all->context, report);
    if (report->kind != SA_PROGRESS_VALIDATION) return;
    to->run->spent = report->spent;
    to->run->updates = report->step;
    /* An error shows when the record is written again at the end. */
    sa_compare_record_write(to->run, &to->all->data, NULL);
}

/* Whether there is a model that the training can go on from. */
static bool can_resume(const sa_compare_run *run, bool *resume, sa_error *error) {
    char *last = sa_path_join(run->folder, "last.safetensors", error);
    if (!last) return false;
    *resume = run->recorded && !sa_file_missing(last);
    free(last);
    return true;
}

/* What lies in the folder is resumed or else removed, before the record of this run is written:
 * beside that, the model of another training would pass for this run's after a kill. For the same
 * reason the record of another run goes before its model does. */
static bool begin_folder(const sa_compare_run *run, bool *resume, sa_error *error) {
    static const char *const record[] = {"run.json"};
    sa_directory_lock lock;
    if (!sa_directory_lock_open(&lock, run->folder, error)) return false;
    bool good = can_resume(run, resume, error);
    if (good && !*resume)
        good = (run->recorded || sa_directory_remove(run->folder, record, 1, error)) &&
               sa_training_remove(run->folder, error);
    sa_directory_lock_close(&lock);
    return good;
}

static bool read_seconds(void *context, const char *const *cells, sa_error *error) {
    sa_compare_run *run = context;
    double seconds;
    (void)error;
    if (sa_number_parse(cells[SA_LOG_SECONDS], &seconds) && seconds > run->spent.seconds)
        run->spent.seconds = seconds;
    return true;
}

/* After a kill between a save and its record, only the saved log knows the time. */
static bool read_logged_seconds(sa_compare_run *run, sa_error *error) {
    char *log = sa_path_join(run->folder, "log.csv", error);
    if (!log) return false;
    const bool good = sa_file_missing(log) || sa_training_log_read(log, read_seconds, run, error);
    free(log);
    return good;
}

static void record_result(sa_compare_run *run, const sa_train_result *result) {
    run->trained = run->diverged || strcmp(result->reason, "stopped") != 0;
    run->spent = result->spent;
    run->updates = result->steps;
    run->scores[SA_COMPARE_SECONDS] = run->spent.seconds;
    run->scores[SA_COMPARE_UPDATES] = (double)run->updates;
    run->scores[SA_COMPARE_SPEED] =
        run->spent.words ? (double)run->spent.words / run->spent.updating : NAN;
}

static bool train(const sa_comparison *all, sa_compare_run *run, const volatile sig_atomic_t *stop,
                  sa_error *error) {
    const sa_compare_data *data = &all->data;
    run_reporter to = {all, run};
    sa_settings settings = run->settings;
    sa_train_options training = {.settings = &settings,
                                 .train = data->train,
                                 .valid = data->valid,
                                 .out = run->folder,
                                 .snapshot_pairs = data->snapshot_pairs.pairs,
                                 .snapshot_count =
                                     run->model->attends ? data->snapshot_pairs.count : 0,
                                 .pausing = true,
                                 .report = report_progress,
                                 .context = &to,
                                 .stop = stop};
    if (!begin_folder(run, &training.resume, error)) return false;
    training.overwrite = !training.resume; /* the record allows it */
    if (all->processes && !training.resume && !settings.shards) settings.shards = all->shards;
    if (!training.resume)
        run->spent = (sa_train_cost){0};
    else if (!read_logged_seconds(run, error))
        return false;
    training.spent = run->spent;
    if (!sa_compare_record_write(run, data, error)) return false;
    sa_train_result result;
    const bool good = sa_train(&training, &result, error);
    all->progress(all->context, NULL);
    run->diverged = !good && error->code == SA_DIVERGED;
    if (!good && !run->diverged) return false;
    if (run->diverged) note(all, "%s", error->text);
    record_result(run, &result);
    return sa_compare_record_write(run, data, error);
}

/* ---- Evaluation ------------------------------------------------------------------------------ */

static bool compute_intervals(sa_compare_run *run, const sa_corpus *test,
                              const sa_sentence_result *each, const sa_metrics *metrics,
                              sa_error *error) {
    sa_resampling resampling;
    sa_confidence_interval interval[SA_METRIC_COUNT];
    sa_options_init(sa_resampling_options, &resampling);
    sa_metric_stats *stats = sa_pair_scores_stats(metrics, each, test->count, error);
    bool good = stats != NULL;
    for (int i = 0; good && i < SA_LENGTH_BANDS; i++) {
        if (!run->by_length[i].sentences) continue;
        good = sa_pair_scores_intervals(metrics, &resampling, stats, each, test->count,
                                        &sa_length_bands[i], interval, error);
        run->interval[i] = interval[SA_METRIC_BLEU];
    }
    free(stats);
    return good;
}

static bool compute_scores(sa_compare_run *run, const sa_corpus *test,
                           const sa_sentence_result *each, sa_error *error) {
    sa_eval_result all;
    const sa_metrics *metrics = &run->settings.metrics;
    bool good = sa_eval_summarize(metrics, test, each, NULL, test->count, &all, error);
    for (int i = 0; good && i < SA_LENGTH_BANDS; i++)
        good = sa_pair_scores_band(metrics, test, each, &sa_length_bands[i], &run->by_length[i],
                                   error);
    if (!good || !compute_intervals(run, test, each, metrics, error)) return false;
    run->scores[SA_COMPARE_LOSS] = all.loss;
    run->scores[SA_COMPARE_PERPLEXITY] = all.perplexity;
    run->scores[SA_COMPARE_BLEU] = all.bleu;
    run->scores[SA_COMPARE_EXACT] = all.exact;
    run->scores[SA_COMPARE_AER] = all.aer;
    run->scores[SA_COMPARE_ENTROPY] = all.entropy;
    run->scores[SA_COMPARE_ZEROS] = all.zeros;
    run->scores[SA_COMPARE_SENTENCES] = (double)all.sentences;
    run->scores[SA_COMPARE_WORDS] = (double)all.target_words;
    return true;
}

static bool evaluate_model(sa_compare_run *run, sa_model *model, const sa_corpus *test,
                           sa_error *error) {
    sa_search search;
    sa_search_init(&search);
    search.beam = 1;
    sa_sentence_result *each = sa_new(test->count, sizeof *each, error);
    bool good = each && sa_evaluate(model, test, &search, NULL, each, error);
    if (good) {
        good = compute_scores(run, test, each, error);
        sa_sentence_results_release(each, test->count);
    }
    free(each);
    run->scores[SA_COMPARE_PARAMETERS] = (double)sa_model_parameters(model);
    run->scores[SA_COMPARE_CACHE] = (double)sa_settings_cache_size(&run->settings).target_word;
    return good;
}

static bool evaluate(const sa_comparison *all, sa_compare_run *run, sa_error *error) {
    sa_model *model = sa_compare_model_open(run, error);
    if (!model) return false;
    const bool good = evaluate_model(run, model, &all->data.test, error);
    sa_model_close(model);
    if (!good) return false;
    run->test = all->data.test_hash;
    note(all, "trained: %lld updates, %.1f s; test loss %.4f, BLEU %.2f", (long long)run->updates,
         run->spent.seconds, run->scores[SA_COMPARE_LOSS], run->scores[SA_COMPARE_BLEU]);
    return sa_compare_record_write(run, &all->data, error);
}

/* ---- All runs -------------------------------------------------------------------------------- */

static bool is_done(const sa_compare_run *run, const sa_compare_data *data) {
    return run->trained && (run->diverged || run->test == data->test_hash);
}

/* What to know about the test pairs: scores on memorized ones say nothing about unseen ones. */
static void note_test_pairs(const sa_comparison *all) {
    const sa_compare_data *data = &all->data;
    if (data->test.note) note(all, "note: %s", data->test.note);
    const size_t shared[] = {data->train_shared, data->valid_shared};
    const char *const path[] = {data->train, data->valid};
    for (int i = 0; i < 2; i++)
        if (shared[i])
            note(all, "note: %zu of the %zu test pairs also occur in '%s'", shared[i],
                 data->test.count, path[i]);
}

/* With --overwrite, a record of something else is none. */
static bool read_record(const sa_comparison *all, sa_compare_run *run, sa_error *error) {
    sa_error why = {0};
    return sa_compare_record_read(run, &all->data, &why) ||
           (all->overwrite && (why.code == SA_BUSY || why.code == SA_DATA)) ||
           sa_fail(error, why.code, "%s", why.text);
}

static bool read_records(sa_comparison *all, sa_error *error) {
    size_t done = 0, count = all->model_count * all->seeds;
    for (size_t i = 0; i < count; i++) {
        if (!read_record(all, &all->runs[i], error)) return false;
        done += is_done(&all->runs[i], &all->data);
    }
    note_test_pairs(all);
    if (done) note(all, "%zu of %zu runs are done already", done, count);
    return true;
}

/* The run is number i of all. */
static bool finish(const sa_comparison *all, sa_compare_run *run, size_t i,
                   const volatile sig_atomic_t *stop, sa_error *error) {
    note(all, "== %s, seed %lld (%zu of %zu)", run->model->name, (long long)run->settings.seed,
         i + 1, all->model_count * all->seeds);
    if (!run->trained && !train(all, run, stop, error)) return false;
    return *stop || is_done(run, &all->data) || evaluate(all, run, error);
}

/* ---- Shared with other processes ------------------------------------------------------------- */

/* Finishes the run unless another process does or has. *waiting: it is not done yet. */
static bool finish_or_pass(const sa_comparison *all, size_t i, const volatile sig_atomic_t *stop,
                           bool *waiting, sa_error *error) {
    sa_compare_run *run = all->order[i];
    bool claimed;
    if (is_done(run, &all->data)) return true;
    if (!sa_compare_claim(all, run, &claimed, error)) return false;
    if (!claimed) return *waiting = true;
    bool good = read_record(all, run, error); /* of what others did meanwhile */
    if (good && is_done(run, &all->data))
        note(all, "== %s, seed %lld: by another process, %lld updates, %.1f s", run->model->name,
             (long long)run->settings.seed, (long long)run->updates, run->spent.seconds);
    else
        good = good && finish(all, run, i, stop, error);
    sa_compare_release_claim(all, run);
    return good;
}

static bool finish_shared(sa_comparison *all, const volatile sig_atomic_t *stop, sa_error *error) {
    const struct timespec pause = {.tv_nsec = 200 * 1000000};
    bool waiting = true;
    while (waiting && !*stop) {
        waiting = false;
        for (size_t i = 0; i < all->model_count * all->seeds && !*stop; i++)
            if (!finish_or_pass(all, i, stop, &waiting, error)) return false;
        if (waiting) nanosleep(&pause, NULL);
    }
    return true;
}

bool sa_compare_finish_runs(sa_comparison *all, const volatile sig_atomic_t *stop,
                            sa_error *error) {
    const size_t count = all->model_count * all->seeds;
    if (!sa_exchange_agree(all->processes, read_records(all, error), error)) return false;
    if (all->processes) {
        all->processes->ended = true; /* nobody waits for one that may have died */
        bool good = sa_compare_work_in_child(all, finish_shared, stop, error);
        for (size_t i = 0; good && i < count; i++) good = read_record(all, &all->runs[i], error);
        return good;
    }
    for (size_t i = 0; i < count && !*stop; i++) {
        sa_compare_run *run = &all->runs[i % all->model_count * all->seeds + i / all->model_count];
        if (!is_done(run, &all->data) && !finish(all, run, i, stop, error)) return false;
    }
    return true;
}
