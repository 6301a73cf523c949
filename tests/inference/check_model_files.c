/* Model files that come from elsewhere: whatever is wrong in one is found, named, and refused
 * before anything is allocated for it. Small good files are made once; each test spoils copies of
 * them. */
#include "base/container.h"
#include "config/settings.h"
#include "support/malformed_parts.h"
#include "support/scratch.h"
#include "support/suite.h"
#include "tensor/blas.h"

#include <math.h>
#include <softalign.h>
#include <stdint.h>
#include <zlib.h>

/* ---- The largest piece of memory that was asked for -------------------------------------------
 */

static size_t largest;

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);

static void take(size_t size) {
    if (size > largest) largest = size;
}

void *__wrap_malloc(size_t size) {
    take(size);
    return __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size) {
    take(count * size);
    return __real_calloc(count, size);
}

void *__wrap_realloc(void *old, size_t size) {
    take(size);
    return __real_realloc(old, size);
}

/* ---- Good files -------------------------------------------------------------------------------
 */

/* A file of at most `ROOM` bytes. */
enum { ROOM = 1 << 15, LENGTH = 8 };
typedef struct image {
    unsigned char bytes[ROOM];
    size_t size;
} image;

static image good[GOOD_FILES];
static sa_error error;

static char notes[4096]; /* of the last training */

static void take_note(void *context, const sa_progress *progress) {
    (void)context;
    if (progress->kind != SA_PROGRESS_NOTE) return;
    strncat(notes, progress->note, sizeof notes - strlen(notes) - 1);
}

/* What a training is resumed with; all else is in its file. */
static bool train(const char *tokenizer, int average, bool resume) {
    sa_settings settings;
    sa_train_result outcome;
    sa_settings_init(&settings);
    settings.embed = 3, settings.hidden = settings.attn = 2, settings.maxout = 1;
    settings.shards = settings.threads = 1;
    settings.max_time = 0;
    settings.steps = 3;
    settings.average = average;
    ck_assert(sa_settings_set(&settings, "tokenizer", tokenizer, &error));
    const sa_train_options training = {.settings = &settings,
                                       .train = "train.tsv",
                                       .out = "out",
                                       .resume = resume,
                                       .report = take_note};
    *notes = 0;
    return sa_train(&training, &outcome, &error);
}

static size_t header_size(const image *file) {
    uint64_t size;
    memcpy(&size, file->bytes, sizeof size);
    return (size_t)size;
}

static void sign(image *file) {
    const uint32_t sum = (uint32_t)crc32(0, file->bytes, (uInt)file->size - 4);
    memcpy(file->bytes + file->size - 4, &sum, sizeof sum);
}

/* Where a text begins in the header. */
static size_t find(const image *file, const char *text) {
    const unsigned char *at = memmem(file->bytes + LENGTH, header_size(file), text, strlen(text));
    ck_assert_msg(at != NULL, "no %s", text);
    return (size_t)(at - file->bytes);
}

/* Replaces the first `part` of the header. */
static void alter(image *file, const char *part, const char *with) {
    const size_t at = find(file, part), from = at + strlen(part), to = at + strlen(with);
    memmove(file->bytes + to, file->bytes + from, file->size - from);
    memcpy(file->bytes + at, with, strlen(with));
    file->size += to - from;
    const uint64_t size = header_size(file) + to - from;
    memcpy(file->bytes, &size, sizeof size);
    sign(file);
}

/* On every kind of processor the same: its name stands before what messages count the bytes to. */
static void load(image *file, const char *path) {
    char core[64], *bytes = scratch_read(path, &file->size);
    ck_assert_uint_lt(file->size, ROOM);
    memcpy(file->bytes, bytes, file->size);
    free(bytes);
    snprintf(core, sizeof core, "\"core\":\"%s\"", sa_blas_core());
    alter(file, core, "\"core\":\"SkylakeX\"");
}

