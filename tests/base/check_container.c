#include "base/container.h"
#include "support/scratch.h"

#include <stdint.h>

/* ---- Files built by hand --------------------------------------------------------------------- */

typedef struct image {
    unsigned char bytes[8192];
    size_t size;
} image;

/* CRC-32 bit by bit, from its definition. */
static uint32_t crc(const unsigned char *bytes, size_t size) {
    uint32_t sum = 0xffffffff;
    for (size_t i = 0; i < 8 * size; i++) {
        bool bit = (sum ^ (uint32_t)(bytes[i / 8] >> i % 8)) & 1;
        sum = sum >> 1 ^ (bit ? 0xedb88320 : 0);
    }
    return ~sum;
}

/* A header and data whose last four bytes are the checksum of all before them. */
static image make(const char *header, const char *data, size_t data_size) {
    image file = {.size = 8 + strlen(header) + data_size};
    ck_assert_uint_le(file.size, sizeof file.bytes);
    for (int i = 0; i < 8; i++) file.bytes[i] = (unsigned char)(strlen(header) >> 8 * i);
    memcpy(file.bytes + 8, header, strlen(header));
    memcpy(file.bytes + 8 + strlen(header), data, data_size);
    uint32_t sum = crc(file.bytes, file.size - 4);
    for (int i = 0; i < 4; i++) file.bytes[file.size - 4 + i] = (unsigned char)(sum >> 8 * i);
    return file;
}

#define OURS "\"__metadata__\":{\"format\":\"softalign\",\"version\":\"1\"}"
#define CHECKSUM(from, to)                                                                         \
    ",\"checksum\":{\"dtype\":\"U8\",\"shape\":[4],\"data_offsets\":[" #from "," #to "]}}"

static void expect_refused(const void *bytes, size_t size, const char *text) {
    sa_error error;
    sa_container container;
    bool good = sa_container_read(&container, "m", bytes, size, &error);
    ck_assert_msg(!good, "taken, not refused: %s", text);
    ck_assert_str_eq(error.text, text);
    ck_assert_int_eq(error.code, SA_DATA);
    ck_assert_ptr_null(container.tensors);
}

/* ---- Writing --------------------------------------------------------------------------------- */

static const float w[] = {1, -2, 0.5f, 3, 4, 5};
static const int64_t step[] = {-7};
static const sa_tensor tensors[] = {
    {"text", SA_U8, 1, {3}, "a\nb", 0},
    {"W", SA_F32, 2, {2, 3}, w, 0},
    {"step", SA_I64, 1, {1}, step, 0},
};
static const sa_metadata texts[] = {{"settings", "{\"lr\": 1}\n"}, {"note", "é"}};

static void write_sample(void) {
    sa_error error;
    ck_assert(sa_container_write(scratch_path("m"), tensors, 3, texts, 2, &error));
}

START_TEST(test_layout) {
    static const char header[] =
        "{\"__metadata__\":{\"format\":\"softalign\",\"version\":\"1\","
        "\"settings\":\"{\\\"lr\\\": 1}\\n\",\"note\":\"é\"},"
        "\"step\":{\"dtype\":\"I64\",\"shape\":[1],\"data_offsets\":[0,8]},"
        "\"W\":{\"dtype\":\"F32\",\"shape\":[2,3],\"data_offsets\":[8,32]},"
        "\"text\":{\"dtype\":\"U8\",\"shape\":[3],\"data_offsets\":[32,35]},"
        "\"checksum\":{\"dtype\":\"U8\",\"shape\":[4],\"data_offsets\":[35,39]}}      ";
    static const char data[] =
        "\xf9\xff\xff\xff\xff\xff\xff\xff"
        "\0\0\x80\x3f\0\0\0\xc0\0\0\0\x3f\0\0\x40\x40\0\0\x80\x40\0\0\xa0\x40"
        "a\nb....";
    ck_assert_uint_eq((sizeof header - 1) % 8, 0);
    image wanted = make(header, data, sizeof data - 1);
    write_sample();
    size_t size;
    char *bytes = scratch_read(scratch_path("m"), &size);
    ck_assert_uint_eq(size, wanted.size);
    ck_assert_mem_eq(bytes, wanted.bytes, size);
    free(bytes);
}
END_TEST

