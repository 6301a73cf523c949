/* pass: the weights of a model, and what a pass over a batch leaves. A model is recurrent (an
 * encoder and a decoder that carry a state from step to step) or a Transformer (with encoder and
 * decoder, or decoder-only). */
#pragma once

#include "attention/parts.h"
#include "base/batch.h"
#include "model/decoder.h"
#include "model/encoder.h"
#include "model/transformer.h"

/* ---- Sizes ----------------------------------------------------------------------------------- */

/* Returns the name of a model (SA_MODEL_...), for the option rows; NULL after the last. */
const char *sa_model_name(size_t i);
/* Returns the preset from which training starts when none is named; NULL: from the defaults. */
const char *sa_model_preset(int model);
/* Returns whether the decoder has cross-attention. */
bool sa_model_attends(const sa_settings *settings);

typedef struct sa_sizes {
    bool recurrent; /* with encoder and decoder; else with a Transformer */
    sa_encoder_sizes encoder;
    sa_decoder_sizes decoder;
    sa_transformer_sizes transformer;
    int precision; /* SA_PRECISION_... of products with weights */
} sa_sizes;

/* Returns the sizes of a model with these settings and vocabularies (special symbols included). */
sa_sizes sa_sizes_of(const sa_settings *settings, int source_words, int target_words);

/* Returns why the settings are incompatible, as when vectors that are compared or shared differ in
 * size, worded as in config/settings.h; NULL: they are compatible. */
const char *sa_settings_refusal(const sa_settings *settings);

/* ---- Weights --------------------------------------------------------------------------------- */

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

void sa_seq2seq_plan(const sa_sizes *sizes, sa_params *plan);

/* Returns the embedding of the source (0) or the target (1); with tie three-way they are the same.
 */
const sa_param *sa_seq2seq_embedding(const sa_params *plan, int side);
/* Points w into a buffer of plan.size numbers: values or gradients. */
void sa_seq2seq_bind_buffer(const sa_sizes *sizes, sa_real *buffer, sa_seq2seq *w);
/* Does the same with an open store (tensor/weight.h), which it fills again; `open` opens it. */
void sa_seq2seq_bind_stored(const sa_sizes *sizes, sa_real *buffer, sa_store *store, sa_seq2seq *w);
bool sa_seq2seq_open_stored(const sa_sizes *sizes, sa_real *buffer, sa_store *store, sa_seq2seq *w,
                            sa_error *error);

/* Sets whether attention that can select words instead of weighing them (monotonic.c and hard.c of
 * attention/parts) does so, as in decoding. If it does not, as at first, it has the expected
 * weights, and in training what these files say. */
void sa_seq2seq_set_decoding(sa_seq2seq *w, bool decoding);

/* Replaces the weights of w's cross-attention: see sa_override_install. */
void sa_seq2seq_override(sa_seq2seq *w, const sa_override *override);

/* ---- What a model has ------------------------------------------------------------------------ */

/* Returns the readout whose W_o and b_y choose the next word. */
static inline const sa_readout *sa_seq2seq_readout(const sa_seq2seq *w) {
    return w->recurrent ? &w->decoder.readout : &w->transformer.vocabulary;
}

/* Returns the first layer's attention to the source; heads 0: none. */
static inline const sa_attention *sa_seq2seq_attention(const sa_seq2seq *w) {
    const sa_transformer_layer *first = w->transformer.decoder.layer;
    return w->recurrent
               ? &w->decoder.attention
               : &(w->transformer.sizes.decoder_only ? &first->self : &first->cross)->attention;
}

/* Returns the size of the target vocabulary. */
static inline int sa_seq2seq_words(const sa_seq2seq *w) {
    return sa_seq2seq_readout(w)->W_o.mat.rows;
}

/* Returns whether the model copies source words. */
static inline bool sa_copies(const sa_seq2seq *w) {
    return sa_seq2seq_readout(w)->copy_gate.b.cols;
}

/* Return the number of layers with attention at that site (0: none), and of heads in each. */
int sa_seq2seq_layers(const sa_seq2seq *w, sa_attention_site site);
int sa_seq2seq_heads(const sa_seq2seq *w);
/* Returns whether the decoder attends to the source. */
bool sa_seq2seq_attends(const sa_seq2seq *w);
/* Returns the number of the part of that attention that samples words; -1: none does. */
int sa_seq2seq_sampling_part(const sa_seq2seq *w);

/* ---- A pass over a batch --------------------------------------------------------------------- */

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

void sa_pass_layout(sa_arena *arena, const sa_seq2seq *w, const sa_batch *batch, bool training,
                    sa_pass *pass);
/* Returns the buffers of a pass that is laid out for training. */
sa_output_gradients sa_pass_gradients(const sa_seq2seq *w, const sa_pass *pass);

/* Returns the row of target position t (from 0) of sentence b. */
static inline int sa_seq2seq_target_row(const sa_seq2seq *w, const sa_batch *batch, int b, int t) {
    return w->recurrent ? batch->target.start[t] + b : batch->target.first[b] + t;
}

/* Returns what the readout has computed in the pass. */
static inline const sa_readout_cache *sa_pass_readout(const sa_seq2seq *w, const sa_pass *pass) {
    return w->recurrent ? &pass->decoder.readout : &pass->transformer.readout;
}

/* Return the weights of position t of sentence b (layer from 0), a target position or, at
 * SA_SITE_ENCODER, a source position: of all heads side by side, or [1 x keys] of one head (from
 * 0). The keys are source words, or at SA_SITE_DECODER y_0 .. y_{T-1}. */
sa_mat sa_pass_all_weights(const sa_seq2seq *w, const sa_pass *pass, const sa_batch *batch,
                           sa_attention_site site, int layer, int b, int t);
sa_mat sa_pass_weights(const sa_seq2seq *w, const sa_pass *pass, const sa_batch *batch,
                       sa_attention_site site, int layer, int head, int b, int t);
