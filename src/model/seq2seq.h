/* seq2seq: a model of any family as one function: the loss of a batch, its gradient, and the
 * attention weights. */
#pragma once

#include "attention/parts.h"
#include "model/family.h"

extern const sa_family *const sa_families[]; /* in the order of --model; ends with NULL */

/* For the option rows: the name of a family, NULL after the last. */
const char *sa_model_name(size_t row);

/* What training adds to the likelihood; all zero: nothing. */
typedef struct sa_regularizer {
    sa_dropout dropout;
    double smoothing;                        /* of labels */
    sa_rng *rng;                             /* of the dropout masks */
    double alignment_weight;                 /* of the alignment loss; needs batch->gold */
    int alignment_at;                        /* SA_ALIGN_... */
    double penalty_weight;                   /* of what parts of the attention add to the loss */
    double reinforce_weight, entropy_weight; /* lambda_r and lambda_e of hard attention */
    double baseline;                         /* b of hard attention, which the trainer keeps */
    double l2; /* of the squared weights; the caller adds it, once for all shards */
} sa_regularizer;

sa_regularizer sa_regularizer_of(const sa_settings *settings, sa_rng *rng);

/* ---- Weights --------------------------------------------------------------------------------- */

/* The sizes of a model with these settings and vocabularies (special symbols included). */
sa_sizes sa_sizes_of(const sa_settings *settings, int source_words, int target_words);

/* SA_USAGE when vectors that are compared or shared differ in size. */
const char *sa_settings_refusal(const sa_settings *settings);

void sa_seq2seq_plan(const sa_sizes *sizes, sa_params *plan);

/* The embedding of the source (0) or the target (1); with tie three-way they are the same. */
const sa_param *sa_seq2seq_embedding(const sa_params *plan, int side);
/* Points w into a buffer of plan.size numbers: values or gradients. */
void sa_seq2seq_bind_buffer(const sa_sizes *sizes, sa_real *buffer, sa_seq2seq *w);
/* The same with a store that is open (tensor/weight.h), which is filled again; `open` opens it. */
void sa_seq2seq_bind_stored(const sa_sizes *sizes, sa_real *buffer, sa_store *store, sa_seq2seq *w);
bool sa_seq2seq_open_stored(const sa_sizes *sizes, sa_real *buffer, sa_store *store, sa_seq2seq *w,
                            sa_error *error);

/* What decoding holds in memory. */
sa_cache_size sa_seq2seq_cache_size(const sa_settings *settings);

/* Whether attention that selects words instead of weighing them does so (monotonic.c and
 * hard.c of attention/parts), as decoding does; if not, as at first, it has the expected weights,
 * and in training what these files say. */
void sa_seq2seq_set_decoding(sa_seq2seq *w, bool decoding);

/* Whether a part of its attention draws words. */
bool sa_seq2seq_draws(const sa_seq2seq *w);

/* Replaces the weights of w's cross-attention: see sa_override_install. */
void sa_seq2seq_override(sa_seq2seq *w, const sa_override *override);

/* ---- The loss -------------------------------------------------------------------------------- */

void sa_pass_layout(sa_arena *arena, const sa_seq2seq *w, const sa_batch *batch, bool training,
                    sa_pass *pass);

/* Returns the sum over target words, EOS included, of -log p; with batch->gold, fills
 * pass->alignment_loss too (the pass must then be laid out for training). With dw, the gradient of
 * the sum of -objective divided by batch->whole is added to it. */
double sa_seq2seq_loss(const sa_seq2seq *w, const sa_batch *batch, sa_regularizer regularizer,
                       sa_pass *pass, sa_seq2seq *dw);

/* The part of it after the forward pass, up to the gradients by t and by the weights of the
 * cross-attention. */
void sa_pass_predict(const sa_seq2seq *w, const sa_batch *batch, sa_regularizer regularizer,
                     sa_real scale, sa_pass *pass, sa_seq2seq *dw);

/* ---- Attention weights ----------------------------------------------------------------------- */

/* Layers with attention at that site (0: none), and the heads of each. */
int sa_seq2seq_layers(const sa_seq2seq *w, sa_attention_site site);
int sa_seq2seq_heads(const sa_seq2seq *w);
/* Whether the decoder attends to the source. */
bool sa_seq2seq_attends(const sa_seq2seq *w);

/* The weights [1 x keys] of one head (layer and head from 0) for position t of sentence b: a target
 * position, or at SA_SITE_ENCODER a source position. The keys are source words, or at
 * SA_SITE_DECODER y_0 .. y_{T-1}. */
sa_mat sa_pass_weights(const sa_seq2seq *w, const sa_pass *pass, const sa_batch *batch,
                       sa_attention_site site, int layer, int head, int b, int t);
