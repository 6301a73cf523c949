#include "inference/model.h"
#include "base/file.h"
#include "config/settings.h"
#include "data/encoding.h"
#include "tensor/blas.h"
#include "tensor/dispatch.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { IN_TRAINING = 3 }; /* the weights and the optimizer's two moments */

bool sa_model_fits_in_file(const sa_model *model, size_t means, sa_error *error) {
    const size_t source = model->source.vocab.text.size, target = model->target.vocab.text.size;
    const size_t each = sizeof *model->values * model->plan.size;
    size_t bytes;
    if (__builtin_mul_overflow(IN_TRAINING + means, each, &bytes) ||
        __builtin_add_overflow(bytes, source + target, &bytes))
        bytes = SIZE_MAX;
    if (bytes <= SA_FILE_LIMIT - SA_CONTAINER_MAX_HEADER && source <= INT_MAX && target <= INT_MAX)
        return true;
    return sa_fail(error, SA_LIMIT,
                   "a model of %zu weights takes %zu bytes in training%s; a file holds %zu at most",
                   model->plan.size, bytes, means ? ", with those for --average" : "",
                   SA_FILE_LIMIT);
}

bool sa_model_init(sa_model *model, const sa_settings *settings, sa_text_codec *source,
                   sa_text_codec *target, sa_real *values, sa_error *error) {
    *model = (sa_model){.trained = *settings,
                        .settings = sa_settings_of_use(settings),
                        .source = *source,
                        .target = *target,
                        .values = values,
                        .max_len = SA_MAX_LEN};
    *source = *target = (sa_text_codec){0};
    sa_blas_init();
    model->sizes = sa_sizes_of(&model->settings, sa_vocab_size(&model->source.vocab),
                               sa_vocab_size(&model->target.vocab));
    sa_seq2seq_plan(&model->sizes, &model->plan);
    if (!sa_model_fits_in_file(model, 0, error))
        model->values = NULL;
    else if (!values)
        model->values = model->memory = sa_new(model->plan.size, sizeof *model->values, error);
    model->pool =
        model->values ? sa_pool_open(sa_blas_one_thread() ? 1 : settings->threads, error) : NULL;
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
    sa_seq2seq_set_decoding(&model->w, true);
}

void sa_model_release(sa_model *model) {
    sa_pool_close(model->pool);
    sa_text_codec_release(&model->source);
    sa_text_codec_release(&model->target);
    free(model->memory);
    *model = (sa_model){0};
}

/* Checks the length of a text, which may be NULL. */
static bool check_length(const sa_model *model, const sa_text_codec *codec, const char *name,
                         const char *text, size_t line, sa_error *error) {
    if (!text || strlen(text) <= (size_t)model->max_len)
        return true; /* every token has at least a byte */
    sa_sentence *read = sa_encode_texts(codec, model->max_len, &text, 0, 1, error);
    if (!read) return false;
    const char *side = codec == &model->source ? "source" : "target";
    const int tokens = read->len - 1, most = model->max_len;
    const bool good = read->ids;
    sa_sentences_release(read, 1);
    if (good) return true;
    if (!line)
        return sa_fail(error, SA_LIMIT, "the %s has %d tokens, more than --max-len %d", side,
                       tokens, most);
    return sa_fail(error, SA_LIMIT, "%s%s%zu: the %s has %d tokens, more than --max-len %d",
                   name ? name : "line", name ? ":" : " ", line, side, tokens, most);
}

bool sa_check_lengths(const sa_model *model, const char *name, const sa_pair *pairs, size_t count,
                      sa_error *error) {
    for (size_t i = 0; i < count; i++)
        if (!check_length(model, &model->source, name, pairs[i].source, pairs[i].line, error) ||
            !check_length(model, &model->target, name, pairs[i].target, pairs[i].line, error))
            return false;
    return true;
}

bool sa_fail_no_attention(const sa_model *model, sa_error *error) {
    return sa_fail(error, SA_USAGE, "the model has no attention: its decoder is '%s'",
                   sa_decoder_kinds[model->settings.decoder].name);
}

bool sa_fail_diverged(sa_error *error) {
    return sa_fail(error, SA_DIVERGED,
                   "the model's probabilities are out of range: its training diverged "
                   "(a smaller --lr or --clip helps)");
}

/* ---- Files ----------------------------------------------------------------------------------- */

