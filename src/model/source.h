/* source: what a recurrent decoder knows of the source before its first step: the keys and values
 * of its attention, its first state s_0, and the fixed context vector.
 *
 *   backward  s_0 = tanh(W_s backward_1 + b_s)                  Bahdanau et al. 2015, A.2.2
 *   last      s_0 = tanh(W_s [forward_S ; backward_1] + b_s)    the last state of each direction
 *   mean      s_0 = tanh(W_s mean_j h_j + b_s)                  dl4mt
 *   copy      s_0 = forward_S                                   Sutskever et al. 2014; Luong et al.
 *                                                               2015
 *
 * An encoder of one direction has only forward_S; without a recurrent encoder, all take the mean.
 * With several layers in the decoder, each has its own W_s and b_s; a copy is of the encoder's
 * layer of the same number. */
#ifndef SA_MODEL_SOURCE_H
#define SA_MODEL_SOURCE_H

#include "attention/heads.h"
#include "model/encoder.h"

/* A choice of no option: from the context vector of a fixed decoder. */
enum { SA_INITIAL_CONTEXT = SA_INITIAL_COPY + 1 };

/* For the option rows: the name of a choice, NULL after the last. */
const char *sa_initial_name(size_t row);

typedef struct sa_source_sizes {
    sa_encoder_sizes encoder;
    int initial;   /* how s_0 is made */
    bool fixed;    /* one context vector for all steps, from the encoder's last states */
    int n, layers; /* of the decoder */
    int memory;    /* 1: the decoder's state has a memory cell */
} sa_source_sizes;

typedef struct sa_source_weights { /* or their gradients */
    sa_source_sizes sizes;
    sa_weight V;                  /* [n x ..] of the fixed context */
    sa_mat b_V;                   /* [1 x n] */
    sa_weight W_s[SA_MAX_LAYERS]; /* [n x ..] of each layer's s_0; none when it is a copy */
    sa_mat b_s[SA_MAX_LAYERS];    /* [1 x n] */
} sa_source_weights;

/* Once per sentence; also the derivatives by it. */
typedef struct sa_source {
    sa_memory memory;           /* what is attended to */
    sa_mat context_input, c;    /* fixed: [B x ..] what c is made of, [B x n] the context vector */
    sa_mat encoder_summary;     /* [B x ..] what s_0 is made of */
    sa_state s0[SA_MAX_LAYERS]; /* [B x n] of each layer */
} sa_source;

void sa_source_bind(sa_binder *binder, const sa_source_sizes *sizes, sa_source_weights *w);

/* For B sentences with these annotations, sentence b in rows first[b] .. first[b+1]-1. Here and
 * below, an attention without heads is none. */
void sa_source_layout(sa_arena *arena, const sa_source_weights *w, const sa_attention *attention,
                      int B, const int *first, sa_mat annotations, sa_source *source);

/* Keys, values, context vector and s_0, from the encoder's annotations. */
void sa_source_forward(const sa_source_weights *w, const sa_attention *attention,
                       const sa_encoder_cache *encoder, sa_source *source);
/* From d, which sa_source_zero set to zero before the steps added to it: encoder->dannotations and
 * dlast_memory are added to, and so are dw and dattention. */
void sa_source_backward(const sa_source_weights *w, const sa_attention *attention,
                        const sa_source *source, sa_source *d, sa_encoder_cache *encoder,
                        sa_source_weights *dw, sa_attention *dattention);
void sa_source_zero(const sa_attention *attention, sa_source *d, sa_encoder_cache *encoder);

#endif
