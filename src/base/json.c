/* Reads JSON into jansson's values. jansson's own reader is not used: when memory runs out inside a
 * string, jansson 2.14 drops bytes without an error or reads beyond its buffer, and it does not
 * limit the memory that a hostile text takes. */
#include "base/json.h"
#include "base/number.h"
#include "base/utf8.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The memory that all values may take, and estimates for one value: as values, brackets and commas
 * alone take a hundred times their size. The longest valid header needs 7 MB. */
enum { MEMORY_LIMIT = 10 << 20, COLLECTION_COST = 256, TEXT_COST = 128, NUMBER_COST = 48 };

typedef struct json_reader {
    const char *text;
    size_t at, size;
    size_t memory_used;      /* counts toward MEMORY_LIMIT */
    const char *parse_error; /* at `at`; NULL after a failure: out of memory */
    char note[64];           /* buffer for a parse_error that names a key */
} json_reader;

static bool parse_error(json_reader *it, const char *what) {
    it->parse_error = what;
    return false;
}

/* Skips white space and returns the next byte; 0 at the end. */
static char peek(json_reader *it) {
    while (it->at < it->size && memchr(" \t\n\r", it->text[it->at], 4)) it->at++;
    return it->at < it->size ? it->text[it->at] : 0;
}

static bool accept_char(json_reader *it, char wanted) {
    const bool there = peek(it) == wanted && it->at < it->size;
    it->at += there;
    return there;
}

/* ---- Strings --------------------------------------------------------------------------------- */

static bool read_hex4(json_reader *it, uint32_t *code) {
    static const char digits[] = "0123456789abcdef0123456789ABCDEF";
    *code = 0;
    for (int i = 0; i < 4; i++, it->at++) {
        const char *digit =
            it->at < it->size ? memchr(digits, it->text[it->at], sizeof digits - 1) : NULL;
        if (!digit) return parse_error(it, "expected four hexadecimal digits");
        *code = *code << 4 | (uint32_t)((digit - digits) % 16);
    }
    return true;
}

/* Reads what follows "\u". Rejects lone surrogates, and 0, which would end a C string. */
static bool read_unicode_escape(json_reader *it, uint32_t *code) {
    const size_t start = it->at;
    uint32_t low = 0;
    if (!read_hex4(it, code)) return false;
    const bool pair = *code >= 0xd800 && *code < 0xdc00 && it->size - it->at >= 2 &&
                      memcmp(it->text + it->at, "\\u", 2) == 0;
    if (pair) {
        it->at += 2;
        if (!read_hex4(it, &low)) return false;
        if (low >= 0xdc00 && low < 0xe000)
            *code = 0x10000 + ((*code - 0xd800) << 10) + (low - 0xdc00);
    }
    if (*code && (*code < 0xd800 || *code >= 0xe000)) return true;
    it->at = start;
    return parse_error(it, "invalid code point");
}

static bool read_character(json_reader *it, uint32_t *code) {
    static const char names[] = "\"\\/bfnrt", unescaped[] = "\"\\/\b\f\n\r\t";
    const char *at = it->text + it->at;
    if (*at != '\\') {
        size_t length;
        *code = sa_utf8_codepoint(at, it->size - it->at, &length);
        if (*code == UINT32_MAX) return parse_error(it, "not UTF-8");
        if (*code < 0x20) return parse_error(it, "control character in a string");
        it->at += length;
        return true;
    }
    const char *name = it->size - it->at > 1 ? memchr(names, at[1], sizeof names - 1) : NULL;
    if (!name && (it->size - it->at < 2 || at[1] != 'u')) return parse_error(it, "invalid escape");
    it->at += 2;
    if (!name) return read_unicode_escape(it, code);
    *code = (unsigned char)unescaped[name - names];
    return true;
}

