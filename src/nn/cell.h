/* cell: recurrent cells, the rows that --cell and the tests walk.
 *
 * A cell turns the state of the step before and the step's pre-activations into a new state. What
 * does not depend on the state (W x + b, and C c in a decoder) is made outside, for all steps at
 * once where it can be, and comes in as the pre-activations a: some blocks of n numbers side by
 * side, one for each gate and one for the candidate. */
#ifndef SA_NN_CELL_H
#define SA_NN_CELL_H

#include "nn/params.h"
#include "nn/state.h"

typedef struct sa_recurrent sa_recurrent;

typedef struct sa_cell {
    const char *name, *formula, *citation;
    int blocks; /* of pre-activations */
    int reach;  /* blocks that an input reaches: from block `outer` on, or, inside the reset
                   product, from block 0 on */
    int outer;
    const char *suffix[4]; /* of the names of each block's tensors: W_z, W_r, W */
    int memory;            /* 1: it carries a memory cell beside the state */
    int kept;              /* numbers per unit that a step leaves for its backward pass */

    /* One step for L sentences. gates [L x blocks n]: on entry the pre-activations, on return what
     * the backward pass reads. kept [L x kept n] and the new state are written. */
    void (*forward)(const sa_recurrent *w, sa_state previous, sa_mat gates, sa_mat kept,
                    sa_state state);
    /* From dstate: da [L x blocks n] is written, dprevious added to. scratch [L x n]. */
    void (*backward)(const sa_recurrent *w, sa_state previous, sa_mat gates, sa_mat kept,
                     sa_state dstate, sa_mat da, sa_state dprevious, sa_mat scratch);
    /* dU of all steps at once. */
    void (*weights_backward)(sa_state previous, sa_mat kept, sa_mat da, sa_mat dU);
} sa_cell;

/* The cell of --cell (its position in sa_cell_name's list). For the gated unit: whether z is the
 * share of the old state, and whether the reset gate acts after U. */
const sa_cell *sa_cell_find(int kind, bool keeps_old, bool reset_after);

extern const sa_cell sa_cells[]; /* all of them; ends with a NULL name */

/* ---- A layer of such cells ------------------------------------------------------------------- */

struct sa_recurrent { /* weights, or their gradients */
    const sa_cell *cell;
    sa_mat W;                /* [reach n x in] of the input; no numbers: it has none */
    sa_mat U;                /* [reach n x n] of the state before */
    sa_mat C;                /* [reach n x context] of a decoder's context; no numbers: none */
    sa_mat b;                /* [1 x reach n] */
    int bias_at, context_at; /* the first block that b and C reach: 0 or outer */
};

typedef struct sa_recurrent_sizes {
    int in, n, context;             /* in or context 0: it has none */
    bool inner_bias, inner_context; /* inside the reset product, where the cell has one */
} sa_recurrent_sizes;

void sa_recurrent_bind(sa_binder *binder, const char *part, const sa_cell *cell,
                       sa_recurrent_sizes sizes, sa_recurrent *w);

/* Room for the transposes of what a step multiplies by, and w with them: sa_turned. */
typedef struct sa_recurrent_turning {
    sa_mat U, C;
} sa_recurrent_turning;
sa_recurrent_turning sa_recurrent_turned_layout(sa_arena *arena, const sa_recurrent *w, int rows);
sa_recurrent sa_recurrent_turned(const sa_recurrent *w, sa_recurrent_turning room);

/* a = W x + b, for any number of rows; x is not read when there is no W. */
void sa_recurrent_input_forward(const sa_recurrent *w, sa_mat x, sa_mat gates);
/* dx is added to. */
void sa_recurrent_input_backward(const sa_recurrent *w, sa_mat da, sa_mat dx);
/* All rows at once: dW and db. */
void sa_recurrent_input_weights_backward(sa_mat x, sa_mat da, sa_recurrent *dw);

/* a += C c */
void sa_recurrent_context_forward(const sa_recurrent *w, sa_mat c, sa_mat gates);
void sa_recurrent_context_backward(const sa_recurrent *w, sa_mat da, sa_mat dc); /* dc added to */
void sa_recurrent_context_weights_backward(sa_mat c, sa_mat da, sa_recurrent *dw);

/* For the option rows: the name of a kind of cell, NULL after the last. */
const char *sa_cell_name(size_t row);

#endif
