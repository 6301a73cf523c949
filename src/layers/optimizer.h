/* optimizer: what an update does to the weights, and the schedules of the learning rate. */
#pragma once

#include "tensor/mat.h"

typedef struct sa_update {
    double lr, momentum;
    double beta1, beta2, epsilon; /* of adam */
    int64_t step;                 /* counted from 1 */
    sa_real scale;                /* of the gradient, 1 or less: clipping */
} sa_update;

typedef struct sa_optimizer {
    const char *name, *citation;
    double lr; /* the default learning rate */
    /* Updates w by the gradient g. a and b are the optimizer state, zero at the start. All [size].
     */
    void (*update)(const sa_update *u, const sa_real *g, sa_real *w, sa_real *a, sa_real *b,
                   int size);
} sa_optimizer;

extern const sa_optimizer sa_optimizers[]; /* ends with a NULL name */

typedef struct sa_schedule {
    const char *name;
    bool decays;      /* validations that are not better lower the rate */
    bool needs_steps; /* it falls to zero with the last update */
    /* Returns the factor of the rate from the end of the warm-up on, which begins at 1: `step` and
     * `warmup` are at least 1, `steps` is the number of the last update (0: none is set). */
    double (*after)(double step, double warmup, double steps);
} sa_schedule;

extern const sa_schedule sa_schedules[]; /* ends with a NULL name */

/* Returns the factor of the learning rate for update number `step` (from 1) of `steps`; during the
 * warm-up, step / warmup. */
double sa_schedule_factor(const sa_schedule *schedule, int64_t step, int64_t warmup, int64_t steps);
