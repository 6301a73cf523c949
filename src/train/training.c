/* training: sa_train of softalign.h, the loop over updates and validations. */
#include "train/training.h"
#include "analysis/overlap.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/number.h"
#include "config/settings.h"
#include "inference/model_file.h"
#include "train/checkpoint.h"
#include "train/end_diagnosis.h"
#include "train/processes.h"
#include "train/snapshots.h"
#include "train/start.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define REPORT_EVERY 0.2 /* seconds between two reports of progress */

/* ---- Progress -------------------------------------------------------------------------------- */

/* Seconds until the nearest limit that can be predicted; -1: none. */
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
    const sa_train_cost spent = sa_session_cost(session);
    if (session->report_words)
        session->words_per_second =
            (double)session->report_words / (sa_clock_seconds() - session->report_time);
    return (sa_progress){
        .kind = SA_PROGRESS_STEP,
        .epoch = (int)session->batcher.epoch + 1,
        .epoch_part = (double)session->batcher.position / (double)session->data.count,
        .step = session->trainer.step,
        .spent = spent,
        .seconds_left = seconds_left(session, spent.seconds),
        .loss = words ? loss / (double)words : NAN,
        .guided_loss = NAN,
        .words_per_second = session->words_per_second,
        .gradient_norm = session->gradient_norm,
    };
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

/* ---- The log --------------------------------------------------------------------------------- */

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

/* Counts validations without improvement and decays the learning rate. */
static void update_learning_rate(sa_session *session, sa_validation now) {
    sa_state_figures *figures = &session->figures;
    const sa_validation best = {figures->best_loss, figures->best_bleu, figures->best_chrf};
    if (sa_validation_better(session->settings.criterion, now, best)) {
        figures->best_loss = now.loss;
        figures->best_bleu = now.bleu;
        figures->best_chrf = now.chrf;
        session->counts.stale = 0;
    } else {
        session->counts.stale++;
        if (session->counts.stale % session->settings.lr_patience == 0)
            session->figures.lr_factor = /* never 0 */
                fmax(session->figures.lr_factor * session->settings.lr_decay, DBL_MIN);
        session->trainer.decay = session->figures.lr_factor;
    }
}

/* ---- Saving ---------------------------------------------------------------------------------- */

static void swap_weights(sa_real *one, sa_real *other, size_t size) {
    for (size_t i = 0; i < size; i++) {
        const sa_real first = one[i];
        one[i] = other[i];
        other[i] = first;
    }
}

/* Notes an error that may pass, as when others use up the disk; false: it is of another kind. */
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
    const size_t size = model->plan.size;
    if (is_best && session->unsaved)
        memcpy(session->unsaved, model->values, size * sizeof *model->values);
    if (!is_best && !session->unsaved) return true;
    if (!is_best) swap_weights(session->unsaved, model->values, size);
    const bool good = sa_model_write(model, session->best_path.text, NULL, 0, error);
    if (!is_best) swap_weights(session->unsaved, model->values, size);
    if (good) {
        free(session->unsaved);
        session->unsaved = NULL;
    }
    return good;
}

/* Keeps the weights for the next save. */
static bool keep_best(sa_session *session, sa_error *error) {
    const size_t size = session->model.plan.size;
    if (session->unsaved) return true;
    session->unsaved = sa_new(size, sizeof *session->unsaved, error);
    if (session->unsaved)
        memcpy(session->unsaved, session->model.values, size * sizeof *session->unsaved);
    return session->unsaved;
}

/* Saves the best model, then the state that refers to it. */
static bool save(sa_session *session, bool is_best, sa_error *error) {
    if (!sa_exchange_leads(session->exchange)) return true;
    sa_error why = {0};
    const bool best =
        (!session->replace || session->replace(session, &why)) && save_best(session, is_best, &why);
    const bool good = best && sa_checkpoint_write(session, &why);
    session->save_error = good ? (sa_error){0} : why;
    return good ||
           (survive(session, &why, error) && (best || !is_best || keep_best(session, error)));
}

