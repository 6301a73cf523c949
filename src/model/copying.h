/* copying: where the pointer-generator (layers/loss.h) points. Its weights are those of the last
 * layer's cross-attention, averaged over its heads and summed over equal source words. */
#pragma once

#include "model/decode.h"

/* Returns the number of words that a target sentence may have: those of the vocabulary and, with
 * copying, the source words that it lacks. */
int sa_extended_words(const sa_seq2seq *w, const sa_sentence *source);

/* Turns log p(word) = logits - *log_sum_exp of row l, of a step about source b, into log P of the
 * extended vocabulary: logits then has Ky words and those of the source. */
void sa_copying_decode(const sa_seq2seq *w, const sa_batch *batch, const sa_decode_cache *cache,
                       int l, int b, sa_real *logits, double *log_sum_exp);