START_TEST(test_round_trip) {
    sa_error error;
    sa_container container;
    write_sample();
    ck_assert(sa_container_open(&container, scratch_path("m"), 1, NULL, &error));
    ck_assert_uint_eq(container.count, 3);
    ck_assert_str_eq(container.tensors[0].name, "step");
    const sa_tensor *tensor = sa_container_find(&container, "W");
    ck_assert_int_eq(tensor->type, SA_F32);
    ck_assert_int_eq(tensor->rank, 2);
    ck_assert_int_eq(tensor->shape[0], 2);
    ck_assert_int_eq(tensor->shape[1], 3);
    ck_assert_uint_eq(tensor->size, sizeof w);
    ck_assert_mem_eq(tensor->data, w, sizeof w);
    ck_assert_mem_eq(sa_container_find(&container, "text")->data, "a\nb", 3);
    ck_assert_ptr_null(sa_container_find(&container, "checksum"));
    ck_assert_str_eq(sa_container_metadata(&container, "settings"), "{\"lr\": 1}\n");
    ck_assert_str_eq(sa_container_metadata(&container, "note"), "é");
    ck_assert_ptr_null(sa_container_metadata(&container, "absent"));
    /* a file that was read is written again with the same bytes */
    ck_assert(sa_container_write(scratch_path("again"), container.tensors, 3, texts, 2, &error));
    sa_container_close(&container);
    size_t size, again_size;
    char *bytes = scratch_read(scratch_path("m"), &size);
    char *again = scratch_read(scratch_path("again"), &again_size);
    ck_assert_uint_eq(size, again_size);
    ck_assert_mem_eq(bytes, again, size);
    free(bytes);
    free(again);
}
END_TEST

START_TEST(test_write_refuses) {
    sa_error error;
    sa_tensor empty = {"x", SA_F32, 2, {3, 0}, w, 0};
    ck_assert(!sa_container_write("m", &empty, 1, NULL, 0, &error));
    ck_assert_int_eq(error.code, SA_DATA);
    ck_assert_str_eq(error.text, "m: tensor 'x': shape: dimension 2 is 0, must be at least 1");

    sa_tensor large = {"x", SA_U8, 2, {65535, 65537}, w, 0}; /* with its header above 2^32 bytes */
    ck_assert(!sa_container_write("m", &large, 1, NULL, 0, &error));
    ck_assert_int_eq(error.code, SA_LIMIT);
    ck_assert_str_eq(error.text, "m: would be larger than 4294967296 bytes");

    sa_tensor *many = calloc(SA_CONTAINER_MAX_TENSORS, sizeof *many);
    for (int i = 0; i < SA_CONTAINER_MAX_TENSORS; i++)
        many[i] = (sa_tensor){"x", SA_U8, 1, {1}, w, 0};
    ck_assert(!sa_container_write("m", many, SA_CONTAINER_MAX_TENSORS, NULL, 0, &error));
    ck_assert_int_eq(error.code, SA_LIMIT);
    free(many);

    char *value = calloc(1, SA_CONTAINER_MAX_HEADER + 1);
    memset(value, 'x', SA_CONTAINER_MAX_HEADER);
    ck_assert(!sa_container_write("m", tensors, 3, &(sa_metadata){"key", value}, 1, &error));
    ck_assert_int_eq(error.code, SA_LIMIT);
    free(value);
    ck_assert_int_eq(access("m", F_OK), -1);
}
END_TEST