static bool save_frames(sa_session *session, sa_error *error) {
    sa_error why = {0};
    if (!sa_exchange_leads(session->exchange) || sa_snapshots_write(session, &why)) return true;
    session->frame_error = why;
    return survive(session, &why, error);
}

/* What could not be saved is tried once more. */
static bool end_saves(sa_session *session, sa_error *error) {
    if (session->save_error.code && !save(session, false, error)) return false;
    const sa_error *why = session->save_error.code ? &session->save_error : &session->frame_error;
    if (why->code && error) *error = *why;
    return !why->code;
}

/* ---- Validation ------------------------------------------------------------------------------ */

bool sa_session_validate(sa_session *session, bool scheduled, sa_error *error) {
    const double begin = sa_clock_seconds();
    sa_progress row = progress_now(session, session->figures.loss, session->counts.words);
    sa_validation now;
    sa_trainer_lend_memory(&session->trainer);
    if (!sa_processes_compare(session, error) || !sa_processes_validate(session, &now, error))
        return false;
    row.kind = SA_PROGRESS_VALIDATION;
    if (session->gold && session->counts.words)
        row.guided_loss = session->figures.guided_loss / (double)session->counts.words;
    row.valid_loss = now.loss, row.valid_bleu = now.bleu, row.valid_chrf = now.chrf;
    row.valid_perplexity = exp(row.valid_loss);
    if (!isfinite(row.valid_perplexity)) return sa_fail_diverged(error);
    row.best = sa_validation_better(session->settings.criterion, now, session->best);
    if (row.best) session->best = now;
    if (scheduled) {
        update_learning_rate(session, now);
        sa_averaging_add(&session->averaging, &session->settings, session->counts.validations, now,
                         session->model.values);
        session->counts.validations++;
        session->counts.words = 0;
        session->figures.loss = session->figures.guided_loss = 0;
    }
    add_to_log(&row, &session->log);
    if (!sa_exchange_agree(session->exchange,
                           save_frames(session, error) && save(session, row.best, error), error))
        return false;
    if (session->training->report) session->training->report(session->training->context, &row);
    session->validation_seconds = sa_clock_seconds() - begin;
    session->report_time +=
        session->validation_seconds; /* words per second leave validations out */
    return true;
}

/* --average: writes the mean weights as a model of their own. */
static bool write_average(sa_session *session, sa_error *error) {
    sa_model *model = &session->model;
    const size_t size = model->plan.size;
    const size_t count = sa_averaging_count(&session->averaging, session->counts.validations);
    if (!count || !sa_exchange_leads(session->exchange)) return true;
    sa_real *mean = sa_new(size, sizeof *mean, error);
    if (!mean) return false;
    sa_averaging_mean(&session->averaging, count, mean);
    swap_weights(mean, model->values, size);
    sa_validation now;
    const bool good = sa_validate(model, &session->valid, &session->valid_data, &now, error) &&
                      sa_model_write(model, session->average_path.text, NULL, 0, error);
    swap_weights(mean, model->values, size);
    free(mean);
    if (good)
        sa_session_note(session, "mean weights of the %s %zu validations: loss %.4f, BLEU %.2f: %s",
                        sa_average_name((size_t)session->settings.average_of), count, now.loss,
                        now.bleu, session->average_path.text);
    return good;
}

/* ---- The loop -------------------------------------------------------------------------------- */

bool sa_session_step(sa_session *session, sa_error *error) {
    int count;
    const size_t *pairs = sa_batcher_next(&session->batcher, &count);
    sa_step_result result;
    const double begin = sa_clock_seconds();
    if (!sa_trainer_step(&session->trainer, session->data.source, session->data.target, pairs,
                         count, &result, error))
        return false;
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
    return every ? session->trainer.step % every == 0
                 : session->batcher.position == session->data.count;
}

