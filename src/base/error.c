#include "base/error.h"

#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <utf8proc.h>

uint32_t sa_utf8_codepoint(const char *text, size_t size, size_t *length) {
    utf8proc_int32_t code;
    *length = 1;
    if (size && (unsigned char)*text < 0x80) return (uint32_t)*text;
    const utf8proc_ssize_t used =
        utf8proc_iterate((const utf8proc_uint8_t *)text, (utf8proc_ssize_t)size, &code);
    if (used > 0) *length = (size_t)used;
    return used > 0 ? (uint32_t)code : UINT32_MAX;
}

bool sa_utf8_valid(const char *text, size_t size, size_t *bad) {
    for (size_t at = 0, length; at < size; at += length)
        if (sa_utf8_codepoint(text + at, size - at, &length) == UINT32_MAX) {
            *bad = at;
            return false;
        }
    return true;
}

/* Returns whether it is a control character or a bidirectional formatting character, which changes
 * how a terminal shows other text. */
static bool is_unsafe(uint32_t code) {
    return code < 0x20 || (code >= 0x7f && code < 0xa0) || code == 0x61c || code == 0x200e ||
           code == 0x200f || (code >= 0x2028 && code <= 0x202e) ||
           (code >= 0x2066 && code <= 0x2069) || code == 0xfeff ||
           (code >= 0xe0000 && code < 0xe0080);
}

size_t sa_escape_first(char escaped[SA_ESCAPED], const char *text, size_t size) {
    size_t length;
    const uint32_t code = sa_utf8_codepoint(text, size, &length);
    const bool valid = code != UINT32_MAX;
    if (!valid || is_unsafe(code)) {
        snprintf(escaped, SA_ESCAPED, !valid || code < 0x80 ? "\\x%02X" : "\\u{%04X}",
                 valid ? code : (unsigned char)*text);
    } else {
        memcpy(escaped, text, length);
        escaped[length] = 0;
    }
    return length;
}

const char *sa_escape(char *out, size_t capacity, const char *text, size_t size) {
    size_t used = 0;
    sa_require(capacity >= 4);
    for (size_t i = 0; i < size;) {
        char escaped[SA_ESCAPED];
        i += sa_escape_first(escaped, text + i, size - i);
        const size_t width = strlen(escaped);
        if (used + width + 4 > capacity) { /* 4: the ellipsis and the terminator */
            memcpy(out + used, "…", 4);
            return out;
        }
        memcpy(out + used, escaped, width);
        used += width;
    }
    out[used] = 0;
    return out;
}

bool(sa_fail)(sa_error *error, sa_code code, const char *format, ...) {
    if (!error) return false;
    char text[2 * sizeof error->text];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    error->code = code;
    sa_escape(error->text, sizeof error->text, text, strlen(text));
    return false;
}

bool(sa_fail_errno)(sa_error *error, sa_code code, const char *verb, const char *path) {
    int reason = errno;
    return sa_fail(error, reason == ENOMEM ? SA_LIMIT : code, "cannot %s '%s': %s", verb, path,
                   strerror(reason));
}

bool(sa_fail_memory)(sa_error *error, size_t bytes) {
    return sa_fail(error, SA_LIMIT, "out of memory (%zu bytes wanted)", bytes);
}

_Noreturn void sa_trap(const char *condition, const char *file, int line) {
    char text[512];
    snprintf(text, sizeof text, "softalign: internal error: %s (%s:%d)\n", condition, file, line);
    (void)!write(STDERR_FILENO, text, strlen(text));
    abort();
}

/* ---- Arguments ------------------------------------------------------------------------------- */

bool sa_given(const void *pointer, const char *name, sa_error *error) {
    return pointer || sa_fail(error, SA_USAGE, "'%s' is NULL", name);
}

bool sa_within(int64_t number, int64_t min, int64_t max, const char *name, sa_error *error) {
    return (number >= min && number <= max) ||
           sa_fail(error, SA_USAGE, "'%s' is %lld: expected %lld to %lld", name, (long long)number,
                   (long long)min, (long long)max);
}

bool sa_given_array(const void *array, size_t count, const char *name, sa_error *error) {
    if (count > INT_MAX)
        return sa_fail(error, SA_USAGE, "'%s': the count %zu is above %d", name, count, INT_MAX);
    return !count || sa_given(array, name, error);
}

static bool fail_entry(const char *name, size_t i, const char *field, sa_error *error) {
    return sa_fail(error, SA_USAGE, "'%s[%zu]%s' is NULL", name, i, field);
}

static bool check_text(const char *text, const char *name, size_t i, const char *field,
                       sa_error *error) {
    if (!text) return fail_entry(name, i, field, error);
    size_t bad;
    return sa_utf8_valid(text, strlen(text), &bad) ||
           sa_fail(error, SA_USAGE, "'%s[%zu]%s' is not UTF-8 at byte %zu: 0x%02X", name, i, field,
                   bad + 1, (unsigned char)text[bad]);
}

bool sa_given_texts(const char *const *texts, size_t count, const char *name, sa_error *error) {
    if (!sa_given_array(texts, count, name, error)) return false;
    for (size_t i = 0; i < count; i++)
        if (!check_text(texts[i], name, i, "", error)) return false;
    return true;
}

bool sa_given_pairs(const sa_pair *pairs, size_t count, const char *name, sa_error *error) {
    if (!sa_given_array(pairs, count, name, error)) return false;
    for (size_t i = 0; i < count; i++)
        if (!check_text(pairs[i].source, name, i, ".source", error) ||
            !check_text(pairs[i].target, name, i, ".target", error))
            return false;
    return true;
}

static bool check_size(int size, int least, const char *name, const char *field, sa_error *error) {
    return size >= least || sa_fail(error, SA_USAGE, "'%s->%s' is %d: expected %d to %d", name,
                                    field, size, least, INT_MAX);
}

static bool check_words(const char *const *words, int count, const char *name, const char *field,
                        sa_error *error) {
    char list[64];
    snprintf(list, sizeof list, "%s->%s", name, field);
    return sa_given_texts(words, (size_t)count, list, error);
}

bool sa_given_alignment(const sa_alignment *alignment, const char *name, sa_error *error) {
    return sa_given(alignment, name, error) &&
           check_size(alignment->targets, 1, name, "targets", error) &&
           check_size(alignment->sources, 1, name, "sources", error) &&
           check_size(alignment->heads, 0, name, "heads", error) &&
           check_size(alignment->layers, 0, name, "layers", error) &&
           check_words(alignment->target, alignment->targets, name, "target", error) &&
           check_words(alignment->source, alignment->sources, name, "source", error);
}

bool sa_given_corpus(const sa_corpus *corpus, const char *name, sa_error *error) {
    if (!sa_given(corpus, name, error)) return false;
    if (!corpus->name) return sa_fail(error, SA_USAGE, "'%s->name' is NULL", name);
    if (!sa_given_pairs(corpus->pairs, corpus->count, name, error)) return false;
    for (size_t i = 0; corpus->gold && i < corpus->count; i++)
        if (!corpus->pairs[i].gold) return fail_entry(name, i, ".gold", error);
    return true;
}
