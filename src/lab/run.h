/* run: a model, a batch and the gradients of one experiment in the laboratory. */
#ifndef SA_LAB_RUN_H
#define SA_LAB_RUN_H

#include "model/seq2seq.h"

typedef struct sa_lab_run {
    sa_sizes sizes;
    sa_params plan;
    sa_real *values, *gradients;
    sa_seq2seq w, dw;
    sa_arena arena;
    sa_batch batch;
    sa_pass pass;
    sa_regularizer regularizer; /* without a generator */
    sa_rng rng;                 /* where the dropout masks begin */
} sa_lab_run;

/* The pairs an experiment is about, as word numbers. */
typedef struct sa_lab_pairs {
    const sa_sentence *source, *target;
    int count;
    int source_words, target_words; /* vocabularies */
    const sa_gold_alignment *gold;  /* [count] for guided alignment, or NULL */
} sa_lab_pairs;

/* Rooms for everything, weights and gradients zero. Closed also after a failure. */
bool sa_lab_run_open(sa_lab_run *run, const sa_settings *settings, const sa_lab_pairs *pairs,
                     sa_error *error);
void sa_lab_run_close(sa_lab_run *run);

/* The weights of a model in float, in the order of its plan. */
void sa_lab_run_load(sa_lab_run *run, const float *values);

/* What is minimised (the loss, but for label smoothing and guided alignment) divided by the
 * sentences, with the same dropout masks every time; with dw, its gradient is added to it. */
double sa_lab_run_loss(sa_lab_run *run, sa_seq2seq *dw);

#endif
