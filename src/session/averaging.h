/* averaging: the weights of several validations of one training, kept for their mean.
 *
 * The mean of the last checkpoints (Vaswani et al. 2017, section 6.1) or of the best ones
 * (Junczys-Dowmunt et al. 2016) often translates better than any of them. */
#ifndef SA_AVERAGING_H
#define SA_AVERAGING_H

#include "session/validation.h"

typedef struct sa_averaging {
    size_t capacity, size;      /* weights of so many validations; numbers of each */
    sa_real *weights;           /* [room x size] */
    sa_validation *validations; /* [room] how good they were */
} sa_averaging;

/* Room for settings->average times `size` weights; none is no failure. */
bool sa_averaging_open(sa_averaging *kept, const sa_settings *settings, size_t size,
                       sa_error *error);
void sa_averaging_close(sa_averaging *kept);

/* Validation number `row` (from 0) has found the weights to be so good: they take the place of the
 * oldest ones, or of the worst if they are better. */
void sa_averaging_add(sa_averaging *kept, const sa_settings *settings, int64_t row,
                      sa_validation now, const sa_real *weights);

/* How many are kept after so many validations. */
size_t sa_averaging_count(const sa_averaging *kept, int64_t rows);

/* The mean of the first `count`. mean [size] */
void sa_averaging_mean(const sa_averaging *kept, size_t count, sa_real *mean);

#endif