/* Once, in the folder that the tests work in. */
static void make_good_files(void) {
    static const char pairs[] = "ab a c\tx y\nab c\ty x\nab a\tx\nc ab a\ty\nc\tx y\n";
    scratch_make();
    ck_assert_int_eq(chdir(scratch), 0);
    scratch_write("train.tsv", pairs, sizeof pairs - 1);
    ck_assert_msg(train("bpe", 0, false), "%s", error.text);
    load(&good[PIECES], "out/best.safetensors");
    ck_assert_msg(train("word", 2, false), "%s", error.text);
    load(&good[STATE], "out/last.safetensors");
    ck_assert_msg(train("word", 0, false), "%s", error.text);
    load(&good[WORDS], "out/best.safetensors");
}

/* ---- Spoiled ones -----------------------------------------------------------------------------
 */

static image altered(malformed_of of, const char *part, const char *with) {
    image file = good[of];
    alter(&file, part, with);
    return file;
}

/* Replaces bytes of a tensor. */
static void put(image *file, const char *tensor, size_t at, const void *bytes, size_t size) {
    char name[64];
    snprintf(name, sizeof name, "\"%s\"", tensor);
    const char *place = strstr((char *)file->bytes + find(file, name), "\"data_offsets\":[");
    const size_t from = strtoul(strchr(place, '[') + 1, NULL, 10);
    at += LENGTH + header_size(file) + from;
    ck_assert_uint_le(at + size, file->size - 4);
    memcpy(file->bytes + at, bytes, size);
    sign(file);
}

static image overwritten(const malformed_data *row) {
    image file = good[row->of];
    put(&file, row->tensor, row->at, row->bytes, row->size);
    return file;
}

/* A model is read from the file that is named; a training is resumed with it. */
static bool is_taken(malformed_of of, const image *file) {
    scratch_write(of == STATE ? "out/last.safetensors" : "m", file->bytes, file->size);
    error = (sa_error){0};
    if (of == STATE) return train("word", 0, true);
    sa_model *model = sa_model_open("m", 1, &error);
    sa_model_close(model);
    return model;
}

/* Whether the file is refused with this message. The memory of a model is its own and the file's.
 */
static bool is_refused(malformed_of of, const image *file, const char *message) {
    enum { MOST = 1 << 17 };
    largest = 0;
    const bool taken = is_taken(of, file), modest = of == STATE || largest <= MOST;
    if (!taken && error.code == SA_DATA && strcmp(error.text, message) == 0 && modest) return true;
    printf("expected %s\n%s %s\n", message, taken ? "but the file was taken" : "got", error.text);
    if (!modest) printf("%zu bytes of memory were asked for\n", largest);
    return false;
}

#define COUNT(rows) (int)(sizeof(rows) / sizeof *(rows))

static int count_refused(const malformed_header *rows, int count) {
    int refused = 0;
    for (int i = 0; i < count; i++) {
        const image file = altered(rows[i].of, rows[i].part, rows[i].with);
        refused += is_refused(rows[i].of, &file, rows[i].message);
    }
    return refused;
}

START_TEST(malformed_files_are_refused) {
    int refused = count_refused(malformed_headers, COUNT(malformed_headers)) +
                  count_refused(malformed_settings, COUNT(malformed_settings));
    for (int i = 0; i < COUNT(malformed_tensors); i++) {
        const image file = overwritten(&malformed_tensors[i]);
        refused += is_refused(malformed_tensors[i].of, &file, malformed_tensors[i].message);
    }
    for (int i = 0; i < COUNT(malformed_files); i++) {
        image file = {.size = malformed_files[i].size};
        memcpy(file.bytes, malformed_files[i].bytes, file.size);
        refused += is_refused(WORDS, &file, malformed_files[i].message);
    }
    const int all = COUNT(malformed_headers) + COUNT(malformed_settings) +
                    COUNT(malformed_tensors) + COUNT(malformed_files);
    printf("malformed model files: %d/%d\n", refused, all);
    ck_assert_int_ge(all, 120);
    ck_assert_int_eq(refused, all);
}
END_TEST

/* ---- Every setting ----------------------------------------------------------------------------
 */

/* Where the value of a key begins in the settings, and its length. */
static const char *value_of(const image *file, const char *name, size_t *size) {
    char key[64];
    snprintf(key, sizeof key, "\\\"%s\\\": ", name);
    const char *value = (const char *)file->bytes + find(file, key) + strlen(key);
    *size = strcspn(value, ",}");
    return value;
}

