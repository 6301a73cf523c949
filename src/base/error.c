#include "base/error.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

size_t sa_utf8_decode(const char *bytes, size_t size, uint32_t *code) {
    const unsigned char *text = (const unsigned char *)bytes;
    size_t length = text[0] < 0x80   ? 1
                    : text[0] < 0xc2 ? 0
                    : text[0] < 0xe0 ? 2
                    : text[0] < 0xf0 ? 3
                    : text[0] < 0xf5 ? 4
                                     : 0;
    if (!length || length > size) return 0;
    *code = length == 1 ? text[0] : text[0] & (0x7f >> length);
    for (size_t i = 1; i < length; i++) {
        if ((text[i] & 0xc0) != 0x80) return 0;
        *code = *code << 6 | (text[i] & 0x3f);
    }
    bool overlong = (length == 3 && *code < 0x800) || (length == 4 && *code < 0x10000);
    bool surrogate = *code >= 0xd800 && *code < 0xe000;
    return overlong || surrogate || *code > 0x10ffff ? 0 : length;
}

/* Control and bidirectional formatting characters, which change how a terminal shows other text. */
static bool is_unsafe(uint32_t code) {
    return code < 0x20 || (code >= 0x7f && code < 0xa0) || code == 0x61c || code == 0x200e ||
           code == 0x200f || (code >= 0x2028 && code <= 0x202e) ||
           (code >= 0x2066 && code <= 0x2069) || code == 0xfeff ||
           (code >= 0xe0000 && code < 0xe0080);
}

size_t sa_escape_first(char escaped[SA_ESCAPED], const char *text, size_t size) {
    uint32_t code = 0;
    const size_t length = sa_utf8_decode(text, size, &code);
    if (!length) {
        snprintf(escaped, SA_ESCAPED, "\\x%02X", (unsigned char)*text);
        return 1;
    }
    if (is_unsafe(code)) {
        snprintf(escaped, SA_ESCAPED, code < 0x80 ? "\\x%02X" : "\\u{%04X}", code);
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
