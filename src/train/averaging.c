#include "train/averaging.h"
#include "base/memory.h"
#include "config/settings.h"

#include <stdlib.h>
#include <string.h>

bool sa_averaging_open(sa_averaging *averaging, const sa_settings *settings, size_t size,
                       sa_error *error) {
    *averaging = (sa_averaging){.capacity = (size_t)settings->average, .size = size};
    if (!averaging->capacity) return true;
    size_t all;
    if (__builtin_mul_overflow(averaging->capacity, size, &all))
        return sa_fail_memory(error, SIZE_MAX);
    averaging->weights = sa_new(all, sizeof *averaging->weights, error);
    averaging->validations =
        averaging->weights ? sa_new(averaging->capacity, sizeof *averaging->validations, error)
                           : NULL;
    return averaging->validations;
}

void sa_averaging_close(sa_averaging *averaging) {
    free(averaging->weights);
    free(averaging->validations);
    *averaging = (sa_averaging){0};
}

size_t sa_averaging_count(const sa_averaging *averaging, int64_t rows) {
    return (size_t)rows < averaging->capacity ? (size_t)rows : averaging->capacity;
}

/* The first of equals. */
static size_t worst_of(const sa_averaging *averaging, int criterion) {
    size_t worst = 0;
    for (size_t i = 1; i < averaging->capacity; i++)
        if (sa_validation_better(criterion, averaging->validations[worst],
                                 averaging->validations[i]))
            worst = i;
    return worst;
}

void sa_averaging_add(sa_averaging *averaging, const sa_settings *settings, int64_t row,
                      sa_validation figures, const sa_real *weights) {
    if (!averaging->capacity) return;
    size_t slot = (size_t)row % averaging->capacity;
    if (settings->average_of == SA_AVERAGE_BEST && (size_t)row >= averaging->capacity) {
        slot = worst_of(averaging, settings->criterion);
        if (!sa_validation_better(settings->criterion, figures, averaging->validations[slot]))
            return;
    }
    averaging->validations[slot] = figures;
    memcpy(averaging->weights + slot * averaging->size, weights, averaging->size * sizeof *weights);
}

void sa_averaging_mean(const sa_averaging *averaging, size_t count, sa_real *mean) {
    for (size_t i = 0; i < averaging->size; i++) {
        double sum = 0;
        for (size_t k = 0; k < count; k++)
            sum += (double)averaging->weights[k * averaging->size + i];
        mean[i] = (sa_real)(sum / (double)count);
    }
}
