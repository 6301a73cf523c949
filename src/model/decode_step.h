/* decode_step: one step of a search, as the models of both families receive it. */
#ifndef SA_MODEL_DECODE_STEP_H
#define SA_MODEL_DECODE_STEP_H

#include <stdint.h>

/* Target position i (from 1) of L hypotheses: row l, about sentence which[l], continues row from[l]
 * of the step before (its sentence at the first step) after the token ids[l], which is y_{i-1}. */
typedef struct sa_decode_step {
    int i, L;
    const int *which, *from;
    const int32_t *ids;
} sa_decode_step;

#endif
