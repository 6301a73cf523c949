/* views: binds the weights of a model, lays out a pass, and finds what it has computed */
#pragma once

#include "attention/parts.h"
#include "model/buffers.h"
#include "model/pass.h"

/* ---- Weights --------------------------------------------------------------------------------- */

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

/* Returns whether the decoder's self-attention has the words of the source before its own: in a
 * decoder-only model, or with merged attention. */
static inline bool sa_seq2seq_joins(const sa_seq2seq *w) {
    return !w->recurrent && !w->transformer.decoder.cross;
}

/* Returns the first layer's attention to the source; heads 0: none. */
static inline const sa_attention *sa_seq2seq_attention(const sa_seq2seq *w) {
    const sa_transformer_layer *first = w->transformer.decoder.layer;
    return w->recurrent ? &w->decoder.attention
                        : &(sa_seq2seq_joins(w) ? &first->self : &first->cross)->attention;
}

/* Returns the size of the target vocabulary. */
static inline int sa_seq2seq_words(const sa_seq2seq *w) {
    return (w->recurrent ? &w->decoder.sizes : &w->transformer.sizes)->target_words;
}

/* Return the number of layers with attention at that site (0: none), and of heads in each. */
int sa_seq2seq_layers(const sa_seq2seq *w, sa_attention_site site);
int sa_seq2seq_heads(const sa_seq2seq *w);
/* Returns whether the decoder attends to the source. */
bool sa_seq2seq_attends(const sa_seq2seq *w);
/* Returns the number of the part of that attention that samples words; -1: none does. */
int sa_seq2seq_sampling_part(const sa_seq2seq *w);

/* ---- A pass over a batch --------------------------------------------------------------------- */

void sa_pass_layout(sa_arena *arena, const sa_seq2seq *w, const sa_batch *batch, bool training,
                    sa_pass *pass);
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
