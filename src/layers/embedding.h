/* embedding: a row of E for every word. */
#ifndef SA_LAYERS_EMBEDDING_H
#define SA_LAYERS_EMBEDDING_H

#include "base/batch.h"
#include "tensor/mat.h"
#include <stdint.h>

/* y_i = E[ids_i]   E [K x m], y [words x m] */
void sa_embedding_forward(sa_mat E, const int32_t *ids, sa_mat y);
/* dE[ids_i] += dy_i */
void sa_embedding_backward(const int32_t *ids, sa_mat dy, sa_mat dE);

/* y_{i-1} of every row: BOS, then the reference tokens. */
const int32_t *sa_embedding_inputs(sa_arena *arena, const sa_batch_side *side);

#endif
