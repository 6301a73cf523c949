/* word_vectors: vectors of words that others have trained, as word2vec, fastText and GloVe write
 * them: a line "WORD X1 ... Xm" for each. */
#pragma once

#include "data/text_codec.h"

/* Reads the vectors of the vocabulary's tokens into rows [sa_vocab_size x m]; a token with marks of
 * spaces may be found without them. *found: how many are; the other rows stay. SA_DATA names the
 * first line that is no word and m finite numbers (of words that are not needed, without the bound
 * of a float). */
bool sa_word_vectors_read(const char *path, const sa_vocab *vocab, int m, float *rows,
                          size_t *found, sa_error *error);
