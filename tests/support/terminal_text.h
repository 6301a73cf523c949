/* terminal_text: what the program may show on a terminal or in a picture. */
#ifndef TEST_TERMINAL_TEXT_H
#define TEST_TERMINAL_TEXT_H

#include "base/utf8.h"
#include "support/assertions.h"
#include "support/spans.h"

#include <string.h>

/* Nothing that moves the cursor, sets a direction or hides text. Allowed are the new line and, with
 * `mark`, the left-to-right mark that keeps columns in order. */
static inline void terminal_expect_harmless(const char *text, bool mark) {
    for (size_t size = strlen(text), length; size; text += length, size -= length) {
        const uint32_t code = sa_utf8_codepoint(text, size, &length);
        const bool bad = (code < ' ' && code != '\n') || (code >= 0x7f && code < 0xa0) ||
                         (code >= 0x2028 && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069) ||
                         (code == 0x200e && !mark) || code == 0x200f || code == 0x61c ||
                         code == 0xfeff || (code >= 0xe0000 && code < 0xe0080);
        ck_assert_msg(!bad, "U+%04X is shown", code);
    }
}

/* Removes the escape sequences of the program's own colors. */
static inline void terminal_strip(char *text) {
    char *out = text;
    for (const char *at = text; *at;) {
        if (*at != '\x1b') {
            *out++ = *at++;
            continue;
        }
        const size_t size = 2 + span_in(at + 2, "0123456789;");
        ck_assert_msg(begins_with(at, "\x1b[48;") || begins_with(at, "\x1b[0m"),
                      "not a color of ours: '%s'", at + 1);
        ck_assert_int_eq(at[size], 'm');
        at += size + 1;
    }
    *out = 0;
}

#endif
