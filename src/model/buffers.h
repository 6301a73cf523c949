/* buffers: binds the weights of a recurrent model and of any readout, and lays out what their
 * passes keep. */
#pragma once

#include "layers/bindings.h"
#include "model/decoder.h"

/* ---- The encoder ----------------------------------------------------------------------------- */

void sa_encoder_bind(sa_binder *binder, const sa_sizes *sizes, sa_encoder *w);

/* Returns the first row of each source sentence in the order of the targets, [B+1]. */
const int *sa_source_rows(sa_arena *arena, const sa_batch *batch);

void sa_encoder_layout(sa_arena *arena, const sa_batch *batch, const sa_encoder *w, bool training,
                       sa_encoder_cache *cache);

/* Lays out the buffers that are free between the forward and the backward pass and, for training,
 * those that only the backward pass uses. */
void sa_encoder_loop_layout(sa_arena *arena, const sa_batch *batch, const sa_encoder *w,
                            bool training, sa_encoder_cache *cache);

/* ---- What the decoder starts from ------------------------------------------------------------ */

/* Lays out B sentences with these annotations; sentence b has rows first[b] .. first[b+1]-1. 0
 * heads mean no attention. */
void sa_source_layout(sa_arena *arena, const sa_source_weights *w, const sa_attention *attention,
                      int B, const int *first, sa_mat annotations, sa_source *source);

/* ---- The decoder ----------------------------------------------------------------------------- */

void sa_recurrent_decoder_bind(sa_binder *binder, const sa_sizes *sizes, sa_recurrent_decoder *w);

/* Lays out rows for sentences of at most `steps` source words; `sentences`: how many need masks, 0
 * without training. */
sa_decoder_rows sa_decoder_rows_layout(sa_arena *arena, const sa_recurrent_decoder *w, int rows,
                                       int steps, int sentences);
void sa_recurrent_decoder_layout(sa_arena *arena, const sa_batch *batch,
                                 const sa_recurrent_decoder *w, const sa_encoder_cache *encoder,
                                 bool training, sa_decoder_cache *cache);
/* Lays out the buffers that are free between the forward and the backward pass and, for training,
 * those that only the backward pass uses. */
void sa_recurrent_decoder_loop_layout(sa_arena *arena, const sa_batch *batch,
                                      const sa_recurrent_decoder *w,
                                      const sa_encoder_cache *encoder, bool training,
                                      sa_decoder_cache *cache);

/* ---- The readout ----------------------------------------------------------------------------- */

void sa_readout_layout(sa_arena *arena, int rows, const sa_readout *w, bool training,
                       sa_readout_cache *cache);
/* Lays out the logits, too, which sa_vocabulary_loss needs. */
void sa_vocabulary_layout(sa_arena *arena, int rows, const sa_readout *w, sa_readout_cache *cache);

/* log p(word) of row i of t is logits_i - log_sum_exp[i]; best for sa_weight_most_rows(W_o, ...)
 * rows at once. most [rows x stretches]: the largest logit of each stretch of this many words, NaN
 * aside. */
enum { SA_VOCABULARY_STRETCH = 512 };
void sa_vocabulary_forward(const sa_readout *w, sa_mat t, sa_mat logits, sa_mat most,
                           double *log_sum_exp);

/* Binds W_o and b_y, for vectors of l numbers; `tied` is an embedding [words x l] that serves as
 * W_o, or empty. */
void sa_vocabulary_bind(sa_binder *binder, int words, int l, sa_mat tied, sa_readout *w);
