#include "inference/model_file.h"
#include "config/settings.h"
#include "tensor/blas.h"
#include "tensor/dispatch.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* ---- Writing --------------------------------------------------------------------------------- */

static sa_tensor text_tensor(const char *name, const char *text, size_t size) {
    return (sa_tensor){.name = name, .type = SA_U8, .rank = 1, .shape = {(int)size}, .data = text};
}

static sa_tensor vocab_tensor(const char *name, const sa_vocab *vocab) {
    return text_tensor(name, vocab->blob, vocab->blob_size);
}

/* With subwords: the merges of both sides. Returns the number of tensors. */
static size_t add_merges(const sa_model *model, sa_buffer merges[2], sa_tensor *tensors) {
    if (!model->source.tokenizer->subword) return 0;
    sa_bpe_write(&model->source.bpe, &merges[0]);
    sa_bpe_write(&model->target.bpe, &merges[1]);
    tensors[0] = text_tensor("source.merges", merges[0].text, merges[0].size);
    tensors[1] = text_tensor("target.merges", merges[1].text, merges[1].size);
    return 2;
}

static sa_tensor weight_tensor(const sa_param *param, const sa_real *values) {
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

/* A file with other numbers could not be read again, so it is not written. */
static bool check_finite(const sa_tensor *tensors, size_t count, sa_error *error) {
    for (size_t i = 0; i < count; i++)
        if (tensors[i].type == SA_F32 && !all_finite(&tensors[i]))
            return sa_fail(error, SA_DIVERGED,
                           "tensor '%s' is not finite any more: its training diverged "
                           "(a smaller {lr} or {clip} helps)",
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
            tensors[at++] = weight_tensor(&model->plan.item[i], model->values);
        tensors[at++] = vocab_tensor("source.words", &model->source.vocab);
        tensors[at++] = vocab_tensor("target.words", &model->target.vocab);
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

/* ---- Texts ----------------------------------------------------------------------------------- */

/* The tensor that holds a text. */
static const sa_tensor *find_text(const sa_container *file, const char *name, sa_error *error) {
    const sa_tensor *tensor = sa_container_find(file, name);
    if (!tensor)
        sa_fail(error, SA_DATA, "%s: tensor '%s' is missing", file->name, name);
    else if (tensor->type != SA_U8 || tensor->rank != 1)
        sa_fail(error, SA_DATA, "%s: tensor '%s' is no text, U8 [bytes]", file->name, name);
    return tensor && tensor->type == SA_U8 && tensor->rank == 1 ? tensor : NULL;
}

static bool read_words(const sa_container *file, const char *name, sa_vocab *vocab,
                       sa_error *error) {
    const sa_tensor *text = find_text(file, name, error);
    return text && sa_vocab_read(vocab, text->data, text->size, file->name, name, error);
}

/* With subwords: the merges of one side. */
static bool read_merges(const sa_container *file, const char *name, sa_text_codec *codec,
                        sa_error *error) {
    if (!codec->tokenizer->subword) return true;
    const sa_tensor *text = find_text(file, name, error);
    if (!text) return false;
    sa_buffer place = {0};
    sa_buffer_addf(&place, "%s: tensor '%s'", file->name, name);
    const bool good = place.failed
                          ? sa_fail_memory(error, place.size)
                          : sa_bpe_read(&codec->bpe, text->data, text->size, place.text, error);
    sa_buffer_release(&place);
    return good;
}

/* ---- Tensors --------------------------------------------------------------------------------- */

static sa_tensor expected_tensor(const sa_param *param) {
    sa_tensor tensor = {.type = SA_F32, .rank = 1, .shape = {param->cols}};
    if (param->rows) tensor.rank = 2, tensor.shape[0] = param->rows, tensor.shape[1] = param->cols;
    return tensor;
}

static bool same_kind(const sa_tensor *one, const sa_tensor *other) {
    bool same = one->type == other->type && one->rank == other->rank;
    for (int i = 0; same && i < one->rank; i++) same = one->shape[i] == other->shape[i];
    return same;
}

/* "F32 [5, 2]" */
static void add_kind(const sa_tensor *tensor, sa_buffer *out) {
    sa_buffer_addf(out, "%s [", sa_dtypes[tensor->type].name);
    for (int i = 0; i < tensor->rank; i++)
        sa_buffer_addf(out, "%s%d", i ? ", " : "", tensor->shape[i]);
    sa_buffer_adds(out, "]");
}

/* Whether a tensor is no weight: a text, or the state of a training. */
static bool is_no_weight(const char *name, bool subwords) {
    static const char *const words[] = {"source.words", "target.words"};
    static const char *const merges[] = {"source.merges", "target.merges"};
    static const char *const state[] = {"optimizer.", "training.", "average."};
    for (int i = 0; i < 2; i++)
        if (strcmp(name, words[i]) == 0 || (subwords && strcmp(name, merges[i]) == 0)) return true;
    for (size_t i = 0; i < sizeof state / sizeof *state; i++)
        if (strncmp(name, state[i], strlen(state[i])) == 0) return true;
    return false;
}

static bool is_planned(const sa_params *plan, const char *name) {
    int i = 0;
    while (i < plan->count && strcmp(plan->item[i].name, name) != 0) i++;
    return i < plan->count;
}

/* Fails with a list of all tensors that are missing, unknown or of another shape. */
static bool check_shapes(const sa_container *file, const sa_params *plan, bool subwords,
                         sa_error *error) {
    sa_buffer list = {0};
    for (int i = 0; i < plan->count; i++) {
        const sa_tensor wanted = expected_tensor(&plan->item[i]);
        const sa_tensor *tensor = sa_container_find(file, plan->item[i].name);
        if (tensor && same_kind(tensor, &wanted)) continue;
        sa_buffer_addf(&list, "%s '%s' is ", list.size ? "," : "", plan->item[i].name);
        if (tensor) add_kind(tensor, &list);
        sa_buffer_adds(&list, tensor ? ", not " : "missing");
        if (tensor) add_kind(&wanted, &list);
    }
    for (size_t i = 0; i < file->count; i++)
        if (!is_no_weight(file->tensors[i].name, subwords) &&
            !is_planned(plan, file->tensors[i].name))
            sa_buffer_addf(&list, "%s '%s' is unknown", list.size ? "," : "",
                           file->tensors[i].name);
    bool good = !list.failed || sa_fail_memory(error, list.size);
    if (good && list.size)
        good = sa_fail(error, SA_DATA, "%s: tensors do not fit the settings:%s", file->name,
                       list.text);
    sa_buffer_release(&list);
    return good;
}

/* Whether all numbers are normal or zero, as in nearly every tensor; without a branch. Twice the
 * bits without the sign are 0, or from the least exponent to the greatest. */
SA_DISPATCHED static bool all_normal(const float *number, size_t size) {
    const uint32_t least = 0x01000000, infinite = 0xff000000;
    uint32_t smallest = UINT32_MAX, largest = 0; /* smallest: less 1, so that 0 is large */
    for (size_t k = 0; k < size; k++) {
        uint32_t bits;
        memcpy(&bits, &number[k], sizeof bits);
        const uint32_t twice = bits << 1, less = twice - 1;
        smallest = less < smallest ? less : smallest;
        largest = twice > largest ? twice : largest;
    }
    return smallest >= least - 1 && largest < infinite;
}

enum { NUMBERS_PER_TASK = 1 << 20 };

typedef struct number_check {
    const float *values;
    size_t size;
    atomic_bool odd; /* some number is neither normal nor zero */
} number_check;

static void check_part(void *context, int task) {
    number_check *all = context;
    const size_t from = (size_t)task * NUMBERS_PER_TASK, left = all->size - from;
    if (!all_normal(all->values + from, left < NUMBERS_PER_TASK ? left : NUMBERS_PER_TASK))
        atomic_store(&all->odd, true);
}

bool sa_model_numbers_normal(const void *piece, size_t size) {
    return all_normal(piece, size / sizeof(float));
}

/* The weights of a file that was opened with that check, in place. Pieces that they share with
 * other tensors are checked again. */
static bool all_normal_in_file(const sa_container *file, const float *values, size_t size) {
    const char *data = file->tensors[0].data;
    const size_t first = (size_t)((const char *)values - data), end = first + size * sizeof *values;
    for (size_t at = first, next; at < end; at = next) {
        const size_t piece = at / SA_CONTAINER_PIECE, behind = (piece + 1) * SA_CONTAINER_PIECE;
        next = behind < end ? behind : end;
        if (file->odd[piece] && !sa_model_numbers_normal(data + at, next - at)) return false;
    }
    return true;
}

/* Fails if a number is not finite. Sets denormals to zero: they slow products down a hundredfold.
 */
static bool check_numbers(const sa_container *file, const sa_params *plan, float *values,
                          sa_pool *pool, size_t *flushed, sa_error *error) {
    if (file->odd && !file->memory) { /* in place */
        if (all_normal_in_file(file, values, plan->size)) return true;
    } else {
        number_check all = {.values = values, .size = plan->size};
        const size_t tasks = (plan->size + NUMBERS_PER_TASK - 1) / NUMBERS_PER_TASK;
        sa_pool_run(pool, (int)tasks, check_part, &all);
        if (!atomic_load(&all.odd)) return true;
    }
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

static bool read_codecs(const sa_container *file, const sa_settings *settings,
                        sa_text_codec *source, sa_text_codec *target, sa_error *error) {
    *source = *target = (sa_text_codec){.tokenizer = &sa_tokenizers[settings->tokenizer],
                                        .lowercase = settings->lowercase};
    const char *marks = sa_container_metadata(file, "spaced_marks");
    target->spaced_marks = marks && strcmp(marks, "yes") == 0;
    if (!target->spaced_marks && (!marks || strcmp(marks, "no") != 0))
        return sa_fail(error, SA_DATA, "%s: metadata 'spaced_marks' must be yes or no", file->name);
    return read_merges(file, "source.merges", source, error) &&
           read_merges(file, "target.merges", target, error) &&
           read_words(file, "source.words", &source->vocab, error) &&
           read_words(file, "target.words", &target->vocab, error);
}

/* A shared embedding needs a shared vocabulary. */
static bool check_shared(const sa_container *file, const sa_settings *settings,
                         const sa_vocab *source, const sa_vocab *target, sa_error *error) {
    if (settings->tie != SA_TIE_THREE ||
        (source->blob_size == target->blob_size &&
         memcmp(source->blob, target->blob, source->blob_size) == 0))
        return true;
    return sa_fail(error, SA_DATA,
                   "%s: tensors 'source.words' and 'target.words' differ, but the settings share "
                   "one embedding (tie three-way)",
                   file->name);
}

/* ---- The whole ------------------------------------------------------------------------------- */

/* The weights in the file's memory, if they are aligned and in order there; NULL if not, or if most
 * of the file is a training's state. */
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
    sa_text_codec source = {0}, target = {0};
    sa_settings_init(&settings);
    *model = (sa_model){0};
    const char *text = sa_container_metadata(file, "settings");
    if (!text) return sa_fail(error, SA_DATA, "%s: no settings: not a model file", file->name);
    sa_error why;
    if (!sa_settings_read(&settings, text, file->name, error)) return false;
    if (!sa_settings_check(&settings, &why))
        return sa_fail(error, SA_DATA, "%s: settings: %s", file->name, why.text);
    settings.threads = threads;
    if (!read_codecs(file, &settings, &source, &target, error)) {
        sa_text_codec_release(&source), sa_text_codec_release(&target);
        return false;
    }
    /* The shapes are compared before anything of their size is allocated. */
    sa_sizes sizes =
        sa_sizes_of(&settings, sa_vocab_size(&source.vocab), sa_vocab_size(&target.vocab));
    sa_params plan;
    sa_seq2seq_plan(&sizes, &plan);
    if (!check_shared(file, &settings, &source.vocab, &target.vocab, error) ||
        !check_shapes(file, &plan, sa_tokenizers[settings.tokenizer].subword, error)) {
        sa_text_codec_release(&source), sa_text_codec_release(&target);
        return false;
    }
    float *weights = find_weights(file, &plan);
    if (!sa_model_init(model, &settings, &source, &target, weights, error)) return false;
    if (weights) {
        model->memory = file->memory;
        file->memory = NULL;
    }
    for (int i = 0; !weights && i < plan.count; i++)
        sa_tensor_copy(file, plan.item[i].name, SA_F32, sa_param_size(&plan.item[i]),
                       model->values + plan.item[i].offset, NULL);
    if (check_numbers(file, &plan, model->values, model->pool, &model->flushed, error)) return true;
    sa_model_release(model);
    return false;
}
