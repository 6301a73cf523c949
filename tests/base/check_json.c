/* The JSON reader accepts what jansson accepts, on good texts and on a hundred thousand damaged
 * ones; messages name the error and its position; hostile texts take little memory. */
#include "base/container.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/rng.h"
#include "support/suite.h"

#include <malloc.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static sa_error error;

static json_t *read_ours(const char *text, size_t size) {
    return sa_json_parse(text, size, 8, "m", "header", &error);
}

static json_t *read_theirs(const char *text, size_t size) {
    return json_loadb(text, size, JSON_REJECT_DUPLICATES | JSON_DECODE_ANY, NULL);
}

/* Both readers agree. */
static void compare(const char *text, size_t size) {
    json_t *ours = read_ours(text, size), *theirs = read_theirs(text, size);
    if (ours || strstr(error.text, "nested too deeply") == NULL)
        ck_assert_msg(!ours == !theirs && (!ours || json_equal(ours, theirs)), "%.*s: %s",
                      (int)size, text, ours ? "read" : error.text);
    json_decref(ours);
    json_decref(theirs);
}

static const char *const texts[] = {
    "{}",
    " [ ] ",
    "{\"a\":1,\"b\":[true,false,null],\"c\":{\"d\":-12.5e-3}}",
    "[\"\", \"\\\"\\\\\\/\\b\\f\\n\\r\\t\", \"\\u0041\\u00e9\\u20AC\\ud83d\\ude00\"]",
    "[\"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80 as they are\"]",
    "[0, -0, 9223372036854775807, -9223372036854775808, 0.0, 1E5, 1e+5, 1e-999, 123456789.125]",
    "{\"__metadata__\":{\"format\":\"softalign\"},\"x\":{\"dtype\":\"F32\",\"shape\":[2,3]}}",
    "\"a word\"",
    "17",
};
enum { TEXTS = sizeof texts / sizeof *texts };

START_TEST(good_texts_are_read) {
    json_t *value = read_ours(texts[_i], strlen(texts[_i]));
    ck_assert_msg(value != NULL, "%s", error.text);
    json_decref(value);
    compare(texts[_i], strlen(texts[_i]));
}
END_TEST

/* Bytes replaced, removed or doubled, or the end truncated. */
START_TEST(damaged_texts_are_read_as_by_jansson) {
    enum { TURNS = 100000 };
    static const char bytes[] = "{}[]:,\"\\u0dD8c.eE+-19tfn \n\x01\x80\xc3\xed\xf4";
    sa_rng rng = sa_rng_seed(7, (uint64_t)_i);
    long read = 0;
    for (int turn = 0; turn < TURNS / TEXTS; turn++) {
        char text[256];
        size_t size = strlen(texts[_i]);
        memcpy(text, texts[_i], size);
        for (uint32_t changes = 1 + sa_rng_below(&rng, 3); changes && size; changes--) {
            const size_t at = sa_rng_below(&rng, (uint32_t)size);
            switch (sa_rng_below(&rng, 4)) {
            case 0:
                text[at] = bytes[sa_rng_below(&rng, sizeof bytes - 1)];
                break;
            case 1:
                memmove(text + at, text + at + 1, --size - at);
                break;
            case 2:
                memmove(text + at + 1, text + at, size++ - at);
                break;
            default:
                size = at;
            }
        }
        compare(text, size);
        json_t *value = read_ours(text, size);
        read += value != NULL;
        json_decref(value);
    }
    ck_assert_int_gt(read, TURNS / TEXTS / 100);
    ck_assert_int_lt(read, TURNS / TEXTS);
}
END_TEST

