#include "text/utf8.h"

#include <stdlib.h>
#include <string.h>
#include <utf8proc.h>

/* The code point at text and its length; valid UTF-8 is expected, so the length is positive. */
static utf8proc_int32_t code_at(const char *text, size_t size, size_t *length) {
    utf8proc_int32_t code = -1;
    utf8proc_ssize_t used =
        utf8proc_iterate((const utf8proc_uint8_t *)text, (utf8proc_ssize_t)size, &code);
    *length = used > 0 ? (size_t)used : 1;
    return code;
}

bool sa_utf8_valid(const char *text, size_t size, size_t *bad) {
    for (size_t at = 0, length; at < size; at += length) {
        if (code_at(text + at, size - at, &length) >= 0) continue;
        *bad = at;
        return false;
    }
    return true;
}

const char *sa_utf8_guess(const char *text, size_t size) {
    if (size >= 4 && (memcmp(text, "\xff\xfe\0\0", 4) == 0 || memcmp(text, "\0\0\xfe\xff", 4) == 0))
        return "UTF-32";
    if (size >= 2 && memcmp(text, "\xff\xfe", 2) == 0) return "UTF-16LE";
    if (size >= 2 && memcmp(text, "\xfe\xff", 2) == 0) return "UTF-16BE";
    if (size >= 4 && text[0] && !text[1] && text[2] && !text[3]) return "UTF-16LE";
    if (size >= 4 && !text[0] && text[1] && !text[2] && text[3]) return "UTF-16BE";
    return memchr(text, 0, size) ? "no text" : "Latin-1 or another 8-bit code";
}

static utf8proc_int32_t lower_case(utf8proc_int32_t code, void *unused) {
    (void)unused;
    return utf8proc_tolower(code);
}

/* Lower case code point by code point: case folding would be another thing (it turns ß into ss). */
char *sa_utf8_normalise(const char *text, size_t size, bool lower, sa_error *error) {
    utf8proc_uint8_t *result = NULL;
    const utf8proc_ssize_t got =
        utf8proc_map_custom((const utf8proc_uint8_t *)text, (utf8proc_ssize_t)size, &result,
                            UTF8PROC_STABLE | UTF8PROC_COMPOSE, lower ? lower_case : NULL, NULL);
    if (got >= 0) return (char *)result;
    sa_fail_memory(error, size);
    return NULL;
}

static bool is_han(utf8proc_int32_t code) {
    return (code >= 0x3040 && code <= 0x30ff) || (code >= 0x3400 && code <= 0x4dbf) ||
           (code >= 0x4e00 && code <= 0x9fff) || (code >= 0xf900 && code <= 0xfaff) ||
           (code >= 0x20000 && code <= 0x3ffff);
}

sa_kind sa_utf8_kind(const char *text, size_t size, size_t *length) {
    const utf8proc_int32_t code = code_at(text, size, length);
    if (is_han(code)) return SA_KIND_HAN;
    switch (utf8proc_category(code)) {
    case UTF8PROC_CATEGORY_LU:
    case UTF8PROC_CATEGORY_LL:
    case UTF8PROC_CATEGORY_LT:
    case UTF8PROC_CATEGORY_LM:
    case UTF8PROC_CATEGORY_LO:
    case UTF8PROC_CATEGORY_MN:
    case UTF8PROC_CATEGORY_MC:
    case UTF8PROC_CATEGORY_ME:
        return SA_KIND_LETTER;
    case UTF8PROC_CATEGORY_ND:
    case UTF8PROC_CATEGORY_NL:
    case UTF8PROC_CATEGORY_NO:
        return SA_KIND_DIGIT;
    case UTF8PROC_CATEGORY_ZS:
    case UTF8PROC_CATEGORY_ZL:
    case UTF8PROC_CATEGORY_ZP:
        return SA_KIND_SPACE;
    default:
        return (code >= 9 && code <= 13) || code == 0x85 ? SA_KIND_SPACE : SA_KIND_OTHER;
    }
}

size_t sa_utf8_cluster(const char *text, size_t size) {
    size_t length, at;
    utf8proc_int32_t state = 0, before = code_at(text, size, &at);
    while (at < size) {
        utf8proc_int32_t code = code_at(text + at, size - at, &length);
        if (utf8proc_grapheme_break_stateful(before, code, &state)) break;
        at += length;
        before = code;
    }
    return at;
}

int sa_utf8_width(const char *text, size_t size) {
    int width = 0;
    for (size_t at = 0, length; at < size; at += length) {
        const utf8proc_int32_t code = code_at(text + at, size - at, &length);
        width += code < 0 ? 1 : utf8proc_charwidth(code);
    }
    return width;
}
