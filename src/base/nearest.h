/* nearest: the known name closest to a mistyped one. */
#ifndef SA_BASE_NEAREST_H
#define SA_BASE_NEAREST_H

#include "base/memory.h"

typedef struct sa_nearest {
    const char *wanted; /* as typed */
    const char *prefix; /* before the name in the hint; NULL: nothing */
    const char *name;   /* the closest so far, or NULL: nothing is close */
    size_t distance;
} sa_nearest;

/* Offers a candidate; of equally close ones the first wins. A candidate is close when at most a
 * third of the longer name, rounded up, differs. */
void sa_nearest_consider(sa_nearest *nearest, const char *candidate);

/* " (did you mean 'NAME'?)", with the prefix, written into `out`, or "" when nothing is close.
 * Returns out. */
const char *sa_nearest_hint(const sa_nearest *nearest, char *out, size_t capacity);

/* The same for the names name(0) ..., NULL after the last. */
const char *sa_nearest_hint_in(const char *wanted, const char *(*name)(size_t i), char *out,
                               size_t capacity);

#endif
