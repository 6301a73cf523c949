/* upper_layers: the layers of a decoder above its first, each a recurrent cell that reads the one
 * below at the same step.
 *
 *   x^l_i = y^{l-1}_i, in training with dropout      Zaremba et al. 2014
 *   s^l_i = f(x^l_i, s^l_{i-1})                      Sutskever et al. 2014; Luong et al. 2015
 *   s^l_i = f(x^l_i, c_i, s^l_{i-1})                 where the context enters every layer
 *   y^l_i = s^l_i                                    what the next layer reads
 *   y^l_i = s^l_i + y^{l-1}_i                        residual, l >= 3 (Wu et al. 2016, section 3.1)
 *
 * y^1_i = s_i, the state of the first layer. */
#ifndef SA_MODEL_UPPER_LAYERS_H
#define SA_MODEL_UPPER_LAYERS_H

#include "layers/cell.h"
#include "layers/dropout.h"
#include "softalign.h"

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

#endif
