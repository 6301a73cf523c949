/* counts: how often each word occurs. */
#ifndef SA_DATA_COUNTS_H
#define SA_DATA_COUNTS_H

#include "data/strings.h"

typedef struct sa_word_counts {
    sa_strings words;
    int64_t *times; /* [words.count] */
    size_t capacity;
} sa_word_counts;

bool sa_word_counts_add(sa_word_counts *counts, const char *word, size_t size, sa_error *error);
void sa_word_counts_release(sa_word_counts *counts);

#endif
