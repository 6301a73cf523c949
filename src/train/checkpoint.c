/* The state of a training: what it says to the user, what it owns, and what a checkpoint keeps. */
#include "data/encoding.h"
#include "inference/model.h"
#include "tensor/blas.h"
#include "train/session.h"

#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

sa_exchange *sa_session_processes;

void sa_session_note(const sa_session *session, const char *format, ...) {
    char text[512];
    if (!session->training->report) return;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    sa_progress progress = {.kind = SA_PROGRESS_NOTE, .note = text};
    session->training->report(session->training->context, &progress);
}

void sa_session_close(sa_session *session) {
    sa_batcher_close(&session->batcher);
    sa_averaging_close(&session->averaging);
    sa_trainer_close(&session->trainer);
    sa_model_release(&session->model);
    sa_gold_release(session->gold, session->data.count);
    sa_dataset_release(&session->data);
    sa_dataset_release(&session->valid_data);
    if (session->train.owned) sa_corpus_close(&session->train);
    if (session->valid.owned) sa_corpus_close(&session->valid);
    free(session->unsaved);
    free(session->trained_on);
    for (int i = 0; i < SA_TRAINING_FILES; i++) free(session->path[i]);
    sa_buffer_release(&session->log);
    sa_directory_lock_close(&session->lock);
}

/* ---- What is kept ---------------------------------------------------------------------------- */

/* More than any training counts, and less than the largest int64_t. */
#define LARGEST_COUNT ((int64_t)1 << 53)

/* The size of a stored validation; the most tensors of a state. */
enum { VALIDATION = sizeof(sa_validation) / sizeof(double), TENSORS = 8 };

/* Identifies the alignments of the training pairs that guide the training. */
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

/* Lists the state except the model, where it lies in memory; returns the number of tensors. */
static size_t state_of(const sa_session *session, const int64_t *links, sa_tensor state[TENSORS]) {
    const sa_trainer *trainer = &session->trainer;
    const sa_averaging *averaging = &session->averaging;
    const size_t size = session->model.plan.size, means = averaging->capacity;
    size_t count = 0;
    state[count++] = sa_tensor_of("training.at", SA_I64, 0, SA_STATE_COUNTS, &session->counts);
    state[count++] =
        sa_tensor_of("training.figures", SA_F64, 0, SA_STATE_FIGURES, &session->figures);
    state[count++] = sa_tensor_of("optimizer.first", SA_F32, 0, size, trainer->first);
    state[count++] = sa_tensor_of("optimizer.second", SA_F32, 0, size, trainer->second);
    if (session->gold) state[count++] = sa_tensor_of("training.alignments", SA_I64, 0, 1, links);
    if (sa_seq2seq_sampling_part(&session->model.w) >= 0)
        state[count++] = sa_tensor_of("training.baseline", SA_F64, 0, 1, &trainer->baseline);
    if (!means) return count;
    state[count++] = sa_tensor_of("average.weights", SA_F32, means, size, averaging->weights);
    state[count++] =
        sa_tensor_of("average.validations", SA_F64, means, VALIDATION, averaging->validations);
    return count;
}

/* ---- Reading --------------------------------------------------------------------------------- */

