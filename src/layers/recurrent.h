/* recurrent: a recurrent layer: its weights, and the products that its cell adds up.
 *
 * A cell (cells.c) turns the previous state and the pre-activations of a step
 * into a new state. What does not depend on the state (W x + b, and C c
 * in a decoder) is added before, for all steps at once where possible. The pre-activations a are
 * blocks of n numbers side by side, one for each gate and one for the candidate.
 *
 * With layer normalization (Ba et al. 2016, supplementary material; Nematus) every product is
 * normalized before it is added: LN(W x) + LN(U s') + LN(C c) + b, and the state of an LSTM is
 * o . tanh(LN(m)). Each product has its own gain and bias. Mean and variance are those of the
 * gates' blocks together, the candidate's among them in an LSTM; the candidate of a GRU has its
 * own. */
#pragma once

#include "layers/basic.h"
#include "layers/layernorm.h"
#include "layers/params.h"
#include <softalign/lab.h>

typedef struct sa_recurrent sa_recurrent;

/* One step for L sentences. gates [L x blocks n]: on entry the pre-activations, on return what the
 * backward pass reads. cache [L x sa_recurrent_cache_width] and the new state are written. */
typedef void sa_cell_forward(const sa_recurrent *w, sa_state previous, sa_mat gates, sa_mat cache,
                             sa_state state);
/* From dstate: da [L x sa_recurrent_da_width] is written; dprevious, and dw of the normalizations,
 * are added to. scratch [L x n]. */
typedef void sa_cell_backward(const sa_recurrent *w, sa_state previous, sa_mat gates, sa_mat cache,
                              sa_state dstate, sa_mat da, sa_state dprevious, sa_mat scratch,
                              sa_recurrent *dw);
/* dU of all steps at once. */
typedef void sa_cell_weights_backward(sa_state previous, sa_mat cache, sa_mat da, sa_recurrent *dw);

/* A gate, the candidate, or where there is none the state: activation(W x + U .. + C c + b). */
typedef struct sa_gate_equation {
    const char *letter, *activation; /* NULL: no activation */
    int block;
    enum { SA_READS_STATE, SA_READS_RESET, SA_READS_PRODUCT } reads; /* U s', U [r . s'], r . u */
} sa_gate_equation;

typedef struct sa_cell {
    const char *name, *formula, *citation;
    /* What explanations show, in this order; without a letter there are no more. */
    sa_gate_equation gates[4];
    const char *memory_update, *update;
    int blocks;       /* of pre-activations */
    int gated_blocks; /* that a product fills: W x from first_gate on, U s' from 0 on, and so do C c
                         and b inside the reset product */
    int first_gate;
    int grouped_blocks;    /* that layer normalization takes together */
    const char *suffix[4]; /* of each block's tensor names: W_z, W_r, W */
    int memory;            /* 1: it has a memory cell beside the state */
    int cache;             /* numbers per unit that the backward pass reads beside the gates */
    bool keeps_old;        /* of a GRU: z weights the old state rather than the new one */
    sa_cell_forward *forward;
    sa_cell_backward *backward;
    sa_cell_weights_backward *weights_backward;
} sa_cell;

struct sa_recurrent { /* weights, or their gradients; "rows" is gated_blocks n */
    const sa_cell *cell;
    int n;                         /* units */
    sa_weight W;                   /* [rows x in] of the input; empty: it has none */
    sa_weight U;                   /* [rows x n] of the previous state */
    sa_weight C;                   /* [rows x context] of a decoder's context; empty: none */
    sa_mat b;                      /* [1 x rows] */
    int bias_block, context_block; /* the first block of b and of C: 0 or first_gate */
    sa_layernorm norm[3];          /* [1 x rows] of W x, U s' and C c; empty: not normalized */
    sa_layernorm norm_m;           /* [1 x n] of an LSTM's memory; empty: not normalized */
};

typedef struct sa_recurrent_sizes {
    int in, n, context;             /* in or context 0: it has none */
    bool inner_bias, inner_context; /* inside the reset product, where the cell has one */
    bool normalized;
} sa_recurrent_sizes;

void sa_recurrent_bind(sa_binder *binder, const char *prefix, const sa_cell *cell,
                       sa_recurrent_sizes sizes, sa_recurrent *w);

/* Columns of a cell's cache and of da, with what the normalizations need. */
int sa_recurrent_cache_width(const sa_recurrent *w);
int sa_recurrent_da_width(const sa_recurrent *w);

/* The weights by which every step multiplies: U and C, and W where the input is read step by step,
 * too. */
void sa_recurrent_add_steps(sa_recurrent *w, bool input, sa_steps *steps);

/* ---- The three products ---------------------------------------------------------------------- */

typedef enum sa_product { SA_BY_W, SA_BY_U, SA_BY_C, SA_PRODUCTS } sa_product;

/* What a product multiplies by: its weights, or their gradients, the first block that they fill,
 * and of their blocks, from there, those in use. */
typedef struct sa_factor {
    const sa_recurrent *w;
    sa_product of;
    sa_weight W;
    int at, first, count;
} sa_factor;

sa_factor sa_W_of(const sa_recurrent *w);                       /* W x */
sa_factor sa_U_of(const sa_recurrent *w, int first, int count); /* U s, in `count` blocks */
sa_factor sa_C_of(const sa_recurrent *w);                       /* C c */

/* a += W x, for any number of rows, or a += LN(W x) (Ba et al. 2016, supplementary material). */
void sa_product_forward(sa_factor by, sa_mat x, sa_mat a, sa_mat cache);
/* Exactly once for every row. dx = beta dx + .. */
void sa_product_backward(sa_factor by, sa_mat cache, sa_mat da, sa_real beta, sa_mat dx,
                         sa_recurrent *dw);
