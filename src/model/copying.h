/* copying: where the pointer-generator (layers/loss.h) points: the weights of the last
 * layer's cross-attention, the mean over its heads, summed over source words that are the same. */
#pragma once

#include "model/decode.h"

/* Returns the words that a target sentence may have: the vocabulary, and with copying the source
 * words that it lacks. */
int sa_extended_words(const sa_seq2seq *w, const sa_sentence *source);

/* After the forward pass of the attention: fills the read-out's mixtures for the references. */
void sa_copying_forward(const sa_seq2seq *w, const sa_batch *batch, const sa_pass *pass);
/* From the mixtures after the read-out's loss, whose words have the factor `scale`: overwrites
 * d->copy_gate, accumulates into d->alpha. */
void sa_copying_backward(const sa_seq2seq *w, const sa_batch *batch, double scale,
                         const sa_pass *pass, const sa_output_gradients *d);

/* From log p(word) = logits - *log_sum_exp of row l of a step about source b to log P of the
 * extended vocabulary: logits of Ky words and those of the source. */
void sa_copying_decode(const sa_seq2seq *w, const sa_batch *batch, const sa_decode_cache *cache,
                       int l, int b, sa_real *logits, double *log_sum_exp);