/* A value that is none of the row's. */
static const char *beyond(const sa_option *row, bool above, char *text, size_t room) {
    const double edge = above ? row->most : row->least;
    if (row->kind == SA_OPTION_CHOICE) return above ? "\\\"evil\\\"" : "\\\"\\\"";
    if (row->kind == SA_OPTION_SWITCH) return above ? "1" : "\\\"yes\\\"";
    const double outside = edge + (above ? 1 : -1) * (fabs(edge) > 1 ? fabs(edge) : 1);
    snprintf(text, room, row->kind == SA_OPTION_REAL ? "%.17g" : "%.0f", outside);
    return text;
}

START_TEST(every_setting_is_checked) {
    static const char *const wrong[] = {"null", "[]", "\\\"\\\\u0001\\\"", NULL, NULL};
    enum { BELOW = 3, ABOVE = 4 };
    for (const sa_option *row = sa_settings_options; row->name; row++) {
        if (row->scope == SA_SCOPE_RUN) continue;
        char old[160], with[160], number[64], expected[64];
        size_t size;
        const char *value = value_of(&good[WORDS], row->name, &size);
        snprintf(expected, sizeof expected, "settings: '%s' must be ", row->name);
        for (int i = 0; i < COUNT(wrong); i++) {
            snprintf(old, sizeof old, "\\\"%s\\\": %.*s", row->name, (int)size, value);
            snprintf(with, sizeof with, "\\\"%s\\\": %s", row->name,
                     i < BELOW ? wrong[i] : beyond(row, i == ABOVE, number, sizeof number));
            const image file = altered(WORDS, old, with);
            ck_assert_msg(!is_taken(WORDS, &file), "%s", with);
            ck_assert_int_eq(error.code, SA_DATA);
            ck_assert_msg(strstr(error.text, i == 1 ? "nested too deeply" : expected) != NULL,
                          "%s: %s", with, error.text);
        }
        snprintf(with, sizeof with, "\\\"no-%s\\\": %.*s", row->name, (int)size, value);
        const image file = altered(WORDS, old, with);
        ck_assert(!is_taken(WORDS, &file));
        snprintf(expected, sizeof expected, "m: settings: unknown key 'no-%s'", row->name);
        ck_assert_str_eq(error.text, expected);
    }
}
END_TEST

/* ---- Damage -----------------------------------------------------------------------------------
 */

START_TEST(every_truncation_is_found) {
    const size_t whole = good[WORDS].size;
    scratch_write("m", good[WORDS].bytes, whole);
    for (size_t size = whole; size-- > 0;) {
        ck_assert_int_eq(truncate("m", (off_t)size), 0);
        ck_assert_msg(!sa_model_open("m", 1, &error), "%zu bytes", size);
        ck_assert_int_eq(error.code, SA_DATA);
        ck_assert_msg(strstr(error.text, "truncated") != NULL, "%zu bytes: %s", size, error.text);
    }
    printf("truncations detected: %zu/%zu\n", whole, whole);
}
END_TEST

START_TEST(every_flipped_bit_is_found) {
    const size_t bits = 8 * good[WORDS].size;
    scratch_write("m", good[WORDS].bytes, good[WORDS].size);
    const int fd = open("m", O_WRONLY);
    for (size_t bit = 0; bit < bits; bit++) {
        const unsigned char byte = good[WORDS].bytes[bit / 8];
        const unsigned char flipped = (unsigned char)(byte ^ 1 << bit % 8);
        ck_assert_int_eq(pwrite(fd, &flipped, 1, (off_t)(bit / 8)), 1);
        ck_assert_msg(!sa_model_open("m", 1, &error), "bit %zu", bit);
        ck_assert_int_eq(error.code, SA_DATA);
        ck_assert_int_eq(pwrite(fd, &byte, 1, (off_t)(bit / 8)), 1);
    }
    close(fd);
    sa_model *model = sa_model_open("m", 1, &error);
    ck_assert_msg(model != NULL, "%s", error.text);
    sa_model_close(model);
    printf("flipped bits detected: %zu/%zu\n", bits, bits);
}
END_TEST