/* The longest header that can be written can be read. */
START_TEST(test_longest_header) {
    sa_error error;
    sa_container container;
    size_t size;
    uint64_t length;
    char *value = calloc(1, SA_CONTAINER_MAX_HEADER + 1);
    const sa_metadata text = {"key", value};
    const char *path = scratch_path("m");
    ck_assert(sa_container_write(path, tensors, 3, &text, 1, &error));
    char *bytes = scratch_read(path, &size);
    memcpy(&length, bytes, 8);
    free(bytes);
    const size_t left = SA_CONTAINER_MAX_HEADER - length; /* padding stays as it was */
    memset(value, 'x', left);
    ck_assert_msg(sa_container_write(path, tensors, 3, &text, 1, &error), "%s", error.text);
    ck_assert_msg(sa_container_open(&container, path, 1, NULL, &error), "%s", error.text);
    ck_assert_str_eq(sa_container_metadata(&container, "key"), value);
    ck_assert_uint_eq(container.size, size + left);
    sa_container_close(&container);
    memset(value, 'x', left + 8);
    ck_assert(!sa_container_write(path, tensors, 3, &text, 1, &error));
    ck_assert_int_eq(error.code, SA_LIMIT);
    free(value);
}
END_TEST

/* As many as may stand in a header beside the metadata and the checksum. */
START_TEST(test_many_tensors) {
    enum { MANY = SA_CONTAINER_MAX_TENSORS - 2 };
    static char names[MANY][16];
    static sa_tensor many[MANY];
    sa_error error;
    sa_container container;
    for (int i = 0; i < MANY; i++) {
        snprintf(names[i], sizeof names[i], "%d", i);
        many[i] = (sa_tensor){names[i], SA_U8, 1, {1}, "x", 0};
    }
    ck_assert(sa_container_write(scratch_path("m"), many, MANY, NULL, 0, &error));
    ck_assert_msg(sa_container_open(&container, scratch_path("m"), 1, NULL, &error), "%s",
                  error.text);
    ck_assert_uint_eq(container.count, MANY);
    ck_assert_str_eq(container.tensors[MANY - 1].name, names[MANY - 1]);
    sa_container_close(&container);
}
END_TEST

/* ---- Damage ---------------------------------------------------------------------------------- */

START_TEST(test_every_truncation_and_flip) {
    write_sample();
    size_t size;
    char *bytes = scratch_read(scratch_path("m"), &size);
    sa_error error;
    sa_container container;
    for (size_t length = 0; length < size; length++) {
        char *part = malloc(length ? length : 1); /* separate, so that a sanitizer sees the end */
        memcpy(part, bytes, length);
        ck_assert_msg(!sa_container_read(&container, "m", part, length, &error), "length %zu",
                      length);
        ck_assert_int_eq(error.code, SA_DATA);
        ck_assert_ptr_nonnull(strstr(error.text, "m: truncated: "));
        free(part);
    }
    for (size_t bit = 0; bit < 8 * size; bit++) {
        bytes[bit / 8] ^= (char)(1 << bit % 8);
        ck_assert_msg(!sa_container_read(&container, "m", bytes, size, &error), "bit %zu", bit);
        ck_assert_int_eq(error.code, SA_DATA);
        bytes[bit / 8] ^= (char)(1 << bit % 8);
    }
    ck_assert(sa_container_read(&container, "m", bytes, size, &error));
    sa_container_close(&container);
    bytes[size - 1] ^= 1;
    ck_assert(!sa_container_read(&container, "m", bytes, size, &error));
    ck_assert_ptr_nonnull(strstr(error.text, "m: damaged: its bytes give checksum "));
    free(bytes);
}
END_TEST

