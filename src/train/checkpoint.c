#include "train/checkpoint.h"
#include "base/file.h"
#include "inference/model_file.h"
#include "tensor/blas.h"

#include <limits.h>
#include <math.h>
#include <string.h>

/* Beyond every training, and below the largest int64_t. */
#define LARGEST_COUNT ((int64_t)1 << 53)

/* Of a stored validation: loss, BLEU and chrF. */
enum { AVERAGING_FIGURES = sizeof(sa_validation) / sizeof(double) };

/* ---- Reading --------------------------------------------------------------------------------- */

/* Reads the rows of the log up to the saved state; a row added by a stop is dropped. */
static bool read_log(sa_session *session, sa_error *error) {
    sa_file file;
    if (!sa_file_read(&file, session->log_path.text, SA_FILE_LIMIT, error)) return false;
    const size_t header = strlen(SA_LOG_HEADER);
    if (file.size < header || memcmp(file.data, SA_LOG_HEADER, header) != 0) {
        sa_file_release(&file);
        return sa_fail(error, SA_DATA, "%s:1: not the header of a training's log",
                       session->log_path.text);
    }
    size_t at = 0;
    for (int64_t line = 0; line <= session->counts.validations && at < file.size; line++) {
        const char *end = memchr(file.data + at, '\n', file.size - at);
        if (!end) break;
        at = (size_t)(end - file.data) + 1;
    }
    sa_buffer_add(&session->log, file.data, at);
    sa_file_release(&file);
    return !session->log.failed || sa_fail_memory(error, at);
}

static bool check_state(const sa_session *session, const char *file, sa_error *error) {
    const sa_state_counts *counts = &session->counts;
    const int64_t *count = &counts->batches;
    const double *figure = &session->figures.best_loss;
    for (int i = 0; i < SA_STATE_COUNTS; i++) {
        const bool hash = i == SA_STATE_COUNT(train_hash) || i == SA_STATE_COUNT(valid_hash);
        const bool is_int = i == SA_STATE_COUNT(epoch) || i == SA_STATE_COUNT(bad_batches);
        if (!hash && (count[i] < 0 || count[i] > (is_int ? INT_MAX - 1 : LARGEST_COUNT)))
            return sa_fail(error, SA_DATA,
                           "%s: tensor 'training.at': number %d is an impossible count", file, i);
    }
    for (int i = 0; i < SA_STATE_FIGURES; i++)
        if (isnan(figure[i]) || (isinf(figure[i]) && i != SA_STATE_FIGURE(best_loss)))
            return sa_fail(error, SA_DATA,
                           "%s: tensor 'training.figures' is not finite at number %d", file, i);
    if (!(session->figures.lr_factor > 0 && session->figures.lr_factor <= 1))
        return sa_fail(error, SA_DATA, "%s: tensor 'training.figures' holds an impossible rate",
                       file);
    if (counts->train_hash != (int64_t)session->data.hash ||
        counts->position > (int64_t)session->data.count)
        return sa_fail(error, SA_DATA, "%s: the training pairs have changed since '%s' was saved",
                       session->train.name, file);
    if (counts->valid_hash != (int64_t)session->valid_data.hash)
        return sa_fail(error, SA_DATA, "%s: the validation pairs have changed since '%s' was saved",
                       session->valid.name, file);
    return true;
}

static bool has_baseline(const sa_session *session) {
    return sa_attention_draws(session->model.w.family->attention(&session->model.w));
}

/* The optimizer's moments must be finite, the second not negative. */
static bool check_moments(const sa_session *session, const char *file, sa_error *error) {
    for (size_t i = 0; i < session->model.plan.size; i++) {
        const bool first = isfinite(session->trainer.first[i]);
        const sa_real second = session->trainer.second[i];
        if (first && isfinite(second) && second >= 0) continue;
        return sa_fail(error, SA_DATA, "%s: tensor 'optimizer.%s' is damaged at number %zu", file,
                       first ? "second" : "first", i);
    }
    return true;
}

/* Identifies the alignments of the training pairs, for --guided-alignment. */
static int64_t hash_links(const sa_session *session) {
    uint64_t hash = 0;
    for (size_t i = 0; session->gold && i < session->data.count; i++) {
        const sa_gold_alignment *gold = &session->gold[i];
        hash = sa_hash_mix(hash ^ gold->count);
        for (size_t k = 0; k < gold->count; k++) {
            const sa_link *link = &gold->links[k];
            hash = sa_hash_mix(hash ^ (uint64_t)link->source);
            hash = sa_hash_mix(hash ^ (uint64_t)link->target << 1 ^ link->possible);
        }
    }
    return (int64_t)hash;
}

/* Files of earlier versions do not have the tensor. */
static bool check_links(const sa_session *session, const sa_container *file, sa_error *error) {
    int64_t stored;
    if (!session->gold || !sa_container_find(file, "training.alignments")) return true;
    return sa_tensor_copy(file, "training.alignments", SA_I64, 1, &stored, error) &&
           (stored == hash_links(session) ||
            sa_fail(error, SA_DATA, "%s: the alignments have changed since '%s' was saved",
                    session->train.name, file->name));
}

