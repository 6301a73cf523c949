/* weight: a weight matrix, how its products are computed, and its packed copies where they are
 * faster.
 *
 * The functions are those of the same suffix in tensor/blas.h. They read a packed copy where it
 * suits the product, and round the operands if the weights' precision says so (tensor/bf16.h; never
 * in the double copy); elsewhere in an equation the matrix is `W.mat`. */
#ifndef SA_TENSOR_WEIGHT_H
#define SA_TENSOR_WEIGHT_H

#include "tensor/packed.h"

typedef struct sa_weight {
    sa_mat mat;                  /* [out x in] */
    int precision;               /* SA_PRECISION_... of its products */
    sa_packed forward, backward; /* for x W' and for dy W */
    bool repeats;                /* rows of x are often equal: tensor/distinct.h */
    const sa_mat *room;          /* a gradient's, of sa_weight_room numbers, or NULL */
} sa_weight;

static inline sa_weight sa_weight_of(sa_mat mat) {
    return (sa_weight){.mat = mat};
}

/* y = beta y + x W' */
void sa_weight_nt(sa_mat x, sa_weight W, sa_real beta, sa_mat y);
/* dx = beta dx + dy W */
void sa_weight_nn(sa_mat dy, sa_weight W, sa_real beta, sa_mat dx);
/* dW += dy' x */
void sa_weight_tn(sa_mat dy, sa_mat x, sa_weight dW);
/* Numbers for a gradient's room, which those of one pass use one after the other. */
size_t sa_weight_room(int precision, int cols);

/* Rows first .. first+count-1. */
sa_weight sa_weight_rows(sa_weight W, int first, int count);

/* W packed for x W' or for dy W, which must be done again when W changes. Without a buffer, W. */
sa_weight sa_weight_pack_forward(sa_weight W, sa_mat buffer);
sa_weight sa_weight_pack_backward(sa_weight W, sa_mat buffer);
typedef sa_weight sa_weight_pack_function(sa_weight W, sa_mat buffer); /* either of them */
/* Their buffer, for products of `rows` rows; empty if W is packed already. */
sa_mat sa_weight_pack_layout(sa_arena *arena, sa_weight W, int rows);

/* What is packed for every product until the weights change. */
typedef struct sa_packing {
    int rows;        /* of the products */
    bool backward;   /* also for dy W */
    bool repeats;    /* rows of their first factor are often equal */
    int part, parts; /* one of as many parts of the work, from 0; 0 parts: the pointers only */
} sa_packing;

/* W packed in the arena. */
sa_weight sa_weight_pack(sa_weight W, sa_packing packing, sa_arena *arena);

#endif
