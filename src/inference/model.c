#include "inference/model.h"
#include "base/file.h"
#include "config/settings.h"
#include "tensor/blas.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- In memory ------------------------------------------------------------------------------- */

/* Whether the model can be saved with the optimiser's two memories, and read again. */
static bool fits_in_file(const sa_model *model, sa_error *error) {
    const size_t source = model->source.vocab.blob_size, target = model->target.vocab.blob_size;
    const size_t bytes = 3 * sizeof *model->values * model->plan.size + source + target;
    if (bytes <= SA_FILE_LIMIT - SA_CONTAINER_MAX_HEADER && source <= INT_MAX && target <= INT_MAX)
        return true;
    return sa_fail(error, SA_LIMIT,
                   "a model of %zu weights takes %zu bytes in training; a file holds %zu at most",
                   model->plan.size, bytes, SA_FILE_LIMIT);
}

bool sa_model_init(sa_model *model, const sa_settings *settings, sa_text_codec *source,
                   sa_text_codec *target, sa_real *values, sa_error *error) {
    *model =
        (sa_model){.settings = *settings, .source = *source, .target = *target, .values = values};
    *source = *target = (sa_text_codec){0};
    sa_blas_init();
    model->sizes = sa_sizes_of(settings, sa_vocab_size(&model->source.vocab),
                               sa_vocab_size(&model->target.vocab));
    sa_seq2seq_plan(&model->sizes, &model->plan);
    if (!fits_in_file(model, error))
        model->values = NULL;
    else if (!values)
        model->values = model->memory = sa_new(model->plan.size, sizeof *model->values, error);
    model->pool = model->values ? sa_pool_open(settings->threads, error) : NULL;
    if (model->pool && sa_blas_check_memory(sa_pool_threads(model->pool), error)) {
        sa_seq2seq_bind_buffer(&model->sizes, model->values, &model->w);
        return true;
    }
    sa_model_release(model);
    return false;
}

void sa_model_release(sa_model *model) {
    sa_pool_close(model->pool);
    sa_text_codec_release(&model->source);
    sa_text_codec_release(&model->target);
    free(model->memory);
    *model = (sa_model){0};
}

bool sa_model_pack(const sa_model *model, int rows, sa_packed_model *packed, sa_error *error) {
    sa_arena dry = {0};
    sa_seq2seq_pack(&dry, &model->sizes, model->values, rows, &packed->w);
    if (!sa_arena_init(&packed->packed_weights, dry.used, error)) return false;
    sa_seq2seq_pack(&packed->packed_weights, &model->sizes, model->values, rows, &packed->w);
    return true;
}

typedef struct pool_job {
    bool (*work)(void *job, int piece, sa_error *error);
    void *job;
    sa_error *errors;
} pool_job;

static void run_task(void *context, int piece) {
    const pool_job *run = context;
    run->work(run->job, piece, &run->errors[piece]);
}

bool sa_model_run(sa_model *model, int pieces, bool (*work)(void *job, int piece, sa_error *error),
                  void *job, sa_error *error) {
    pool_job run = {work, job, sa_new((size_t)pieces, sizeof(sa_error), error)};
    if (!run.errors) return false;
    sa_pool_run(model->pool, pieces, run_task, &run);
    int failed = 0;
    while (failed < pieces && run.errors[failed].code == SA_OK) failed++;
    const bool good = failed == pieces;
    if (!good && error) *error = run.errors[failed];
    free(run.errors);
    return good;
}

bool sa_fail_diverged(sa_error *error) {
    return sa_fail(error, SA_DIVERGED,
                   "the model's probabilities are out of range: its training diverged "
                   "(a smaller --lr or --clip helps)");
}

/* ---- To a file ------------------------------------------------------------------------------- */

static sa_tensor text_of(const char *name, const char *text, size_t size) {
    return (sa_tensor){.name = name, .type = SA_U8, .rank = 1, .shape = {(int)size}, .data = text};
}

static sa_tensor words_of(const char *name, const sa_vocab *vocab) {
    return text_of(name, vocab->blob, vocab->blob_size);
}

/* Where the tokenizer gives pieces: the merges of both sides. Returns how many tensors that is. */
static size_t add_merges(const sa_model *model, sa_buffer merges[2], sa_tensor *tensors) {
    if (!model->source.tokenizer->pieces) return 0;
    sa_bpe_write(&model->source.bpe, &merges[0]);
    sa_bpe_write(&model->target.bpe, &merges[1]);
    tensors[0] = text_of("source.merges", merges[0].text, merges[0].size);
    tensors[1] = text_of("target.merges", merges[1].text, merges[1].size);
    return 2;
}

static sa_tensor weight_of(const sa_param *param, const sa_real *values) {
    sa_tensor tensor = {.name = param->name,
                        .type = SA_F32,
                        .rank = 1,
                        .shape = {param->cols},
                        .data = values + param->offset};
    if (param->rows) tensor.rank = 2, tensor.shape[0] = param->rows, tensor.shape[1] = param->cols;
    return tensor;
}

static bool all_finite(const sa_tensor *tensor) {
    const float *number = tensor->data;
    size_t size = 1;
    bool odd = false;
    for (int i = 0; i < tensor->rank; i++) size *= (size_t)tensor->shape[i];
    for (size_t k = 0; k < size; k++) odd |= !isfinite(number[k]);
    return !odd;
}