START_TEST(test_unaligned) {
    sa_error error;
    sa_container container;
    image file = make(
        "{" OURS ",\"x\":{\"dtype\":\"F64\",\"shape\":[1],\"data_offsets\":[0,8]}" CHECKSUM(8, 12),
        "\0\0\0\0\0\0\xf0\x3f....", 12);
    double x;
    for (size_t shift = 0; shift < 8; shift++) {
        char *moved = malloc(file.size + shift);
        memcpy(moved + shift, file.bytes, file.size);
        ck_assert(sa_container_read(&container, "m", moved + shift, file.size, &error));
        memcpy(&x, sa_container_find(&container, "x")->data, sizeof x);
        ck_assert(x == 1);
        sa_container_close(&container);
        free(moved);
    }
}
END_TEST

/* ---- Headers that lie ------------------------------------------------------------------------ */

#define X "{" OURS ",\"x\":"
#define SIZED(shape, offsets)                                                                      \
    X "{\"dtype\":\"F32\",\"shape\":" shape ",\"data_offsets\":" offsets "}"
#define ONLY(shape, offsets) SIZED(shape, offsets) "}"
#define IN_X "m: tensor 'x': "

/* Each with eight bytes of data and the checksum. */
static const struct {
    const char *header, *text;
} headers[] = {
    {"{}", "m: a safetensors file, but not one of softalign's"},
    {"{\"x\":{\"dtype\":\"F32\",\"shape\":[3],\"data_offsets\":[0,12]}}",
     "m: a safetensors file, but not one of softalign's"},
    {"{\"__metadata__\":1}", "m: a safetensors file, but not one of softalign's"},
    {"{\"__metadata__\":{\"format\":\"pt\"}}", "m: a safetensors file, but not one of softalign's"},
    {"{\"__metadata__\":{\"format\":\"softalign\",\"version\":\"2\"}}",
     "m: file version '2'; this program reads version 1 (upgrade softalign?)"},
    {"{\"__metadata__\":{\"format\":\"softalign\",\"version\":1}}",
     "m: metadata 'version': not a string"},
    {"{" OURS "}", "m: 12 bytes after the last tensor"},
    {"{" OURS ",\"checksum\":{\"dtype\":\"U8\",\"shape\":[2,6],\"data_offsets\":[0,12]}}",
     "m: the last tensor is not 'checksum', U8 [4]"},
    {"{" OURS ",\"checksum\":{\"dtype\":\"U8\",\"shape\":[12],\"data_offsets\":[0,12]}}",
     "m: the last tensor is not 'checksum', U8 [4]"},
    {"{" OURS ",\"checksum\":{\"dtype\":\"U8\",\"shape\":[4],\"data_offsets\":[0,4]}"
     ",\"x\":{\"dtype\":\"U8\",\"shape\":[8],\"data_offsets\":[4,12]}}",
     "m: the last tensor is not 'checksum', U8 [4]"},
    /* JSON */
    {"{" OURS, "m: header: expected ',' or '}' at byte 52"},
    {"{" OURS "} {}", "m: header: unexpected data after the value at byte 54"},
    {"{" OURS ",\"x\":[[[]]]}", "m: header: nested too deeply at byte 59"},
    {X "1}", IN_X "not an object of dtype, shape, data_offsets"},
    {X "{\"dtype\":\"F32\",\"shape\":[2]}}", IN_X "not an object of dtype, shape, data_offsets"},
    {X "{},\"x\":{}}", "m: header: duplicate key 'x' at byte 60"},
    {X "{\"dtype\":\"F32\",\"dtype\":\"F32\"}}", "m: header: duplicate key 'dtype' at byte 72"},
    {"{" OURS "," OURS "}", "m: header: duplicate key '__metadata__' at byte 53"},
    {"{" OURS ",\"a\\u0000\":{}}", "m: header: invalid code point at byte 57"},
    /* types */
    {X "{\"dtype\":\"F16\",\"shape\":[2],\"data_offsets\":[0,8]}}",
     IN_X "dtype: 'F16' is not one of F64, I64, F32, I32, U8"},
    {X "{\"dtype\":\"f32\",\"shape\":[2],\"data_offsets\":[0,8]}}",
     IN_X "dtype: 'f32' is not one of F64, I64, F32, I32, U8"},
    {X "{\"dtype\":32,\"shape\":[2],\"data_offsets\":[0,8]}}",
     IN_X "dtype: '' is not one of F64, I64, F32, I32, U8"},
    {X "{\"type\":\"F32\",\"shape\":[2],\"data_offsets\":[0,8]}}",
     IN_X "dtype: '' is not one of F64, I64, F32, I32, U8"},
    /* shapes */
    {ONLY("[]", "[0,4]"), IN_X "shape: must list 1 to 4 dimensions"},
    {ONLY("[1,1,1,1,2]", "[0,8]"), IN_X "shape: must list 1 to 4 dimensions"},
    {ONLY("2", "[0,8]"), IN_X "shape: must list 1 to 4 dimensions"},
    {ONLY("[2,0]", "[0,0]"), IN_X "shape: dimension 2 is 0, must be at least 1"},
    {ONLY("[2147483648]", "[0,8]"), IN_X "shape: dimension 1 is not an integer up to 2147483647"},
    {ONLY("[2.0]", "[0,8]"), IN_X "shape: dimension 1 is not an integer up to 2147483647"},
    {ONLY("[\"2\"]", "[0,8]"), IN_X "shape: dimension 1 is not an integer up to 2147483647"},
    {ONLY("[2147483647,2147483647,2147483647]", "[0,8]"), IN_X "shape: impossibly large"},
    {ONLY("[1073741824,1073741824,4]", "[0,0]"), IN_X "shape: impossibly large"},
    {ONLY("[-2]", "[0,8]"), IN_X "shape: dimension 1 is not an integer up to 2147483647"},
    {ONLY("[-0]", "[0,8]"), IN_X "shape: dimension 1 is 0, must be at least 1"},
    {ONLY("[02]", "[0,8]"), "m: header: expected ',' or ']' at byte 82"},
    {ONLY("[0x2]", "[0,8]"), "m: header: expected ',' or ']' at byte 82"},
    {ONLY("[NaN]", "[0,8]"), "m: header: expected a value at byte 81"},
    {ONLY("[18446744073709551616]", "[0,8]"), "m: header: number too large at byte 81"},
    /* offsets */
    {ONLY("[2]", "[0,8,8]"), IN_X "data_offsets: must be two plain integers"},
    {ONLY("[2]", "[0,8.0]"), IN_X "data_offsets: must be two plain integers"},
    {ONLY("[2]", "[0,1e1]"), IN_X "data_offsets: must be two plain integers"},
    {ONLY("[2]", "8"), IN_X "data_offsets: must be two plain integers"},
    {ONLY("[2]", "[4,12]"), IN_X "data_offsets: begins at 4, but the data before it ends at 0"},
    {ONLY("[2]", "[0,12]"), IN_X "data_offsets: from 0 to 12; its shape needs 8 bytes"},
    {ONLY("[2]", "[0,9223372036854775807]"),
     IN_X "data_offsets: from 0 to 9223372036854775807; its shape needs 8 bytes"},
    {ONLY("[4]", "[0,16]"), "m: truncated: tensor 'x' needs 16 bytes of data, the file has 12"},
    {SIZED("[1]", "[0,4]") CHECKSUM(8, 12),
     "m: tensor 'checksum': data_offsets: begins at 8, but the data before it ends at 4"},
    {SIZED("[1]", "[0,4]") CHECKSUM(0, 4),
     "m: tensor 'checksum': data_offsets: begins at 0, but the data before it ends at 4"},
    {SIZED("[1]", "[0,4]") CHECKSUM(4, 8), "m: 4 bytes after the last tensor"},
    {"{" OURS ",\"\\u001b[2J%s%n../x\":1}",
     "m: tensor '\\x1B[2J%s%n../x': not an object of dtype, shape, data_offsets"},
};

