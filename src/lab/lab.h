/* lab: gradient check, proof and explanation, which compute in double precision. They get plain
 * data from jobs.c, which is compiled in single precision like the model. */
#pragma once

#include "base/batch.h"

#include <softalign/lab.h>

/* Sentence pairs as token ids. */
typedef struct sa_lab_pairs {
    const sa_sentence *source, *target; /* [count] */
    int count;
    int source_words, target_words; /* vocabularies */
    const sa_gold_alignment *gold;  /* [count] for guided alignment, or NULL */
} sa_lab_pairs;

typedef struct sa_lab_job {
    sa_gradcheck_options options;
    sa_lab_pairs pairs; /* without a source: a built-in batch of ragged lengths */
    int sample; /* checks only the largest gradient and every sample-th one of each tensor; 0: all
                 */
} sa_lab_job;

/* Does what sa_check_gradients of softalign/lab.h does, for token ids. */
bool sa_lab_check(const sa_lab_job *job, sa_error *error);

typedef struct sa_lab_prove_job {
    const sa_settings *settings;
    const float *values; /* the model's weights in the order of sa_seq2seq_plan */
    sa_lab_pairs pairs;
    const sa_prove_options *options; /* except the corpus */
} sa_lab_prove_job;

/* Does what sa_prove of softalign/lab.h does. */
bool sa_lab_prove(const sa_lab_prove_job *proof, sa_error *error);

typedef struct sa_lab_explain_job {
    const sa_settings *settings;
    const float *values;               /* the model's weights in the order of sa_seq2seq_plan */
    sa_lab_pairs pair;                 /* a single one */
    const sa_explain_options *options; /* except the texts */
    const sa_explain_pair *shown;      /* what `each` of the options gets */
    const char *const *row[SA_ROWS_TARGET + 1]; /* labels of the rows about ..., or NULL */
    int read; /* words that the decoder reads; a value may be about the last of them alone */
} sa_lab_explain_job;

/* Does what sa_explain of softalign/lab.h does, for token ids. SA_DIVERGED: the loss is not finite.
 */
bool sa_lab_explain(const sa_lab_explain_job *job, sa_error *error);

/* ---- Attention on given numbers -------------------------------------------------------------- */

/* Checks choices and tables, and sets the sizes of the result. SA_USAGE, SA_DATA: the message names
 * the options of `softalign attend` and the shapes of two tables that do not fit. */
bool sa_operands_check(const sa_attend_options *options, sa_attend_result *sizes, sa_error *error);
