/* training: sa_train of softalign.h, the loop over updates and validations. */
#include "base/number.h"
#include "config/settings.h"
#include "data/overlap.h"
#include "inference/model.h"
#include "train/session.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define REPORT_EVERY 0.2 /* seconds between two reports of progress */

/* ---- Progress -------------------------------------------------------------------------------- */

static double seconds_of(const sa_session *session) {
    return sa_clock_seconds() - session->begin;
}

static bool asked_to_stop(const sa_session *session) {
    return session->watch.stop && *session->watch.stop;
}

/* Returns how long a validation takes: as long as the last one or, before the first, as updates on
 * equally many words. */
static double validation_cost(const sa_session *session) {
    const sa_train_cost *spent = &session->spent;
    if (session->validation_seconds > 0 || !spent->words) return session->validation_seconds;
    return spent->updating / (double)spent->words * (double)session->valid_data.target_words;
}

/* Returns the seconds until the nearest limit that can be predicted; -1: there is none. */
static double seconds_left(const sa_session *session, double elapsed) {
    const sa_settings *settings = &session->settings;
    const double step = (double)session->trainer.step;
    const double run = elapsed - session->training->spent.seconds;
    const double rate = run > 0 ? (step - (double)session->first_step) / run : 0;
    const double epoch = (double)session->batcher.number;
    double left = INFINITY;
    if (settings->max_time > 0) left = settings->max_time - elapsed;
    if (rate > 0 && settings->steps > 0) left = fmin(left, ((double)settings->steps - step) / rate);
    if (rate > 0 && settings->epochs > 0)
        left = fmin(left, (epoch * settings->epochs - step) / rate);
    return isfinite(left) ? fmax(left, 0) : -1;
}

static sa_progress progress_now(sa_session *session, double loss, int64_t words) {
    sa_progress now = {
        .kind = SA_PROGRESS_STEP,
        .epoch = (int)session->batcher.epoch + 1,
        .epoch_part = (double)session->batcher.position / (double)session->data.count,
        .step = session->trainer.step,
        .spent = session->spent,
        .loss = words ? loss / (double)words : NAN,
        .guided_loss = NAN,
        .gradient_norm = session->gradient_norm,
    };
    if (session->report_words)
        session->words_per_second =
            (double)session->report_words / (sa_clock_seconds() - session->report_time);
    now.words_per_second = session->words_per_second;
    now.spent.seconds = seconds_of(session);
    now.seconds_left = seconds_left(session, now.spent.seconds);
    return now;
}

static void report_step(sa_session *session) {
    if (!session->training->report || sa_clock_seconds() - session->report_time < REPORT_EVERY)
        return;
    const sa_progress progress = progress_now(session, session->report_loss, session->report_words);
    session->training->report(session->training->context, &progress);
    session->report_time = sa_clock_seconds();
    session->report_loss = 0;
    session->report_words = 0;
}

/* Reports progress. A validation is two jobs, teacher forcing and translating. */
static void report_validation(void *context, int begun, int tasks) {
    sa_session *session = context;
    const double part = (double)begun / tasks, now = sa_clock_seconds();
    session->validating = part < session->validating ? 1 + part : part;
    if (now - session->shown < REPORT_EVERY) return;
    session->shown = now;
    sa_progress progress = progress_now(session, 0, 0);
    progress.kind = SA_PROGRESS_VALIDATING;
    progress.validated = session->validating / 2;
    session->training->report(session->training->context, &progress);
}

static void add_to_log(const sa_progress *row, sa_buffer *log) {
    const double figures[] = {row->loss,       exp(row->loss),        row->gradient_norm,
                              row->valid_loss, row->valid_perplexity, row->valid_bleu,
                              row->valid_chrf, row->guided_loss};
    sa_buffer_addf(log, "%d,%lld,", row->epoch, (long long)row->step);
    sa_number_add_fixed(log, row->spent.seconds, 2);
    sa_buffer_adds(log, ",");
    sa_number_add_fixed(log, row->spent.updating, 4);
    sa_buffer_addf(log, ",%lld,", (long long)row->spent.words);
    sa_number_add_fixed(log, row->words_per_second, 0);
    for (size_t i = 0; i < sizeof figures / sizeof *figures; i++) {
        sa_buffer_adds(log, ",");
        if (isfinite(figures[i])) sa_number_add(log, (double)(float)figures[i]);
    }
    sa_buffer_adds(log, row->best ? ",1\n" : ",0\n");
}

