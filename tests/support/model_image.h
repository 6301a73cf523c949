/* model_image: small model files in memory, made once by training, and copies of them that are
 * changed in one place and get a right checksum again. */
#ifndef TEST_MODEL_IMAGE_H
#define TEST_MODEL_IMAGE_H

#include "support/malformed.h"
#include "support/scratch.h"

#include <softalign/lab.h>
#include <stdint.h>
#include <zlib.h>

/* A file of at most `CAPACITY` bytes. */
enum { CAPACITY = 1 << 15, LENGTH = 8 };
typedef struct image {
    unsigned char bytes[CAPACITY];
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
                                       .overwrite = !resume,
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

static void load(image *file, const char *path) {
    char *bytes = scratch_read(path, &file->size);
    ck_assert_uint_lt(file->size, CAPACITY);
    memcpy(file->bytes, bytes, file->size);
    free(bytes);
}

/* Once, in the folder that the tests work in. */
static void make_good_files(void) {
    static const char pairs[] = "ab a c\tx y\nab c\ty x\nab a\tx\nc ab a\ty\nc\tx y\n";
    scratch_make();
    ck_assert_int_eq(chdir(scratch), 0);
    scratch_write("train.tsv", pairs, sizeof pairs - 1);
    ck_assert_msg(train("bpe", 0, false), "%s", error.text);
    load(&good[SUBWORDS], "out/best.safetensors");
    ck_assert_msg(train("word", 2, false), "%s", error.text);
    load(&good[STATE], "out/last.safetensors");
    ck_assert_msg(train("word", 0, false), "%s", error.text);
    load(&good[WORDS], "out/best.safetensors");
}

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

#endif
