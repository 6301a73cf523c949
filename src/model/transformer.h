/* transformer: the model of Vaswani et al. 2017 ("Attention is all you need"), on the attention of
 * the recurrent models: any score can serve at its three sites.
 *
 * All rows stand sentence by sentence in the order of the targets: source row first[b] + t of the
 * memory, target row target.first[b] + t. */
#pragma once

#include "attention/heads.h"
#include "base/batch.h"
#include "layers/basic.h"
#include "layers/residual.h"
#include "model/readout.h"

/* ---- Attention at any of its three sites, with its residual connection ----------------------- */

typedef struct sa_attention_sublayer { /* weights, or their gradients */
    sa_residual residual;
    sa_attention attention;
} sa_attention_sublayer;

typedef struct sa_attention_sublayer_cache {
    sa_residual_cache residual;
    sa_memory memory; /* what is attended to: its own rows, or the encoder's */
    sa_attention_rows rows;
    sa_mat dalpha; /* [R x H S] the loss's gradient by the weights themselves, or empty */
} sa_attention_sublayer_cache;

/* What the backward passes of a stack's sublayers use, one after another. */
typedef struct sa_sublayer_workspace {
    sa_attention_scratch scratch;
    sa_mat df, din; /* [R x m] derivatives by a sublayer's function and by its input */
    sa_mat dinner;  /* [R x ffn] */
    sa_attention_rows rows, cross_rows;
    sa_memory self, cross; /* derivatives by the memory */
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

typedef struct sa_transformer_sizes {
    int layers, m;
    int max_positions;              /* how many can be learned */
    sa_settings settings;           /* of the model */
    bool decoder_only, full_prefix; /* see below */
    int source_words, target_words;
    sa_attention_sizes attention; /* at all three sites */
} sa_transformer_sizes;

/* The layers of the encoder have no cross-attention. */
typedef struct sa_transformer_layer {
    sa_attention_sublayer self, cross;
    sa_feedforward_sublayer feed;
} sa_transformer_layer;

typedef struct sa_stack {
    int layers;
    bool cross;
    sa_positions positions;
    sa_transformer_layer layer[SA_MAX_LAYERS];
    sa_layernorm last; /* of the stack's output; with SA_NORM_PRE only */
} sa_stack;

typedef struct sa_transformer { /* weights, or their gradients */
    sa_transformer_sizes sizes;
    sa_mat source_E, target_E; /* [Kx x m], [Ky x m] */
    sa_stack encoder, decoder;
    sa_readout vocabulary; /* W_o [Ky x m], b_y and the gate alone */
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
    sa_attention_scratch scratch;
    sa_mat word_mask, x_mask; /* from here on: training only */
    sa_mat d;                 /* [R x m] the derivative that runs down the residual connections */
    sa_sublayer_workspace workspace;
} sa_stack_cache;

typedef struct sa_transformer_cache {
    sa_stack_cache encoder, decoder;
    const int32_t *targets; /* [M] y_i, sentence by sentence */
    const int *first;       /* [B+1] the first row of each sentence there */
    const int *prefix;      /* [B] decoder-only: S */
    sa_mat dalpha; /* [M x ..] decoder-only: that of the last layer, in the rows that predict */
    sa_readout_cache readout;
    sa_real *log_p, *objective; /* [M] sentence by sentence */
} sa_transformer_cache;

void sa_transformer_bind(sa_binder *binder, const sa_transformer_sizes *sizes, sa_transformer *w);

void sa_transformer_layout(sa_arena *arena, const sa_batch *batch, const sa_transformer *w,
                           bool training, sa_transformer_cache *cache);

/* What reads the source, alone: the encoder, or the only stack; its output is encoder->out. */
void sa_transformer_encoder_layout(sa_arena *arena, const sa_batch *batch, const sa_transformer *w,
                                   bool training, sa_stack_cache *encoder);
void sa_transformer_encode(const sa_transformer *w, sa_dropout dropout, sa_rng *rng,
                           sa_stack_cache *encoder);
/* From encoder->d, the derivative by its output, which becomes that by the embedded words. */
void sa_transformer_encode_backward(const sa_transformer *w, sa_dropout dropout,
                                    sa_stack_cache *encoder, sa_transformer *dw);

/* Up to readout.t, the vectors from which words are predicted. Without dropout, rng may be NULL. */
void sa_transformer_forward(const sa_transformer *w, sa_dropout dropout, sa_rng *rng,
                            sa_transformer_cache *cache);
/* From readout.dt. dw is added to. */
void sa_transformer_backward(const sa_transformer *w, sa_dropout dropout,
                             sa_transformer_cache *cache, sa_transformer *dw);

/* ---- One stack for both sides ------------------------------------------------------------------
 * Decoder-only (Liu et al. 2018; Radford et al. 2018): the decoder, without cross-attention, reads
 *
 *   x_1 .. x_S y_1 .. y_{T-1}        x_S is EOS
 *
 * and row S - 1 + t predicts y_t. The attention is causal; with a full prefix (Raffel et al. 2020)
 * the source's words see each other: row i sees the first max(i, S). */

/* ---- Decoding --------------------------------------------------------------------------------
 * A Transformer that generates word by word, as in a search.
 *
 * The keys and values of the words so far are cached, so that only the attention of a step depends
 * on their number. The cache is a tree: the entry of a word points to that of the word before, so
 * hypotheses with a common beginning use the same entries, and reordering a beam moves nothing.
 * Linear attention needs their sums alone: attention/parts/running_sums.c. */

/* One entry for every word of every hypothesis. */
typedef struct sa_kv_cache {
    int width;        /* numbers of an entry: what the memories of all layers hold of a word */
    sa_real *entries; /* [count x width], growing */
    int *before;      /* [count] the entry of the word before; -1 at the start */
    size_t count, entries_capacity, before_capacity;
    int *last, *next; /* [rows] the newest entry of each row; next is scratch */
} sa_kv_cache;

/* What linear attention has instead: each row's sums of all layers, and those of the step before,
 * whose rows a beam search continues in another order. */
typedef struct sa_attention_sums {
    sa_mat now, before; /* [rows x width] */
} sa_attention_sums;

typedef struct sa_transformer_decode_state {
    sa_stack_cache encoder;          /* decoder-only: of the stack that has read the source */
    sa_memory memory[SA_MAX_LAYERS]; /* the source's keys and values for each layer */
    sa_kv_cache cache;
    sa_attention_sums sums;
    /* the running step, of at most `rows` hypotheses */
    int *positions;                      /* [rows] of the words read, from 0 */
    int32_t *separator;                  /* [rows] decoder-only: what the first step reads, EOS */
    sa_mat position_vector, x;           /* [1 x m], [rows x m] */
    sa_residual_cache self, cross, feed; /* used by all layers in turn */
    sa_mat inner;                        /* [rows x ffn] */
    sa_attention_rows self_attention;    /* without what grows with the words */
    sa_attention_rows one;               /* of one row, with the cached words */
    sa_memory words;                     /* its cached words */
    sa_attention_rows cross_attention[SA_MAX_LAYERS]; /* decoder-only: the weights of the source */
    sa_layernorm_cache last;
    sa_attention_scratch scratch;
} sa_transformer_decode_state;
