/* decoder: the recurrent decoders, from the fixed context vector to the conditional GRU. They
 * differ in their step, an entry of sa_decoder_kinds, and share everything around it. */
#pragma once

#include "layers/recurrent.h"
#include "model/encoder.h"
#include "model/readout.h"

typedef struct sa_recurrent_decoder sa_recurrent_decoder;
typedef struct sa_step sa_step;

/* The attention's query. */
typedef enum sa_query_state {
    SA_QUERY_STATE_NONE,     /* there is no attention */
    SA_QUERY_STATE_PREVIOUS, /* s_{i-1} of the first layer */
    SA_QUERY_STATE_PROPOSAL, /* u_i of the first layer */
    SA_QUERY_STATE_CURRENT   /* s_i of the last layer */
} sa_query_state;

typedef struct sa_decoder_kind {
    const char *name, *formula, *citation;
    sa_query_state query_state;
    bool context_in_cell; /* the cell that reads the word reads the context, too, as those above */
    bool context_cell;    /* a second cell of the first layer reads the context */
    bool points;          /* the weights are the output: there is no readout */
    bool maxout;          /* how the readout makes t: see readout.h */
    bool sees_word;       /* the readout sees the word, too */
    bool sees_previous;   /* with --readout-state auto, the readout sees s_{i-1}, not s_i */
    int initial;          /* with --decoder-init auto */
    /* Fills step->rows, given the previous states and, in the first layer's gates, W x + b. */
    void (*forward)(const sa_recurrent_decoder *w, const sa_step *step);
    /* Fills the gradients of the pre-activations and the attention from the gradients with respect
     * to the layers' states; accumulates into d.c, the gradients of the previous states, and
     * dsource. */
    void (*backward)(const sa_recurrent_decoder *w, const sa_step *step, sa_recurrent_decoder *dw);
} sa_decoder_kind;

extern const sa_decoder_kind sa_decoder_kinds[]; /* ends with a NULL name */

struct sa_recurrent_decoder { /* weights, or their gradients */
    sa_sizes sizes;
    sa_attention attention; /* heads 0: none */
    sa_source_weights source;
    sa_mat E;                          /* [Ky x m] */
    sa_recurrent layer[SA_MAX_LAYERS]; /* the first reads the word */
    sa_recurrent context_cell;         /* of the first layer; only some have it */
    sa_readout readout;
    sa_steps steps;
};

/* The activations of one layer. */
typedef struct sa_decoder_layer_rows {
    sa_mat x;    /* [R x n] what it reads; layers above the first only */
    sa_mat mask; /* [R x n] dropout of x; training only */
    sa_recurrent_rows cell;
    sa_state s; /* [R x n] s_i */
} sa_decoder_layer_rows;

/* The activations of one step, or of all steps, step by step; R rows. It consists of matrices, as
 * the gradients do. */
typedef struct sa_decoder_rows {
    sa_mat input; /* [R x m (+ l)] E y_{i-1}, or [E y_{i-1} ; t_{i-1}] */
    sa_decoder_layer_rows layer[SA_MAX_LAYERS];
    sa_recurrent_rows context_cell; /* its previous state is u_i, which the first cell makes */
    sa_attention_rows attention;
    sa_mat c; /* [R x context] */
} sa_decoder_rows;

/* The gradients of the loss with respect to the activations. R rows: of all steps; B rows: of the
 * current step, overwritten by the next. */
typedef struct sa_decoder_layer_gradients {
    sa_mat a; /* [R x ..] pre-activations */
    sa_mat y; /* [B x n] what this step's readers of s_i add; in the first layer it is s.s */
    sa_state previous, s; /* [B x n] */
} sa_decoder_layer_gradients;

typedef struct sa_decoder_gradients {
    sa_mat input;         /* [R x m (+ l)] */
    sa_mat readout_state; /* [R x n] of the state that the readout sees */
    sa_decoder_layer_gradients layer[SA_MAX_LAYERS];
    sa_mat context_a;  /* [R x ..] of the context's cell */
    sa_state proposal; /* [B x n] u_i */
    sa_mat x;          /* [B x n] of what a layer above the first reads */
    sa_attention_rows attention;
    sa_mat c; /* [R x context] */
} sa_decoder_gradients;

/* A step: target position i (from 1); row l belongs to sentence which[l] (NULL: l). */
struct sa_step {
    const sa_source *source;
    const int *which;
    int i;
    sa_attention_scratch scratch;
    sa_decoder_rows rows;
    sa_dropout dropout; /* training only */
    sa_rng *rng;        /* for dropout; forward only */
    sa_mat workspace;   /* [L x n] backward only, as are these: */
    sa_decoder_gradients d;
    sa_source *dsource;
};

typedef struct sa_decoder_cache {
    sa_decoder_rows rows; /* M rows, step by step */
    sa_source source;
    int32_t *inputs; /* [M] y_{i-1} */
    sa_readout_cache readout;
    sa_attention_scratch scratch;
    sa_arena products;        /* of the steps' loops */
    sa_mat word_mask, x_mask; /* from here on: training only */
    sa_mat dinput; /* [M x m (+ l)] d.input, which outlives the encoder's backward pass */
    sa_mat workspace;
    sa_decoder_gradients d;
    sa_source dsource;
} sa_decoder_cache;

/* ---- The pass over a batch ------------------------------------------------------------------- */

/* Runs all steps with the reference tokens as inputs (teacher forcing), up to the readout's t. */
void sa_recurrent_decoder_forward(const sa_recurrent_decoder *w, const sa_batch *batch,
                                  const sa_encoder_cache *encoder, sa_dropout dropout, sa_rng *rng,
                                  sa_decoder_cache *cache);

/* Fills encoder->dannotations and dlast_m from dout, the gradients of the loss with respect to
 * the outputs of the forward pass; accumulates into dw, overwrites dout->t. */
void sa_recurrent_decoder_backward(const sa_recurrent_decoder *w, const sa_batch *batch,
                                   sa_dropout dropout, sa_decoder_cache *cache,
                                   const sa_output_gradients *dout, sa_encoder_cache *encoder,
                                   sa_recurrent_decoder *dw);

/* Runs one step, from input and previous states to the readout's t. */
void sa_recurrent_decoder_step_forward(const sa_recurrent_decoder *w, const sa_step *step,
                                       sa_readout_cache *readout);

sa_decoder_rows sa_decoder_rows_slice(const sa_decoder_rows *all, int first, int count);
/* Returns the attention's query. */
sa_mat sa_decoder_query(const sa_recurrent_decoder *w, const sa_decoder_rows *rows);
/* Return the columns of the input: E y_{i-1}, and t_{i-1} (none without input feeding). */
sa_mat sa_decoder_word_input(const sa_recurrent_decoder *w, sa_mat input);
sa_mat sa_decoder_fed_input(const sa_recurrent_decoder *w, sa_mat input);
