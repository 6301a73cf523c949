/* Damaged and malicious model files: each fault is found and named before memory of the claimed
 * size is allocated. Every test damages copies of small good files. */
#include "base/container.h"
#include "config/settings.h"
#include "inference/model.h"
#include "support/malformed_parts.h"
#include "support/model_image.h"
#include "support/scratch.h"
#include "support/suite.h"

#include <math.h>
#include <softalign/lab.h>
#include <stdint.h>
#include <zlib.h>

/* ---- The largest allocation -------------------------------------------
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

/* ---- Spoiled ones -----------------------------------------------------------------------------
 */

/* A model is read from the file that is named; a training is resumed with it. */
static bool is_taken(malformed_of of, const image *file) {
    scratch_write(of == STATE ? "out/last.safetensors" : "m", file->bytes, file->size);
    error = (sa_error){0};
    if (of == STATE) return train("word", 2, true);
    sa_model *model = sa_model_open("m", 1, &error);
    sa_model_close(model);
    return model;
}

/* Whether the file is refused with this message. The memory of a model is its own and the file's.
 */
static bool is_refused(malformed_of of, const image *file, const char *message) {
    enum { MOST = sizeof(sa_model) + (1 << 12) };
    largest = 0;
    const bool taken = is_taken(of, file), modest = of == STATE || largest <= MOST;
    if (!taken && error.code == SA_DATA && strcmp(error.text, message) == 0 && modest) return true;
    printf("expected %s\n%s %s\n", message, taken ? "but the file was taken" : "got", error.text);
    if (!modest) printf("%zu bytes of memory were asked for\n", largest);
    return false;
}

#define COUNT(rows) (int)(sizeof(rows) / sizeof *(rows))

/* The byte where the part that a row replaces begins, counted as the message counts: in the header,
 * or in the settings, which stand there as a string with a backslash before each quote. */
static size_t position(const malformed_header *row) {
    static const char settings[] = "\"settings\":\"";
    const image *file = &good[row->of];
    size_t at = find(file, row->part) - LENGTH;
    if (!strstr(row->message, "settings:")) return at;
    const size_t start = find(file, settings) - LENGTH + sizeof settings - 1;
    size_t escapes = 0;
    for (size_t i = start; i < at; i++) escapes += file->bytes[LENGTH + i] == '\\';
    return at - start - escapes;
}

/* The message of a row; "byte +N" counts from the part that is replaced. */
static const char *message_of(const malformed_header *row, char *text, size_t capacity) {
    const char *sign = strstr(row->message, " byte +");
    if (!sign) return row->message;
    snprintf(text, capacity, "%.*s byte %zu", (int)(sign - row->message), row->message,
             position(row) + strtoul(sign + strlen(" byte +"), NULL, 10));
    return text;
}

