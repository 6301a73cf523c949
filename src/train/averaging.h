/* averaging: the mean of the weights at several validations of a training.
 *
 * The mean of the last checkpoints (Vaswani et al. 2017, section 6.1) or of the best ones
 * (Junczys-Dowmunt et al. 2016) often translates better than any of them. */
#ifndef SA_TRAIN_AVERAGING_H
#define SA_TRAIN_AVERAGING_H

#include "train/validation.h"

typedef struct sa_averaging {
    size_t capacity, size;      /* validations; weights of each */
    sa_real *weights;           /* [capacity x size] */
    sa_validation *validations; /* [capacity] their figures */
} sa_averaging;

/* For settings->average validations, which may be 0. */
bool sa_averaging_open(sa_averaging *averaging, const sa_settings *settings, size_t size,
                       sa_error *error);
void sa_averaging_close(sa_averaging *averaging);

/* Adds the weights of validation `row` (from 0). If full, they replace the oldest ones, or, with
 * SA_AVERAGE_BEST, the worst if they are better. */
void sa_averaging_add(sa_averaging *averaging, const sa_settings *settings, int64_t row,
                      sa_validation figures, const sa_real *weights);

/* The number of stored weights after `rows` validations. */
size_t sa_averaging_count(const sa_averaging *averaging, int64_t rows);

/* The mean of the first `count`. mean [size] */
void sa_averaging_mean(const sa_averaging *averaging, size_t count, sa_real *mean);

#endif