static const struct {
    const char *text, *message;
} wrong[] = {
    {"", "m: header: expected a value at byte 0"},
    {"{\"a\" 1}", "m: header: expected ':' at byte 5"},
    {"{\"a\":1 \"b\":2}", "m: header: expected ',' or '}' at byte 7"},
    {"{a:1}", "m: header: expected a key at byte 1"},
    {"{\"a\":1,\"\\u0061\":2}", "m: header: duplicate key 'a' at byte 7"},
    {"[1 2]", "m: header: expected ',' or ']' at byte 3"},
    {"[1,]", "m: header: expected a value at byte 3"},
    {"[01]", "m: header: expected ',' or ']' at byte 2"},
    {"[1.]", "m: header: expected a value at byte 1"},
    {"[1e]", "m: header: expected a value at byte 1"},
    {"[1.5e+]", "m: header: expected a value at byte 1"},
    {"[9223372036854775808]", "m: header: number too large at byte 1"},
    {"[1e999]", "m: header: number too large at byte 1"},
    {"[\"a]", "m: header: unterminated string at byte 1"},
    {"[\"\\", "m: header: unterminated string at byte 1"},
    {"[\"a\\x\"]", "m: header: invalid escape at byte 3"},
    {"[\"\\u12g4\"]", "m: header: expected four hexadecimal digits at byte 6"},
    {"[\"\\u0000\"]", "m: header: invalid code point at byte 4"},
    {"[\"\\ude00\"]", "m: header: invalid code point at byte 4"},
    {"[\"\\ud800\\u0041\"]", "m: header: invalid code point at byte 4"},
    {"\"\\ud800\"", "m: header: invalid code point at byte 3"},
    {"[\"\n\"]", "m: header: control character in a string at byte 2"},
    {"[\"\xc0\x80\"]", "m: header: not UTF-8 at byte 2"},
    {"[[[[[[[[[", "m: header: nested too deeply at byte 8"},
    {"[] []", "m: header: unexpected data after the value at byte 3"},
};

START_TEST(mistakes_are_named) {
    ck_assert_ptr_null(read_ours(wrong[_i].text, strlen(wrong[_i].text)));
    ck_assert_int_eq(error.code, SA_DATA);
    ck_assert_str_eq(error.text, wrong[_i].message);
    compare(wrong[_i].text, strlen(wrong[_i].text));
}
END_TEST

/* A double has at most 309 digits before the point; a number has 399 characters at most. */
START_TEST(numbers_have_a_longest_form) {
    char text[402];
    memset(text, '3', sizeof text);
    memcpy(text, "0.", 2);
    json_t *value = read_ours(text, 399);
    ck_assert_msg(value != NULL, "%s", error.text);
    ck_assert_double_eq(json_real_value(value), 1 / 3.);
    json_decref(value);
    for (size_t size = 400; size < 402; size++) {
        ck_assert_ptr_null(read_ours(text, size));
        ck_assert_str_eq(error.text, "m: header: number too large at byte 0");
    }
}
END_TEST

/* ---- Memory ---------------------------------------------------------------------------------- */

static size_t in_use, at_most;

static void *counted_malloc(size_t size) {
    void *place = malloc(size);
    in_use += malloc_usable_size(place);
    if (in_use > at_most) at_most = in_use;
    return place;
}

static void counted_free(void *place) {
    in_use -= malloc_usable_size(place);
    free(place);
}

/* Texts as long as a header may be: one item repeated (# is its number), in brackets. */
static const struct {
    char first, last;
    const char *item;
    size_t count; /* 0: as many as fit, which are too many */
} wide[] = {
    {'[', ']', "1", 0},
    {'[', ']', "[]", 0},
    {'[', ']', "{}", 0},
    {'[', ']', "\"\"", 0},
    {'{', '}', "\"#\":1", 0},
    {'{', '}', "\"#\":{}", 0},
    {'{', '}', "\"#\":{\"dtype\":\"F32\",\"shape\":[2,2,2,2],\"data_offsets\":[#,#]}",
     SA_CONTAINER_MAX_TENSORS},
};
enum { WIDE = sizeof wide / sizeof *wide };

static void write_wide(int row, sa_buffer *text) {
    enum { LONGEST = 128 }; /* bytes of an item */
    const size_t most = wide[row].count ? wide[row].count : SIZE_MAX;
    sa_buffer_add(text, &wide[row].first, 1);
    for (size_t i = 0; i < most && text->size + LONGEST < SA_CONTAINER_MAX_HEADER; i++) {
        if (i) sa_buffer_adds(text, ",");
        for (const char *at = wide[row].item; *at; at++)
            if (*at == '#')
                sa_buffer_addf(text, "%zu", i);
            else
                sa_buffer_add(text, at, 1);
    }
    sa_buffer_add(text, &wide[row].last, 1);
}