const char *sa_session_reason_to_stop(const sa_session *session) {
    const sa_settings *settings = &session->settings;
    const bool epoch_over = session->batcher.position == session->data.count;
    const int64_t epochs = session->batcher.epoch + epoch_over;
    const double seconds = sa_session_cost(session).seconds;
    bool stop = session->training->stop && *session->training->stop;
    bool late =
        settings->max_time > 0 && seconds + session->validation_seconds >= settings->max_time;
    sa_processes_stop(session, &stop, &late);
    if (stop) return "stopped";
    if (settings->steps > 0 && session->trainer.step >= settings->steps) return "steps";
    if (settings->epochs > 0 && epochs >= settings->epochs) return "epochs";
    if (settings->patience > 0 && session->counts.stale >= settings->patience) return "patience";
    return late ? "time" : NULL;
}

static bool train(sa_session *session, const char **reason, sa_error *error) {
    /* the model has not changed since a scheduled validation, and its best model exists */
    bool fresh =
        session->counts.validations && !session->counts.words && isfinite(session->best.loss);
    while (!(*reason = sa_session_reason_to_stop(session))) {
        if (!sa_session_step(session, error) || !sa_processes_check(session, error)) return false;
        report_step(session);
        fresh = sa_session_validation_due(session);
        if (fresh && !sa_session_validate(session, true, error)) return false;
    }
    if (session->training->pausing && strcmp(*reason, "stopped") == 0)
        return (fresh || save(session, false, error)) && end_saves(session, error);
    return (fresh || sa_session_validate(session, false, error)) && write_average(session, error) &&
           end_saves(session, error);
}

/* Memorized pairs do not show generalization. */
static bool note_shared_pairs(const sa_session *session, sa_error *error) {
    size_t count;
    if (!session->training->valid) return true;
    if (!sa_overlap_count(&session->valid, &session->train, NULL, &count, error)) return false;
    if (count)
        sa_session_note(session,
                        "note: %zu of the %zu pairs in '%s' are also among the training pairs",
                        count, session->valid.count, session->valid.name);
    return true;
}

/* ---- The whole ------------------------------------------------------------------------------- */

/* An overwritten training goes just before the first file of the new one is written, so that it
 * outlives all that may be refused or end before; and whole, film included, so that no file of it
 * stands beside one of the new training. The film goes first: it can be done without. */
static bool replace_old(sa_session *session, sa_error *error) {
    const bool good =
        sa_snapshots_open(session, error) && sa_training_remove(session->training->out, error);
    if (good) session->replace = NULL;
    return good;
}

/* The first frame, if there is a film, is also the first file. */
static bool begin_film(sa_session *session, sa_error *error) {
    const sa_train_options *training = session->training;
    if (training->overwrite) session->replace = replace_old;
    if (training->overwrite && !training->snapshot_count) return true;
    return (training->overwrite ? replace_old(session, error)
                                : sa_snapshots_open(session, error)) &&
           (training->resume || sa_snapshots_write(session, error));
}

static bool run(sa_session *session, const sa_train_options *training, sa_train_result *result,
                sa_error *error) {
    bool good = sa_session_open(session, training, error) && note_shared_pairs(session, error);
    good = sa_exchange_agree(session->exchange, good, error);
    if (good && sa_exchange_leads(session->exchange)) good = begin_film(session, error);
    good = sa_exchange_agree(session->exchange, good, error);
    sa_session_release_texts(session);
    good = good && train(session, &result->reason, error);
    result->steps = session->trainer.step;
    if (good && training->diagnose && sa_exchange_leads(session->exchange) &&
        strcmp(result->reason, "stopped") != 0)
        sa_session_diagnose(session, result);
    result->epochs = (int)session->batcher.epoch + 1;
    result->spent = sa_session_cost(session);
    result->best_loss = session->best.loss;
    result->best_bleu = session->best.bleu;
    result->best_chrf = session->best.chrf;
    return good;
}

bool sa_train(const sa_train_options *training, sa_train_result *result, sa_error *error) {
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
    const bool good = run(session, training, result, error);
    sa_session_close(session);
    free(session);
    return good;
}
