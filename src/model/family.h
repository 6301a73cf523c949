/* family: the interface of a kind of model to everything above it, as one row.
 *
 * The rows stand in recurrent_family.c (an encoder and a decoder that carry a state from step to
 * step) and transformer_family.c (the Transformer, and decoder-only models); seq2seq.h has the
 * table and what all families share. */
#pragma once

#include "base/batch.h"
#include "model/decoder.h"
#include "model/encoder.h"
#include "model/transformer.h"

typedef struct sa_family sa_family;

/* A model has the parts of its family; those of the other are zero. */
typedef struct sa_sizes {
    const sa_family *family;
    sa_encoder_sizes encoder; /* recurrent */
    sa_decoder_sizes decoder;
    sa_transformer_sizes transformer;
    int precision; /* SA_PRECISION_... of the products of weights */
} sa_sizes;

typedef struct sa_seq2seq { /* weights, or their gradients */
    const sa_family *family;
    sa_encoder encoder; /* recurrent */
    sa_decoder decoder;
    sa_transformer transformer;
} sa_seq2seq;

/* The activations of one batch or shard, and their gradients. */
typedef struct sa_pass {
    sa_encoder_cache encoder; /* recurrent */
    sa_decoder_cache decoder;
    sa_transformer_cache transformer;
    sa_real *log_p;        /* [M] log p(y_i), step by step */
    sa_real *objective;    /* [M] what is maximized: log p with label smoothing (layers/loss.h),
                              less the losses of alignment and coverage, with what the
                              draws of hard attention add */
    double alignment_loss; /* sum over target words */
    sa_real *advantages;   /* [B] lambda_r (log p(y | s) - b) of hard attention, else NULL */
} sa_pass;

/* What a recurrent model keeps while it generates: the source, and the decoder at the running step.
 */
typedef struct sa_recurrent_decode_state {
    sa_encoder_cache encoder;
    sa_source source;
    sa_attention_scratch scratch;
    sa_decoder_rows rows;          /* the running step */
    sa_state state[SA_MAX_LAYERS]; /* s of the step before, of each layer */
    sa_mat t;                      /* t of the step before; input feeding only */
} sa_recurrent_decode_state;

typedef struct sa_decode_cache {
    sa_readout_cache readout;
    union { /* by the model's family */
        sa_recurrent_decode_state recurrent;
        sa_transformer_decode_state transformer;
    };
} sa_decode_cache;

struct sa_family {
    const char *name;
    const char *preset; /* where training starts when no preset is named; NULL: the defaults */
    bool recurrent;     /* encoder and decoder carry a state, and the rows of a pass stand step by
                           step; otherwise they stand sentence by sentence (base/batch.h) */

    /* ---- Sizes and weights */

    bool (*attends)(const sa_settings *settings); /* the decoder has cross-attention */
    sa_sizes (*sizes)(const sa_settings *settings, int source_words, int target_words);
    /* SA_USAGE when vectors that are compared or shared differ in size. */
    const char *(*refuse)(const sa_settings *settings, const sa_sizes *sizes);
    void (*bind)(sa_binder *binder, const sa_sizes *sizes, sa_seq2seq *w);
    const sa_readout *(*readout)(const sa_seq2seq *w); /* its W_o and b_y choose the next word */
    /* The cross-attention of the first layer; heads 0: none. */
    const sa_attention *(*attention)(const sa_seq2seq *w);
    int (*layers)(const sa_seq2seq *w, sa_attention_site site); /* with attention there */

    /* ---- A pass over a batch */

    void (*layout)(sa_arena *arena, const sa_seq2seq *w, const sa_batch *batch, bool training,
                   sa_pass *pass);
    /* Up to t, the vectors from which words are predicted. */
    void (*forward)(const sa_seq2seq *w, const sa_batch *batch, sa_dropout dropout, sa_rng *rng,
                    sa_pass *pass);
    /* From t: fills log_p and objective; with dw, also the backward pass of the softmax layer for
     * the loss scale * sum -objective. */
    void (*predict)(const sa_seq2seq *w, const sa_batch *batch, double smoothing, sa_real scale,
                    sa_pass *pass, sa_seq2seq *dw);
    /* From the gradient by t that predict left. */
    void (*backward)(const sa_seq2seq *w, const sa_batch *batch, sa_dropout dropout, sa_pass *pass,
                     sa_seq2seq *dw);
    /* The attention weights of target position t (from 0; SA_SITE_ENCODER: source position) of
     * sentence b, all heads: see sa_attention_rows. */
    sa_mat (*weights)(const sa_pass *pass, const sa_batch *batch, sa_attention_site site, int layer,
                      int b, int t);
    /* The gradient by the weights of the last layer's cross-attention, all rows and heads, of a
     * batch with gold alignments and of a model that copies; otherwise empty. */
    sa_mat (*dalpha)(const sa_seq2seq *w, const sa_pass *pass);
    const sa_readout_cache *(*read_out)(const sa_pass *pass);

    /* What the queries of a pass have left, and the derivatives by it; NULL: no part of an
     * attention of the family adds to the loss. */
    const sa_attention_rows *(*attention_rows)(const sa_pass *pass,
                                               const sa_attention_rows **derivative);

    /* ---- Decoding, word by word */

    void (*decode_layout)(sa_arena *arena, const sa_seq2seq *w, const sa_batch *batch, int rows,
                          int steps, sa_decode_cache *cache);
    void (*decode_begin)(const sa_seq2seq *w, const sa_batch *batch, sa_decode_cache *cache);
    /* t becomes the L vectors from which words are predicted. SA_LIMIT when memory runs out. */
    bool (*decode_step)(const sa_seq2seq *w, const sa_decode_step *step, sa_decode_cache *cache,
                        sa_mat *t, sa_error *error);
    sa_mat (*decode_weights)(const sa_decode_cache *cache, int layer); /* of all rows */
    void (*decode_release)(sa_decode_cache *cache);
    sa_cache_size (*cache_size)(const sa_seq2seq *w);
};

/* The size of the target vocabulary. */
static inline int sa_seq2seq_words(const sa_seq2seq *w) {
    return w->family->readout(w)->W_o.mat.rows;
}

/* Whether a model copies: see copying.h. */
static inline bool sa_copies(const sa_seq2seq *w) {
    return w->family->readout(w)->gate.b.cols;
}

/* The row of target position t (from 0) of sentence b in a pass. */
static inline int sa_seq2seq_target_row(const sa_seq2seq *w, const sa_batch *batch, int b, int t) {
    return w->family->recurrent ? batch->target.start[t] + b : batch->target.first[b] + t;
}

extern const sa_family sa_recurrent_family, sa_transformer_family, sa_decoder_family;
