/* training: sa_train of softalign.h, the loop over updates and validations. */
#include "base/memory.h"
#include "base/number.h"
#include "config/settings.h"
#include "session/snapshots.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define REPORT_EVERY 0.2 /* seconds between two reports of progress */

/* ---- Progress -------------------------------------------------------------------------------- */

/* Seconds to the nearest limit that is known, -1 when none is. */
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
    const sa_effort spent = sa_session_spent(session);
    if (session->since_words)
        session->speed = (double)session->since_words / (sa_now() - session->since);
    return (sa_progress){
        .kind = SA_STEP,
        .epoch = (int)session->batcher.epoch + 1,
        .epoch_part = (double)session->batcher.position / (double)session->data.count,
        .step = session->trainer.step,
        .spent = spent,
        .seconds_left = seconds_left(session, spent.seconds),
        .loss = words ? loss / (double)words : NAN,
        .guided_loss = NAN,
        .words_per_second = session->speed,
        .gradient_norm = session->norm,
    };
}

static void report_step(sa_session *session) {
    if (!session->training->report || sa_now() - session->since < REPORT_EVERY) return;
    const sa_progress progress = progress_now(session, session->since_loss, session->since_words);
    session->training->report(session->training->context, &progress);
    session->since = sa_now();
    session->since_loss = 0;
    session->since_words = 0;
}

/* ---- Validation ------------------------------------------------------------------------------ */

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

/* What a scheduled validation means for the rate and for patience. */
static void settle_rate(sa_session *session, sa_validation now) {
    double *figure = session->figure;
    const sa_validation best = {figure[SA_FIGURE_BEST], figure[SA_FIGURE_BLEU],
                                figure[SA_FIGURE_CHRF]};
    if (sa_validation_better(session->settings.criterion, now, best)) {
        figure[SA_FIGURE_BEST] = now.loss;
        figure[SA_FIGURE_BLEU] = now.bleu;
        figure[SA_FIGURE_CHRF] = now.chrf;
        session->at[SA_AT_STALE] = 0;
    } else {
        session->at[SA_AT_STALE]++;
        if (session->at[SA_AT_STALE] % session->settings.lr_patience == 0)
            session->figure[SA_FIGURE_RATE] *= session->settings.lr_decay;
        session->trainer.decay = session->figure[SA_FIGURE_RATE];
    }
}

/* Measures the model and keeps it if it is the best. A scheduled validation belongs to the training
 * and moves its state; one at a stop leaves no trace in it, so that going on later gives the bits
 * of a training that was never stopped. */
static bool validate(sa_session *session, bool scheduled, sa_error *error) {
    const double begin = sa_now();
    sa_progress row =
        progress_now(session, session->figure[SA_FIGURE_LOSS], session->at[SA_AT_WORDS]);
    sa_validation now;
    sa_trainer_rest(&session->trainer);
    if (!sa_validate(&session->model, session->check_corpus, &session->check, &now, error))
        return false;
    row.kind = SA_VALIDATION;
    if (session->gold && session->at[SA_AT_WORDS])
        row.guided_loss = session->figure[SA_FIGURE_GUIDED] / (double)session->at[SA_AT_WORDS];
    row.valid_loss = now.loss, row.valid_bleu = now.bleu, row.valid_chrf = now.chrf;
    row.valid_perplexity = exp(row.valid_loss);
    if (!isfinite(row.valid_perplexity)) return sa_fail_diverged(error);
    row.best = sa_validation_better(session->settings.criterion, now, session->best);
    if (row.best) {
        session->best = now;
        if (!sa_model_write(&session->model, session->best_path.text, NULL, 0, error)) return false;
    }
    if (scheduled) {
        settle_rate(session, now);
        sa_kept_offer(&session->average, &session->settings, session->at[SA_AT_ROWS], now,
                      session->model.values);
        session->at[SA_AT_ROWS]++;
        session->at[SA_AT_WORDS] = 0;
        session->figure[SA_FIGURE_LOSS] = session->figure[SA_FIGURE_GUIDED] = 0;
    }
    add_to_log(&row, &session->log);
    if (!sa_film_take(session, error) || !sa_session_save(session, error)) return false;
    if (session->training->report) session->training->report(session->training->context, &row);
    session->pause = sa_now() - begin;
    session->since += session->pause; /* words per second are the training's */
    return true;
}

static void exchange(sa_real *one, sa_real *other, size_t size) {
    for (size_t i = 0; i < size; i++) {
        const sa_real kept = one[i];
        one[i] = other[i];
        other[i] = kept;
    }
}

