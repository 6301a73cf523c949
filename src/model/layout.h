/* layout: binds the weights of a recurrent model and of any readout, and lays out what their passes
 * keep. */
#pragma once

#include "model/decoder.h"

/* ---- The encoder ----------------------------------------------------------------------------- */

void sa_encoder_bind(sa_binder *binder, const sa_encoder_sizes *sizes, sa_encoder *w);

void sa_encoder_layout(sa_arena *arena, const sa_batch *batch, const sa_encoder *w, bool training,
                       sa_encoder_cache *cache);

/* Lays out the buffers that are free between the forward and the backward pass and, for training,
 * those that only the backward pass uses. */
void sa_encoder_loop_layout(sa_arena *arena, const sa_batch *batch, const sa_encoder *w,
                            bool training, sa_encoder_cache *cache);

/* ---- What the decoder starts from ------------------------------------------------------------ */

void sa_source_bind(sa_binder *binder, const sa_source_sizes *sizes, sa_source_weights *w);

/* Lays out B sentences with these annotations; sentence b has rows first[b] .. first[b+1]-1. Here
 * and below, 0 heads mean no attention. */
void sa_source_layout(sa_arena *arena, const sa_source_weights *w, const sa_attention *attention,
                      int B, const int *first, sa_mat annotations, sa_source *source);

/* ---- The decoder ----------------------------------------------------------------------------- */

void sa_recurrent_decoder_bind(sa_binder *binder, const sa_decoder_sizes *sizes,
                               sa_recurrent_decoder *w);

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

/* Returns rows first .. first+count-1. */
sa_decoder_rows sa_decoder_rows_slice(const sa_decoder_rows *all, int first, int count);
/* Return the state that the readout sees, and the attention's query. */
sa_mat sa_decoder_readout_state(const sa_recurrent_decoder *w, const sa_decoder_rows *rows);
sa_mat sa_decoder_query(const sa_recurrent_decoder *w, const sa_decoder_rows *rows);
/* Return the columns of the input that hold E y_{i-1}, and those that hold t_{i-1} (none without
 * input feeding). */
sa_mat sa_decoder_word_input(const sa_recurrent_decoder *w, sa_mat input);
sa_mat sa_decoder_fed_input(const sa_recurrent_decoder *w, sa_mat input);
/* Returns whether layer k (from 0) has a residual connection. */
bool sa_decoder_residual(const sa_recurrent_decoder *w, int k);

/* ---- The readout ----------------------------------------------------------------------------- */

typedef struct sa_readout_sizes {
    bool maxout;
    int words, n, l;
    int m, context; /* 0: without the word, without the context */
    bool dropout;   /* see sa_readout */
    sa_mat tied;    /* the target embedding if it is W_o too, or empty */
} sa_readout_sizes;

void sa_readout_bind(sa_binder *binder, sa_readout_sizes sizes, sa_readout *w);
void sa_readout_layout(sa_arena *arena, int rows, const sa_readout *w, bool training,
                       sa_readout_cache *cache);
/* Lays out the logits, too, which sa_vocabulary_loss needs. */
void sa_vocabulary_layout(sa_arena *arena, int rows, const sa_readout *w, sa_readout_cache *cache);
/* Registers the weights by which a readout that runs step by step multiplies. */
void sa_readout_add_steps(sa_readout *w, sa_steps *steps);

/* Binds W_o and b_y, for vectors of l numbers; `tied` is an embedding [words x l] that serves as
 * W_o, or empty. */
void sa_vocabulary_bind(sa_binder *binder, int words, int l, sa_mat tied, sa_readout *w);