/* Returns a terminated string; free it with free(). No character is longer than its escape. */
static char *read_string(json_reader *it) {
    size_t end = it->at + 1; /* end: position of the closing quote */
    while (end < it->size && it->text[end] != '"') end += 1 + (it->text[end] == '\\');
    if (end >= it->size) return parse_error(it, "unterminated string"), NULL;
    char *string = sa_new(end - it->at, 1, NULL);
    size_t size = 0;
    uint32_t code;
    for (it->at++; string && it->at < end; size += sa_utf8_encode(code, string + size)) {
        if (read_character(it, &code)) continue;
        free(string);
        return NULL;
    }
    it->at = end + 1;
    return string;
}

/* ---- Numbers and names ----------------------------------------------------------------------- */

/* Returns the length of the number at the beginning of a text, or 0. */
static size_t number_size(const char *text, bool *whole) {
    static const char digits[] = "0123456789";
    const char *at = text + (*text == '-');
    size_t count = strspn(at, digits);
    if (count == 0) return 0;
    at += *at == '0' ? 1 : count;
    *whole = *at != '.' && *at != 'e' && *at != 'E';
    if (*at == '.') {
        if (!(count = strspn(at + 1, digits))) return 0;
        at += 1 + count;
    }
    if (*at == 'e' || *at == 'E') {
        at += at[1] == '-' || at[1] == '+' ? 2 : 1;
        if (!(count = strspn(at, digits))) return 0;
        at += count;
    }
    return (size_t)(at - text);
}

static json_t *read_number(json_reader *it) {
    enum { LONGEST = 400 }; /* a double has at most 309 digits before the point */
    char text[LONGEST + 1];
    const size_t left = it->size - it->at, copied = left < LONGEST ? left : LONGEST;
    bool whole;
    int64_t integer;
    double real;
    memcpy(text, it->text + it->at, copied);
    text[copied] = 0;
    const size_t size = number_size(text, &whole);
    if (!size) return parse_error(it, "expected a value"), NULL;
    text[size] = 0;
    if (size == LONGEST ||
        !(whole ? sa_integer_parse(text, &integer) : sa_number_parse(text, &real)))
        return parse_error(it, "number too large"), NULL;
    it->at += size;
    return whole ? json_integer(integer) : json_real(real);
}

static json_t *read_literal(json_reader *it) {
    static const char *const names[] = {"true", "false", "null"};
    for (int i = 0; i < 3; i++) {
        const size_t size = strlen(names[i]);
        if (it->size - it->at < size || memcmp(it->text + it->at, names[i], size) != 0) continue;
        it->at += size;
        return i == 2 ? json_null() : json_boolean(i == 0);
    }
    return read_number(it);
}

/* ---- Values ---------------------------------------------------------------------------------- */

static json_t *read_value(json_reader *it, int depth);

static bool read_member(json_reader *it, json_t *object, int depth) {
    if (peek(it) != '"') return parse_error(it, "expected a key");
    const size_t start = it->at;
    char *key = read_string(it);
    it->memory_used += TEXT_COST;
    bool good = key;
    if (good && json_object_get(object, key)) {
        snprintf(it->note, sizeof it->note, "duplicate key '%.30s'", key);
        it->at = start;
        good = parse_error(it, it->note);
    }
    good = good && (accept_char(it, ':') || parse_error(it, "expected ':'"));
    json_t *value = good ? read_value(it, depth) : NULL;
    good = value && json_object_set_new_nocheck(object, key, value) == 0;
    free(key);
    return good;
}

/* Reads an object or array from its opening bracket; `depth` more levels may be nested in it. */
static json_t *read_collection(json_reader *it, bool object, int depth) {
    json_t *all = object ? json_object() : json_array();
    const char end = object ? '}' : ']';
    it->at++;
    if (!all || accept_char(it, end)) return all;
    bool good;
    do
        good = object ? read_member(it, all, depth)
                      : json_array_append_new(all, read_value(it, depth)) == 0;
    while (good && accept_char(it, ','));
    if (good && (accept_char(it, end) ||
                 parse_error(it, object ? "expected ',' or '}'" : "expected ',' or ']'")))
        return all;
    json_decref(all);
    return NULL;
}

