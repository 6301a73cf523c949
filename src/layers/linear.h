/* linear: y = W x + b for every row x, the layer all others are made of. */
#ifndef SA_NN_LINEAR_H
#define SA_NN_LINEAR_H

#include "tensor/weight.h"

/* y = x W' + b    x [R x in], W [out x in], b [1 x out] or no matrix (x NULL), y [R x out] */
void sa_linear_forward(sa_weight W, sa_mat b, sa_mat x, sa_mat y);

/* dx += dy W, dW += dy' x, db += sum of dy's rows. A dx or db without numbers is left out. */
void sa_linear_backward(sa_weight W, sa_mat x, sa_mat dy, sa_mat dx, sa_weight dW, sa_mat db);

#endif