/* ---- What the processes that train one model decide together --------------------------------- */

/* Returns whether all processes have the same weights. */
static bool compare_weights(const sa_session *session, sa_error *error) {
    const sa_model *model = &session->model;
    sa_error odd;
    if (!session->exchange) return true;
    const uint64_t hash =
        sa_hash((const char *)model->values, model->plan.size * sizeof *model->values);
    return sa_exchange_same(session->exchange, hash, "other weights", &odd) ||
           sa_fail(error, SA_CHECK,
                   "%s after update %lld: its memory or processor may be faulty; --resume goes on "
                   "from the last validation",
                   odd.text, (long long)session->trainer.step);
}

/* Sets *stop to that of any process, and *late to that of the first, whose clock counts. */
static void agree_to_stop(const sa_exchange *exchange, bool *stop, bool *late) {
    enum { STOP = 1, LATE = 2 };
    uint64_t words[SA_MAX_PROCESSES];
    if (!exchange) return;
    sa_exchange_words(exchange, (*stop ? STOP : 0) | (*late ? LATE : 0), words);
    for (int i = 0; i < exchange->size; i++) *stop |= (words[i] & STOP) != 0;
    *late = (words[0] & LATE) != 0;
}

/* ---- Saving ---------------------------------------------------------------------------------- */

/* Notes an error that may pass, as when others use up the disk; returns false if it is of another
 * kind. */
static bool survive(const sa_session *session, const sa_error *why, sa_error *error) {
    if (why->code == SA_IO)
        sa_session_note(session, "note: %s; training goes on", why->text);
    else if (error)
        *error = *why;
    return why->code == SA_IO;
}

/* Writes the best model: the present one (is_best), or an earlier one that could not be saved. */
static bool save_best(sa_session *session, bool is_best, sa_error *error) {
    sa_model *model = &session->model;
    sa_real *present = model->values;
    if (!is_best && !session->unsaved) return true;
    if (!is_best) model->values = session->unsaved;
    const bool good = sa_model_write(model, session->path[SA_BEST], NULL, 0, error);
    model->values = present;
    if (!good) return false;
    free(session->unsaved);
    session->unsaved = NULL;
    if (asked_to_stop(session)) sa_session_note(session, "saved %s", session->path[SA_BEST]);
    return true;
}

/* Keeps the weights for the next save. */
static bool keep_best(sa_session *session, sa_error *error) {
    const sa_model *model = &session->model;
    if (!session->unsaved)
        session->unsaved = sa_new(model->plan.size, sizeof *model->values, error);
    if (session->unsaved)
        memcpy(session->unsaved, model->values, model->plan.size * sizeof *model->values);
    return session->unsaved;
}

/* Removes an overwritten training just before the first file of the new one is written, so that it
 * survives if the new one is refused or ends before that; and removes all of it, film included, so
 * that no old file stands next to a new one. The film goes first: it matters least. */
static bool replace_old(sa_session *session, sa_error *error) {
    session->replaces = session->replaces && !(sa_snapshots_open(session, error) &&
                                               sa_training_remove(session->training->out, error));
    return !session->replaces;
}

/* Saves the best model, then the state that refers to it; where it does not, saves the state
 * first. */
static bool save(sa_session *session, bool is_best, sa_error *error) {
    if (!sa_exchange_leads(session->exchange)) return true;
    sa_error why = {0};
    const bool refers = session->counts.validations > 0;
    bool best = replace_old(session, &why) && sa_checkpoints_keep(session, &why) &&
                (!refers || save_best(session, is_best, &why));
    bool good = best && sa_checkpoint_write(session, &why);
    if (good && asked_to_stop(session)) /* the user waits */
        sa_session_note(session, "saved %s", session->path[SA_LAST]);
    if (!refers) good = best = good && save_best(session, is_best, &why);
    session->save_error = good ? (sa_error){0} : why;
    return good ||
           (survive(session, &why, error) && (best || !is_best || keep_best(session, error)));
}