static json_t *read_value(json_reader *it, int depth) {
    const char first = peek(it);
    const bool collection = first == '{' || first == '[';
    if (it->at == it->size) return parse_error(it, "expected a value"), NULL;
    it->memory_used += collection ? COLLECTION_COST : first == '"' ? TEXT_COST : NUMBER_COST;
    if (it->memory_used > MEMORY_LIMIT) return parse_error(it, "too many values"), NULL;
    if (collection && !depth) return parse_error(it, "nested too deeply"), NULL;
    if (collection) return read_collection(it, first == '{', depth - 1);
    if (first != '"') return read_literal(it);
    char *text = read_string(it);
    json_t *string = text ? json_string_nocheck(text) : NULL;
    free(text);
    return string;
}

json_t *sa_json_parse(const char *text, size_t size, int depth, const char *file, const char *part,
                      sa_error *error) {
    json_reader it = {.text = text, .size = size};
    json_t *value = read_value(&it, depth);
    if (value && (peek(&it), it.at < size)) {
        json_decref(value);
        value = NULL;
        parse_error(&it, "unexpected data after the value");
    }
    if (!value && it.parse_error)
        sa_fail(error, SA_DATA, "%s: %s: %s at byte %zu", file, part, it.parse_error, it.at);
    else if (!value)
        sa_fail_memory(error, size);
    return value;
}

/* ---- Values made of ours --------------------------------------------------------------------- */

static json_malloc_t allocate; /* the program's */
static _Thread_local bool found_none;

static void *watched(size_t size) {
    void *memory = allocate(size);
    found_none |= !memory;
    return memory;
}

void sa_json_watch(void) {
    json_malloc_t now;
    json_free_t release;
    json_get_alloc_funcs(&now, &release);
    if (now != watched) {
        allocate = now;
        json_set_alloc_funcs(watched, release);
    }
    found_none = false;
}

bool sa_json_short(void) {
    return found_none;
}

json_t *sa_json_number(double value) {
    return isfinite(value) ? json_real(value) : json_null();
}

json_t *sa_json_buffer(sa_buffer *text, bool *failed) {
    *failed |= text->failed;
    json_t *string =
        text->failed ? json_null() : json_stringn(text->size ? text->text : "", text->size);
    sa_buffer_release(text);
    return string;
}

json_t *sa_json_words(const char *const *words, int count) {
    if (!words) return json_null();
    json_t *list = json_array();
    for (int i = 0; i < count; i++) json_array_append_new(list, json_string(words[i]));
    return list;
}

json_t *sa_json_vector(const double *x, int count) {
    json_t *list = json_array();
    for (int i = 0; i < count; i++) json_array_append_new(list, sa_json_number(x[i]));
    return list;
}

json_t *sa_json_matrix(const double *x, int rows, int cols) {
    if (!x) return json_null();
    json_t *matrix = json_array();
    for (int i = 0; i < rows; i++)
        json_array_append_new(matrix, sa_json_vector(x + (size_t)i * (size_t)cols, cols));
    return matrix;
}

json_t *sa_json_matrices(const double *x, int count, int rows, int cols) {
    if (!x) return json_null();
    json_t *list = json_array();
    for (int k = 0; k < count; k++, x += (size_t)rows * (size_t)cols)
        json_array_append_new(list, sa_json_matrix(x, rows, cols));
    return list;
}

void sa_json_add(json_t *value, size_t form, sa_buffer *out) {
    char *text = json_dumps(value, form | JSON_ENSURE_ASCII);
    json_decref(value);
    out->failed |= !text || found_none;
    if (text) sa_buffer_addf(out, "%s\n", text);
    free(text);
}