/* Texts of both sides. */
static const char *const words[] = {"source.words", "target.words"};
static const char *const subwords[] = {"source.merges", "target.merges"};
static const char *const spaces[] = {"source.spaces", "target.spaces"};

/* ---- Writing --------------------------------------------------------------------------------- */

sa_tensor sa_tensor_of(const char *name, sa_dtype type, size_t rows, size_t cols,
                       const void *data) {
    sa_tensor tensor = {.name = name, .type = type, .rank = 1, .shape = {(int)cols}, .data = data};
    if (rows) tensor.rank = 2, tensor.shape[0] = (int)rows, tensor.shape[1] = (int)cols;
    return tensor;
}

size_t sa_tensor_count(const sa_tensor *tensor) {
    size_t count = 1;
    for (int i = 0; i < tensor->rank; i++) count *= (size_t)tensor->shape[i];
    return count;
}

static sa_tensor weight_tensor(const sa_param *param, const sa_real *values) {
    return sa_tensor_of(param->name, SA_F32, (size_t)param->rows, (size_t)param->cols,
                        values ? values + param->offset : NULL);
}

/* Refuses numbers that are not finite: a file with them could not be read again. */
static bool check_finite(const sa_tensor *tensors, size_t count, sa_error *error) {
    for (size_t i = 0; i < count; i++) {
        const float *number = tensors[i].data;
        const size_t size = tensors[i].type == SA_F32 ? sa_tensor_count(&tensors[i]) : 0;
        bool odd = false;
        for (size_t k = 0; k < size; k++) odd |= !isfinite(number[k]);
        if (odd)
            return sa_fail(error, SA_DIVERGED,
                           "tensor '%s' is not finite any more: its training diverged "
                           "(a smaller --lr or --clip helps)",
                           tensors[i].name);
    }
    return true;
}

bool sa_model_write(const sa_model *model, const char *path, const sa_tensor *more, size_t count,
                    sa_error *error) {
    enum { TEXTS = 6 };
    const sa_text_codec *codec[] = {&model->source, &model->target};
    const size_t weights = (size_t)model->plan.count;
    sa_buffer merges[2] = {0};
    sa_tensor *tensors = sa_new(weights + TEXTS + count, sizeof *tensors, error);
    char *settings = tensors ? sa_settings_write(&model->trained, error) : NULL;
    bool good = settings;
    if (good) {
        size_t at = 0;
        for (size_t i = 0; i < weights; i++)
            tensors[at++] = weight_tensor(&model->plan.item[i], model->values);
        for (int i = 0; i < 2; i++) {
            const sa_buffer *list = &codec[i]->vocab.text;
            tensors[at++] = sa_tensor_of(words[i], SA_U8, 0, list->size, list->text);
        }
        for (int i = 0; i < 2; i++) {
            const sa_buffer *rows = &codec[i]->spaces.text;
            if (rows->size)
                tensors[at++] = sa_tensor_of(spaces[i], SA_U8, 0, rows->size, rows->text);
            if (!codec[i]->tokenizer->subword) continue;
            sa_bpe_write(&codec[i]->bpe, &merges[i]);
            tensors[at++] = sa_tensor_of(subwords[i], SA_U8, 0, merges[i].size, merges[i].text);
        }
        for (size_t i = 0; i < count; i++) tensors[at++] = more[i];
        const char *glossaries = codec[!codec[0]->tokenizer->subword]->bpe.glossaries;
        const sa_metadata texts[] = {{"settings", settings},
                                     {"spaced_marks", "no"}, /* 0.1.0 expects it */
                                     {"core", sa_blas_core()},
                                     {"program", SOFTALIGN_VERSION},
                                     {"glossaries", glossaries}};
        good = (!merges[0].failed && !merges[1].failed) ||
               sa_fail_memory(error, merges[0].size + merges[1].size);
        good = good && check_finite(tensors, at, error) &&
               sa_container_write(path, tensors, at, texts,
                                  sizeof texts / sizeof *texts - !glossaries, error);
    }
    sa_buffer_release(&merges[0]), sa_buffer_release(&merges[1]);
    free(tensors);
    free(settings);
    return good;
}

/* ---- Reading -----------------------------------------------------------------------------------
 * A file may come from anywhere: everything in it is checked before it is used. */

