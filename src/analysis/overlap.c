#include "analysis/overlap.h"
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

static int by_source(const void *a, const void *b) {
    return strcmp(((const sa_pair *)a)->source, ((const sa_pair *)b)->source);
}

static int by_both(const void *a, const void *b) {
    const int order = by_source(a, b);
    return order ? order : strcmp(((const sa_pair *)a)->target, ((const sa_pair *)b)->target);
}

bool sa_overlap_count(const sa_corpus *tested, const sa_corpus *known, size_t *sources,
                      size_t *pairs, sa_error *error) {
    sa_pair *sorted = sa_new(known->count, sizeof *sorted, error);
    size_t shared = 0;
    *pairs = 0;
    if (!sorted) return false;
    for (size_t i = 0; i < known->count; i++) sorted[i] = known->pairs[i];
    qsort(sorted, known->count, sizeof *sorted, by_both);
    for (size_t i = 0; i < tested->count; i++) {
        const sa_pair *pair = &tested->pairs[i];
        shared += bsearch(pair, sorted, known->count, sizeof *sorted, by_source) != NULL;
        *pairs += bsearch(pair, sorted, known->count, sizeof *sorted, by_both) != NULL;
    }
    if (sources) *sources = shared;
    free(sorted);
    return true;
}
