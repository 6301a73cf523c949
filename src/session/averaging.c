#include "session/averaging.h"
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

/* Of equally bad ones the first. */
static size_t worst_of(const sa_averaging *averaging, int criterion) {
    size_t worst = 0;
    for (size_t i = 1; i < averaging->capacity; i++)
        if (sa_validation_better(criterion, averaging->validations[worst],
                                 averaging->validations[i]))
            worst = i;
    return worst;
}

void sa_averaging_add(sa_averaging *averaging, const sa_settings *settings, int64_t row,
                      sa_validation now, const sa_real *weights) {
    if (!averaging->capacity) return;
    size_t slot = (size_t)row % averaging->capacity;
    if (settings->average_of == SA_AVERAGE_BEST && (size_t)row >= averaging->capacity) {
        slot = worst_of(averaging, settings->criterion);
        if (!sa_validation_better(settings->criterion, now, averaging->validations[slot])) return;
    }
    averaging->validations[slot] = now;
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

/* ---- Of model files -------------------------------------------------------------------------- */

static bool same_words(const sa_vocab *one, const sa_vocab *other) {
    return one->blob_size == other->blob_size &&
           memcmp(one->blob, other->blob, one->blob_size) == 0;
}

/* Weights have a mean when each means the same in all models. */
static bool check_alike(const sa_model *one, const char *name, const sa_model *first,
                        const char *first_name, sa_error *error) {
    for (const sa_option *row = sa_settings_options; row->name; row++) {
        if (row->scope != SA_SCOPE_MODEL && row->scope != SA_SCOPE_TEXT) continue;
        if (sa_option_get(row, &one->settings) != sa_option_get(row, &first->settings))
            return sa_fail(error, SA_USAGE, "'%s' has another --%s than '%s'", name, row->name,
                           first_name);
    }
    if (same_words(&one->source.vocab, &first->source.vocab) &&
        same_words(&one->target.vocab, &first->target.vocab) &&
        sa_text_codec_equal(&one->source, &first->source) &&
        sa_text_codec_equal(&one->target, &first->target))
        return true;
    return sa_fail(error, SA_USAGE, "'%s' knows other words than '%s'", name, first_name);
}

static bool add_model(const char *path, const sa_model *first, const char *first_name, double *sum,
                      sa_error *error) {
    sa_model *model = sa_model_open(path, 1, error);
    const bool good = model && check_alike(model, path, first, first_name, error);
    for (size_t i = 0; good && i < model->plan.size; i++) sum[i] += (double)model->values[i];
    sa_model_close(model);
    return good;
}

bool sa_average_models(const char *const *models, int count, const char *path, sa_error *error) {
    if (count < 1) return sa_fail(error, SA_USAGE, "no models to average");
    sa_model *mean = sa_model_open(models[0], 1, error);
    const size_t size = mean ? mean->plan.size : 0;
    double *sum = mean ? sa_new(size, sizeof *sum, error) : NULL;
    bool good = sum;
    for (int i = 0; good && i < count; i++)
        good = add_model(models[i], mean, models[0], sum, error);
    for (size_t i = 0; good && i < size; i++) mean->values[i] = (sa_real)(sum[i] / count);
    good = good && sa_model_write(mean, path, NULL, 0, error);
    free(sum);
    sa_model_close(mean);
    return good;
}
