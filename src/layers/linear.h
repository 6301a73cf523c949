/* linear: layers without a state: y = W x + b, the embedding of words, and maxout. */
#ifndef SA_LAYERS_LINEAR_H
#define SA_LAYERS_LINEAR_H

#include "base/batch.h"
#include "tensor/weight.h"

/* y = x W' + b    x [R x in], W [out x in], b [1 x out] or empty, y [R x out] */
void sa_linear_forward(sa_weight W, sa_mat b, sa_mat x, sa_mat y);
/* dx += dy W, dW += dy' x, db += sum of dy's rows. dx and db may be empty. */
void sa_linear_backward(sa_weight W, sa_mat x, sa_mat dy, sa_mat dx, sa_weight dW, sa_mat db);

/* y_i = E[ids_i]   E [K x m], y [words x m] */
void sa_embedding_forward(sa_mat E, const int32_t *ids, sa_mat y);
/* dE[ids_i] += dy_i */
void sa_embedding_backward(const int32_t *ids, sa_mat dy, sa_mat dE);
/* y_{i-1} of every row: BOS, then the reference tokens. */
const int32_t *sa_embedding_inputs(sa_arena *arena, const sa_batch_side *side);

/* The maximum of each adjacent pair (Goodfellow et al. 2013; Bahdanau et al. 2015, A.2.2):
 * t_k = max(t~_2k, t~_2k+1)   pairs [R x 2l], t [R x l] */
void sa_maxout_forward(sa_mat pairs, sa_mat t);
/* dpairs = dt at the larger of the two, 0 at the other. A tie goes to the first. */
void sa_maxout_backward(sa_mat pairs, sa_mat dt, sa_mat dpairs);

#endif
