/* linear: y = W x + b for every row x. */
#ifndef SA_LAYERS_LINEAR_H
#define SA_LAYERS_LINEAR_H

#include "tensor/weight.h"

/* y = x W' + b    x [R x in], W [out x in], b [1 x out] or empty, y [R x out] */
void sa_linear_forward(sa_weight W, sa_mat b, sa_mat x, sa_mat y);

/* dx += dy W, dW += dy' x, db += sum of dy's rows. dx and db may be empty. */
void sa_linear_backward(sa_weight W, sa_mat x, sa_mat dy, sa_mat dx, sa_weight dW, sa_mat db);

#endif
