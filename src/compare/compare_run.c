#include "base/file.h"
#include "base/number.h"
#include "base/thread.h"
#include "compare/compare.h"
#include "model/seq2seq.h"
#include "report/film.h"
#include "report/pair_scores.h"
#include "train/session.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

sa_exchange *sa_compare_processes;

/* progress: NULL: the training under way has ended. */
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

typedef struct run_reporter {
    const sa_comparison *all;
    sa_compare_run *run;
} run_reporter;

/* A validation has just saved last.safetensors: recording its cost beside it keeps the time right
 * even when the training is killed. */
static void report_progress(void *context, const sa_progress *progress) {
    const run_reporter *to = context;
    report(to->all, progress);
    if (progress->kind != SA_PROGRESS_VALIDATION) return;
    to->run->spent = progress->spent;
    to->run->updates = progress->step;
    /* An error shows when the record is written again at the end. */
    sa_compare_record_write(to->run, &to->all->data, NULL);
}

/* What lies in the folder is resumed or else removed, before the record of this run is written:
 * beside that, the model of another training would pass for this run's after a kill. For the same
 * reason the record of another run goes before its model does. */
static bool begin_folder(const sa_compare_run *run, bool *resume, sa_error *error) {
    static const char *const record[] = {"run.json"};
    sa_directory_lock lock;
    char *last = sa_path_join(run->folder, "last.safetensors", error);
    bool good = last && sa_directory_lock_open(&lock, run->folder, error);
    *resume = good && run->recorded && !sa_file_missing(last);
    free(last);
    if (!good) return false;
    if (!*resume)
        good = (run->recorded || sa_directory_remove(run->folder, record, 1, error)) &&
               sa_training_remove(run->folder, error);
    sa_directory_lock_close(&lock);
    return good;
}

/* After a kill between a save and its record, only the saved log knows the time. */
static bool read_seconds(void *context, const char *const *cells, sa_error *error) {
    sa_compare_run *run = context;
    double seconds;
    (void)error;
    if (sa_number_parse(cells[SA_LOG_SECONDS], &seconds) && seconds > run->spent.seconds)
        run->spent.seconds = seconds;
    return true;
}

