/* subword_mark: which tokens are subwords of one word. */
#ifndef SA_DATA_SUBWORD_MARK_H
#define SA_DATA_SUBWORD_MARK_H

#include "base/error.h"

/* Ends a token whose word continues in the next one. */
#define SA_SUBWORD_MARK "@@"

bool sa_subword_continues(const char *text, size_t size);

/* The index of the word that each token belongs to, in word [count]; returns the number of words. A
 * final EOS is a word of its own, whatever precedes it. */
int sa_subword_word_indices(const char *const *token, int count, int *word);

#endif
