#include "base/file.h"
#include "base/number.h"
#include "base/save.h"
#include "cli/log.h"
#include "cli/output.h"
#include "cli/pair_figures.h"
#include "cli/progress.h"
#include "compare/compare.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Training -------------------------------------------------------------------------------- */

/* What a training reports to. */
typedef struct run_reporter {
    cli_progress progress;
    compare_run *run;
    const compare_data *data;
} run_reporter;

/* Shows it; and as last.safetensors has just been saved, what it took so far is noted beside it, so
 * that even a killed training goes on with its time counted. */
static void report_progress(void *context, const sa_progress *report) {
    run_reporter *to = context;
    cli_progress_report(&to->progress, report);
    if (report->kind != SA_PROGRESS_VALIDATION) return;
    to->run->spent = report->spent;
    to->run->updates = report->step;
    compare_record_write(to->run, to->data, NULL); /* written once more at the end, and checked */
}

/* Whether there is a model that the training can go on from. */
static bool can_resume(const compare_run *run, bool *resume, sa_error *error) {
    char *last = cli_path(run->folder, "last.safetensors", error);
    if (!last) return false;
    *resume = run->recorded && !sa_file_missing(last);
    free(last);
    return true;
}

static bool read_seconds(void *context, const char *const *cells, sa_error *error) {
    compare_run *run = context;
    double seconds;
    (void)error;
    if (sa_number_parse(cells[CLI_LOG_SECONDS], &seconds) && seconds > run->spent.seconds)
        run->spent.seconds = seconds;
    return true;
}

/* A kill may have come after a save and before the note of what it took: the log, which was saved,
 * knows. */
static bool read_logged_seconds(compare_run *run, sa_error *error) {
    char *log = cli_path(run->folder, "log.csv", error);
    if (!log) return false;
    const bool good = sa_file_missing(log) || cli_log_read(log, read_seconds, run, error);
    free(log);
    return good;
}

/* Notes what a training was, whether it came to its end or was stopped. */
static void record_result(compare_run *run, const sa_train_result *result) {
    run->trained = run->diverged || strcmp(result->reason, "stopped") != 0;
    run->spent = result->spent;
    run->updates = result->steps;
    run->figures[COMPARE_SECONDS] = run->spent.seconds;
    run->figures[COMPARE_UPDATES] = (double)run->updates;
    run->figures[COMPARE_SPEED] =
        run->spent.words ? (double)run->spent.words / run->spent.updating : NAN;
}

static bool train(compare_run *run, const compare_data *data, const volatile sig_atomic_t *stop,
                  sa_error *error) {
    run_reporter to = {.run = run, .data = data};
    sa_train_options training = {.settings = &run->settings,
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
    if (!sa_directory_create(run->folder, error) || !can_resume(run, &training.resume, error))
        return false;
    if (!training.resume)
        run->spent = (sa_train_cost){0};
    else if (!read_logged_seconds(run, error))
        return false;
    training.spent = run->spent;
    if (!compare_record_write(run, data, error)) return false;
    cli_progress_init(&to.progress);
    sa_train_result result;
    const bool good = sa_train(&training, &result, error);
    cli_progress_end(&to.progress);
    run->diverged = !good && error->code == SA_DIVERGED;
    if (!good && !run->diverged) return false;
    if (run->diverged) fprintf(stderr, "%s\n", error->text);
    record_result(run, &result);
    return compare_record_write(run, data, error);
}

/* ---- Evaluation ------------------------------------------------------------------------------ */

static bool draw_samples(compare_run *run, const sa_corpus *test, const sa_sentence_result *each,
                         const sa_metrics *metrics, sa_error *error) {
    sa_resampling resampling;
    sa_confidence_interval spread[SA_METRIC_COUNT];
    sa_options_init(sa_resampling_options, &resampling);
    sa_metric_stats *tallies = cli_tallies(metrics, each, test->count, error);
    bool good = tallies != NULL;
    for (int i = 0; good && i < SA_LENGTH_BANDS; i++) {
        if (!run->by_length[i].sentences) continue;
        good = cli_spread_band(metrics, &resampling, tallies, each, test->count,
                               &sa_length_bands[i], spread, error);
        run->spread[i] = spread[SA_METRIC_BLEU];
    }
    free(tallies);
    return good;
}

static bool compute_figures(compare_run *run, const sa_corpus *test, const sa_sentence_result *each,
                            sa_error *error) {
    sa_eval_result all;
    sa_metrics metrics;
    sa_metrics_init(&metrics);
    bool good = sa_eval_summarize(test, each, NULL, test->count, &all, error);
    for (int i = 0; good && i < SA_LENGTH_BANDS; i++)
        good = cli_score_band(&metrics, test, each, &sa_length_bands[i], &run->by_length[i], error);
    if (!good || !draw_samples(run, test, each, &metrics, error)) return false;
    run->figures[COMPARE_LOSS] = all.loss;
    run->figures[COMPARE_PERPLEXITY] = all.perplexity;
    run->figures[COMPARE_BLEU] = all.bleu;
    run->figures[COMPARE_EXACT] = all.exact;
    run->figures[COMPARE_AER] = all.aer;
    run->figures[COMPARE_ENTROPY] = all.entropy;
    run->figures[COMPARE_SENTENCES] = (double)all.sentences;
    run->figures[COMPARE_WORDS] = (double)all.target_words;
    return true;
}

static bool evaluate_model(compare_run *run, sa_model *model, const sa_corpus *test,
                           sa_error *error) {
    sa_search search;
    sa_search_init(&search);
    search.beam = 1;
    sa_sentence_result *each = sa_new(test->count, sizeof *each, error);
    bool good = each && sa_evaluate(model, test, &search, NULL, each, error);
    if (good) {
        good = compute_figures(run, test, each, error);
        sa_sentence_results_release(each, test->count);
    }
    free(each);
    run->figures[COMPARE_PARAMETERS] = (double)sa_model_parameters(model);
    return good;
}

/* Gives a trained run its figures. */
static bool evaluate(compare_run *run, const compare_data *data, sa_error *error) {
    sa_model *model = compare_open(run, error);
    if (!model) return false;
    const bool good = evaluate_model(run, model, &data->test, error);
    sa_model_close(model);
    if (!good) return false;
    run->test = data->test_hash;
    fprintf(stderr, "trained: %lld updates, %.1f s; test loss %.4f, BLEU %.2f\n",
            (long long)run->updates, run->spent.seconds, run->figures[COMPARE_LOSS],
            run->figures[COMPARE_BLEU]);
    return compare_record_write(run, data, error);
}

bool compare_run_done(const compare_run *run, const compare_data *data) {
    return run->trained && (run->diverged || run->test == data->test_hash);
}

bool compare_run_finish(compare_run *run, const compare_data *data,
                        const volatile sig_atomic_t *stop, sa_error *error) {
    if (!run->trained && !train(run, data, stop, error)) return false;
    return *stop || compare_run_done(run, data) || evaluate(run, data, error);
}
