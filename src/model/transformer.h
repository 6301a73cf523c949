/* transformer: the model of Vaswani et al. 2017 ("Attention is all you need"), on the attention of
 * the recurrent models: any score can serve at its three sites.
 *
 * Rows are ordered sentence by sentence, in the order of the targets: source row first[b] + t of
 * the memory, target row target.first[b] + t. */
#pragma once

#include "attention/heads.h"
#include "layers/residual.h"
#include "model/readout.h"
#include "model/shape.h"

/* ---- Attention at any of its three sites, with its residual connection ----------------------- */

typedef struct sa_attention_sublayer { /* weights, or their gradients */
    sa_residual residual;
    sa_attention attention;
} sa_attention_sublayer;

typedef struct sa_attention_sublayer_cache {
    sa_residual_cache residual;
    sa_queries queries;
    sa_memory memory; /* what is attended to: its own rows, the encoder's, or both, merged */
    sa_attention_rows rows;
} sa_attention_sublayer_cache;

/* What sublayers use one after another: gradients in training only. */
typedef struct sa_attention_workspace {
    sa_attention_scratch scratch;
    sa_merged merged;
    sa_memory dmemory;
    sa_attention_rows drows;
} sa_attention_workspace;

/* What the backward passes of a stack's sublayers use, one after another. */
typedef struct sa_sublayer_workspace {
    sa_mat df, din; /* [R x m] gradients with respect to a sublayer's function and its input */
    sa_mat dinner;  /* [R x ffn] */
} sa_sublayer_workspace;

/* ---- The feed-forward network ---------------------------------------------------------------- */

typedef struct sa_feedforward_sublayer { /* weights, or their gradients */
    sa_residual residual;
    sa_feedforward network;
} sa_feedforward_sublayer;

typedef struct sa_feedforward_sublayer_cache {
    sa_residual_cache residual;
    sa_mat inner; /* [R x ffn] */
} sa_feedforward_sublayer_cache;

/* Returns y [R x m], which is cache->residual.y. */
sa_mat sa_feedforward_sublayer_forward(const sa_feedforward_sublayer *w, sa_mat x, double dropout,
                                       sa_rng *rng, sa_feedforward_sublayer_cache *cache);

/* The layers of the encoder have no cross-attention. */
typedef struct sa_transformer_layer {
    sa_attention_sublayer self, cross;
    sa_feedforward_sublayer feed;
} sa_transformer_layer;

typedef struct sa_stack {
    int layers, hybrid; /* as in the settings */
    bool cross;
    sa_positions positions;
    sa_transformer_layer layer[SA_MAX_LAYERS];
    sa_layernorm last; /* of the stack's output; with SA_NORM_PRE only */
} sa_stack;

typedef struct sa_transformer { /* weights, or their gradients */
    sa_sizes sizes;
    sa_mat source_E, target_E; /* [Kx x m], [Ky x m] */
    sa_stack encoder, decoder;
    sa_readout vocabulary; /* only W_o [Ky x m], b_y and the copy gate */
} sa_transformer;

typedef struct sa_layer_cache {
    sa_attention_sublayer_cache self, cross;
    sa_feedforward_sublayer_cache feed;
} sa_layer_cache;

typedef struct sa_stack_cache {
    sa_queries self, cross;
    int32_t *ids;            /* [R] the input */
    sa_mat position_vectors; /* [longest x m] */
    sa_mat x;                /* [R x m] embedded words */
    sa_layer_cache layer[SA_MAX_LAYERS];
    sa_mat out; /* [R x m] */
    sa_layernorm_cache last;
    sa_attention_workspace attention[3]; /* see sa_stack_workspace */
    sa_mat word_mask, x_mask;            /* from here on: training only */
    sa_mat d; /* [R x m] the gradient with respect to out, which becomes that of the residual
                 connections below and, in the end, of the embedded words */
    sa_sublayer_workspace workspace;
} sa_stack_cache;

typedef struct sa_transformer_cache {
    sa_stack_cache encoder, decoder;
    const int32_t *targets; /* [M] y_i, sentence by sentence */
    const int *first;       /* [B+1] the first row of each sentence there */
    const int *prefix;      /* [B] decoder-only: S */
    sa_readout_cache readout;
    sa_mat dalpha;       /* [M x H ..] the last layer's, of sa_output_gradients; training only */
    sa_mat joint_dalpha; /* [R x H ..] decoder-only: the same in all rows of the stack */
    sa_word_objectives words; /* [M] sentence by sentence */
} sa_transformer_cache;

/* Returns where the workspace of a sublayer is in sa_stack_cache.attention: all self-attention
 * shares one, but for the full layers of hybrid stacks, and all cross-attention. layer: from 0 */
static inline int sa_stack_workspace(const sa_stack *w, int layer, bool cross) {
    return cross ? 2 : w->hybrid && (layer + 1) % w->hybrid == 0;
}

/* ---- The pass over a batch ------------------------------------------------------------------- */

/* Runs the model up to readout.t, the vectors that predict words. Without dropout, rng may be
 * NULL. */
void sa_transformer_forward(const sa_transformer *w, sa_dropout dropout, sa_rng *rng,
                            sa_transformer_cache *cache);
/* Runs the backward pass from dout, the gradients of the loss with respect to the outputs of the
 * forward pass, which it may overwrite; accumulates into dw. */
void sa_transformer_backward(const sa_transformer *w, sa_dropout dropout,
                             sa_transformer_cache *cache, const sa_output_gradients *dout,
                             sa_transformer *dw);

/* Runs only what reads the source: the encoder, or the only stack; its output is encoder->out. */
void sa_transformer_encode_forward(const sa_transformer *w, sa_dropout dropout, sa_rng *rng,
                                   sa_stack_cache *encoder);
/* Runs its backward pass, from encoder->d. */
void sa_transformer_encode_backward(const sa_transformer *w, sa_dropout dropout,
                                    sa_stack_cache *encoder, sa_transformer *dw);

/* ---- One stack for both sides ------------------------------------------------------------------
 * Decoder-only (Liu et al. 2018; Radford et al. 2018): the decoder, without cross-attention, reads
 *
 *   x_1 .. x_S y_1 .. y_{T-1}        x_S is EOS
 *
 * and row S - 1 + t predicts y_t. The attention is causal; with a full prefix (Raffel et al. 2020)
 * the source's words see each other: row i sees the first max(i, S). */

/* ---- Weights and memory ---------------------------------------------------------------------- */

void sa_transformer_bind(sa_binder *binder, const sa_sizes *sizes, sa_transformer *w);

void sa_transformer_layout(sa_arena *arena, const sa_batch *batch, const sa_transformer *w,
                           bool training, sa_transformer_cache *cache);
void sa_transformer_encoder_layout(sa_arena *arena, const sa_batch *batch, const sa_transformer *w,
                                   bool training, sa_stack_cache *encoder);