bool sa_tensor_copy(const sa_container *file, const char *name, sa_dtype type, size_t count,
                    void *out, sa_error *error) {
    const sa_tensor *tensor = sa_container_find(file, name);
    if (!tensor) return sa_fail(error, SA_DATA, "%s: tensor '%s' is missing", file->name, name);
    if (tensor->type != type || tensor->size != count * sa_dtypes[type].size)
        return sa_fail(error, SA_DATA,
                       "%s: tensor '%s' is %s with %zu bytes; expected %s with %zu numbers",
                       file->name, name, sa_dtypes[tensor->type].name, tensor->size,
                       sa_dtypes[type].name, count);
    memcpy(out, tensor->data, tensor->size);
    return true;
}

/* Returns the tensor that holds a text. */
static const sa_tensor *find_text(const sa_container *file, const char *name, sa_error *error) {
    const sa_tensor *tensor = sa_container_find(file, name);
    if (tensor && tensor->type == SA_U8 && tensor->rank == 1) return tensor;
    sa_fail(error, SA_DATA, "%s: tensor '%s' is %s", file->name, name,
            tensor ? "not a text, U8 [bytes]" : "missing");
    return NULL;
}

/* Reads the merges of one side. */
static bool read_merges(const sa_container *file, const char *name, sa_text_codec *codec,
                        sa_error *error) {
    const sa_tensor *text = find_text(file, name, error);
    char *place = text ? sa_format(error, "%s: tensor '%s'", file->name, name) : NULL;
    const char *list = sa_container_metadata(file, "glossaries");
    const bool good = place && sa_bpe_read(&codec->bpe, text->data, text->size, place, error) &&
                      (!list || sa_bpe_set_glossaries(&codec->bpe, list, codec->lowercase, error));
    free(place);
    return good;
}

/* Reads the table of spaces of one side, which models of 0.1.0 lack. */
static bool read_spaces(const sa_container *file, const char *name, sa_text_codec *codec,
                        sa_error *error) {
    if (codec->tokenizer->between || !sa_container_find(file, name)) return true;
    const sa_tensor *text = find_text(file, name, error);
    return text && sa_vocab_read(&codec->spaces, text->data, text->size, file->name, name, error) &&
           sa_spacing_read(&codec->spacing, &codec->spaces, file->name, name, error);
}

/* Reads the texts of both sides. A shared embedding needs a shared vocabulary. */
static bool read_codecs(const sa_container *file, const sa_settings *settings,
                        sa_text_codec codec[2], sa_error *error) {
    for (int i = 0; i < 2; i++) {
        codec[i] = (sa_text_codec){.tokenizer = sa_tokenizer_of(settings, i),
                                   .lowercase = settings->lowercase};
        const sa_tensor *text = find_text(file, words[i], error);
        if (!text || !read_spaces(file, spaces[i], &codec[i], error) ||
            (codec[i].tokenizer->subword && !read_merges(file, subwords[i], &codec[i], error)) ||
            !sa_vocab_read(&codec[i].vocab, text->data, text->size, file->name, words[i], error))
            return false;
    }
    return settings->tie != SA_TIE_THREE || sa_vocab_equal(&codec[0].vocab, &codec[1].vocab) ||
           sa_fail(error, SA_DATA,
                   "%s: tensors 'source.words' and 'target.words' differ, but the settings share "
                   "one embedding (tie three-way)",
                   file->name);
}

/* ---- Tensors --------------------------------------------------------------------------------- */

/* Appends "F32 [5, 2]". */
static void add_kind(const sa_tensor *tensor, sa_buffer *out) {
    sa_buffer_addf(out, "%s [", sa_dtypes[tensor->type].name);
    for (int i = 0; i < tensor->rank; i++)
        sa_buffer_addf(out, "%s%d", i ? ", " : "", tensor->shape[i]);
    sa_buffer_adds(out, "]");
}

/* Returns whether a name is that of a weight, of a text, or of a part of a training's state. */
static bool is_known(const sa_params *plan, const char *name, const sa_text_codec codec[2]) {
    static const char *const state[] = {"optimizer.", "training.", "average."};
    for (int i = 0; i < 2; i++)
        if (strcmp(name, words[i]) == 0 ||
            (codec[i].tokenizer->subword && strcmp(name, subwords[i]) == 0) ||
            (codec[i].spaces.count && strcmp(name, spaces[i]) == 0))
            return true;
    for (size_t i = 0; i < sizeof state / sizeof *state; i++)
        if (strncmp(name, state[i], strlen(state[i])) == 0) return true;
    return sa_params_find(plan, name);
}

