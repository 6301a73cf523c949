/* Model files. The input is one with any checksum. Reading it takes at most a second of CPU time
 * and 16 MiB beside the file's size; a model that was read survives writing and reading. */
#include "model_file.h"

#include <jansson.h>
#include <malloc.h>
#include <math.h>
#include <time.h>

enum { MOST = 1 << 16, MOST_MEMORY = 16 << 20 };

/* ---- Memory in use --------------------------------------------------------------------------- */

static long long in_use, at_most;

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
void __real_free(void *old);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);
void __wrap_free(void *old);

static void *take(void *place) {
    in_use += place ? (long long)malloc_usable_size(place) : 0;
    if (in_use > at_most) at_most = in_use;
    return place;
}

void *__wrap_malloc(size_t size) {
    return take(__real_malloc(size));
}

void *__wrap_calloc(size_t count, size_t size) {
    return take(__real_calloc(count, size));
}

void __wrap_free(void *old) {
    in_use -= old ? (long long)malloc_usable_size(old) : 0;
    __real_free(old);
}

void *__wrap_realloc(void *old, size_t size) {
    const long long before = old ? (long long)malloc_usable_size(old) : 0;
    void *place = __real_realloc(old, size);
    if (place) in_use -= before;
    return take(place);
}

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* ---- Reading and writing --------------------------------------------------------------------- */

static bool same_words(const sa_text_codec *one, const sa_text_codec *other) {
    return one->vocab.text.size == other->vocab.text.size &&
           memcmp(one->vocab.text.text, other->vocab.text.text, one->vocab.text.size) == 0 &&
           sa_text_codec_equal(one, other);
}

static void expect_same(const sa_model *one, const sa_model *other) {
    ck_assert(!sa_settings_find_difference(&one->settings, &other->settings));
    ck_assert(same_words(&one->source, &other->source));
    ck_assert(same_words(&one->target, &other->target));
    ck_assert_uint_eq(one->plan.size, other->plan.size);
    ck_assert_mem_eq(one->values, other->values, one->plan.size * sizeof *one->values);
}

/* The bytes of a model's file. */
static sa_file write_down(const sa_model *model) {
    sa_file file;
    sa_error error = {0};
    ck_assert_msg(sa_model_write(model, fuzz_scratch(), NULL, 0, &error), "%s", error.text);
    ck_assert(sa_file_read(&file, fuzz_scratch(), SA_FILE_LIMIT, NULL));
    unlink(fuzz_scratch());
    return file;
}

static void write_again(const sa_model *model) {
    sa_file once = write_down(model);
    sa_error error = {0};
    sa_model *again = sa_model_open(fuzz_file(1, once.data, once.size), 1, &error);
    ck_assert_msg(again != NULL, "%s", error.text);
    expect_same(model, again);
    sa_file twice = write_down(again);
    ck_assert_uint_eq(twice.size, once.size);
    ck_assert_mem_eq(twice.data, once.data, once.size);
    sa_file_release(&once), sa_file_release(&twice);
    sa_model_close(again);
}

static void expect_numbers(const sa_model *model) {
    for (size_t i = 0; i < model->plan.size; i++) {
        const int kind = fpclassify(model->values[i]);
        ck_assert(kind == FP_NORMAL || kind == FP_ZERO);
    }
    ck_assert_uint_le(model->flushed, model->plan.size);
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t capacity, unsigned seed) {
    return model_mutate(data, size, capacity, seed);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size > MOST) return 0;
    json_set_alloc_funcs(malloc, free);
    char *bytes = fuzz_copy(fuzz_input_of(data, size));
    model_sign(bytes, size);
    const char *path = fuzz_file(0, bytes, size);
    free(bytes);
    sa_error error = {0};
    const long long before = at_most = in_use;
    const double begin = seconds();
    sa_model *model = sa_model_open(path, 1, &error);
    ck_assert_double_le(seconds() - begin, 1);
    ck_assert_int_le(at_most - before, (long long)size + MOST_MEMORY);
    if (model) {
        expect_numbers(model);
        write_again(model);
    } else {
        fuzz_expect_error(&error, SA_DATA, SA_LIMIT);
    }
    sa_model_close(model);
    ck_assert_int_eq(in_use, before);
    return 0;
}
