/* cell: recurrent cells, the rows that --cell and the tests walk.
 *
 * A cell turns the state of the step before and the step's pre-activations into a new state. What
 * does not depend on the state (W x + b, and C c in a decoder) is made outside, for all steps at
 * once where it can be, and comes in as the pre-activations a: some blocks of n numbers side by
 * side, one for each gate and one for the candidate.
 *
 * With layer normalisation (Ba et al. 2016, supplementary material; Nematus) every product is
 * normalised before it is added: LN(W x) + LN(U s') + LN(C c) + b, and an LSTM hands out
 * o . tanh(LN(m)). Each has a gain and a bias of its own; mean and variance are those of the joint
 * blocks of a product together, and of its other block alone. */
#ifndef SA_NN_CELL_H
#define SA_NN_CELL_H

#include "layers/cell_state.h"
#include "layers/layernorm.h"
#include "layers/params.h"
#include "tensor/blas.h"

typedef struct sa_recurrent sa_recurrent;

typedef struct sa_cell {
    const char *name, *formula, *citation;
    int blocks;       /* of pre-activations */
    int gated_blocks; /* blocks that an input reaches: from block `outer` on, or, inside the reset
                  product, from block 0 on */
    int first_gate;
    int grouped_blocks;    /* blocks that layer normalisation takes together: the gates' */
    const char *suffix[4]; /* of the names of each block's tensors: W_z, W_r, W */
    int memory;            /* 1: it carries a memory cell beside the state */
    int cache;             /* numbers per unit that a step leaves for its backward pass */

    /* One step for L sentences. gates [L x blocks n]: on entry the pre-activations, on return what
     * the backward pass reads. kept [L x kept n ..] and the new state are written. */
    void (*forward)(const sa_recurrent *w, sa_state previous, sa_mat gates, sa_mat cache,
                    sa_state state);
    /* From dstate: da [L x blocks n ..] is written, dprevious added to, and the normalisations' dw.
     * scratch [L x n]. */
    void (*backward)(const sa_recurrent *w, sa_state previous, sa_mat gates, sa_mat cache,
                     sa_state dstate, sa_mat da, sa_state dprevious, sa_mat scratch,
                     sa_recurrent *dw);
    /* dU of all steps at once. */
    void (*weights_backward)(sa_state previous, sa_mat cache, sa_mat da, sa_recurrent *dw);
} sa_cell;

/* The cell of --cell (its position in sa_cell_name's list). For the gated unit: whether z is the
 * share of the old state, and whether the reset gate acts after U. */
const sa_cell *sa_cell_find(int kind, bool keeps_old, bool reset_after);

extern const sa_cell sa_cells[]; /* all of them; ends with a NULL name */

/* ---- A layer of such cells ------------------------------------------------------------------- */

struct sa_recurrent { /* weights, or their gradients */
    const sa_cell *cell;
    int n;       /* units */
    sa_weight W; /* [reach n x in] of the input; no numbers: it has none */
    sa_weight U; /* [reach n x n] of the state before */
    sa_weight C; /* [reach n x context] of a decoder's context; no numbers: none */
    sa_mat b;    /* [1 x reach n] */
    int bias_block, context_block; /* the first block that b and C reach: 0 or outer */
    sa_layernorm norm[3];          /* [1 x reach n] of W x, U s' and C c; no numbers: none */
    sa_layernorm norm_m;           /* [1 x n] of an LSTM's memory; likewise */
};

typedef struct sa_recurrent_sizes {
    int in, n, context;             /* in or context 0: it has none */
    bool inner_bias, inner_context; /* inside the reset product, where the cell has one */
    bool normalized;
} sa_recurrent_sizes;

void sa_recurrent_bind(sa_binder *binder, const char *part, const sa_cell *cell,
                       sa_recurrent_sizes sizes, sa_recurrent *w);

/* Numbers that a row of kept and one of da have, with what the normalisations need. */
int sa_recurrent_cache_width(const sa_recurrent *w);
int sa_recurrent_da_width(const sa_recurrent *w);

/* Buffers for the packed weights of steps of `rows` rows, W's too where the input is read step by
 * step; and w packed in them. */
typedef struct sa_recurrent_packed {
    sa_mat W, U, C;
} sa_recurrent_packed;
sa_recurrent_packed sa_recurrent_packed_layout(sa_arena *arena, const sa_recurrent *w, int rows,
                                               bool input);
sa_recurrent sa_recurrent_pack(const sa_recurrent *w, sa_recurrent_packed buffer,
                               sa_weight_pack_function *pack);

/* The three products: forward; backward, where the derivative by what came in is added to, and once
 * for every row; then, for all rows at once, the weights. */

/* a = W x + b, for any number of rows; x is not read when there is no W. */
void sa_recurrent_input_forward(const sa_recurrent *w, sa_mat x, sa_mat gates, sa_mat cache);
void sa_recurrent_input_backward(const sa_recurrent *w, sa_mat cache, sa_mat da, sa_mat dx,
                                 sa_recurrent *dw);
void sa_recurrent_input_weights_backward(sa_mat x, sa_mat da, sa_recurrent *dw);

/* a += C c */
void sa_recurrent_context_forward(const sa_recurrent *w, sa_mat c, sa_mat gates, sa_mat cache);
void sa_recurrent_context_backward(const sa_recurrent *w, sa_mat cache, sa_mat da, sa_mat dc,
                                   sa_recurrent *dw);
void sa_recurrent_context_weights_backward(sa_mat c, sa_mat da, sa_recurrent *dw);

/* a += U s, in `count` blocks from `first` on */
void sa_recurrent_state_forward(const sa_recurrent *w, int first, int count, sa_mat s, sa_mat gates,
                                sa_mat cache);
/* ds = beta ds + .. */
void sa_recurrent_state_backward(const sa_recurrent *w, int first, int count, sa_mat cache,
                                 sa_mat da, sa_real beta, sa_mat ds, sa_recurrent *dw);
void sa_recurrent_state_weights_backward(int first, int count, sa_mat s, sa_mat da,
                                         sa_recurrent *dw);

bool sa_recurrent_normalized(const sa_recurrent *w);
/* The blocks that are normalised together with this one of U's. */
void sa_recurrent_norm_group(const sa_recurrent *w, int block, int *first, int *count);

/* LN(m), where it is normalised; else m as it is. In place. */
void sa_recurrent_memory_forward(const sa_recurrent *w, sa_mat m, sa_mat cache);
void sa_recurrent_memory_backward(const sa_recurrent *w, sa_mat cache, sa_mat dm, sa_recurrent *dw);

/* For the option rows: the name of a kind of cell, NULL after the last. */
const char *sa_cell_name(size_t row);

#endif
