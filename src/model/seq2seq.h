/* seq2seq: a model of either family as one function: the loss of a batch and its gradient, and
 * where the attention looked. */
#ifndef SA_MODEL_SEQ2SEQ_H
#define SA_MODEL_SEQ2SEQ_H

#include "model/decoder.h"
#include "model/encoder.h"
#include "model/transformer.h"

typedef struct sa_sizes {
    int model;
    sa_encoder_sizes encoder; /* recurrent: these two */
    sa_decoder_sizes decoder;
    sa_transformer_sizes transformer;
} sa_sizes;

typedef struct sa_seq2seq { /* weights, or their gradients */
    int model;
    sa_encoder encoder; /* recurrent: these two */
    sa_decoder decoder;
    sa_transformer transformer;
} sa_seq2seq;

/* The activations of one batch or shard, and room for their gradients. */
typedef struct sa_pass {
    sa_encoder_cache encoder; /* recurrent: these two */
    sa_decoder_cache decoder;
    sa_transformer_cache transformer;
    sa_real *log_p;        /* [M] log p(y_i), step by step */
    sa_real *objective;    /* [M] what is maximised: log p with its label smoothed (layers/loss.h),
                        less what    guided alignment asks for */
    double alignment_loss; /* sum over target words of the loss of looking elsewhere (attn/guide) */
    sa_profile *profile;   /* NULL: no time is measured */
} sa_pass;

/* What training adds to the words' own loss; all zero: nothing. */
typedef struct sa_regularizer {
    sa_dropout dropout;
    double smoothing;
    sa_rng *rng;             /* the dropout's masks */
    double alignment_weight; /* what the loss of looking elsewhere is multiplied by; needs
                                batch->gold */
} sa_regularizer;

sa_regularizer sa_regularizer_of(const sa_settings *settings, sa_rng *rng);

/* Those of a model with these settings and vocabularies (special symbols included). */
sa_sizes sa_sizes_of(const sa_settings *settings, int source_words, int target_words);

/* SA_USAGE when what is to be compared or shared has different widths. */
bool sa_settings_check_sizes(const sa_settings *settings, sa_error *error);

void sa_seq2seq_bind(sa_binder *binder, const sa_sizes *sizes, sa_seq2seq *w);
void sa_seq2seq_plan(const sa_sizes *sizes, sa_params *plan);
/* Points w into a buffer of plan.size numbers: values or gradients. */
void sa_seq2seq_bind_buffer(const sa_sizes *sizes, sa_real *buffer, sa_seq2seq *w);
/* The same for weights that stay as they are: what others are multiplied by is laid down, too, for
 * forward passes of `rows` rows a step (tensor/blas.h). */
void sa_seq2seq_pack(sa_arena *arena, const sa_sizes *sizes, sa_real *values, int rows,
                     sa_seq2seq *w);

void sa_pass_layout(sa_arena *arena, const sa_seq2seq *w, const sa_batch *batch, bool training,
                    sa_pass *pass);

/* Sum over target words, end marks included, of -log p; with batch->gold, pass->astray likewise
 * (then the pass must be laid out for training). With dw, the gradient of the sum of -aim
 * divided by batch->whole is added to it. */
double sa_seq2seq_loss(const sa_seq2seq *w, const sa_batch *batch, sa_regularizer regularizer,
                       sa_pass *pass, sa_seq2seq *dw);
/* The last part of it, when pass holds all that a backward pass starts from. */
void sa_seq2seq_backward(const sa_seq2seq *w, const sa_batch *batch, sa_dropout dropout,
                         sa_pass *pass, sa_seq2seq *dw);

/* How many words it chooses among. */
int sa_seq2seq_words(const sa_seq2seq *w);

/* ---- Where it looked ------------------------------------------------------------------------ */

/* Layers with an attention in that place (0: none), and the heads of each. */
int sa_seq2seq_layers(const sa_seq2seq *w, sa_attention_site site);
int sa_seq2seq_heads(const sa_seq2seq *w);
/* Whether the decoder attends to the source. */
bool sa_seq2seq_attends(const sa_seq2seq *w);

/* The weights [1 x keys] of one head (layer and head from 0): row t of target place b; in the
 * encoder, of its source. The keys: source words; for the decoder's own, the words y_0 .. y_{T-1}.
 */
sa_mat sa_pass_weights(const sa_seq2seq *w, const sa_pass *pass, const sa_batch *batch,
                       sa_attention_site site, int layer, int head, int b, int t);
/* Lets a pass look elsewhere; before the loss. */
void sa_pass_override(const sa_seq2seq *w, sa_pass *pass, const sa_override *override);

/* For the option rows: names of --model, --readout-state, --update and --reset, NULL after the
 * last. */
const char *sa_model_name(size_t row);
const char *sa_readout_name(size_t row);
const char *sa_update_name(size_t row);
const char *sa_reset_name(size_t row);

#endif
