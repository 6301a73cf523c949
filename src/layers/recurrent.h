/* recurrent: a recurrent layer: its weights, and the products that its cell adds up.
 *
 * A cell (cells.c) turns the previous state and the pre-activations of a step into a new state.
 * What does not depend on the state (W x + b, and C c in a decoder) is added before, for all steps
 * at once where possible. The pre-activations a are blocks of n columns side by side, one for each
 * gate and one for the candidate. */
#pragma once

#include "layers/basic.h"
#include "layers/layernorm.h"
#include "tensor/weight.h"
#include <softalign/lab.h>

typedef struct sa_recurrent sa_recurrent;

/* Computes one step for L sentences. gates [L x blocks n]: on entry the pre-activations, on return
 * what the backward pass reads. Writes cache [L x sa_recurrent_cache_width] and the new state. */
typedef void sa_cell_forward(const sa_recurrent *w, sa_state previous, sa_mat gates, sa_mat cache,
                             sa_state state);
/* From dstate, fills da [L x sa_recurrent_da_width]; accumulates into dprevious and the gradients
 * of the normalizations in dw. scratch [L x n]. */
typedef void sa_cell_backward(const sa_recurrent *w, sa_state previous, sa_mat gates, sa_mat cache,
                              sa_state dstate, sa_mat da, sa_state dprevious, sa_mat scratch,
                              sa_recurrent *dw);
/* Accumulates dU of all steps at once. */
typedef void sa_cell_weights_backward(sa_state previous, sa_mat cache, sa_mat da, sa_recurrent *dw);

/* The equation of a gate, of the candidate or, if there is none, of the state: activation(W x + U
 * .. + C c + b). */
typedef struct sa_gate_equation {
    const char *letter, *activation; /* NULL: no activation */
    int block;
    enum { SA_READS_STATE, SA_READS_RESET, SA_READS_PRODUCT } reads; /* U s, U [r . s], r . u */
} sa_gate_equation;

typedef struct sa_cell {
    const char *name, *formula, *citation;
    /* What explanations show, in this order, up to the first without a letter. */
    sa_gate_equation gates[4];
    const char *m_update, *update;
    int blocks;       /* of pre-activations */
    int gated_blocks; /* blocks that a product fills: W x from first_gate on, U s_prev from 0 on, as
                         C c and b do inside the reset product */
    int first_gate;
    int grouped_blocks;    /* blocks that layer normalization takes together */
    const char *suffix[4]; /* of each block's tensor names: W_z, W_r, W */
    int has_m;             /* 1: there is a memory cell m, too */
    int cache;             /* values per unit, beyond the gates, that the backward pass reads */
    bool keeps_old;        /* for a GRU: z weights the old state rather than the new one */
    sa_cell_forward *forward;
    sa_cell_backward *backward;
    sa_cell_weights_backward *weights_backward;
} sa_cell;

struct sa_recurrent { /* weights, or their gradients; "rows" is gated_blocks n */
    const sa_cell *cell;
    int n;       /* units */
    sa_weight W; /* [rows x in] multiplies the input; empty: there is none */
    sa_weight U; /* [rows x n] multiplies the previous state */
    sa_weight C; /* [rows x context] multiplies a decoder's context; empty: none */
    sa_mat b;    /* [1 x rows] */
    int bias_block, context_block; /* the first block of b and of C: 0 or first_gate */
    sa_layernorm norm[3];          /* [1 x rows] for W x, U s_prev and C c; empty: not normalized */
    sa_layernorm norm_m;           /* [1 x n] for an LSTM's memory; empty: not normalized */
};

/* Return the columns of a cell's cache and of da, including those of the normalizations. */
int sa_recurrent_cache_width(const sa_recurrent *w);
int sa_recurrent_da_width(const sa_recurrent *w);

/* ---- The three products ---------------------------------------------------------------------- */

typedef enum sa_product { SA_BY_W, SA_BY_U, SA_BY_C, SA_PRODUCTS } sa_product;

/* One product, W x, U s or C c, or its gradient: W has the rows of blocks first .. first+count-1,
 * and the product is added to a from block at + first on. */
typedef struct sa_factor {
    const sa_recurrent *w;
    sa_product product;
    sa_weight W;
    int at, first, count;
} sa_factor;

sa_factor sa_W_of(const sa_recurrent *w);                       /* W x */
sa_factor sa_U_of(const sa_recurrent *w, int first, int count); /* U s, in `count` blocks */
sa_factor sa_C_of(const sa_recurrent *w);                       /* C c */

/* Computes a += W x, or a += LN(W x) (Ba et al. 2016, supplementary material). */
void sa_product_forward(sa_factor by, sa_mat x, sa_mat a, sa_mat cache);
/* Computes dx = beta dx + da W. Call it once per row: a layer normalization also
 * accumulates its gradients into dw. */
void sa_product_backward(sa_factor by, sa_mat cache, sa_mat da, sa_real beta, sa_mat dx,
                         sa_recurrent *dw);
/* Accumulates for all rows at once; by.w holds the gradients. */
void sa_product_weights_backward(sa_factor by, sa_mat x, sa_mat da);

/* Computes a = W x + b; without W, it does not read x. */
void sa_recurrent_input_forward(const sa_recurrent *w, sa_mat x, sa_mat gates, sa_mat cache);

/* Turns m into LN(m) if the layer is normalized. */
void sa_norm_m_forward(const sa_recurrent *w, sa_mat m, sa_mat cache);
void sa_norm_m_backward(const sa_recurrent *w, sa_mat cache, sa_mat dm, sa_recurrent *dw);

/* ---- The table of cells: cells.c ------------------------------------------------------------- */

/* Returns the cell of that kind, SA_CELL_... For a GRU, keeps_old: z weights the old state rather
 * than the new one; reset_after: the reset gate acts after U. */
const sa_cell *sa_cell_find(int kind, bool keeps_old, bool reset_after);

extern const sa_cell sa_cells[]; /* ends with a NULL name */

/* ---- A layer in a model ----------------------------------------------------------------------
 * One direction of the encoder, or a layer of a decoder: R rows; each step takes some of them. */

/* What the steps of a layer read and keep. */
typedef struct sa_recurrent_rows {
    sa_state previous;        /* [R x n] the state before the step */
    sa_mat gates, cache;      /* [R x blocks n], [R x sa_recurrent_cache_width] */
    sa_state_dropout dropout; /* for the previous state; training only */
} sa_recurrent_rows;

sa_recurrent_rows sa_recurrent_rows_slice(sa_recurrent_rows all, int first, int count);

/* Computes state = cell(gates, previous), with dropout of what U multiplies. */
void sa_recurrent_step_forward(const sa_recurrent *w, sa_recurrent_rows rows, sa_state state);
/* Overwrites da; accumulates into dprevious. scratch [L x n]. */
void sa_recurrent_step_backward(const sa_recurrent *w, sa_recurrent_rows rows, sa_state dstate,
                                sa_mat da, sa_state dprevious, sa_mat scratch, sa_recurrent *dw);
/* Accumulates the gradients of all weights, for all steps at once. x and c are what W and C
 * multiplied; without these weights they are not read. */
void sa_recurrent_weights_backward(const sa_recurrent *w, sa_recurrent_rows rows, sa_mat x,
                                   sa_mat c, sa_mat da, sa_recurrent *dw);
