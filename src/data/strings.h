/* strings: a set of byte strings, numbered from 0 in the order of insertion; word counts. */
#ifndef SA_DATA_STRINGS_H
#define SA_DATA_STRINGS_H

#include "data/tokens.h"
#include <stdint.h>

typedef struct sa_strings {
    sa_buffer text; /* all strings, concatenated */
    size_t *end;    /* [count] end of each string in text */
    size_t count, capacity;
    uint32_t *slot; /* [slots] hash table of numbers plus 1; 0: free */
    size_t slots;   /* a power of two, or 0 */
} sa_strings;

/* The number of a string, which is added if it is new; -1 on error (SA_LIMIT). */
int32_t sa_strings_add(sa_strings *strings, const char *text, size_t size, sa_error *error);
/* The number of a string, or -1. */
int32_t sa_strings_find(const sa_strings *strings, const char *text, size_t size);
/* A string by its number, valid until the next one is added. */
sa_token sa_strings_get(const sa_strings *strings, int32_t number);
void sa_strings_release(sa_strings *strings);

/* How often each word of a text occurs. */
typedef struct sa_word_counts {
    sa_strings words;
    int64_t *frequency; /* [words.count] */
    size_t capacity;
} sa_word_counts;

bool sa_word_counts_add(sa_word_counts *counts, const char *word, size_t size, sa_error *error);
void sa_word_counts_release(sa_word_counts *counts);

#endif