static bool read_averaging(sa_session *session, const sa_container *file, sa_error *error) {
    sa_averaging *averaging = &session->averaging;
    const size_t size = averaging->capacity * averaging->size;
    if (!averaging->capacity) return true;
    if (!sa_tensor_copy(file, "average.weights", SA_F32, size, averaging->weights, error) ||
        !sa_tensor_copy(file, "average.validations", SA_F64,
                        averaging->capacity * AVERAGING_FIGURES, averaging->validations, error))
        return false;
    for (size_t i = 0; i < size; i++)
        if (!isfinite(averaging->weights[i]))
            return sa_fail(error, SA_DATA, "%s: tensor 'average.weights' is damaged at number %zu",
                           file->name, i);
    for (size_t i = 0; i < averaging->capacity * AVERAGING_FIGURES; i++)
        if (!isfinite(((const double *)averaging->validations)[i]))
            return sa_fail(error, SA_DATA,
                           "%s: tensor 'average.validations' is damaged at number %zu", file->name,
                           i);
    return true;
}

/* Of hard attention. */
static bool read_baseline(sa_session *session, const sa_container *file, sa_error *error) {
    double *baseline = &session->trainer.baseline;
    if (!has_baseline(session)) return true;
    return sa_tensor_copy(file, "training.baseline", SA_F64, 1, baseline, error) &&
           (isfinite(*baseline) ||
            sa_fail(error, SA_DATA, "%s: tensor 'training.baseline' is not finite at number 0",
                    file->name));
}

bool sa_checkpoint_read(sa_session *session, const sa_container *file, sa_error *error) {
    sa_trainer *trainer = &session->trainer;
    const size_t size = session->model.plan.size;
    if (!sa_container_find(file, "training.at"))
        return sa_fail(error, SA_DATA, "%s: tensor 'training.at' is missing: no training saved it",
                       file->name);
    if (!sa_tensor_copy(file, "training.at", SA_I64, SA_STATE_COUNTS, &session->counts, error) ||
        !sa_tensor_copy(file, "training.figures", SA_F64, SA_STATE_FIGURES, &session->figures,
                        error) ||
        !sa_tensor_copy(file, "optimizer.first", SA_F32, size, trainer->first, error) ||
        !sa_tensor_copy(file, "optimizer.second", SA_F32, size, trainer->second, error) ||
        !check_state(session, file->name, error) || !check_moments(session, file->name, error) ||
        !check_links(session, file, error) || !read_averaging(session, file, error))
        return false;
    trainer->step = session->counts.batches;
    trainer->applied = session->counts.updates;
    trainer->nonfinite = (int)session->counts.bad_batches;
    trainer->decay = session->figures.lr_factor;
    if (!read_baseline(session, file, error)) return false;
    session->first_step = trainer->step;
    sa_batcher_seek(&session->batcher, session->counts.epoch, (size_t)session->counts.position);
    if (session->model.flushed)
        sa_session_note(session, "note: '%s': %zu denormal numbers are read as zero", file->name,
                        session->model.flushed);
    const char *core = sa_container_metadata(file, "core");
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
    return sa_save(session->log_path.text, &(sa_chunk){log->text, log->size}, 1, error);
}

bool sa_checkpoint_write(sa_session *session, sa_error *error) {
    const int size = (int)session->model.plan.size;
    const sa_trainer *trainer = &session->trainer;
    session->counts.batches = trainer->step;
    session->counts.updates = trainer->applied;
    session->counts.bad_batches = trainer->nonfinite;
    session->counts.epoch = session->batcher.epoch;
    session->counts.position = (int64_t)session->batcher.position;
    const sa_averaging *averaging = &session->averaging;
    enum { STATE_TENSORS = 4 };
    sa_tensor state[STATE_TENSORS + 4] = {
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
         .shape = {SA_STATE_COUNTS},
         .data = &session->counts},
        {.name = "training.figures",
         .type = SA_F64,
         .rank = 1,
         .shape = {SA_STATE_FIGURES},
         .data = &session->figures},
    };
    size_t count = STATE_TENSORS;
    const int64_t links = hash_links(session);
    if (session->gold)
        state[count++] = (sa_tensor){
            .name = "training.alignments", .type = SA_I64, .rank = 1, .shape = {1}, .data = &links};
    if (has_baseline(session))
        state[count++] = (sa_tensor){.name = "training.baseline",
                                     .type = SA_F64,
                                     .rank = 1,
                                     .shape = {1},
                                     .data = &trainer->baseline};
    if (averaging->capacity) {
        state[count++] = (sa_tensor){.name = "average.weights",
                                     .type = SA_F32,
                                     .rank = 2,
                                     .shape = {(int)averaging->capacity, size},
                                     .data = averaging->weights};
        state[count++] = (sa_tensor){.name = "average.validations",
                                     .type = SA_F64,
                                     .rank = 2,
                                     .shape = {(int)averaging->capacity, AVERAGING_FIGURES},
                                     .data = averaging->validations};
    }
    return save_log(session, error) &&
           sa_model_write(&session->model, session->last_path.text, state, count, error);
}
