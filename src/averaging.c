#include "averaging.h"
#include "base/memory.h"
#include "base/settings.h"

#include <stdlib.h>
#include <string.h>

bool sa_kept_open(sa_kept *kept, const sa_settings *settings, size_t size, sa_error *error) {
    *kept = (sa_kept){.room = (size_t)settings->average, .size = size};
    if (!kept->room) return true;
    size_t all;
    if (__builtin_mul_overflow(kept->room, size, &all)) return sa_fail_memory(error, SIZE_MAX);
    kept->weights = sa_new(all, sizeof *kept->weights, error);
    kept->past = kept->weights ? sa_new(kept->room, sizeof *kept->past, error) : NULL;
    return kept->past;
}

void sa_kept_close(sa_kept *kept) {
    free(kept->weights);
    free(kept->past);
    *kept = (sa_kept){0};
}

size_t sa_kept_count(const sa_kept *kept, int64_t rows) {
    return (size_t)rows < kept->room ? (size_t)rows : kept->room;
}

/* Of equally bad ones the first. */
static size_t worst_of(const sa_kept *kept, int criterion) {
    size_t worst = 0;
    for (size_t i = 1; i < kept->room; i++)
        if (sa_validation_better(criterion, kept->past[worst], kept->past[i])) worst = i;
    return worst;
}

void sa_kept_offer(sa_kept *kept, const sa_settings *settings, int64_t row, sa_validation now,
                   const sa_real *weights) {
    if (!kept->room) return;
    size_t place = (size_t)row % kept->room;
    if (settings->average_of == SA_AVERAGE_BEST && (size_t)row >= kept->room) {
        place = worst_of(kept, settings->criterion);
        if (!sa_validation_better(settings->criterion, now, kept->past[place])) return;
    }
    kept->past[place] = now;
    memcpy(kept->weights + place * kept->size, weights, kept->size * sizeof *weights);
}

void sa_kept_mean(const sa_kept *kept, size_t count, sa_real *mean) {
    for (size_t i = 0; i < kept->size; i++) {
        double sum = 0;
        for (size_t k = 0; k < count; k++) sum += (double)kept->weights[k * kept->size + i];
        mean[i] = (sa_real)(sum / (double)count);
    }
}
