/* maxout: the maximum of each adjacent pair (Goodfellow et al. 2013; Bahdanau et al. 2015, A.2.2).
 */
#ifndef SA_LAYERS_MAXOUT_H
#define SA_LAYERS_MAXOUT_H

#include "tensor/mat.h"

/* t_k = max(t~_2k, t~_2k+1)   pairs [R x 2l], t [R x l] */
void sa_maxout_forward(sa_mat pairs, sa_mat t);
/* dpairs = dt at the larger of the two, 0 at the other. A tie goes to the first. */
void sa_maxout_backward(sa_mat pairs, sa_mat dt, sa_mat dpairs);

#endif
