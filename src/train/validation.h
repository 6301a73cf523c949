/* validation: computes the loss and metrics of a model on the validation pairs, and the mean of the
 * weights at several validations. */
#pragma once

#include "inference/model.h"

typedef struct sa_validation {
    double loss;       /* per target token, teacher-forced */
    double bleu, chrf; /* of greedy translations */
} sa_validation;

/* Returns whether one is better than the other; criterion: SA_CRITERION_... */
bool sa_validation_better(int criterion, sa_validation one, sa_validation other);

/* Evaluates the model on encoded pairs of the corpus. */
bool sa_validate(sa_model *model, const sa_corpus *corpus, const sa_dataset *pairs,
                 sa_validation *out, sa_error *error);

/* The weights at several validations. The mean of the last ones (Vaswani et al. 2017, section 6.1)
 * or of the best ones (Junczys-Dowmunt et al. 2016) often translates better than any of them. */
typedef struct sa_averaging {
    size_t capacity, size;      /* validations; weights of each */
    sa_real *weights;           /* [capacity x size] */
    sa_validation *validations; /* [capacity] their figures */
} sa_averaging;

/* Opens the averaging of settings->average validations, which may be 0. */
bool sa_averaging_open(sa_averaging *averaging, const sa_settings *settings, size_t size,
                       sa_error *error);
void sa_averaging_close(sa_averaging *averaging);

/* Adds the weights of validation `row` (from 0). If full, they replace the oldest ones, or, with
 * SA_AVERAGE_BEST, the worst if they are better. */
void sa_averaging_add(sa_averaging *averaging, const sa_settings *settings, int64_t row,
                      sa_validation figures, const sa_real *weights);

/* Returns the number of stored weights after `rows` validations. */
size_t sa_averaging_count(const sa_averaging *averaging, int64_t rows);

/* Computes the mean of the first `count` weights. mean [size] */
void sa_averaging_mean(const sa_averaging *averaging, size_t count, sa_real *mean);