/* Saves the frames of a validation, which is dropped when they are. */
static bool save_frames(sa_session *session, sa_validation *validation, sa_error *error) {
    sa_error why = {0};
    if (sa_snapshots_write(session, &why)) return true;
    if (why.code == SA_CHECK) validation->loss = NAN;
    if (why.code == SA_CHECK) return true;
    session->frame_error = why;
    return survive(session, &why, error);
}

/* ---- Validation ------------------------------------------------------------------------------ */

/* Computes the figures of the present weights. The loss is NaN if the validation was dropped. */
static bool validate_weights(sa_session *session, sa_validation *out, sa_error *error) {
    sa_error why = {0};
    const double limit = session->settings.max_time;
    const double end = limit > 0 ? 1 + 1.1 * limit : INFINITY; /* estimates are rough */
    out->loss = NAN;
    if (asked_to_stop(session) || seconds_of(session) + validation_cost(session) > end) return true;
    session->watch.deadline = session->begin + end;
    if (session->training->report) session->watch.progress = report_validation;
    session->validating = 0;
    session->shown = sa_clock_seconds();
    const bool good =
        sa_validate(&session->model, &session->valid, &session->valid_data, out, &why);
    session->watch.deadline = 0;
    session->watch.progress = NULL;
    if (good) return true;
    out->loss = NAN;
    if (error) *error = why;
    return why.code == SA_CHECK;
}

/* Computes the figures of a validation, in the first process only, and its frames. */
static bool validate_once(sa_session *session, sa_validation *out, sa_error *error) {
    sa_exchange *exchange = session->exchange;
    const bool good =
        !sa_exchange_leads(exchange) || (validate_weights(session, out, error) &&
                                         (isnan(out->loss) || save_frames(session, out, error)));
    if (!sa_exchange_agree(exchange, good, error)) return false;
    if (exchange) exchange->gather(out, sizeof *out, 1);
    return true;
}

/* Writes the mean weights as a model of its own. */
static bool write_average(sa_session *session, sa_error *error) {
    sa_model *model = &session->model;
    sa_real *present = model->values;
    const size_t count = sa_averaging_count(&session->averaging, session->counts.validations);
    if (!count && session->settings.average)
        sa_session_note(session, "note: no mean weights: no validation was due (--valid-every)");
    if (!count || !sa_exchange_leads(session->exchange)) return true;
    sa_real *mean = sa_new(model->plan.size, sizeof *mean, error);
    if (!mean) return false;
    sa_averaging_mean(&session->averaging, count, mean);
    sa_validation now;
    char figures[64] = "not validated";
    model->values = mean;
    sa_model_bind(model, model->sizes.precision);
    const bool good = validate_weights(session, &now, error) &&
                      sa_model_write(model, session->path[SA_AVERAGE], NULL, 0, error);
    model->values = present;
    sa_model_bind(model, model->sizes.precision);
    free(mean);
    if (!isnan(now.loss))
        snprintf(figures, sizeof figures, "loss %.4f, BLEU %.2f", now.loss, now.bleu);
    if (good)
        sa_session_note(session, "mean weights of the %s %zu validations: %s: %s",
                        session->settings.average_of == SA_AVERAGE_LAST ? "last" : "best", count,
                        figures, session->path[SA_AVERAGE]);
    return good;
}

/* Counts validations without improvement, which lower the learning rate, and starts the counts for
 * the next one. */
static void count_validation(sa_session *session, sa_validation now) {
    const sa_settings *settings = &session->settings;
    sa_state_figures *figures = &session->figures;
    sa_state_counts *counts = &session->counts;
    if (sa_validation_better(settings->criterion, now, figures->best)) {
        figures->best = now;
        counts->stale = 0;
    } else if (++counts->stale % settings->lr_patience == 0) { /* never 0 */
        figures->lr_factor = fmax(figures->lr_factor * settings->lr_decay, DBL_MIN);
        session->trainer.decay = figures->lr_factor;
    }
    sa_averaging_add(&session->averaging, settings, counts->validations, now,
                     session->model.values);
    counts->validations++;
    counts->words = 0;
    figures->loss = figures->guided_loss = 0;
}

