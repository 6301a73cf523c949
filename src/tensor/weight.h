/* weight: a weight matrix and, where its products are faster for it, its packed copy.
 *
 * The functions are those of the same suffix in tensor/blas.h. They read the packed copy where it
 * suits the product; elsewhere in an equation the matrix is `W.mat`. */
#ifndef SA_TENSOR_WEIGHT_H
#define SA_TENSOR_WEIGHT_H

#include "tensor/packed.h"

typedef struct sa_weight {
    sa_mat mat; /* [out x in] */
    sa_packed packed;
} sa_weight;

static inline sa_weight sa_weight_of(sa_mat mat) {
    return (sa_weight){.mat = mat};
}

/* y = beta y + x W' */
void sa_weight_nt(sa_mat x, sa_weight W, sa_real beta, sa_mat y);
/* dx = beta dx + dy W */
void sa_weight_nn(sa_mat dy, sa_weight W, sa_real beta, sa_mat dx);

/* Rows first .. first+count-1. */
sa_weight sa_weight_rows(sa_weight W, int first, int count);

/* W packed for x W' or for dy W, which must be done again when W changes. Without a buffer, W. */
sa_weight sa_weight_pack_forward(sa_weight W, sa_mat buffer);
sa_weight sa_weight_pack_backward(sa_weight W, sa_mat buffer);
typedef sa_weight sa_weight_pack_function(sa_weight W, sa_mat buffer); /* either of them */
/* Their buffer, for products of `rows` rows; empty if W is packed already. */
sa_mat sa_weight_pack_layout(sa_arena *arena, sa_weight W, int rows);

#endif
