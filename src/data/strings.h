/* strings: a set of byte strings, numbered from 0 in the order they came. */
#ifndef SA_DATA_STRINGS_H
#define SA_DATA_STRINGS_H

#include "data/tokens.h"
#include <stdint.h>

typedef struct sa_strings {
    sa_buffer text; /* all of them, one behind the other */
    size_t *end;    /* [count] where each ends in it */
    size_t count, capacity;
    uint32_t *slot; /* [slots] a number and 1, by the string's hash; 0: free */
    size_t slots;   /* a power of two, or 0 */
} sa_strings;

/* The number of a string, which is added if it is new; -1: memory (SA_LIMIT). */
int32_t sa_strings_add(sa_strings *strings, const char *text, size_t size, sa_error *error);
/* The number of a string, or -1 if it is not there. */
int32_t sa_strings_find(const sa_strings *strings, const char *text, size_t size);
/* A string by its number: valid until the next one is added. */
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
