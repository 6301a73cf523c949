/* pass: the weights of a model, which is recurrent or a Transformer, and what a pass leaves. */
#pragma once

#include "model/decoder.h"
#include "model/transformer.h"

/* A planted fault (lab/gradient_faults.h): its function runs in place of sa_pass_backward, which it
 * may call with other weights. */
typedef struct sa_seq2seq sa_seq2seq;
typedef struct sa_pass sa_pass;
typedef void sa_backward_function(const sa_seq2seq *w, const sa_batch *batch, sa_dropout dropout,
                                  sa_pass *pass, const sa_output_gradients *d, sa_seq2seq *dw);
typedef struct sa_backward_fault {
    sa_backward_function *backward;
} sa_backward_fault;

struct sa_seq2seq { /* weights, or their gradients */
    bool recurrent; /* as in sa_sizes */
    sa_encoder encoder;
    sa_recurrent_decoder decoder;
    sa_transformer transformer;
    const sa_backward_fault *fault; /* NULL: none */
};

/* Returns the readout whose W_o and b_y choose the next word. */
static inline const sa_readout *sa_seq2seq_readout(const sa_seq2seq *w) {
    return w->recurrent ? &w->decoder.readout : &w->transformer.vocabulary;
}

/* The activations of one batch or shard, and their gradients. */
struct sa_pass {
    sa_encoder_cache encoder; /* recurrent */
    sa_decoder_cache decoder;
    sa_transformer_cache transformer;
    sa_real *log_p;        /* [M] log p(y_i), step by step */
    sa_real *objective;    /* [M] what training maximizes: log p with label smoothing
                              (layers/loss.h) and the other terms of sa_seq2seq_loss */
    double alignment_loss; /* sum over target words */
    sa_real *advantages;   /* [B] lambda_r (log p(y | s) - b) of hard attention, else NULL */
};

/* Returns the buffers of a pass that is laid out for training. */
sa_output_gradients sa_pass_gradients(const sa_seq2seq *w, const sa_pass *pass);

/* The terms of the objective; all zero: none. */
typedef struct sa_regularizer {
    sa_dropout dropout;
    double smoothing;                        /* of labels */
    sa_rng *rng;                             /* of the dropout masks */
    double alignment_weight;                 /* of the alignment loss; needs batch->gold */
    int alignment_at;                        /* SA_ALIGN_... */
    double penalty_weight;                   /* of what parts of the attention add to the loss */
    double reinforce_weight, entropy_weight; /* lambda_r and lambda_e of hard attention */
    double baseline;                         /* b of hard attention, which the trainer keeps */
} sa_regularizer;
