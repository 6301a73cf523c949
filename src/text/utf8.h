/* utf8: Unicode, the only file that includes <utf8proc.h>. Nothing here knows a locale. */
#ifndef SA_TEXT_UTF8_H
#define SA_TEXT_UTF8_H

#include "base/error.h"
#include <stdint.h>

/* Whether the bytes are strict UTF-8 (no overlong forms, no surrogates, nothing above U+10FFFF).
 * If not, *bad is the offset of the first wrong byte. */
bool sa_utf8_valid(const char *text, size_t size, size_t *bad);

/* What a file that is not UTF-8 may be: "UTF-16LE", "Latin-1" ..., from its first bytes. */
const char *sa_utf8_guess(const char *text, size_t size);

/* The text in Normalisation Form C, in lower case if wanted; valid UTF-8 is expected. Terminated,
 * freed with free(); NULL: memory. */
char *sa_utf8_normalise(const char *text, size_t size, bool lower, sa_error *error);

/* What a code point is to a tokenizer. */
typedef enum sa_kind {
    SA_KIND_SPACE,  /* every white space, the no-break ones included */
    SA_KIND_LETTER, /* a letter or a mark on one */
    SA_KIND_DIGIT,
    SA_KIND_HAN, /* an ideograph or a kana: a word by itself */
    SA_KIND_OTHER,
} sa_kind;

/* The kind of the code point at text and its length in bytes. size > 0. */
sa_kind sa_utf8_kind(const char *text, size_t size, size_t *length);

/* Bytes of the grapheme cluster (what a reader calls one character) at text; size > 0. */
size_t sa_utf8_cluster(const char *text, size_t size);

/* Columns on a terminal: 2 for wide characters, 0 for marks. */
int sa_utf8_width(const char *text, size_t size);

#endif
