/* ngram: how many runs of n words, or of n characters, two lines share. */
#ifndef SA_METRICS_NGRAM_H
#define SA_METRICS_NGRAM_H

#include "base/memory.h"
#include <stdint.h>

/* What an n-gram is made of: a token or a character, a part of a text that must outlive it. */
typedef struct sa_unit {
    const char *text;
    size_t size;
} sa_unit;

typedef struct sa_units {
    sa_unit *unit;
    size_t count, capacity;
    bool failed; /* memory ran out: whoever uses them checks it once */
} sa_units;

void sa_units_push(sa_units *units, const char *text, size_t size);
/* What stands between the white space of the text. */
void sa_units_words(sa_units *units, const char *text);
/* Its characters, white space only when wanted. */
void sa_units_characters(sa_units *units, const char *text, bool white);
void sa_units_release(sa_units *units);

bool sa_unit_equal(const sa_unit *a, const sa_unit *b);

/* How many n-grams the line has. */
int64_t sa_ngrams_total(const sa_units *line, int n);

/* For n = 1 .. orders: adds to match[n-1] how many n-grams of `ours` are met in the others. Each
 * counts at most as often as it stands in that of them which has it most. */
bool sa_ngrams_match(const sa_units *ours, const sa_units *others, size_t other_count, int orders,
                     int64_t *match, sa_error *error);

#endif
