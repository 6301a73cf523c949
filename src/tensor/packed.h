/* panel: products of few rows with weights that sa_pack_transposed or sa_pack (tensor/blas.h) has
 * laid down. Only blas.c calls this. */
#ifndef SA_MATH_PANEL_H
#define SA_MATH_PANEL_H

#include "tensor/mat.h"

/* Whether this machine has instructions for it. */
bool sa_packed_supported(void);

/* c = beta c + a b'    where b was turned: a [M x K], b [N x K], c [M x N]
 * c = beta c + a b     where b was laid:   a [M x K], b [K x N]
 * beta is 0 or 1. The numbers of a row of c do not depend on the other rows of a. */
void sa_packed_multiply(sa_mat a, sa_mat b, sa_real beta, sa_mat c);

#endif
