#include "inference/model.h"
#include "base/container.h"
#include "base/file.h"
#include "config/settings.h"
#include "tensor/blas.h"

#include <limits.h>
#include <stdlib.h>

enum { IN_TRAINING = 3 }; /* the weights and the optimizer's two moments */

bool sa_model_fits_in_file(const sa_model *model, size_t means, sa_error *error) {
    const size_t source = model->source.vocab.blob_size, target = model->target.vocab.blob_size;
    const size_t each = sizeof *model->values * model->plan.size;
    size_t bytes;
    if (__builtin_mul_overflow(IN_TRAINING + means, each, &bytes) ||
        __builtin_add_overflow(bytes, source + target, &bytes))
        bytes = SIZE_MAX;
    if (bytes <= SA_FILE_LIMIT - SA_CONTAINER_MAX_HEADER && source <= INT_MAX && target <= INT_MAX)
        return true;
    return sa_fail(error, SA_LIMIT,
                   means
                       ? "a model of %zu weights takes %zu bytes in training, with those for "
                         "{average}; a file holds %zu at most"
                       : "a model of %zu weights takes %zu bytes in training; a file holds %zu at "
                         "most",
                   model->plan.size, bytes, SA_FILE_LIMIT);
}

bool sa_model_init(sa_model *model, const sa_settings *settings, sa_text_codec *source,
                   sa_text_codec *target, sa_real *values, sa_error *error) {
    *model = (sa_model){.settings = *settings,
                        .source = *source,
                        .target = *target,
                        .values = values,
                        .max_len = SA_MAX_LEN};
    *source = *target = (sa_text_codec){0};
    sa_blas_init();
    model->sizes = sa_sizes_of(settings, sa_vocab_size(&model->source.vocab),
                               sa_vocab_size(&model->target.vocab));
    sa_seq2seq_plan(&model->sizes, &model->plan);
    if (!sa_model_fits_in_file(model, 0, error))
        model->values = NULL;
    else if (!values)
        model->values = model->memory = sa_new(model->plan.size, sizeof *model->values, error);
    model->pool =
        model->values ? sa_pool_open(sa_blas_flavor_note() ? 1 : settings->threads, error) : NULL;
    if (model->pool && sa_blas_check_memory(sa_pool_threads(model->pool), error)) {
        sa_model_bind(model, settings->precision);
        return true;
    }
    sa_model_release(model);
    return false;
}

void sa_model_bind(sa_model *model, int precision) {
    model->sizes.precision = precision;
    sa_seq2seq_bind_buffer(&model->sizes, model->values, &model->w);
    sa_seq2seq_set_hard(&model->w, true);
}

void sa_model_release(sa_model *model) {
    sa_pool_close(model->pool);
    sa_text_codec_release(&model->source);
    sa_text_codec_release(&model->target);
    free(model->memory);
    *model = (sa_model){0};
}

bool sa_model_prepare(const sa_model *model, int rows, sa_prepared_model *prepared,
                      sa_error *error) {
    prepared->store = (sa_store){.use = SA_STORE_INFERENCE, .rows = rows};
    if (!sa_seq2seq_open_stored(&model->sizes, model->values, &prepared->store, &prepared->w,
                                error))
        return false;
    sa_seq2seq_set_hard(&prepared->w, true);
    return true;
}

typedef struct run {
    bool (*work)(void *context, int i, sa_error *error);
    void *context;
    sa_error *errors;
} run;

static void run_one(void *context, int i) {
    const run *all = context;
    all->work(all->context, i, &all->errors[i]);
}

bool sa_model_run(sa_model *model, int count, bool (*work)(void *context, int i, sa_error *error),
                  void *context, sa_error *error) {
    run all = {work, context, sa_new((size_t)count, sizeof(sa_error), error)};
    if (!all.errors) return false;
    sa_pool_run(model->pool, count, run_one, &all);
    int failed = 0;
    while (failed < count && all.errors[failed].code == SA_OK) failed++;
    const bool good = failed == count;
    if (!good && error) *error = all.errors[failed];
    free(all.errors);
    return good;
}

bool sa_fail_no_attention(const sa_model *model, sa_error *error) {
    return sa_fail(error, SA_USAGE, "the model has no attention: its decoder is '%s'",
                   sa_decoder_kinds[model->settings.decoder].name);
}

bool sa_fail_diverged(sa_error *error) {
    return sa_fail(error, SA_DIVERGED,
                   "the model's probabilities are out of range: its training diverged "
                   "(a smaller {lr} or {clip} helps)");
}