/* Fails with a list of all tensors that are missing, unknown or of the wrong shape. */
static bool check_shapes(const sa_container *file, const sa_params *plan,
                         const sa_text_codec codec[2], sa_error *error) {
    sa_buffer list = {0};
    for (int i = 0; i < plan->count; i++) {
        const sa_tensor wanted = weight_tensor(&plan->item[i], NULL);
        const sa_tensor *tensor = sa_container_find(file, wanted.name);
        const size_t shape = sizeof *wanted.shape * (size_t)wanted.rank;
        if (tensor && tensor->type == SA_F32 && tensor->rank == wanted.rank &&
            memcmp(tensor->shape, wanted.shape, shape) == 0)
            continue;
        sa_buffer_addf(&list, "%s '%s' is ", list.size ? "," : "", wanted.name);
        if (tensor) add_kind(tensor, &list);
        sa_buffer_adds(&list, tensor ? ", not " : "missing");
        if (tensor) add_kind(&wanted, &list);
    }
    for (size_t i = 0; i < file->count; i++)
        if (!is_known(plan, file->tensors[i].name, codec))
            sa_buffer_addf(&list, "%s '%s' is unknown", list.size ? "," : "",
                           file->tensors[i].name);
    bool good = !list.failed || sa_fail_memory(error, list.size);
    if (good && list.size)
        good = sa_fail(error, SA_DATA, "%s: tensors do not fit the settings:%s", file->name,
                       list.text);
    sa_buffer_release(&list);
    return good;
}

/* Returns whether all numbers are normal or zero, as in nearly every tensor, without a branch:
 * twice the bits without the sign are 0, or from the least exponent to the greatest. */
SA_DISPATCHED static bool all_normal(const float *number, size_t size) {
    const uint32_t least = 0x01000000, infinite = 0xff000000;
    uint32_t smallest = UINT32_MAX, largest = 0; /* smallest: minus 1, so that 0 is large */
    for (size_t k = 0; k < size; k++) {
        uint32_t bits;
        memcpy(&bits, &number[k], sizeof bits);
        const uint32_t twice = bits << 1, less = twice - 1;
        smallest = less < smallest ? less : smallest;
        largest = twice > largest ? twice : largest;
    }
    return smallest >= least - 1 && largest < infinite;
}

bool sa_model_numbers_normal(const void *piece, size_t size) {
    return all_normal(piece, size / sizeof(float));
}

/* Returns whether the same is true of weights in place, in a file that was opened with that check.
 * Checks pieces that they share with other tensors again. */
static bool all_normal_in_file(const sa_container *file, const float *values, size_t size) {
    const char *data = file->tensors[0].data;
    const size_t first = (size_t)((const char *)values - data), end = first + size * sizeof *values;
    for (size_t at = first, next; at < end; at = next) {
        const size_t piece = at / SA_CONTAINER_PIECE, end_of = (piece + 1) * SA_CONTAINER_PIECE;
        next = end_of < end ? end_of : end;
        if (file->odd[piece] && !sa_model_numbers_normal(data + at, next - at)) return false;
    }
    return true;
}

/* Fails if a number is not finite. Sets denormals to zero: they slow products down a hundredfold.
 */
static bool check_numbers(const sa_container *file, const sa_params *plan, float *values,
                          size_t *flushed, sa_error *error) {
    const bool in_place = file->odd && !file->memory;
    if (in_place ? all_normal_in_file(file, values, plan->size) : all_normal(values, plan->size))
        return true;
    for (int i = 0; i < plan->count; i++) {
        const sa_param *param = &plan->item[i];
        float *number = values + param->offset;
        const size_t size = sa_param_size(param);
        for (size_t k = 0; k < size; k++) {
            if (!isfinite(number[k]))
                return sa_fail(error, SA_DATA, "%s: tensor '%s' is not finite at number %zu",
                               file->name, param->name, k);
            if (fpclassify(number[k]) == FP_SUBNORMAL) number[k] = 0, ++*flushed;
        }
    }
    return true;
}

/* ---- The whole ------------------------------------------------------------------------------- */

/* Returns the weights in the file's memory; NULL if they are not aligned or not in order there, or
 * if most of the file is a training's state. */