/* --average: the mean of the weights that were kept becomes a model of its own. */
static bool write_average(sa_session *session, sa_error *error) {
    sa_model *model = &session->model;
    const size_t size = model->plan.size;
    const size_t count = sa_kept_count(&session->average, session->at[SA_AT_ROWS]);
    if (!count) return true;
    sa_real *mean = sa_new(size, sizeof *mean, error);
    if (!mean) return false;
    sa_kept_mean(&session->average, count, mean);
    exchange(mean, model->values, size);
    sa_validation now;
    const bool good = sa_validate(model, session->check_corpus, &session->check, &now, error) &&
                      sa_model_write(model, session->average_path.text, NULL, 0, error);
    exchange(mean, model->values, size);
    free(mean);
    if (good)
        sa_session_note(session, "mean weights of the %s %zu validations: loss %.4f, BLEU %.2f: %s",
                        sa_average_name((size_t)session->settings.average_of), count, now.loss,
                        now.bleu, session->average_path.text);
    return good;
}

/* ---- The loop -------------------------------------------------------------------------------- */

static bool step(sa_session *session, sa_error *error) {
    int count;
    const size_t *pairs = sa_batcher_next(&session->batcher, &count);
    sa_step_result result;
    const double begin = sa_now();
    if (!sa_trainer_step(&session->trainer, session->data.source, session->data.target, pairs,
                         count, &result, error))
        return false;
    session->spent.updating += sa_now() - begin;
    session->norm = result.norm;
    if (!result.applied) {
        sa_session_note(session, "note: update %lld had no finite gradient and was left out",
                        (long long)session->trainer.step);
        return true;
    }
    session->figure[SA_FIGURE_LOSS] += result.loss;
    session->figure[SA_FIGURE_GUIDED] += result.astray;
    session->at[SA_AT_WORDS] += result.words;
    session->since_loss += result.loss;
    session->since_words += result.words;
    session->spent.words += result.words;
    return true;
}

static bool validation_due(const sa_session *session) {
    const int every = session->settings.valid_every;
    return every ? session->trainer.step % every == 0
                 : session->batcher.position == session->data.count;
}

/* Why training ends here, or NULL. */
static const char *reason_to_stop(const sa_session *session) {
    const sa_settings *settings = &session->settings;
    const bool epoch_over = session->batcher.position == session->data.count;
    const int64_t epochs = session->batcher.epoch + epoch_over;
    if (session->training->stop && *session->training->stop) return "stopped";
    if (settings->steps > 0 && session->trainer.step >= settings->steps) return "steps";
    if (settings->epochs > 0 && epochs >= settings->epochs) return "epochs";
    if (settings->patience > 0 && session->at[SA_AT_STALE] >= settings->patience) return "patience";
    const double seconds = sa_session_spent(session).seconds;
    if (settings->max_time > 0 && seconds + session->pause >= settings->max_time) return "time";
    return NULL;
}

static bool train(sa_session *session, const char **reason, sa_error *error) {
    /* the last thing done was a scheduled validation, be it before a stop, and the best is kept */
    bool fresh =
        session->at[SA_AT_ROWS] && !session->at[SA_AT_WORDS] && isfinite(session->best.loss);
    while (!(*reason = reason_to_stop(session))) {
        if (!step(session, error)) return false;
        report_step(session);
        fresh = validation_due(session);
        if (fresh && !validate(session, true, error)) return false;
    }
    if (session->training->pausing && strcmp(*reason, "stopped") == 0)
        return fresh || sa_session_save(session, error);
    return (fresh || validate(session, false, error)) && write_average(session, error);
}

/* What was learned by heart says nothing about other sentences. */
static bool tell_about_shared(const sa_session *session, sa_error *error) {
    size_t count;
    if (!session->training->valid) return true;
    if (!sa_corpus_shared(&session->valid, &session->train, &count, error)) return false;
    if (count)
        sa_session_note(session,
                        "note: %zu of the %zu pairs in '%s' stand in the training pairs, too",
                        count, session->valid.count, session->valid.name);
    return true;
}

bool sa_train(const sa_training *training, sa_outcome *outcome, sa_error *error) {
    sa_session session;
    *outcome = (sa_outcome){0};
    if (!sa_settings_check(training->settings, error)) return false;
    bool good = sa_session_open(&session, training, error) && tell_about_shared(&session, error) &&
                sa_film_open(&session, error) &&
                (training->resume || sa_film_take(&session, error));
    session.trainer.profiled = training->parts;
    good = good && train(&session, &outcome->reason, error);
    if (training->parts) sa_trainer_profile(&session.trainer, training->parts);
    outcome->steps = session.trainer.step;
    outcome->epochs = (int)session.batcher.epoch + 1;
    outcome->spent = sa_session_spent(&session);
    outcome->best_loss = session.best.loss;
    outcome->best_bleu = session.best.bleu;
    outcome->best_chrf = session.best.chrf;
    sa_session_close(&session);
    return good;
}
