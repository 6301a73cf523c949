/* ngram: matching n-grams of words or characters in two lines. */
#ifndef SA_METRICS_NGRAM_H
#define SA_METRICS_NGRAM_H

#include "base/memory.h"
#include <stdint.h>

/* A token or character of an n-gram: a slice of a text that must outlive it. */
typedef struct sa_unit {
    const char *text;
    size_t size;
} sa_unit;

typedef struct sa_units {
    sa_unit *unit;
    size_t count, capacity;
    bool failed; /* memory ran out: to be checked once before use */
} sa_units;

void sa_units_push(sa_units *units, const char *text, size_t size);
/* Appends the words of the text, separated by white space. */
void sa_units_words(sa_units *units, const char *text);
/* Appends its characters, with or without white space. */
void sa_units_characters(sa_units *units, const char *text, bool whitespace);
void sa_units_release(sa_units *units);

bool sa_unit_equal(const sa_unit *a, const sa_unit *b);

/* The number of n-grams of the line. */
int64_t sa_ngrams_total(const sa_units *line, int n);

/* For n = 1 .. orders: adds to match[n-1] the number of n-grams of `ours` that occur in the others,
 * each clipped to its maximum count in one of them. */
bool sa_ngrams_match(const sa_units *ours, const sa_units *others, size_t other_count, int orders,
                     int64_t *match, sa_error *error);

#endif
