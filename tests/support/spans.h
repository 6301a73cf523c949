/* spans: strspn, strcspn and strncmp for the next few characters of a long text. Under the
 * sanitizers those read on to its end to see that it has one, at every call. */
#ifndef TEST_SPANS_H
#define TEST_SPANS_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* How many characters from `at` on are in the set. */
static inline size_t span_in(const char *at, const char *set) {
    size_t size = 0;
    while (at[size] && strchr(set, at[size])) size++;
    return size;
}

static inline size_t span_outside(const char *at, const char *set) {
    size_t size = 0;
    while (at[size] && !strchr(set, at[size])) size++;
    return size;
}

static inline bool begins_with(const char *at, const char *start) {
    while (*start && *at == *start) at++, start++;
    return !*start;
}

#endif
