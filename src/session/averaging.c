#include "session/averaging.h"
#include "base/memory.h"
#include "config/settings.h"

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
        if (sa_option_number(row, &one->settings) != sa_option_number(row, &first->settings))
            return sa_fail(error, SA_USAGE, "'%s' has another --%s than '%s'", name, row->name,
                           first_name);
    }
    if (same_words(&one->source.vocab, &first->source.vocab) &&
        same_words(&one->target.vocab, &first->target.vocab) &&
        sa_coder_same(&one->source, &first->source) && sa_coder_same(&one->target, &first->target))
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
