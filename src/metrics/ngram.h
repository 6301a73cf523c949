/* ngram: tokens and characters of lines for metrics, and their matching n-grams.
 *
 *   13a    as in the NIST script mteval-v13a: symbols are tokens, and so are dots and commas except
 *          in numbers
 *   none   tokens separated by white space
 *   char   every character except white space
 *   zh     every Chinese character, and the rest by the rules of 13a
 *
 * White space is as in Python's str.split: ASCII and Unicode, including no-break spaces. */
#pragma once

#include "base/memory.h"
#include <softalign/report.h>
#include <stdint.h>

typedef struct sa_metric_tokenizer {
    const char *name;
    /* Appends the tokens of a line (valid UTF-8), separated by single spaces. */
    void (*tokenize)(const char *text, sa_buffer *out);
} sa_metric_tokenizer;

extern const sa_metric_tokenizer sa_metric_tokenizers[]; /* ends with a NULL name */

/* Returns the next word and its size, and moves *text past it; NULL at the end. */
const char *sa_metric_next_word(const char **text, size_t *size);

/* ---- N-grams --------------------------------------------------------------------------------- */

/* The tokens or characters of a line. */
typedef struct sa_units {
    sa_token *unit;
    size_t count, capacity;
    bool failed;    /* out of memory; check once, before use */
    sa_buffer text; /* text of the slices, if owned */
} sa_units;

void sa_units_push(sa_units *units, const char *text, size_t size);
/* Appends the words of the text, separated by white space. */
void sa_units_words(sa_units *units, const char *text);
/* Appends the characters of the text, with or without white space. */
void sa_units_characters(sa_units *units, const char *text, bool whitespace);
void sa_units_release(sa_units *units);

/* Returns the number of n-grams of the line. */
int64_t sa_ngrams_total(const sa_units *line, int n);

/* Adds to match[n-1], for n = 1 .. orders, the number of n-grams of `ours` that occur in the
 * others, each clipped to its largest count in one of them. */
bool sa_ngrams_match(const sa_units *ours, const sa_units *others, size_t other_count, int orders,
                     int64_t *match, sa_error *error);
