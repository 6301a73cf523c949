#include "base/file.h"
#include "base/save.h"
#include "session/session.h"
#include "tensor/blas.h"

#include <limits.h>
#include <math.h>
#include <string.h>

/* What last.safetensors holds of a training besides its model, and log.csv beside it. */

/* Far beyond every training, and far below what an int64_t counts to. */
#define MOST_COUNTED ((int64_t)1 << 53)

/* What a kept validation is in the file: its loss, BLEU and chrF. */
enum { KEPT_FIGURES = sizeof(sa_validation) / sizeof(double) };

/* ---- Reading --------------------------------------------------------------------------------- */

/* Takes the rows of the log that belong to the saved state; what a stop added is dropped. */
static bool read_log(sa_session *session, sa_error *error) {
    sa_file file;
    if (!sa_file_read(&file, session->log_path.text, SA_FILE_LIMIT, error)) return false;
    size_t at = 0;
    for (int64_t line = 0; line <= session->at[SA_AT_ROWS] && at < file.size; line++) {
        const char *end = memchr(file.data + at, '\n', file.size - at);
        if (!end) break;
        at = (size_t)(end - file.data) + 1;
    }
    sa_buffer_add(&session->log, file.data, at);
    sa_file_release(&file);
    return !session->log.failed || sa_fail_memory(error, at);
}

static bool check_place(const sa_session *session, const char *file, sa_error *error) {
    const int64_t *at = session->at;
    for (int i = 0; i < SA_AT_COUNT; i++) {
        const bool hash = i == SA_AT_TRAIN || i == SA_AT_VALID;
        const int64_t most = i == SA_AT_EPOCH || i == SA_AT_BAD ? INT_MAX - 1 : MOST_COUNTED;
        if (!hash && (at[i] < 0 || at[i] > most))
            return sa_fail(error, SA_DATA,
                           "%s: tensor 'training.at': number %d is an impossible count", file, i);
    }
    for (int i = 0; i < SA_FIGURE_COUNT; i++)
        if (isnan(session->figure[i]) || (isinf(session->figure[i]) && i != SA_FIGURE_BEST))
            return sa_fail(error, SA_DATA,
                           "%s: tensor 'training.figures' is not finite at number %d", file, i);
    if (!(session->figure[SA_FIGURE_RATE] > 0 && session->figure[SA_FIGURE_RATE] <= 1))
        return sa_fail(error, SA_DATA, "%s: tensor 'training.figures' holds an impossible rate",
                       file);
    if (at[SA_AT_TRAIN] != (int64_t)session->data.hash ||
        at[SA_AT_POSITION] > (int64_t)session->data.count)
        return sa_fail(error, SA_DATA, "%s: the training pairs have changed since '%s' was saved",
                       session->train.name, file);
    if (at[SA_AT_VALID] != (int64_t)session->check.hash)
        return sa_fail(error, SA_DATA, "%s: the validation pairs have changed since '%s' was saved",
                       session->check_corpus->name, file);
    return true;
}

/* The optimiser's memories must be finite, and the mean of squares cannot be negative. */
static bool check_memories(const sa_session *session, const char *file, sa_error *error) {
    for (size_t i = 0; i < session->model.plan.size; i++) {
        const bool first = isfinite(session->trainer.first[i]);
        const sa_real second = session->trainer.second[i];
        if (first && isfinite(second) && second >= 0) continue;
        return sa_fail(error, SA_DATA, "%s: tensor 'optimizer.%s' is damaged at number %zu", file,
                       first ? "second" : "first", i);
    }
    return true;
}

static bool read_kept(sa_session *session, const sa_container *file, sa_error *error) {
    sa_kept *kept = &session->average;
    const size_t size = kept->room * kept->size;
    if (!kept->room) return true;
    if (!sa_tensor_copy(file, "average.weights", SA_F32, size, kept->weights, error) ||
        !sa_tensor_copy(file, "average.validations", SA_F64, kept->room * KEPT_FIGURES, kept->past,
                        error))
        return false;
    for (size_t i = 0; i < size; i++)
        if (!isfinite(kept->weights[i]))
            return sa_fail(error, SA_DATA, "%s: tensor 'average.weights' is damaged at number %zu",
                           file->name, i);
    for (size_t i = 0; i < kept->room * KEPT_FIGURES; i++)
        if (!isfinite(((const double *)kept->past)[i]))
            return sa_fail(error, SA_DATA,
                           "%s: tensor 'average.validations' is damaged at number %zu", file->name,
                           i);
    return true;
}

