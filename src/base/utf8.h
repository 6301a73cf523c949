/* utf8: Unicode, the only file that includes <utf8proc.h>. Nothing here knows a locale. */
#ifndef SA_BASE_UTF8_H
#define SA_BASE_UTF8_H

#include "base/error.h"
#include <stdint.h>

/* Whether the bytes are strict UTF-8 (no overlong forms, no surrogates, nothing above U+10FFFF).
 * If not, *bad is the offset of the first wrong byte. */
bool sa_utf8_valid(const char *text, size_t size, size_t *bad);

/* What a file that begins so is, if it is no text in UTF-8: "UTF-16LE", "a zip archive" ..., or
 * NULL. */
const char *sa_utf8_guess_format(const char *text, size_t size);

/* The text in Normalisation Form C, in lower case if wanted; valid UTF-8 is expected. Terminated,
 * freed with free(); NULL: memory. */
char *sa_utf8_normalize(const char *text, size_t size, bool lower, sa_error *error);

/* The text in lower case and otherwise as it is, by Unicode's full rules (a capital sigma at the
 * end of a word becomes a final one), as Python's str.lower gives it. Terminated, freed with
 * free(); NULL: memory. */
char *sa_utf8_lower(const char *text, size_t size, sa_error *error);

/* What a code point is to a tokenizer. */
typedef enum sa_char_class {
    SA_CHAR_SPACE,    /* every white space, the no-break ones and the zero-width one included */
    SA_CHAR_LETTER,   /* a letter, a mark on one, a joiner between two, an underscore */
    SA_CHAR_DIGIT,    /* and whatever else is a number: ½, ², Ⅳ */
    SA_CHAR_HAN,      /* an ideograph or a kana, a word by itself, or the punctuation of both */
    SA_CHAR_OPENING,  /* brackets and curved or angled quotation marks that open */
    SA_CHAR_CLOSING,  /* ... that close, the curved apostrophe among them */
    SA_CHAR_CURRENCY, /* $ € £ ¥ ... */
    SA_CHAR_OTHER,
} sa_char_class;

/* The kind of the code point at text and its length in bytes. size > 0. */
sa_char_class sa_utf8_char_class(const char *text, size_t size, size_t *length);

/* The code point at text and its length in bytes. size > 0. */
uint32_t sa_utf8_codepoint(const char *text, size_t size, size_t *length);
/* Whether it is a letter, of any script, and its length; no mark, joiner or underscore. */
bool sa_utf8_is_letter(const char *text, size_t size, size_t *length);

/* Bytes of the grapheme cluster (what a reader calls one character) at text; size > 0. */
size_t sa_utf8_grapheme_size(const char *text, size_t size);

/* Columns on a terminal: 2 for wide characters and for several joined to one, 0 for marks. */
int sa_utf8_width(const char *text, size_t size);

/* Whether the text is read from right to left: so is its first letter with a direction. */
bool sa_utf8_is_rtl(const char *text, size_t size);

#endif
