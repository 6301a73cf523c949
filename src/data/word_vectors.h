/* word_vectors: reads pretrained word vectors in the text format of word2vec, fastText and GloVe: a
 * line "WORD X1 ... Xm" for each. */
#pragma once

#include "data/text_codec.h"

/* Reads the vectors of the vocabulary's tokens into rows [sa_vocab_size x m]; a token with marks of
 * spaces also matches a word without them. *found: the number of tokens found; other rows stay
 * unchanged. SA_DATA names the first line that is not a word and m finite numbers (only words of
 * the vocabulary are checked against the range of a float). */
bool sa_word_vectors_read(const char *path, const sa_vocab *vocab, int m, float *rows,
                          size_t *found, sa_error *error);