/* For all rows at once; by.w are the gradients. */
void sa_product_weights_backward(sa_factor by, sa_mat x, sa_mat da);

/* a = W x + b; without W, x is not read. */
void sa_recurrent_input_forward(const sa_recurrent *w, sa_mat x, sa_mat gates, sa_mat cache);
/* The gradients of W and b. */
void sa_recurrent_input_weights_backward(sa_mat x, sa_mat da, sa_recurrent *dw);

/* The blocks that are normalized together with this block of U's. */
void sa_recurrent_norm_group(const sa_recurrent *w, int block, int *first, int *count);

/* m becomes LN(m) if the layer is normalized. */
void sa_recurrent_memory_forward(const sa_recurrent *w, sa_mat m, sa_mat cache);
void sa_recurrent_memory_backward(const sa_recurrent *w, sa_mat cache, sa_mat dm, sa_recurrent *dw);

/* ---- The table of cells: cells.c ---------------------------------------------------------------
 */

/* The cell of that kind, SA_CELL_... For a GRU: whether z weights the old state rather than the new
 * one, and whether the reset gate acts after U. */
const sa_cell *sa_cell_find(int kind, bool keeps_old, bool reset_after);

extern const sa_cell sa_cells[]; /* ends with a NULL name */

/* ---- The layers of a decoder above its first -----------------------------------------------
 * Each is a recurrent cell that reads the one below at the same step.
 *
 *   x^l_i = y^{l-1}_i, in training with dropout      Zaremba et al. 2014
 *   s^l_i = f(x^l_i, s^l_{i-1})                      Sutskever et al. 2014; Luong et al. 2015
 *   s^l_i = f(x^l_i, c_i, s^l_{i-1})                 where the context enters every layer
 *   y^l_i = s^l_i                                    what the next layer reads
 *   y^l_i = s^l_i + y^{l-1}_i                        residual, l >= 3 (Wu et al. 2016, section 3.1)
 *
 * y^1_i = s_i, the state of the first layer. */

enum { SA_MAX_UPPER_LAYERS = SA_MAX_LAYERS - 1, SA_LEAST_RESIDUAL_LAYERS = 3 };

typedef struct sa_upper_sizes {
    const sa_cell *cell;
    int count;          /* layers above the first; 0: the decoder has one layer */
    int n, context;     /* context 0: it enters no upper layer */
    bool inner_context; /* the reset gate multiplies C c too */
    bool residual;
    bool normalized;                   /* layer normalization in the cells */
    bool state_dropout, layer_dropout; /* training needs masks for states, for x */
} sa_upper_sizes;

typedef struct sa_upper_layers { /* weights, or their gradients */
    sa_upper_sizes sizes;
    sa_recurrent layer[SA_MAX_UPPER_LAYERS];
} sa_upper_layers;

/* The activations of one layer, step by step. */
typedef struct sa_upper_layer_rows {
    sa_mat x, y;          /* [R x n] what it reads and what the next layer reads */
    sa_state previous, s; /* [R x n] s^l_{i-1}, s^l_i */
    sa_mat gates, cell_cache;
    sa_mat mask;           /* [R x n] of x; training only */
    sa_state_dropout drop; /* training only */
} sa_upper_layer_rows;

/* The derivatives by them; a has all rows, the others those of the running step. */
typedef struct sa_upper_layer_drows {
    sa_mat a, x, y;
    sa_state previous, s;
} sa_upper_layer_drows;

/* The activations of all layers from row `first` on. */
typedef struct sa_upper_rows {
    sa_upper_layer_rows *layer;
    int first;
} sa_upper_rows;

void sa_upper_bind(sa_binder *binder, const sa_upper_sizes *sizes, sa_upper_layers *w);

/* `sentences`: for which training needs masks; 0 without training. */
sa_upper_rows sa_upper_rows_layout(sa_arena *arena, const sa_upper_layers *w, int rows,
                                   int sentences);
void sa_upper_drows_layout(sa_arena *arena, const sa_upper_layers *w, int rows, int sentences,
                           sa_upper_layer_drows *d);

/* `count` rows of layer k (0: the second of the decoder). */
sa_upper_layer_rows sa_upper_layer(sa_upper_rows rows, int k, int count);
/* Whether y of layer k is more than its state. */
bool sa_upper_adds(const sa_upper_layers *w, int k);

/* The weights by which every step multiplies. */
void sa_upper_add_steps(sa_upper_layers *w, sa_steps *steps);

/* Dropout of the states: sa_state_dropout_start and _return for every layer. */
void sa_upper_dropout_start(const sa_upper_layers *w, double p, sa_rng *rng, sa_upper_rows all);
void sa_upper_dropout_return(const sa_upper_layers *w, double p, sa_upper_rows all,
                             sa_upper_layer_drows *d);

/* One step: from y^1_i = below [L x n], the context c and the previous states. */
void sa_upper_forward(const sa_upper_layers *w, sa_mat below, sa_mat c, double dropout, sa_rng *rng,
                      sa_upper_rows rows);
/* d.previous and d.y become zero: to y of the last layer the caller then adds. */
void sa_upper_zero(const sa_upper_layers *w, int count, sa_upper_layer_drows *d);
/* From d.y and d.s: d.a is written, dbelow [L x n], dc and d.previous are added to. scratch
 * [L x n]. */
void sa_upper_backward(const sa_upper_layers *w, sa_upper_rows rows, double dropout,
                       sa_upper_layer_drows *d, sa_mat dbelow, sa_mat dc, sa_mat scratch,
                       sa_upper_layers *dw);
/* The gradients of all weights, for all steps at once. */
void sa_upper_weights_backward(const sa_upper_layers *w, sa_upper_rows all, sa_mat c,
                               const sa_upper_layer_drows *d, sa_upper_layers *dw);
