/* nearest: which known name a mistyped one was meant to be. */
#ifndef SA_BASE_NEAREST_H
#define SA_BASE_NEAREST_H

#include "base/memory.h"

typedef struct sa_nearest {
    const char *wanted; /* as typed */
    const char *name;   /* the closest so far, or NULL: nothing is close */
    size_t distance;
} sa_nearest;

/* Candidates are offered one by one; of equals the first stays. A candidate counts as close when at
 * most a third of the longer name, rounded up, must be changed. */
void sa_nearest_consider(sa_nearest *nearest, const char *candidate);

/* " (did you mean 'NAME'?)" written into `out`, or "" when nothing is close. Returns out. */
const char *sa_nearest_hint(const sa_nearest *nearest, char *out, size_t capacity);

#endif
