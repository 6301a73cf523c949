/* weight: how weight matrices are stored; no other module knows this.
 *
 * The products of tensor/mat.h read a copy in the order of the product (tensor/packed.h) where
 * there is one, and round the operands if the weight's precision says so (tensor/bf16.h; never in
 * the double copy). */
#pragma once

#include "tensor/mat.h"

/* Computes y = x W' + b, b [out]. most [rows x stretches]: per row, the maximum of each run of
 * `stretch` columns, ignoring NaN. */
void sa_weight_nt_most(sa_mat x, sa_weight W, const sa_real *b, int stretch, sa_mat y, sa_mat most);
/* Returns for how many of `rows` rows to call it at once: for a few, whose y stays in the cache, or
 * for all. */
int sa_weight_most_rows(sa_weight W, int rows);

/* ---- Copies that last until the weights change ----------------------------------------------- */

typedef enum sa_store_use {
    SA_STORE_INFERENCE, /* for x W', where rows of x are often equal */
    SA_STORE_TRAINING,  /* for one update; with float32 weights, each loop of steps has its own */
    SA_STORE_GRADIENTS, /* no copies: scratch that the gradients of one pass use in turn */
} sa_store_use;

/* The copies of all weights of a model. */
struct sa_store {
    sa_store_use use;
    int rows;      /* most rows of a product */
    int job, jobs; /* which of how many jobs, from 0; 0 jobs: all the work at once */
    sa_arena memory;
    sa_mat packing;
};

/* Returns W with its copies in the store, which must not move. Walk over all weights twice, with
 * sa_store_open in between, which takes the memory that the first walk has counted; every further
 * walk, with memory.used = 0, copies the present values of the weights. */
sa_weight sa_weight_stored(sa_weight W, sa_store *store);
bool sa_store_open(sa_store *store, sa_error *error);
void sa_store_release(sa_store *store);

/* ---- Loops of steps --------------------------------------------------------------------------
 * Weights that every step of a loop multiplies by are copied at the first one, into memory that
 * belongs to the loop. */

struct sa_steps {
    size_t size;    /* bytes */
    int least_rows; /* rows of a step for which copies pay */
};

/* Adds a weight; a weight with copies in a store needs no further copy. */
void sa_steps_add(sa_steps *steps, sa_weight *W);
/* Returns the memory for steps of at most `rows` rows. */
sa_arena sa_steps_layout(sa_arena *arena, sa_steps steps, int rows);

/* Call these around the loop, in its thread: in between, the weights must not change. */
void sa_steps_begin(sa_arena memory);
void sa_steps_end(void);

/* ---- Equal rows ------------------------------------------------------------------------------
 * Rows that are equal, bit by bit, need to be multiplied only once. In a search, many rows are
 * equal: hypotheses that continue the same one have its state and context, and words stand in
 * several rows. */

enum { SA_DISTINCT_ROWS = 512 }; /* at most this many */

/* Returns the number of distinct rows of x: row i equals row first[same[i]], and it is the first of
 * its equals if first[same[i]] == i. */
int sa_distinct_rows(sa_mat x, int same[SA_DISTINCT_ROWS], int first[SA_DISTINCT_ROWS]);

/* Copies row index[i] of `from` to row i of `to`. */
void sa_gather_rows(sa_mat from, const int *index, sa_mat to);
