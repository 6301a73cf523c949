/* weight: a weight matrix and how it is stored, which nobody else knows.
 *
 * The functions are those of the same suffix in tensor/blas.h. They read a copy in the order of the
 * product (tensor/packed.h) where there is one, and round the operands if the weight's precision
 * says so (tensor/bf16.h; never in the double copy); elsewhere in an equation the matrix is
 * `W.mat`. */
#pragma once

#include "tensor/packed.h"

typedef struct sa_weight {
    sa_mat mat;                  /* [out x in] */
    int before, after;           /* rows of the whole matrix around those of a slice */
    int precision;               /* SA_PRECISION_... of its products */
    sa_packed forward, backward; /* copies of the whole matrix, for x W' and for dy W */
    bool repeats;                /* rows of x are often equal: sa_distinct_rows */
    bool in_steps;               /* see sa_steps */
    const sa_mat *room;          /* a gradient's, to pack the second factor in, or NULL */
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

/* y = x W' + b, b [out]. most [rows x stretches]: the largest number of every row in each stretch
 * of so many columns, of those that are numbers. */
void sa_weight_nt_most(sa_mat x, sa_weight W, const sa_real *b, int stretch, sa_mat y, sa_mat most);
/* For how many of `rows` rows that is best called at once: for a few, whose y stays in the cache,
 * or for all. */
int sa_weight_most_rows(sa_weight W, int rows);

/* Rows first .. first+count-1. */
sa_weight sa_weight_rows(sa_weight W, int first, int count);

/* ---- Copies that last until the weights change ----------------------------------------------- */

typedef enum sa_store_use {
    SA_STORE_INFERENCE, /* for x W', where rows of x are often equal */
    SA_STORE_TRAINING,  /* for one update; of float32 weights each loop of steps has its own */
    SA_STORE_GRADIENTS, /* no copies: memory that the gradients of one pass use by turns */
} sa_store_use;

/* The copies of all weights of a model. */
typedef struct sa_store {
    sa_store_use use;
    int rows;      /* of a product, at most */
    int job, jobs; /* which of how many jobs, from 0; 0 jobs: all of the work */
    sa_arena memory;
    sa_mat room;
} sa_store;

/* W with its copies in the store, which stays where it is. A walk over all weights is made twice,
 * with sa_store_open in between, which takes the memory that the first one has counted; every
 * further one, with memory.used = 0, copies what the weights are now. */
sa_weight sa_weight_stored(sa_weight W, sa_store *store);
bool sa_store_open(sa_store *store, sa_error *error);
void sa_store_release(sa_store *store);

/* ---- Loops of steps --------------------------------------------------------------------------
 * Weights that every step of a loop multiplies by are copied at the first one, into memory that
 * belongs to the loop. */

typedef struct sa_steps {
    size_t size;    /* bytes */
    int least_rows; /* of a step that repays the copies */
} sa_steps;

/* Adds a weight; those of a store need no further copy. */
void sa_steps_add(sa_steps *steps, sa_weight *W);
/* The memory for steps of at most `rows` rows. */
sa_arena sa_steps_layout(sa_arena *arena, sa_steps steps, int rows);

/* Around the loop, in its thread: in between the weights must not change. */
void sa_steps_begin(sa_arena memory);
void sa_steps_end(void);

/* ---- Equal rows ------------------------------------------------------------------------------
 * Rows that are equal, bit by bit, need be multiplied only once. In a search many are: hypotheses
 * that continue the same one have its state and context, and words stand in several rows. */

enum { SA_DISTINCT_ROWS = 512 }; /* at most */

/* The number of distinct rows of x: row i equals row first[same[i]], and of such rows it is the
 * first if first[same[i]] == i. */
int sa_distinct_rows(sa_mat x, int same[SA_DISTINCT_ROWS], int first[SA_DISTINCT_ROWS]);

/* Row i of `to` becomes row index[i] of `from`. */
void sa_gather_rows(sa_mat from, const int *index, sa_mat to);
