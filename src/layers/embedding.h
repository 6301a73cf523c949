/* embedding: E x for a one-hot x, that is a row of E for every word. */
#ifndef SA_NN_EMBEDDING_H
#define SA_NN_EMBEDDING_H

#include "tensor/mat.h"
#include <stdint.h>

/* y_i = E[ids_i]   E [K x m], y [words x m] */
void sa_embedding_forward(sa_mat E, const int32_t *ids, sa_mat y);
/* dE[ids_i] += dy_i: only rows of words that occurred are touched. */
void sa_embedding_backward(const int32_t *ids, sa_mat dy, sa_mat dE);

#endif
