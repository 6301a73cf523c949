/* encoder: turns source tokens into annotations, in a recurrent model.
 *
 *   bi    Bahdanau et al. 2015, A.2.1: two recurrent layers read the source, one in each direction;
 *         h_j = [forward_j ; backward_j]
 *   uni   Cho et al. 2014: one reads it from left to right; h_j = forward_j
 *   none  no recurrent layer: h_j is the word's embedding, with or without its position
 *
 * Further layers read the annotations of the layer below. */
#pragma once

#include "attention/attention.h"
#include "layers/recurrent.h"
#include "model/shape.h"

typedef struct sa_encoder { /* weights, or their gradients */
    sa_sizes sizes;
    int layers, directions; /* 0 and 0 for kind none */
    sa_mat E;               /* [Kx x m] */
    sa_positions positions;
    sa_recurrent layer[SA_MAX_LAYERS][2]; /* forward, backward */
    sa_steps steps;                       /* of any one of them */
} sa_encoder;

/* The activations of one direction of one layer, step by step: row start[t] + b. */
typedef struct sa_direction {
    bool backward; /* it reads the last word first */
    sa_recurrent_rows cell;
    sa_mat m; /* [N x n] the memory cell after the step; LSTM only */
} sa_direction;

typedef struct sa_encoder_cache {
    const int32_t *ids;      /* [N] in the order of reading, step by step */
    sa_mat position_vectors; /* [steps x m] */
    sa_mat x;                /* [N x m] embedded words */
    sa_mat h[SA_MAX_LAYERS]; /* [N x A] annotations of each layer, step by step */
    sa_direction direction[SA_MAX_LAYERS][2];
    const int *first;   /* [B+1] */
    sa_mat annotations; /* [N x A] of the last layer, sentence by sentence in the decoder's order:
                           row first[b] + j */
    sa_arena products;  /* of a loop over steps */
    sa_mat last_m;      /* [B x n] the last layer's memory cell in forward_S; LSTM only */
    sa_state last[SA_MAX_LAYERS]; /* [B x n] forward_S of the layers below the last one */
    sa_mat word_mask, x_mask, annotation_mask; /* from here on: training only */
    sa_mat h_mask[SA_MAX_LAYERS];              /* [N x A] of what the next layer reads */
    sa_mat dannotations, dlast_m;
    sa_state dlast[SA_MAX_LAYERS];
    sa_mat dh[SA_MAX_LAYERS], dx, da, scratch; /* from here on: backward only */
    sa_mat dm;                                 /* [N x n] LSTM only */
    sa_state dprevious;                        /* [B x n] */
} sa_encoder_cache;

/* Returns the position of the word read at step t: also in reverse order, EOS is the last. */
int sa_encoder_read_position(const sa_sizes *sizes, int len, int t);

/* Fills annotations, last_m and last. Without dropout, rng may be NULL. */
void sa_encoder_forward(const sa_encoder *w, const sa_batch *batch, sa_dropout dropout, sa_rng *rng,
                        sa_encoder_cache *cache);

/* Accumulates into dw, from dannotations, dlast_m and dlast. */
void sa_encoder_backward(const sa_encoder *w, const sa_batch *batch, sa_dropout dropout,
                         sa_encoder_cache *cache, sa_encoder *dw);

/* ---- What the decoder starts from: source.c ------------------------------------------------- */

typedef struct sa_source_weights { /* or their gradients */
    sa_sizes sizes;
    sa_weight V;                  /* [n x ..] of the fixed context */
    sa_mat b_V;                   /* [1 x n] */
    sa_weight W_s[SA_MAX_LAYERS]; /* [n x ..] of each layer's s_0; none when it is a copy */
    sa_mat b_s[SA_MAX_LAYERS];    /* [1 x n] */
} sa_source_weights;

/* What exists once per sentence; the same struct also holds gradients with respect to these
 * fields. */
typedef struct sa_source {
    sa_memory memory;           /* what is attended to */
    sa_mat context_input, c;    /* fixed: [B x ..] what c is made of, [B x n] the context vector */
    sa_mat encoder_summary;     /* [B x ..] what s_0 is made of */
    sa_state s0[SA_MAX_LAYERS]; /* [B x n] of each layer */
} sa_source;

/* Computes keys, values, context vector and s_0 from the encoder's annotations. Here and below, 0
 * heads mean no attention. */
void sa_source_forward(const sa_source_weights *w, const sa_attention *attention,
                       const sa_encoder_cache *encoder, sa_source *source);
/* Accumulates into encoder->dannotations, dlast_m, dw and dattention, from d, into which the
 * steps have accumulated since sa_source_zero. */
void sa_source_backward(const sa_source_weights *w, const sa_attention *attention,
                        const sa_source *source, sa_source *d, sa_encoder_cache *encoder,
                        sa_source_weights *dw, sa_attention *dattention);
void sa_source_zero(const sa_attention *attention, sa_source *d, sa_encoder_cache *encoder);