START_TEST(memory_has_a_limit) {
    sa_buffer text = {0};
    json_malloc_t old_malloc;
    json_free_t old_free;
    json_get_alloc_funcs(&old_malloc, &old_free);
    write_wide(_i, &text);
    ck_assert_uint_le(text.size, SA_CONTAINER_MAX_HEADER);
    json_set_alloc_funcs(counted_malloc, counted_free);
    in_use = at_most = 0;
    json_t *value = read_ours(text.text, text.size);
    if (wide[_i].count)
        ck_assert_msg(value != NULL, "%s", error.text);
    else
        ck_assert(!value && strstr(error.text, "too many values") != NULL);
    json_decref(value);
    json_set_alloc_funcs(old_malloc, old_free);
    ck_assert_uint_eq(in_use, 0);
    ck_assert_uint_le(at_most, 16 << 20);
    sa_buffer_release(&text);
}
END_TEST

static void *none(size_t size) {
    return NULL;
}

/* Jansson does not say that memory ran out. */
START_TEST(missing_memory_is_noticed) {
    json_malloc_t allocate;
    json_free_t release;
    json_get_alloc_funcs(&allocate, &release);
    sa_json_watch();
    json_t *object = json_object();
    ck_assert(object && !sa_json_short());
    json_decref(object);
    json_set_alloc_funcs(none, release);
    sa_json_watch();
    ck_assert(!json_object() && sa_json_short());
    json_set_alloc_funcs(allocate, release);
    sa_json_watch();
    ck_assert(!sa_json_short());
}
END_TEST

/* ---- Values of ours -------------------------------------------------------------------------- */

static void expect_json(json_t *value, const char *text) {
    sa_buffer out = {0};
    sa_json_add(value, JSON_COMPACT, &out);
    ck_assert(!out.failed);
    ck_assert_str_eq(out.text, text);
    sa_buffer_release(&out);
}

START_TEST(matrices_are_lists_of_their_rows) {
    static const double x[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12.5};
    expect_json(sa_json_vector(x, 2), "[1.0,2.0]\n");
    expect_json(sa_json_matrix(x, 2, 3), "[[1.0,2.0,3.0],[4.0,5.0,6.0]]\n");
    expect_json(sa_json_matrices(x, 2, 2, 3), "[[[1.0,2.0,3.0],[4.0,5.0,6.0]],"
                                              "[[7.0,8.0,9.0],[10.0,11.0,12.5]]]\n");
}
END_TEST

/* Also what is not there, and what JSON has no number for. */
START_TEST(words_are_written_in_ascii) {
    static const char *const words[] = {"l\u2019", "\"", ""};
    const double odd[] = {INFINITY, NAN, -0.5};
    expect_json(sa_json_words(words, 3), "[\"l\\u2019\",\"\\\"\",\"\"]\n");
    expect_json(sa_json_vector(odd, 3), "[null,null,-0.5]\n");
    expect_json(json_pack("[o, o, o]", sa_json_words(NULL, 1), sa_json_matrix(NULL, 1, 1),
                          sa_json_matrices(NULL, 1, 1, 1)),
                "[null,null,null]\n");
}
END_TEST

int main(void) {
    TCase *tests;
    Suite *suite = suite_of("json", &tests);
    tcase_add_loop_test(tests, good_texts_are_read, 0, TEXTS);
    tcase_add_loop_test(tests, damaged_texts_are_read_as_by_jansson, 0, TEXTS);
    tcase_add_loop_test(tests, mistakes_are_named, 0, sizeof wrong / sizeof *wrong);
    tcase_add_test(tests, numbers_have_a_longest_form);
    tcase_add_loop_test(tests, memory_has_a_limit, 0, WIDE);
    tcase_add_test(tests, missing_memory_is_noticed);
    tcase_add_test(tests, matrices_are_lists_of_their_rows);
    tcase_add_test(tests, words_are_written_in_ascii);
    return suite_run(suite);
}
