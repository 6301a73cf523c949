/* experiment: what the experiments share: rows, and models trained on a toy corpus. */
#ifndef SA_EXPERIMENT_H
#define SA_EXPERIMENT_H

#include "base/memory.h"
#include "synth/synth.h"

/* A row of the table of experiments. */
typedef struct sa_experiment_entry {
    const char *name;
    const char *about; /* what it shows and what its columns mean */
    bool (*run)(const sa_experiment *experiment, sa_error *error);
} sa_experiment_entry;

/* Dot products grow with the width (sqrt_d.c). */
bool sa_sqrt_d(const sa_experiment *experiment, sa_error *error);

/* Hands a line on to the user and releases the buffer. */
bool sa_experiment_write_row(const sa_experiment *experiment, sa_buffer *line, sa_error *error);
void sa_experiment_report(const sa_experiment *experiment, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* A toy corpus in memory. */
typedef struct sa_toy_corpus {
    sa_buffer text;
    sa_corpus corpus; /* its pairs point into the text */
} sa_toy_corpus;

bool sa_toy_corpus_open(sa_toy_corpus *toy, const char *task, size_t pairs, uint64_t seed,
                        sa_error *error);
void sa_toy_corpus_close(sa_toy_corpus *toy);

/* Trains a model for settings->steps updates and tells its loss per target word in the last tenth
 * of them, each batch judged before the model learns from it. settings->shards is set. */
bool sa_toy_train(const sa_toy_corpus *toy, const sa_settings *settings, double *loss,
                  sa_error *error);

#endif
