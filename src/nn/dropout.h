/* dropout: each unit is silenced with probability p during training and the others are scaled by
 * 1 / (1 - p) (Srivastava et al. 2014, inverted form), so that nothing changes when translating. */
#ifndef SA_NN_DROPOUT_H
#define SA_NN_DROPOUT_H

#include "base/mat.h"
#include "base/rng.h"

/* x = x . mask, drawing the mask (0 or 1 / (1 - p)). p in [0, 1). With p = 0 nothing is touched. */
void sa_dropout_forward(double p, sa_rng *rng, sa_mat mask, sa_mat x);
/* dx = dx . mask */
void sa_dropout_backward(double p, sa_mat mask, sa_mat dx);

#endif
