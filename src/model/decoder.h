/* decoder: the recurrent decoders, from the fixed context vector to the conditional GRU, as rows of
 * one table. They differ in their step and share everything around it. */
#pragma once

#include "layers/recurrent.h"
#include "model/encoder.h"
#include "model/readout.h"

typedef struct sa_decoder sa_decoder;
typedef struct sa_decoder_rows sa_decoder_rows;
typedef struct sa_decoder_drows sa_decoder_drows;

/* A step: target position i (from 1); row l belongs to sentence which[l] (NULL: l). */
typedef struct sa_step {
    const sa_source *source;
    const int *which;
    int i;
    sa_attention_scratch scratch;
    sa_mat workspace, gates;  /* [L x n], [L x blocks n] backward only */
    sa_mat mask, second_mask; /* dropout of the cells' states; training only */
    sa_dropout dropout;       /* training only */
    sa_rng *rng;              /* for it; forward only */
} sa_step;

/* The state that makes the attention's query, and whose it is where there are several layers. */
typedef enum sa_query_state {
    SA_QUERY_STATE_NONE,
    SA_QUERY_STATE_PREVIOUS, /* s_{i-1} of the first layer */
    SA_QUERY_STATE_MIDDLE,   /* s'_i of the first layer */
    SA_QUERY_STATE_CURRENT   /* what the last layer passes on: with one layer s_i */
} sa_query_state;

typedef struct sa_decoder_kind {
    const char *name, *formula, *citation;
    sa_query_state query_state; /* the attention's query; NONE: no attention */
    bool context_in_cell; /* the context enters the cell that reads the word, and those above it */
    bool second;          /* a second cell reads the context */
    const sa_output *output;
    bool sees_word;     /* the readout does, beside the state and, if there is one, the context */
    bool sees_previous; /* with --readout-state auto, the readout sees s_{i-1}, not s_i */
    int initial;        /* with --decoder-init auto */
    /* Fills rows, given previous, gates (W x + b) and, for a second cell, second_gates (b). */
    void (*forward)(const sa_decoder *w, const sa_step *step, sa_decoder_rows rows);
    /* From d.s: d.a (and d.second_a, d.attention) are written, d.c, d.previous and dsource are
     * added to. */
    void (*backward)(const sa_decoder *w, const sa_step *step, sa_decoder_rows rows,
                     sa_decoder_drows d, sa_source *dsource, sa_decoder *dw);
} sa_decoder_kind;

extern const sa_decoder_kind sa_decoder_kinds[]; /* ends with a NULL name */

typedef struct sa_decoder_sizes {
    const sa_decoder_kind *kind;
    const sa_cell *cell;
    sa_settings settings; /* of the model */
    bool sees_previous;   /* the readout sees s_{i-1} */
    bool dropout;         /* training needs masks for embeddings and the readout */
    int words, m, n, l, layers;
    sa_attention_sizes attention;
    sa_source_sizes source;
} sa_decoder_sizes;

struct sa_decoder { /* weights, or their gradients */
    sa_decoder_sizes sizes;
    sa_attention attention; /* heads 0: none */
    sa_source_weights source;
    sa_mat E;            /* [Ky x m] */
    sa_recurrent cell;   /* reads the word */
    sa_recurrent second; /* reads the context; only some have it */
    sa_upper_layers upper;
    sa_readout readout;
    sa_steps steps;
};

/* The activations of one step, or of all steps, step by step; R rows. */
struct sa_decoder_rows {
    sa_mat input;                 /* [R x m (+ l)] E y_{i-1}, or [E y_{i-1} ; t_{i-1}] */
    sa_state previous, middle, s; /* [R x n] s_{i-1}, s'_i (with a second cell), s_i */
    sa_attention_rows attention;
    sa_mat c;                               /* [R x context] */
    sa_mat gates, cell_cache;               /* of the cell */
    sa_mat second_gates, second_cell_cache; /* of the second */
    sa_upper_rows upper;
};

/* The derivatives by them. The states have rows for the running step only; the others have all
 * rows, for the weights' gradients. */
struct sa_decoder_drows {
    sa_mat input, readout_state; /* readout_state [R x n]: by the state that the readout sees */
    sa_mat c, a, second_a;
    sa_attention_rows attention;
    sa_state s, middle, previous; /* [B x n] */
    sa_upper_layer_drows *upper;
};

typedef struct sa_decoder_cache {
    sa_decoder_rows rows; /* M rows, step by step */
    sa_source source;
    int32_t *inputs; /* [M] y_{i-1} */
    sa_readout_cache readout;
    sa_attention_scratch scratch;
    sa_arena products;        /* of the steps' loops */
    sa_mat word_mask, x_mask; /* from here to dsource: training only */
    sa_state_dropout drop, second_drop;
    sa_mat dinput; /* [M x m (+ l)] d.input; the encoder's backward pass reuses the memory of the
                      rest of d */
    sa_mat workspace;
    sa_mat gates; /* [B x blocks n] of one step, where d.a takes their place; or empty */
    sa_decoder_drows d;
    sa_upper_layer_drows dupper[SA_MAX_UPPER_LAYERS];
    sa_source dsource;
} sa_decoder_cache;

void sa_decoder_bind(sa_binder *binder, const sa_decoder_sizes *sizes, sa_decoder *w);

/* For sentences of at most `steps` source words; `sentences`: for which training needs masks, 0
 * without training. */
sa_decoder_rows sa_decoder_rows_layout(sa_arena *arena, const sa_decoder *w, int rows, int steps,
                                       int sentences);
sa_decoder_rows sa_decoder_rows_slice(sa_decoder_rows all, int first, int count);
/* s_{i-1} and s_i of a layer (from 0). */
sa_state sa_decoder_previous(sa_decoder_rows rows, int layer);
sa_state sa_decoder_state(sa_decoder_rows rows, int layer);
void sa_decoder_layout(sa_arena *arena, const sa_batch *batch, const sa_decoder *w,
                       const sa_encoder_cache *encoder, bool training, sa_decoder_cache *cache);
/* What nothing between the forward and the backward pass uses; for training, what only
 * sa_decoder_backward uses, too. */
void sa_decoder_loop_layout(sa_arena *arena, const sa_batch *batch, const sa_decoder *w,
                            const sa_encoder_cache *encoder, bool training,
                            sa_decoder_cache *cache);

/* The state that the readout sees, and the attention's query. */
sa_mat sa_decoder_readout_state(const sa_decoder *w, sa_decoder_rows rows);
sa_mat sa_decoder_query(const sa_decoder *w, sa_decoder_rows rows);
/* The columns of the input that hold E y_{i-1}. */
sa_mat sa_decoder_word_input(const sa_decoder *w, sa_mat input);

/* One step, from input and previous to the readout's t. */
void sa_decoder_step_forward(const sa_decoder *w, const sa_step *step, sa_decoder_rows rows,
                             sa_readout_cache *readout);

/* All steps with the reference tokens as inputs (teacher forcing), up to the readout's t. */
void sa_decoder_forward(const sa_decoder *w, const sa_batch *batch, const sa_encoder_cache *encoder,
                        sa_dropout dropout, sa_rng *rng, sa_decoder_cache *cache);

/* From the readout's dt: fills encoder->dannotations and dlast_memory. dw is added to. */
void sa_decoder_backward(const sa_decoder *w, const sa_batch *batch, sa_dropout dropout,
                         sa_decoder_cache *cache, sa_encoder_cache *encoder, sa_decoder *dw);