START_TEST(test_headers) {
    image file = make(headers[_i].header, "12345678....", 12);
    expect_refused(file.bytes, file.size, headers[_i].text);
}
END_TEST

START_TEST(test_no_tensor) {
    image file = make("{" OURS "}", "....", 4);
    expect_refused(file.bytes, file.size - 4, "m: the last tensor is not 'checksum', U8 [4]");
}
END_TEST

START_TEST(test_too_many_tensors) {
    sa_error error;
    sa_container container;
    char *bytes = calloc(1, 100000), *at = bytes + 8;
    at += sprintf(at, "{" OURS);
    for (int i = 0; i < SA_CONTAINER_MAX_TENSORS; i++) at += sprintf(at, ",\"%d\":{}", i);
    *at++ = '}';
    uint64_t length = (uint64_t)(at - bytes - 8);
    memcpy(bytes, &length, 8);
    ck_assert(!sa_container_read(&container, "m", bytes, (size_t)(at - bytes), &error));
    ck_assert_str_eq(error.text, "m: 4097 tensors; at most 4096 are allowed");
    free(bytes);
}
END_TEST

/* The length of the header, at the limits of what it may be and of what the file has. */
START_TEST(test_lengths) {
    enum { MOST = SA_CONTAINER_MAX_HEADER };
    static const struct {
        uint64_t stored;
        size_t size;
        const char *message; /* NULL: it is read */
    } cases[] = {
        {2, 8, "m: truncated: the file has only 8 bytes"},
        {2, 9, "m: truncated: the header needs 10 bytes, the file has 9"},
        {2, 10, NULL},
        {1, 10, "m: the header's length is 1; expected 2 to 1048576"},
        {MOST, MOST + 8, NULL},
        {MOST + 1, MOST + 9, "m: the header's length is 1048577; expected 2 to 1048576"},
        {UINT64_C(2) << 56, 10, "m: the header's length looks byte-swapped"},
        {UINT64_C(2) << 56, 9,
         "m: the header's length is 144115188075855872; expected 2 to 1048576"},
    };
    const size_t i = (size_t)_i;
    unsigned char *bytes = calloc(1, MOST + 9);
    sa_error error;
    size_t length = 0;
    memcpy(bytes, &cases[i].stored, 8);
    bytes[8] = '{';
    const bool read = sa_container_read_length("m", bytes, cases[i].size, &length, &error);
    free(bytes);
    ck_assert_int_eq(read, !cases[i].message);
    if (read)
        ck_assert_uint_eq(length, cases[i].stored);
    else
        ck_assert_str_eq(error.text, cases[i].message);
}
END_TEST

