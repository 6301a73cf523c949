#include "train/session.h"
#include "data/encoding.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

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
