/* pieces: which tokens are parts of one word. */
#ifndef SA_BASE_SUBWORD_MARK_H
#define SA_BASE_SUBWORD_MARK_H

#include "base/error.h"

/* Ends a token whose word goes on in the next one. */
#define SA_SUBWORD_MARK "@@"

bool sa_subword_continues(const char *text, size_t size);

/* The number of the word that each token belongs to, from 0; returns how many words there are. An
 * end mark in the last place is a word of its own, whatever stands before it. word [count] */
int sa_subword_word_indices(const char *const *token, int count, int *word);

#endif
