/* api_model: models of softalign.h. */
#include "base/error.h"
#include "config/settings.h"
#include "inference/model.h"

#include <stdlib.h>

sa_model *sa_model_open(const char *path, int threads, sa_error *error) {
    sa_container file;
    if (!sa_given(path, "path", error) ||
        !sa_within(threads, 0, SA_MAX_THREADS, "threads", error) ||
        !sa_container_open(&file, path, threads, sa_model_numbers_normal, error))
        return NULL;
    sa_model *model = sa_new(1, sizeof *model, error);
    if (model && !sa_model_read(model, &file, threads, error)) {
        free(model);
        model = NULL;
    }
    if (model) sa_model_bind(model, SA_PRECISION_FLOAT32);
    sa_container_close(&file);
    return model;
}

void sa_model_close(sa_model *model) {
    if (model) sa_model_release(model);
    free(model);
}

const sa_settings *sa_model_settings(const sa_model *model) {
    return model ? &model->trained : NULL;
}

size_t sa_model_parameters(const sa_model *model) {
    return model ? model->plan.size : 0;
}

size_t sa_model_denormals(const sa_model *model) {
    return model ? model->flushed : 0;
}

bool sa_model_set_max_len(sa_model *model, int max_len, sa_error *error) {
    enum { LINE_TOKENS = 1000000 }; /* no line has many more */
    if (!sa_given(model, "model", error) || !sa_within(max_len, 1, LINE_TOKENS, "max_len", error))
        return false;
    model->max_len = max_len;
    return true;
}

bool sa_model_set_precision(sa_model *model, int precision, sa_error *error) {
    if (!sa_given(model, "model", error) ||
        !sa_within(precision, SA_PRECISION_FLOAT32, SA_PRECISION_BF16, "precision", error))
        return false;
    sa_model_bind(model, precision);
    return true;
}

/* ---- The mean of several models -------------------------------------------------------------- */

/* The mean is of models whose weights correspond. */
static bool check_alike(const sa_model *one, const char *name, const sa_model *first,
                        const char *first_name, sa_error *error) {
    for (const sa_option *row = sa_settings_options; row->name; row++) {
        if (row->scope != SA_SCOPE_MODEL && row->scope != SA_SCOPE_TEXT) continue;
        if (sa_option_get(row, &one->settings) != sa_option_get(row, &first->settings))
            return sa_fail(error, SA_USAGE, "'%s' has another --%s than '%s'", name, row->name,
                           first_name);
    }
    if (sa_vocab_equal(&one->source.vocab, &first->source.vocab) &&
        sa_vocab_equal(&one->target.vocab, &first->target.vocab) &&
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
    if (!sa_given(models, "models", error) || !sa_given(path, "path", error)) return false;
    for (int i = 0; i < count; i++)
        if (!models[i]) return sa_fail(error, SA_USAGE, "'models[%d]' is NULL", i);
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