static float *find_weights(const sa_container *file, const sa_params *plan) {
    if (!file->memory || plan->size * sizeof(float) < file->size / 2) return NULL;
    const char *data = sa_container_find(file, plan->item[0].name)->data;
    bool in_order = (uintptr_t)data % sizeof(float) == 0;
    for (int i = 0; i < plan->count; i++)
        in_order &= sa_container_find(file, plan->item[i].name)->data ==
                    data + plan->item[i].offset * sizeof(float);
    return in_order ? (float *)(file->memory + (data - file->memory))
                    : NULL; /* data, to be written */
}

bool sa_model_read(sa_model *model, sa_container *file, int threads, sa_error *error) {
    sa_settings settings;
    sa_text_codec codec[2] = {0};
    sa_settings_init(&settings);
    *model = (sa_model){0};
    if (!sa_settings_read_file(&settings, file, error)) return false;
    settings.threads = threads;
    sa_params plan;
    bool good = read_codecs(file, &settings, codec, error);
    if (good) { /* the shapes are compared before anything of their size is allocated */
        const sa_sizes sizes =
            sa_sizes_of(&settings, sa_vocab_size(&codec[0].vocab), sa_vocab_size(&codec[1].vocab));
        sa_seq2seq_plan(&sizes, &plan);
        good = check_shapes(file, &plan, codec, error);
    }
    if (!good) {
        sa_text_codec_release(&codec[0]), sa_text_codec_release(&codec[1]);
        return false;
    }
    float *weights = find_weights(file, &plan);
    if (!sa_model_init(model, &settings, &codec[0], &codec[1], weights, error)) return false;
    model->checksum = file->checksum;
    if (weights) {
        model->memory = file->memory;
        file->memory = NULL;
    }
    for (int i = 0; !weights && i < plan.count; i++)
        sa_tensor_copy(file, plan.item[i].name, SA_F32, sa_param_size(&plan.item[i]),
                       model->values + plan.item[i].offset, NULL);
    if (check_numbers(file, &plan, model->values, &model->flushed, error)) return true;
    sa_model_release(model);
    return false;
}

/* ---- The public functions -------------------------------------------------------------------- */

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

#ifndef SA_DOUBLE
const float *sa_model_tensor(const sa_model *model, size_t i, const char **name, int *rows,
                             int *cols) {
    if (!model || i >= (size_t)model->plan.count || !name || !rows || !cols) return NULL;
    const sa_param *param = &model->plan.item[i];
    *name = param->name, *rows = param->rows, *cols = param->cols;
    return model->values + param->offset;
}
#endif

size_t sa_model_denormals(const sa_model *model) {
    return model ? model->flushed : 0;
}

bool sa_model_is_early(const sa_model *model) {
    return model && !model->source.tokenizer->between && !model->source.spaces.count;
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

/* Checks that the weights of two models correspond, so that they have a mean. */
static bool check_alike(const sa_model *one, const char *name, const sa_model *first,
                        const char *first_name, sa_error *error) {
    for (const sa_option *row = sa_settings_options; row->name; row++) {
        if (row->scope != SA_SCOPE_MODEL && row->scope != SA_SCOPE_TEXT) continue;
        if (sa_option_get(row, &one->settings) != sa_option_get(row, &first->settings))
            return sa_fail(error, SA_USAGE, "'%s' has a different --%s from '%s'", name, row->name,
                           first_name);
    }
    if (sa_vocab_equal(&one->source.vocab, &first->source.vocab) &&
        sa_vocab_equal(&one->target.vocab, &first->target.vocab) &&
        sa_text_codec_equal(&one->source, &first->source) &&
        sa_text_codec_equal(&one->target, &first->target))
        return true;
    return sa_fail(error, SA_USAGE, "'%s' has a different vocabulary from '%s'", name, first_name);
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
    for (int i = 0; good && i < count; i++) {
        sa_model *model = sa_model_open(models[i], 1, error);
        good = model && check_alike(model, models[i], mean, models[0], error);
        for (size_t k = 0; good && k < size; k++) sum[k] += (double)model->values[k];
        sa_model_close(model);
    }
    for (size_t i = 0; good && i < size; i++) mean->values[i] = (sa_real)(sum[i] / count);
    good = good && sa_model_write(mean, path, NULL, 0, error);
    free(sum);
    sa_model_close(mean);
    return good;
}