/* Reads the rows of the log up to the saved state; a row added by a stop is dropped. */
static bool read_log(sa_session *session, sa_error *error) {
    const char *path = session->path[SA_LOG];
    sa_file file;
    if (!sa_file_read(&file, path, SA_FILE_LIMIT, error)) return false;
    const size_t header = strlen(SA_LOG_HEADER);
    if (file.size < header || memcmp(file.data, SA_LOG_HEADER, header) != 0) {
        sa_file_release(&file);
        return sa_fail(error, SA_DATA, "%s:1: not the header of a training's log", path);
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

/* Checks that real numbers are finite, except the best loss before the first validation, and that
 * second moments are not negative. */
static bool check_numbers(const sa_session *session, const sa_tensor *tensor, const char *file,
                          sa_error *error) {
    const size_t count = tensor->type == SA_I64 ? 0 : sa_tensor_count(tensor);
    const bool of_training = strncmp(tensor->name, "training.", strlen("training.")) == 0;
    for (size_t i = 0; i < count; i++) {
        const double number = tensor->type == SA_F32 ? (double)((const float *)tensor->data)[i]
                                                     : ((const double *)tensor->data)[i];
        const bool best = tensor->data == &session->figures && i == 0 && isinf(number);
        if (best || (isfinite(number) && (number >= 0 || tensor->data != session->trainer.second)))
            continue;
        return sa_fail(error, SA_DATA, "%s: tensor '%s' is %s at number %zu", file, tensor->name,
                       of_training ? "not finite" : "damaged", i);
    }
    return true;
}

static bool check_state(const sa_session *session, const char *file, sa_error *error) {
    const sa_state_counts *counts = &session->counts;
    const int64_t *count = &counts->batches;
    for (int i = 0; i < SA_STATE_COUNTS; i++) {
        const bool hash = i == SA_STATE_COUNT(train_hash) || i == SA_STATE_COUNT(valid_hash);
        const bool is_int = i == SA_STATE_COUNT(epoch) || i == SA_STATE_COUNT(bad_batches);
        if (!hash && (count[i] < 0 || count[i] > (is_int ? INT_MAX - 1 : LARGEST_COUNT)))
            return sa_fail(error, SA_DATA,
                           "%s: tensor 'training.at': number %d is an impossible count", file, i);
    }
    if (!(session->figures.lr_factor > 0 && session->figures.lr_factor <= 1))
        return sa_fail(error, SA_DATA, "%s: tensor 'training.figures' holds an impossible rate",
                       file);
    const bool validated = counts->valid_hash == (int64_t)session->valid_data.hash;
    if (counts->train_hash != (int64_t)session->data.hash ||
        counts->position > (int64_t)session->data.count)
        return sa_fail(error, SA_DATA, "%s: the training pairs have changed since '%s' was saved%s",
                       session->train.name, file,
                       validated ? ""
                       : session->training->valid
                           ? ", or --valid was not given then, or other --columns"
                           : ", or --valid was given then, or other --columns");
    return validated ||
           sa_fail(error, SA_DATA, "%s: the validation pairs have changed since '%s' was saved",
                   session->valid.name, file);
}

static void note_origin(const sa_session *session, const sa_container *file) {
    const char *core = sa_container_metadata(file, "core");
    if (session->model.flushed)
        sa_session_note(session, "note: '%s': %zu denormal numbers are read as zero", file->name,
                        session->model.flushed);
    if (core && strcmp(core, sa_blas_core()) != 0)
        sa_session_note(session,
                        "note: '%s' was trained on another kind of processor (%s, here %s): "
                        "the last bits may differ",
                        file->name, core, sa_blas_core());
}

bool sa_checkpoint_read(sa_session *session, const sa_container *file, sa_error *error) {
    sa_trainer *trainer = &session->trainer;
    const int64_t present = hash_links(session);
    int64_t links = present;
    sa_tensor state[TENSORS];
    const size_t count = state_of(session, &links, state);
    if (!sa_container_find(file, "training.at"))
        return sa_fail(error, SA_DATA,
                       "%s: tensor 'training.at' is missing: a model without the state of its "
                       "training, from which --init-from can start a new one",
                       file->name);
    for (size_t i = 0; i < count; i++) {
        const sa_tensor *tensor = &state[i];
        if (tensor->data == &links && !sa_container_find(file, tensor->name))
            continue; /* in files of earlier versions */
        if (!sa_tensor_copy(file, tensor->name, tensor->type, sa_tensor_count(tensor),
                            (void *)(uintptr_t)tensor->data, error) ||
            !check_numbers(session, tensor, file->name, error))
            return false;
    }
    if (!check_state(session, file->name, error)) return false;
    if (links != present)
        return sa_fail(error, SA_DATA, "%s: the alignments have changed since '%s' was saved",
                       session->train.name, file->name);
    trainer->step = session->first_step = session->counts.batches;
    trainer->applied = session->counts.updates;
    trainer->nonfinite = (int)session->counts.bad_batches;
    trainer->decay = session->figures.lr_factor;
    sa_batcher_seek(&session->batcher, session->counts.epoch, (size_t)session->counts.position);
    note_origin(session, file);
    return read_log(session, error);
}

/* ---- Saving ---------------------------------------------------------------------------------- */

bool sa_checkpoint_write(sa_session *session, sa_error *error) {
    const sa_trainer *trainer = &session->trainer;
    const int64_t links = hash_links(session);
    sa_tensor state[TENSORS];
    session->counts.batches = trainer->step;
    session->counts.updates = trainer->applied;
    session->counts.bad_batches = trainer->nonfinite;
    session->counts.epoch = session->batcher.epoch;
    session->counts.position = (int64_t)session->batcher.position;
    const size_t count = state_of(session, &links, state);
    return sa_save_text(session->path[SA_LOG], &session->log, error) &&
           sa_model_write(&session->model, session->path[SA_LAST], state, count, error);
}