bool sa_session_validate(sa_session *session, bool scheduled, sa_error *error) {
    const double begin = sa_clock_seconds();
    sa_progress row = progress_now(session, session->figures.loss, session->counts.words);
    sa_validation now;
    sa_trainer_lend_memory(&session->trainer);
    if (!compare_weights(session, error) || !validate_once(session, &now, error)) return false;
    if (isnan(now.loss)) return true;
    session->validated = true;
    row.kind = SA_PROGRESS_VALIDATION;
    if (session->gold && session->counts.words)
        row.guided_loss = session->figures.guided_loss / (double)session->counts.words;
    row.valid_loss = now.loss, row.valid_bleu = now.bleu, row.valid_chrf = now.chrf;
    row.valid_perplexity = exp(row.valid_loss);
    if (!isfinite(row.valid_perplexity)) return sa_fail_diverged(error);
    row.best = sa_validation_better(session->settings.criterion, now, session->best);
    if (row.best) session->best = now;
    if (scheduled) count_validation(session, now);
    add_to_log(&row, &session->log);
    if (!sa_exchange_agree(session->exchange, save(session, row.best, error), error)) return false;
    if (session->training->report) session->training->report(session->training->context, &row);
    session->validation_seconds = sa_clock_seconds() - begin;
    session->report_time +=
        session->validation_seconds; /* words per second leave validations out */
    return true;
}

/* ---- The loop -------------------------------------------------------------------------------- */

bool sa_session_step(sa_session *session, sa_error *error) {
    int count;
    const sa_batcher before = session->batcher;
    const size_t *pairs = sa_batcher_next(&session->batcher, &count);
    sa_step_result result;
    const double begin = sa_clock_seconds();
    if (!sa_trainer_step(&session->trainer, session->data.source, session->data.target, pairs,
                         count, &result, error))
        return false;
    if (result.dropped) {
        sa_batcher_seek(&session->batcher, before.epoch, before.position);
        return true;
    }
    session->validated = false;
    session->spent.updating += sa_clock_seconds() - begin;
    session->gradient_norm = result.l2_norm;
    if (!result.applied) {
        sa_session_note(session, "note: update %lld had no finite gradient and was left out",
                        (long long)session->trainer.step);
        return true;
    }
    session->figures.loss += result.loss;
    session->figures.guided_loss += result.alignment_loss;
    session->counts.words += result.words;
    session->report_loss += result.loss;
    session->report_words += result.words;
    session->spent.words += result.words;
    return true;
}

bool sa_session_validation_due(const sa_session *session) {
    const int every = session->settings.valid_every;
    const int64_t step = session->trainer.step;
    /* before the first batch of this run, only a validation that the end of the last run dropped is
     * due */
    if (session->validated || (step == session->first_step && !session->counts.words)) return false;
    return every ? step % every == 0 : session->batcher.position == session->data.count;
}

const char *sa_session_reason_to_stop(const sa_session *session) {
    const sa_settings *settings = &session->settings;
    const bool epoch_over = session->batcher.position == session->data.count;
    const int64_t epochs = session->batcher.epoch + epoch_over;
    const bool due = sa_session_validation_due(session);
    const double cost = validation_cost(session), limit = settings->max_time;
    /* a validation that would take most of the time is left out, if it is only the last one */
    const double ahead = due || cost <= limit / 2 ? cost : 0;
    bool stop = asked_to_stop(session);
    bool late = limit > 0 && seconds_of(session) + ahead >= limit;
    agree_to_stop(session->exchange, &stop, &late);
    if (stop) return "stopped";
    if (due) return late ? "time" : NULL;
    if (settings->steps > 0 && session->trainer.step >= settings->steps) return "steps";
    if (settings->epochs > 0 && epochs >= settings->epochs) return "epochs";
    if (settings->patience > 0 && session->counts.stale >= settings->patience) return "patience";
    return late ? "time" : NULL;
}