static bool train(const sa_comparison *all, sa_compare_run *run, const volatile sig_atomic_t *stop,
                  sa_error *error) {
    const sa_compare_data *data = &all->data;
    run_reporter to = {all, run};
    sa_settings settings = run->settings;
    sa_train_options training = {.settings = &settings,
                                 .train = all->options->train,
                                 .valid = all->options->valid,
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
    else if (!sa_training_log_read(run->folder, false, read_seconds, run, error))
        return false;
    training.spent = run->spent;
    if (!sa_compare_record_write(run, data, error)) return false;
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
    return sa_compare_record_write(run, data, error);
}

/* ---- Evaluation ------------------------------------------------------------------------------ */

/* BLEU by source length, with bootstrap confidence intervals. */
static bool score_lengths(sa_compare_run *run, const sa_corpus *test,
                          const sa_sentence_result *each, sa_error *error) {
    sa_resampling resampling;
    sa_confidence_interval interval[SA_METRIC_COUNT];
    const sa_metrics *metrics = &run->settings.metrics;
    sa_options_init(sa_resampling_options, &resampling);
    sa_metric_stats *stats = sa_pair_scores_stats(metrics, each, test->count, error);
    bool good = stats != NULL;
    for (int i = 0; good && i < SA_LENGTH_BANDS; i++) {
        const sa_length_band *band = &sa_length_bands[i];
        good = sa_pair_scores_band(metrics, test, each, band, &run->by_length[i], error);
        if (!good || !run->by_length[i].sentences) continue;
        good = sa_pair_scores_intervals(metrics, &resampling, stats, each, test->count, band,
                                        interval, error);
        run->interval[i] = interval[SA_METRIC_BLEU];
    }
    free(stats);
    return good;
}

static bool score(sa_compare_run *run, const sa_corpus *test, const sa_sentence_result *each,
                  sa_error *error) {
    sa_eval_result all;
    if (!sa_eval_summarize(&run->settings.metrics, test, each, NULL, test->count, &all, error) ||
        !score_lengths(run, test, each, error))
        return false;
    for (int k = 0; k < SA_COMPARE_SHOWN; k++) {
        const double *figure = sa_eval_figure(&all, sa_compare_columns[k].key);
        if (figure) run->scores[k] = *figure;
    }
    run->scores[SA_COMPARE_SENTENCES] = (double)all.sentences;
    run->scores[SA_COMPARE_WORDS] = (double)all.target_words;
    return true;
}

static bool evaluate(const sa_comparison *all, sa_compare_run *run, sa_error *error) {
    const sa_corpus *test = &all->data.test;
    sa_search search;
    sa_search_init(&search);
    search.beam = 1;
    sa_model *model = sa_compare_model_open(run, error);
    sa_sentence_result *each = model ? sa_new(test->count, sizeof *each, error) : NULL;
    bool good = each && sa_evaluate(model, test, &search, NULL, each, error);
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
    return sa_compare_record_write(run, &all->data, error);
}

/* ---- All runs -------------------------------------------------------------------------------- */

static bool is_done(const sa_compare_run *run, const sa_compare_data *data) {
    return run->trained && (run->diverged || run->test == data->test_hash);
}

/* With --overwrite, a record of something else is none. */
static bool read_record(const sa_comparison *all, sa_compare_run *run, sa_error *error) {
    sa_error why = {0};
    return sa_compare_record_read(run, &all->data, &why) ||
           (all->options->overwrite && (why.code == SA_BUSY || why.code == SA_DATA)) ||
           sa_fail(error, why.code, "%s", why.text);
}

static bool read_records(sa_comparison *all, sa_error *error) {
    size_t done = 0, count = all->model_count * all->seeds;
    for (size_t i = 0; i < count; i++) {
        if (!read_record(all, &all->runs[i], error)) return false;
        done += is_done(&all->runs[i], &all->data);
    }
    const sa_compare_data *data = &all->data;
    const size_t shared[] = {data->train_shared, data->valid_shared};
    const char *const path[] = {all->options->train, all->options->valid};
    if (data->test.note) note(all, "note: %s", data->test.note);
    for (int i = 0; i < 2; i++) /* scores on memorized pairs say nothing about unseen ones */
        if (shared[i])
            note(all, "note: %zu of the %zu test pairs also occur in '%s'", shared[i],
                 data->test.count, path[i]);
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

/* ---- The order ------------------------------------------------------------------------------- */

/* All trainings have as many updates, so the time grows with the weights. */
static size_t weights_of(const sa_compare_run *run) {
    enum { WORDS = 1000 }; /* of either vocabulary, which is the same for all */
    const sa_sizes sizes = sa_sizes_of(&run->settings, WORDS, WORDS);
    sa_params plan;
    sa_seq2seq_plan(&sizes, &plan);
    return plan.size;
}

static int longest_first(const void *a, const void *b) {
    const sa_compare_run *one = *(sa_compare_run *const *)a, *other = *(sa_compare_run *const *)b;
    const size_t x = weights_of(one), y = weights_of(other);
    if (x != y) return x < y ? 1 : -1;
    return (one > other) - (one < other);
}

static bool make_order(sa_comparison *all, sa_error *error) {
    const size_t count = all->model_count * all->seeds;
    all->order = sa_new(count, sizeof *all->order, error);
    if (!all->order) return false;
    for (size_t i = 0; i < count; i++)
        all->order[i] = &all->runs[i % all->model_count * all->seeds + i / all->model_count];
    if (all->processes) qsort(all->order, count, sizeof *all->order, longest_first);
    return true;
}

/* ---- Locks -----------------------------------------------------------------------------------
 * Bytes of DIR/.claims: one for each run; one that the first process holds until it has written the
 * results; one that each process holds until it ends, in whatever way. */

static off_t results_byte(const sa_comparison *all) {
    return (off_t)(all->model_count * all->seeds);
}

static off_t process_byte(const sa_comparison *all, int rank) {
    return results_byte(all) + 1 + rank;
}

/* Command F_OFD_SETLK, F_OFD_SETLKW or F_OFD_GETLK; type F_WRLCK or F_UNLCK. Fails with errno. Of a
 * byte that another process holds F_OFD_GETLK tells its type. */
static bool lock(const sa_comparison *all, int command, off_t at, short *type) {
    struct flock byte = {.l_type = *type, .l_whence = SEEK_SET, .l_start = at, .l_len = 1};
    const bool good = fcntl(all->claims, command, &byte) == 0;
    *type = byte.l_type;
    return good;
}

static bool take(const sa_comparison *all, int command, off_t at) {
    return lock(all, command, at, &(short){F_WRLCK});
}

static void give_back(const sa_comparison *all, off_t at) {
    lock(all, F_OFD_SETLK, at, &(short){F_UNLCK});
}

/* Its files stay open until the process ends, and so do its locks. */
static bool open_claims(sa_comparison *all, sa_error *error) {
    sa_exchange *processes = all->processes;
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    processes->gather(&cores, sizeof cores, 1);
    all->shards = sa_threads_for(cores);
    for (size_t i = 0; i < all->model_count * all->seeds; i++)
        if (!all->runs[i].settings.threads) all->runs[i].settings.threads = processes->threads;
    char *path = sa_path_join(all->options->out, ".claims", error);
    if (!path) return false;
    all->claims = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    const bool good = all->claims >= 0 || sa_fail_errno(error, SA_OPEN, "open", path);
    free(path);
    return good && ((take(all, F_OFD_SETLKW, process_byte(all, processes->rank)) &&
                     (processes->rank > 0 || take(all, F_OFD_SETLKW, results_byte(all)))) ||
                    sa_fail_errno(error, SA_IO, "lock runs in", all->options->out));
}

/* Whether all processes are there when the first one has written the results. */
static bool meet(const sa_comparison *all) {
    const sa_exchange *processes = all->processes;
    if (processes->rank > 0 && !take(all, F_OFD_SETLKW, results_byte(all))) return false;
    give_back(all, results_byte(all));
    for (int i = 0; i < processes->size; i++) {
        short type = F_WRLCK;
        if (i != processes->rank &&
            (!lock(all, F_OFD_GETLK, process_byte(all, i), &type) || type == F_UNLCK))
            return false;
    }
    return true;
}

void sa_compare_end(sa_comparison *all) {
    if (all->processes && all->claims >= 0) all->processes->incomplete = !meet(all);
}

/* ---- The runs in order ----------------------------------------------------------------------- */

/* Finishes the run unless another process does or has. *waiting: it is not done yet. */
static bool finish_or_pass(const sa_comparison *all, size_t i, const volatile sig_atomic_t *stop,
                           bool *waiting, sa_error *error) {
    sa_compare_run *run = all->order[i];
    if (is_done(run, &all->data)) return true;
    if (all->processes && !take(all, F_OFD_SETLK, run - all->runs)) {
        *waiting = errno == EAGAIN || errno == EACCES; /* another process has taken it */
        return *waiting || sa_fail_errno(error, SA_IO, "lock runs in", all->options->out);
    }
    bool good = !all->processes || read_record(all, run, error); /* of what others did meanwhile */
    if (good && is_done(run, &all->data))
        note(all, "== %s, seed %lld: by another process, %lld updates, %.1f s", run->model->name,
             (long long)run->settings.seed, (long long)run->updates, run->spent.seconds);
    else
        good = good && finish(all, run, i, stop, error);
    if (all->processes) give_back(all, run - all->runs);
    return good;
}

bool sa_compare_finish_runs(sa_comparison *all, const volatile sig_atomic_t *stop,
                            sa_error *error) {
    const struct timespec pause = {.tv_nsec = 200 * 1000000};
    bool waiting = true;
    all->processes = sa_compare_processes;
    all->claims = -1;
    if (!make_order(all, error) || (all->processes && !open_claims(all, error))) return false;
    if (!sa_exchange_agree(all->processes, read_records(all, error), error)) return false;
    if (all->processes) all->processes->ended = true; /* nobody waits for one that may have died */
    while (waiting && !*stop) {
        waiting = false;
        for (size_t i = 0; i < all->model_count * all->seeds && !*stop; i++)
            if (!finish_or_pass(all, i, stop, &waiting, error)) return false;
        if (waiting) nanosleep(&pause, NULL);
    }
    return true;
}
