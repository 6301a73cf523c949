/* decode: a model that generates word by word, as in a search. */
#pragma once

#include "model/kv_cache.h"
#include "model/views.h"

/* ---- A recurrent decoder --------------------------------------------------------------------- */

/* What a recurrent decoder keeps while it generates: the source, and the current step. */
typedef struct sa_recurrent_decode_state {
    sa_encoder_cache encoder;
    sa_source source;
    sa_attention_scratch scratch;
    sa_decoder_rows rows;          /* the current step */
    sa_state state[SA_MAX_LAYERS]; /* s of the step before, in each layer */
    sa_mat t;                      /* t of the step before; input feeding only */
} sa_recurrent_decode_state;

/* ---- Either model ---------------------------------------------------------------------------- */

typedef struct sa_decode_cache {
    sa_readout_cache readout;
    union { /* depends on the model */
        sa_recurrent_decode_state recurrent;
        sa_transformer_decode_state transformer;
    };
} sa_decode_cache;

/* Lays out `rows` hypotheses of at most `steps` words about the sources of the batch. */
void sa_decode_layout(sa_arena *arena, const sa_seq2seq *w, const sa_batch *batch, int rows,
                      int steps, sa_decode_cache *cache);
/* Encodes the sources. */
void sa_decode_begin(const sa_seq2seq *w, const sa_batch *batch, sa_decode_cache *cache);
/* Sets *t to the L vectors that predict words. SA_LIMIT when memory runs out. */
bool sa_decode_forward(const sa_seq2seq *w, const sa_decode_step *step, sa_decode_cache *cache,
                       sa_mat *t, sa_error *error);
/* Returns the weights of a layer's cross-attention in that step, for all rows and heads. */
sa_mat sa_decode_weights(const sa_seq2seq *w, const sa_decode_cache *cache, int layer);
void sa_decode_release(const sa_seq2seq *w, sa_decode_cache *cache);

/* Returns the size of what decoding keeps in memory. */
sa_cache_size sa_decode_cache_size(const sa_settings *settings);

/* ---- Copying: copying.c ----------------------------------------------------------------------
 * The pointer-generator (layers/loss.h) points with the weights of the last layer's
 * cross-attention, averaged over its heads and summed over equal source words. */

/* Returns the number of words that a target sentence may have: those of the vocabulary and, with
 * copying, the source words that it lacks. */
int sa_extended_words(const sa_seq2seq *w, const sa_sentence *source);

/* Turns log p(word) = logits - *log_sum_exp of row l, of a step about source b, into log P of the
 * extended vocabulary: logits then has Ky words and those of the source. */
void sa_copying_decode(const sa_seq2seq *w, const sa_batch *batch, const sa_decode_cache *cache,
                       int l, int b, sa_real *logits, double *log_sum_exp);
