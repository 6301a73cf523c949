/* transformer: the model of Vaswani et al. 2017 ("Attention is all you need"), on the attention of
 * the recurrent models: any score can serve at its three sites.
 *
 * All rows stand sentence by sentence in the order of the targets: source row first[b] + t of the
 * memory, target row target.first[b] + t. */
#ifndef SA_MODEL_TRANSFORMER_H
#define SA_MODEL_TRANSFORMER_H

#include "base/batch.h"
#include "layers/dropout.h"
#include "layers/position.h"
#include "model/readout.h"
#include "model/sublayer.h"

typedef struct sa_transformer_sizes {
    int layers, m, ffn;
    int norm;                     /* SA_NORM_.. */
    int positions, max_positions; /* SA_POSITIONS_.., and how many can be learned */
    int shaw_distance;
    int tie;     /* SA_TIE_.. */
    bool copies; /* source words may be copied */
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
    const int32_t *ids;      /* [R] the input */
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
    sa_readout_cache readout;
    sa_real *log_p, *objective; /* [M] sentence by sentence */
} sa_transformer_cache;

void sa_transformer_bind(sa_binder *binder, const sa_transformer_sizes *sizes, sa_transformer *w);

void sa_transformer_layout(sa_arena *arena, const sa_batch *batch, const sa_transformer *w,
                           bool training, sa_transformer_cache *cache);

/* The encoder alone; its output is encoder->out. */
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

#endif