/* Notes pairs that both sets share: memorized pairs do not show generalization. */
static bool note_shared_pairs(const sa_session *session, sa_error *error) {
    size_t count;
    if (!session->training->valid) return true;
    if (!sa_corpus_overlap(&session->settings, &session->valid, &session->train, NULL, &count,
                           error))
        return false;
    if (count)
        sa_session_note(session,
                        "note: %zu of the %zu pairs in '%s' are also among the training pairs",
                        count, session->valid.count, session->valid.name);
    return true;
}

/* Begins the film, if there is one; its first frame is also the first file of the training. */
static bool begin_film(sa_session *session, sa_error *error) {
    const sa_train_options *training = session->training;
    session->replaces = training->overwrite;
    if (training->overwrite && !training->snapshot_count) return true;
    return (training->overwrite ? replace_old(session, error)
                                : sa_snapshots_open(session, error)) &&
           (training->resume || sa_snapshots_write(session, error));
}

/* Prepares everything up to the first update; from then on, only the token ids of the pairs are
 * needed. */
static bool begin(sa_session *session, const sa_train_options *training, sa_error *error) {
    bool good = sa_session_open(session, training, error) && note_shared_pairs(session, error);
    good = sa_exchange_agree(session->exchange, good, error) &&
           (!session->exchange || sa_session_same(session, error));
    if (good && sa_exchange_leads(session->exchange)) good = begin_film(session, error);
    good = sa_exchange_agree(session->exchange, good, error);
    if (good) sa_pool_watch(session->model.pool, &session->watch);
    sa_corpus_close(&session->train);
    free(session->trained_on);
    session->trained_on = NULL;
    sa_return_memory();
    return good;
}

static bool end(sa_session *session, sa_train_result *result, sa_error *error) {
    const bool stopped = strcmp(result->reason, "stopped") == 0;
    if (!session->validated && !stopped && !sa_session_validate(session, false, error))
        return false;
    if (!session->validated) { /* there was no time left for it */
        const bool none = !session->counts.validations && !isfinite(session->best.loss);
        if (!save(session, none, error)) return false;
        sa_session_note(session, "note: the last weights are saved, but not validated%s",
                        none ? "; nor were others, so best.safetensors holds them" : "");
    }
    if (!(stopped && session->training->pausing) && !write_average(session, error)) return false;
    if (session->save_error.code && !save(session, false, error)) return false; /* once more */
    const sa_error *why = session->save_error.code ? &session->save_error : &session->frame_error;
    if (why->code && error) *error = *why;
    return !why->code;
}

bool sa_train(const sa_train_options *training, sa_train_result *result, sa_error *error) {
    enum { COMPARE_EVERY = 100 };
    if (!sa_given(result, "result", error)) return false;
    *result = (sa_train_result){0};
    if (!sa_given(training, "options", error) ||
        !sa_given(training->settings, "options->settings", error) ||
        !sa_given(training->train, "options->train", error) ||
        !sa_given(training->out, "options->out", error) ||
        !sa_given_pairs(training->snapshot_pairs, training->snapshot_count,
                        "options->snapshot_pairs", error) ||
        !sa_settings_check(training->settings, error))
        return false;
    sa_session *session = sa_new(1, sizeof *session, error); /* too large for small stacks */
    if (!session) return false;
    bool good = begin(session, training, error);
    session->validated =
        session->counts.validations && !session->counts.words && isfinite(session->best.loss);
    while (good && !(result->reason = sa_session_reason_to_stop(session))) {
        if (sa_session_validation_due(session)) {
            good = sa_session_validate(session, true, error);
            continue;
        }
        good = sa_session_step(session, error) &&
               (session->trainer.step % COMPARE_EVERY != 0 || compare_weights(session, error));
        if (good) report_step(session);
    }
    result->steps = session->trainer.step;
    good = good && end(session, result, error);
    result->epochs = (int)session->batcher.epoch + 1;
    result->spent = session->spent;
    result->spent.seconds = seconds_of(session);
    result->valid_pairs = session->valid_data.count;
    result->best_loss = session->best.loss;
    result->best_bleu = session->best.bleu;
    result->best_chrf = session->best.chrf;
    sa_session_close(session);
    free(session);
    return good;
}
