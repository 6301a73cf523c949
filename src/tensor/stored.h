/* stored: the type of numbers, and how a weight matrix is stored, which only tensor/weight.c reads.
 */
#pragma once

#include <stdbool.h>

#ifdef SA_DOUBLE
typedef double sa_real;
#define sa_sqrt sqrt
#else
typedef float sa_real;
#define sa_sqrt sqrtf
#endif

typedef struct sa_mat sa_mat;

/* A copy of a matrix in the order in which a product reads it: tensor/packed.h. */
typedef struct sa_packed {
    const sa_real *panels; /* NULL: not packed */
    int offset, height;    /* first column of a slice; rows of the whole matrix */
    bool bf16;             /* rounded by tensor/bf16.h */
} sa_packed;

/* Copies and scratch of a weight matrix or of its slice. */
typedef struct sa_stored {
    int before, after;           /* rows of the whole matrix before and after those of a slice */
    int precision;               /* SA_PRECISION_... of its products */
    sa_packed forward, backward; /* copies of the whole matrix, for x W' and for dy W */
    bool repeats;                /* rows of x are often equal: sa_distinct_rows */
    bool in_steps;               /* copied for a loop: sa_steps */
    const sa_mat *packing; /* for a gradient: scratch for packing the second operand, or NULL */
} sa_stored;

typedef struct sa_store sa_store; /* the copies of all weights */
typedef struct sa_steps sa_steps; /* the weights that every step of a loop multiplies by */
