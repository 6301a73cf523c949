/* optimizer: the optimizers, as rows of one table. */
#ifndef SA_TRAIN_OPTIMIZER_H
#define SA_TRAIN_OPTIMIZER_H

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

/* For the option rows: the name of an optimizer, NULL after the last. */
const char *sa_optimizer_name(size_t row);

#endif