START_TEST(test_deep_nesting) {
    sa_error error;
    sa_container container;
    char *bytes = malloc(100008);
    uint64_t length = 100000;
    memcpy(bytes, &length, 8);
    memset(bytes + 8, '[', length);
    memcpy(bytes + 8, "{\"a\":", 5);
    ck_assert(!sa_container_read(&container, "m", bytes, 100008, &error));
    ck_assert_str_eq(error.text, "m: header: nested too deeply at byte 7");
    free(bytes);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("container");
    TCase *writing = tcase_create("writing"), *reading = tcase_create("reading");
    tcase_add_checked_fixture(writing, scratch_make, scratch_remove);
    tcase_add_test(writing, test_layout);
    tcase_add_test(writing, test_round_trip);
    tcase_add_test(writing, test_write_refuses);
    tcase_add_test(writing, test_longest_header);
    tcase_add_test(writing, test_many_tensors);
    tcase_add_test(writing, test_every_truncation_and_flip);
    tcase_add_test(reading, test_unaligned);
    tcase_add_loop_test(reading, test_headers, 0, sizeof headers / sizeof *headers);
    tcase_add_test(reading, test_no_tensor);
    tcase_add_test(reading, test_too_many_tensors);
    tcase_add_loop_test(reading, test_lengths, 0, 8);
    tcase_add_test(reading, test_deep_nesting);
    suite_add_tcase(suite, writing);
    suite_add_tcase(suite, reading);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
