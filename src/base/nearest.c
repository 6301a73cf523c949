#include "base/nearest.h"

#include <stdio.h>
#include <string.h>

enum { LONGEST = 63 };

static size_t minimum(size_t a, size_t b) {
    return a < b ? a : b;
}

/* Insertions, deletions and replacements that turn one text into the other (Levenshtein). */
static size_t edit_distance(const char *from, size_t from_size, const char *to, size_t to_size) {
    size_t row[LONGEST + 1]; /* row[j]: distance from from[0..i) to to[0..j) */
    for (size_t j = 0; j <= to_size; j++) row[j] = j;
    for (size_t i = 1; i <= from_size; i++) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= to_size; j++) {
            size_t replaced = diagonal + (from[i - 1] != to[j - 1]);
            diagonal = row[j];
            row[j] = minimum(replaced, minimum(row[j], row[j - 1]) + 1);
        }
    }
    return row[to_size];
}

void sa_nearest_consider(sa_nearest *nearest, const char *candidate) {
    size_t wanted = strlen(nearest->wanted), size = strlen(candidate);
    if (wanted > LONGEST || size > LONGEST) return;
    size_t distance = edit_distance(nearest->wanted, wanted, candidate, size);
    size_t longer = wanted > size ? wanted : size;
    if (distance > (longer + 2) / 3 || (nearest->name && distance >= nearest->distance)) return;
    nearest->name = candidate;
    nearest->distance = distance;
}

const char *sa_nearest_hint(const sa_nearest *nearest, char *out, size_t capacity) {
    *out = 0;
    if (nearest->name)
        snprintf(out, capacity, " (did you mean '%s%s'?)", nearest->prefix ? nearest->prefix : "",
                 nearest->name);
    return out;
}

const char *sa_nearest_hint_in(const char *wanted, const char *(*name)(size_t i), char *out,
                               size_t capacity) {
    sa_nearest nearest = {.wanted = wanted};
    for (size_t i = 0; name && name(i); i++) sa_nearest_consider(&nearest, name(i));
    return sa_nearest_hint(&nearest, out, capacity);
}