bool sa_session_read(sa_session *session, const sa_container *file, sa_error *error) {
    sa_trainer *trainer = &session->trainer;
    const size_t size = session->model.plan.size;
    if (!sa_container_find(file, "training.at"))
        return sa_fail(error, SA_DATA, "%s: tensor 'training.at' is missing: no training saved it",
                       file->name);
    if (!sa_tensor_copy(file, "training.at", SA_I64, SA_AT_COUNT, session->at, error) ||
        !sa_tensor_copy(file, "training.figures", SA_F64, SA_FIGURE_COUNT, session->figure,
                        error) ||
        !sa_tensor_copy(file, "optimizer.first", SA_F32, size, trainer->first, error) ||
        !sa_tensor_copy(file, "optimizer.second", SA_F32, size, trainer->second, error) ||
        !check_place(session, file->name, error) || !check_memories(session, file->name, error) ||
        !read_kept(session, file, error))
        return false;
    trainer->step = session->at[SA_AT_STEP];
    trainer->applied = session->at[SA_AT_APPLIED];
    trainer->bad = (int)session->at[SA_AT_BAD];
    trainer->decay = session->figure[SA_FIGURE_RATE];
    session->first_step = trainer->step;
    sa_batcher_seek(&session->batcher, session->at[SA_AT_EPOCH],
                    (size_t)session->at[SA_AT_POSITION]);
    if (session->model.flushed)
        sa_session_note(session, "note: '%s': %zu denormal numbers are read as zero", file->name,
                        session->model.flushed);
    const char *core = sa_container_text(file, "core");
    if (core && strcmp(core, sa_blas_core()) != 0)
        sa_session_note(session,
                        "note: '%s' was trained on another kind of processor (%s, here %s): "
                        "the last bits may differ",
                        file->name, core, sa_blas_core());
    return read_log(session, error);
}

/* ---- Saving ---------------------------------------------------------------------------------- */

static bool save_log(const sa_session *session, sa_error *error) {
    const sa_buffer *log = &session->log;
    if (log->failed) return sa_fail_memory(error, log->size);
    return sa_save(session->log_path.text, &(sa_piece){log->text, log->size}, 1, error);
}

bool sa_session_save(sa_session *session, sa_error *error) {
    const int size = (int)session->model.plan.size;
    const sa_trainer *trainer = &session->trainer;
    session->at[SA_AT_STEP] = trainer->step;
    session->at[SA_AT_APPLIED] = trainer->applied;
    session->at[SA_AT_BAD] = trainer->bad;
    session->at[SA_AT_EPOCH] = session->batcher.epoch;
    session->at[SA_AT_POSITION] = (int64_t)session->batcher.position;
    const sa_kept *kept = &session->average;
    const sa_tensor state[] = {
        {.name = "optimizer.first",
         .type = SA_F32,
         .rank = 1,
         .shape = {size},
         .data = trainer->first},
        {.name = "optimizer.second",
         .type = SA_F32,
         .rank = 1,
         .shape = {size},
         .data = trainer->second},
        {.name = "training.at",
         .type = SA_I64,
         .rank = 1,
         .shape = {SA_AT_COUNT},
         .data = session->at},
        {.name = "training.figures",
         .type = SA_F64,
         .rank = 1,
         .shape = {SA_FIGURE_COUNT},
         .data = session->figure},
        {.name = "average.weights", /* from here on: with --average only */
         .type = SA_F32,
         .rank = 2,
         .shape = {(int)kept->room, size},
         .data = kept->weights},
        {.name = "average.validations",
         .type = SA_F64,
         .rank = 2,
         .shape = {(int)kept->room, KEPT_FIGURES},
         .data = kept->past},
    };
    const size_t count = sizeof state / sizeof *state - (kept->room ? 0 : 2);
    return save_log(session, error) &&
           sa_model_write(&session->model, session->last_path.text, state, count, error);
}