/* One bit of every byte, and the checksum made right again: what is taken can be used. */
START_TEST(a_right_checksum_is_not_believed) {
    const char *const text = "ab a c";
    sa_search search;
    sa_search_init(&search);
    for (size_t at = 0; at < good[PIECES].size - 4; at++) {
        image file = good[PIECES];
        file.bytes[at] ^= (unsigned char)(1 << at % 8);
        sign(&file);
        scratch_write("m", file.bytes, file.size);
        sa_model *model = sa_model_open("m", 1, &error);
        sa_translation out = {0};
        if (!model) ck_assert_msg(error.code == SA_DATA, "byte %zu: %s", at, error.text);
        if (model && !sa_translate(model, &text, 1, &search, &out, &error))
            ck_assert_msg(error.code == SA_DIVERGED, "byte %zu: %s", at, error.text);
        sa_translations_release(&out, 1);
        sa_model_close(model);
    }
}
END_TEST

START_TEST(denormal_weights_become_zero) {
    static const malformed_data tiny = {WORDS, "source.E", 4, BYTES("\1\0\0\0\xff\xff\x7f\x80"),
                                        ""};
    const image file = overwritten(&tiny);
    scratch_write("m", file.bytes, file.size);
    sa_model *model = sa_model_open("m", 1, &error);
    ck_assert_msg(model != NULL, "%s", error.text);
    ck_assert_uint_eq(sa_model_denormals(model), 2);
    sa_model_close(model);
}
END_TEST

/* Every search ends with the one message, whatever numbers come out of such weights. */
START_TEST(huge_weights_diverge) {
    static const char *const names[] = {"readout.W_o", "readout.U_o", "target.E", "decoder.C"};
    const char *const text = "ab a c";
    const float huge = 3e38f;
    image file = good[WORDS];
    for (int i = 0; i < COUNT(names); i++)
        for (size_t at = 0; at < 4; at++) put(&file, names[i], 4 * at, &huge, sizeof huge);
    scratch_write("m", file.bytes, file.size);
    sa_model *model = sa_model_open("m", 1, &error);
    ck_assert_msg(model != NULL, "%s", error.text);
    for (int way = 0; way < 3; way++) {
        sa_search search;
        sa_translation out = {0};
        sa_search_init(&search);
        search.beam = way == 1 ? 4 : 1;
        search.sample = way == 2;
        ck_assert(!sa_translate(model, &text, 1, &search, &out, &error));
        ck_assert_int_eq(error.code, SA_DIVERGED);
    }
    sa_model_close(model);
}
END_TEST

/* The last bits may differ, and that is said. */
START_TEST(another_processor_is_told_of) {
    ck_assert_msg(train("word", 2, false), "%s", error.text);
    const image file = altered(STATE, "\"core\":\"", "\"core\":\"No");
    ck_assert_msg(is_taken(STATE, &file), "%s", error.text);
    ck_assert_msg(strstr(notes, "was trained on another kind of processor (No") != NULL, "%s",
                  notes);
}
END_TEST

START_TEST(a_lost_best_model_is_made_anew) {
    ck_assert_msg(train("word", 2, false), "%s", error.text);
    ck_assert_int_eq(unlink("out/best.safetensors"), 0);
    ck_assert_msg(train("word", 2, true), "%s", error.text);
    ck_assert_msg(strstr(notes, "the best model is lost: cannot open 'out/best.safetensors'") !=
                      NULL,
                  "%s", notes);
    ck_assert_int_eq(access("out/best.safetensors", R_OK), 0);
}
END_TEST

int main(void) {
    TCase *tests;
    Suite *suite = suite_of("model_files", &tests);
    tcase_add_unchecked_fixture(tests, make_good_files, scratch_remove);
    tcase_set_timeout(tests, 60);
    tcase_add_test(tests, malformed_files_are_refused);
    tcase_add_test(tests, every_setting_is_checked);
    tcase_add_test(tests, every_truncation_is_found);
    tcase_add_test(tests, every_flipped_bit_is_found);
    tcase_add_test(tests, a_right_checksum_is_not_believed);
    tcase_add_test(tests, denormal_weights_become_zero);
    tcase_add_test(tests, huge_weights_diverge);
    tcase_add_test(tests, another_processor_is_told_of);
    tcase_add_test(tests, a_lost_best_model_is_made_anew);
    return suite_run(suite);
}