/* A file with any other number could not be opened again: the one that is there stays. */
static bool check_finite(const sa_tensor *tensors, size_t count, sa_error *error) {
    for (size_t i = 0; i < count; i++)
        if (tensors[i].type == SA_F32 && !all_finite(&tensors[i]))
            return sa_fail(error, SA_DIVERGED,
                           "tensor '%s' is not finite any more: its training diverged "
                           "(a smaller --lr or --clip helps)",
                           tensors[i].name);
    return true;
}

bool sa_model_write(const sa_model *model, const char *path, const sa_tensor *more, size_t count,
                    sa_error *error) {
    const size_t weights = (size_t)model->plan.count;
    sa_buffer merges[2] = {0};
    sa_tensor *tensors = sa_new(weights + 4 + count, sizeof *tensors, error);
    char *settings = tensors ? sa_settings_write(&model->settings, error) : NULL;
    bool good = settings;
    if (good) {
        size_t at = 0;
        for (size_t i = 0; i < weights; i++)
            tensors[at++] = weight_of(&model->plan.item[i], model->values);
        tensors[at++] = words_of("source.words", &model->source.vocab);
        tensors[at++] = words_of("target.words", &model->target.vocab);
        at += add_merges(model, merges, tensors + at);
        for (size_t i = 0; i < count; i++) tensors[at++] = more[i];
        const sa_metadata texts[] = {{"settings", settings},
                                     {"spaced_marks", model->target.spaced_marks ? "yes" : "no"},
                                     {"core", sa_blas_core()},
                                     {"program", SOFTALIGN_VERSION}};
        good = (!merges[0].failed && !merges[1].failed) ||
               sa_fail_memory(error, merges[0].size + merges[1].size);
        good = good && check_finite(tensors, at, error) &&
               sa_container_write(path, tensors, at, texts, sizeof texts / sizeof *texts, error);
    }
    sa_buffer_release(&merges[0]), sa_buffer_release(&merges[1]);
    free(tensors);
    free(settings);
    return good;
}

/* ---- The public part ------------------------------------------------------------------------- */

sa_model *sa_model_open(const char *path, int threads, sa_error *error) {
    sa_container file;
    if (!sa_container_open(&file, path, error)) return NULL;
    sa_model *model = sa_new(1, sizeof *model, error);
    if (model && !sa_model_read(model, &file, threads, error)) {
        free(model);
        model = NULL;
    }
    sa_container_close(&file);
    return model;
}

void sa_model_close(sa_model *model) {
    if (model) sa_model_release(model);
    free(model);
}

bool sa_model_force_attention(sa_model *model, const char *way, sa_error *error) {
    sa_override override = {.seed = 1};
    if (!sa_settings_has_attention(&model->settings))
        return sa_fail(error, SA_USAGE, "the model has no attention: its decoder is '%s'",
                       sa_decoder_kinds[model->settings.decoder].name);
    if (!sa_override_parse(way, &override))
        return sa_fail(error, SA_USAGE,
                       "--force-attention '%s': expected none, uniform, shuffle, shift:N, one-hot "
                       "or gold",
                       way);
    model->override = override;
    return true;
}

bool sa_model_select_attention(sa_model *model, const char *place, int layer, sa_error *error) {
    static const char *const names[] = {
        [SA_SITE_CROSS] = "cross", [SA_SITE_ENCODER] = "encoder", [SA_SITE_DECODER] = "decoder"};
    size_t row = 0;
    while (row < sizeof names / sizeof *names && strcmp(place, names[row]) != 0) row++;
    if (row == sizeof names / sizeof *names)
        return sa_fail(error, SA_USAGE, "--site '%s': expected cross, encoder or decoder", place);
    const int layers = sa_seq2seq_layers(&model->w, (sa_attention_site)row);
    if (!layers)
        return sa_fail(error, SA_USAGE, "--site %s: the model has no attention there", place);
    if (layer < 0 || layer > layers)
        return sa_fail(error, SA_USAGE, "--layer %d: the model has %d", layer, layers);
    model->view = (sa_attention_view){(sa_attention_site)row, layer};
    return true;
}

const sa_settings *sa_model_settings(const sa_model *model) {
    return &model->settings;
}

size_t sa_model_parameters(const sa_model *model) {
    return model->plan.size;
}

size_t sa_model_denormals(const sa_model *model) {
    return model->flushed;
}

const char *sa_attention_info(size_t i, const char **formula, const char **citation) {
    if (!sa_score_name(i)) return NULL;
    if (formula) *formula = sa_scores[i].formula;
    if (citation) *citation = sa_scores[i].citation;
    return sa_scores[i].name;
}

const char *sa_decoder_info(size_t i, const char **formula, const char **citation) {
    if (!sa_decoder_name(i)) return NULL;
    if (formula) *formula = sa_decoder_kinds[i].formula;
    if (citation) *citation = sa_decoder_kinds[i].citation;
    return sa_decoder_kinds[i].name;
}

const char *sa_cell_info(size_t i, const char **formula, const char **citation) {
    size_t known = 0;
    while (sa_cells[known].name) known++;
    if (i >= known) return NULL;
    if (formula) *formula = sa_cells[i].formula;
    if (citation) *citation = sa_cells[i].citation;
    return sa_cells[i].name;
}

bool sa_settings_has_attention(const sa_settings *settings) {
    return settings->model == SA_MODEL_TRANSFORMER ||
           sa_decoder_kinds[settings->decoder].query_state != SA_QUERY_STATE_NONE;
}

const char *sa_version(void) {
    return SOFTALIGN_VERSION;
}

const char *sa_blas_version(void) {
    return sa_blas_build();
}

const char *sa_blas_library(void) {
    return sa_blas_origin();
}