static int count_refused(const malformed_header *rows, int count) {
    int refused = 0;
    for (int i = 0; i < count; i++) {
        char message[256];
        const image file = altered(rows[i].of, rows[i].part, rows[i].with);
        refused += is_refused(rows[i].of, &file, message_of(&rows[i], message, sizeof message));
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

/* One embedding for both sides needs the same words on both. */
START_TEST(a_shared_embedding_has_shared_words) {
    image file = altered(WORDS, KEY("tie") VALUE("none"), KEY("tie") VALUE("three-way"));
    alter(&file, KEY("maxout") "1", KEY("maxout") "3");
    ck_assert(is_refused(WORDS, &file,
                         "m: tensors 'source.words' and 'target.words' differ, but the settings "
                         "share one embedding (tie three-way)"));
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
static const char *beyond(const sa_option *row, bool above, char *text, size_t capacity) {
    const double edge = above ? row->max : row->min;
    if (row->kind == SA_OPTION_CHOICE) return above ? "\\\"evil\\\"" : "\\\"\\\"";
    if (row->kind == SA_OPTION_SWITCH) return above ? "1" : "\\\"yes\\\"";
    const double outside = edge + (above ? 1 : -1) * (fabs(edge) > 1 ? 2 * fabs(edge) : 1);
    snprintf(text, capacity, row->kind == SA_OPTION_REAL ? "%.17g" : "%.0f", outside);
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

/* ---- Files of earlier programs ---------------------------------------------------------------
 */

/* Renamed options and choices stand in such a file under their earlier names, and options that came
 * later are absent. */
START_TEST(earlier_files_open) {
    static const char *const rows[][2] = {
        {KEY("decoder-init") VALUE("auto"), KEY("start") VALUE("auto")},
        {KEY("value-size") "0", KEY("values") "0"},
        {KEY("readout-state") VALUE("auto"), KEY("readout") VALUE("auto")},
        {KEY("window") VALUE("none"), KEY("window") VALUE("monotone")},
        {KEY("cell-norm") "false, ", ""},
        {KEY("average") "0, ", ""},
    };
    image all = good[WORDS];
    for (int i = 0; i < COUNT(rows); i++) {
        const image file = altered(WORDS, rows[i][0], rows[i][1]);
        ck_assert_msg(is_taken(WORDS, &file), "%s: %s", rows[i][1], error.text);
        alter(&all, rows[i][0], rows[i][1]);
    }
    ck_assert_msg(is_taken(WORDS, &all), "%s", error.text);
    const image file = altered(WORDS, KEY("value-size") "0", KEY("values") "-1");
    ck_assert(
        is_refused(WORDS, &file, "m: settings: 'values' must be a whole number from 0 to 8192"));
}
END_TEST

/* Of 2026-11: numbers that heads learn (log_h, sink, b_f) are vectors in files. */
START_TEST(a_file_with_constants_opens) {
    sa_container file;
    const char *const path = TEST_ROOT "/tests/golden/constants.safetensors";
    sa_model *model = sa_model_open(path, 1, &error);
    ck_assert_msg(model != NULL, "%s", error.text);
    sa_model_close(model);
    ck_assert_msg(sa_container_open(&file, path, 1, NULL, &error), "%s", error.text);
    static const char *const names[] = {"encoder.1.self.log_h", "decoder.1.cross.sink",
                                        "decoder.1.self.b_f"};
    for (int i = 0; i < COUNT(names); i++) {
        const sa_tensor *tensor = sa_container_find(&file, names[i]);
        ck_assert_msg(tensor != NULL, "no %s", names[i]);
        ck_assert(tensor->rank == 1 && tensor->shape[0] == 2);
    }
    sa_container_close(&file);
}
END_TEST

/* Those of 0.1.0 have no table of spaces, which tokenizers that keep spaces never need. */
START_TEST(early_models_are_told_from_others) {
    static const struct {
        const char *path;
        bool early;
    } cases[] = {{TEST_ROOT "/tests/golden/early-words.safetensors", true},
                 {"m", false},
                 {"out/best.safetensors", false}};
    scratch_write("m", good[WORDS].bytes, good[WORDS].size);
    ck_assert_msg(train("space", 0, false), "%s", error.text);
    for (int i = 0; i < COUNT(cases); i++) {
        sa_model *model = sa_model_open(cases[i].path, 1, &error);
        ck_assert_msg(model != NULL, "%s", error.text);
        ck_assert_msg(sa_model_is_early(model) == cases[i].early, "%s", cases[i].path);
        sa_model_close(model);
    }
}
END_TEST

/* ---- Damage -----------------------------------------------------------------------------------
 */

/* Under the sanitizers a sample of the sizes, and one bit of nearly every byte. */
enum { CUT = TEST_SANITIZED ? 7 : 1, FLIP = TEST_SANITIZED ? 37 : 1 };

START_TEST(every_truncation_is_found) {
    const size_t whole = good[WORDS].size;
    scratch_write("m", good[WORDS].bytes, whole);
    for (size_t size = whole; size-- > 0;) {
        if (size % CUT) continue;
        ck_assert_int_eq(truncate("m", (off_t)size), 0);
        ck_assert_msg(!sa_model_open("m", 1, &error), "%zu bytes", size);
        ck_assert_int_eq(error.code, SA_DATA);
        ck_assert_msg(strstr(error.text, "truncated") != NULL, "%zu bytes: %s", size, error.text);
    }
    printf("truncations detected: %zu/%zu\n", (whole + CUT - 1) / CUT, (whole + CUT - 1) / CUT);
}
END_TEST

START_TEST(every_flipped_bit_is_found) {
    const size_t bits = 8 * good[WORDS].size, flips = (bits + FLIP - 1) / FLIP;
    scratch_write("m", good[WORDS].bytes, good[WORDS].size);
    const int fd = open("m", O_WRONLY);
    for (size_t bit = 0; bit < bits; bit += FLIP) {
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
    printf("flipped bits detected: %zu/%zu\n", flips, flips);
}
END_TEST

/* One bit of every byte, and the checksum made right again: what is taken can be used. */
START_TEST(a_right_checksum_is_not_believed) {
    const char *const text = "ab a c";
    sa_search search;
    sa_search_init(&search);
    for (size_t at = 0; at < good[SUBWORDS].size - 4; at++) {
        image file = good[SUBWORDS];
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
    tcase_add_test(tests, a_shared_embedding_has_shared_words);
    tcase_add_test(tests, every_setting_is_checked);
    tcase_add_test(tests, earlier_files_open);
    tcase_add_test(tests, a_file_with_constants_opens);
    tcase_add_test(tests, early_models_are_told_from_others);
    tcase_add_test(tests, every_truncation_is_found);
    tcase_add_test(tests, every_flipped_bit_is_found);
    tcase_add_test(tests, a_right_checksum_is_not_believed);
    tcase_add_test(tests, denormal_weights_become_zero);
    tcase_add_test(tests, huge_weights_diverge);
    tcase_add_test(tests, another_processor_is_told_of);
    tcase_add_test(tests, a_lost_best_model_is_made_anew);
    return suite_run(suite);
}
