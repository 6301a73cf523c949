/* utf8: Unicode. Only utf8.c and error.c include <utf8proc.h>. Nothing here knows a locale. */
#pragma once

#include "base/error.h"
#include <stdint.h>

/* Returns the size of the byte order mark at the beginning of the text: 3 or 0. */
size_t sa_utf8_mark_size(const char *text, size_t size);

/* Returns the format of a file that begins with these bytes, such as "UTF-16LE" or "a PNG picture";
 * NULL: unknown. text: names no format whose files may be text, such as JSON. Sets *command to a
 * command that converts FILE to text, or to NULL. */
const char *sa_file_format(const char *bytes, size_t size, bool text, const char **command);

/* Returns a text (valid UTF-8) in Normalization Form C, in lower case if `lower`. U+034F is
 * inserted after every 30 combining marks in a row. Terminated; free it with free(). NULL: out of
 * memory. */
char *sa_utf8_normalize(const char *text, size_t size, bool lower, sa_error *error);

/* Normalizes a text from outside. SA_USAGE, naming `what` it is: the text is NULL or not UTF-8. */
char *sa_utf8_text(const char *what, const char *text, sa_error *error);

/* Returns the text in lower case by Unicode's full rules (a capital sigma at the end of a word
 * becomes a final one), as Python's str.lower gives it. Terminated; free it with free(). NULL: out
 * of memory. */
char *sa_utf8_lower(const char *text, size_t size, sa_error *error);

/* Character classes of the tokenizer. */
typedef enum sa_char_class {
    SA_CHAR_SPACE,    /* white space, including no-break and zero-width spaces */
    SA_CHAR_LETTER,   /* letters, combining marks, joiners, the underscore */
    SA_CHAR_DIGIT,    /* digits and other numbers: ½, ², Ⅳ */
    SA_CHAR_HAN,      /* ideographs and kana, each a word by itself, and their punctuation */
    SA_CHAR_OPENING,  /* opening brackets and curved or angled quotation marks */
    SA_CHAR_CLOSING,  /* closing ones, including the curved apostrophe */
    SA_CHAR_CURRENCY, /* $ € £ ¥ ... */
    SA_CHAR_OTHER,
} sa_char_class;

/* Returns the class of the code point at text, and sets its length in bytes. size > 0. */
sa_char_class sa_utf8_char_class(const char *text, size_t size, size_t *length);

/* Returns the length in bytes of the character at text: valid UTF-8 of `size` > 0 bytes; SIZE_MAX:
 * terminated. */
size_t sa_utf8_character_size(const char *text, size_t size);
/* Returns whether it is a letter of any script (not a mark, joiner or underscore). */
bool sa_utf8_is_letter(uint32_t code);
/* Writes the code point as 1 to 4 bytes. Returns their number. */
size_t sa_utf8_encode(uint32_t code, char *out);

/* Returns the length in bytes of the grapheme cluster (what a reader calls a character) at text;
 * size > 0. */
size_t sa_utf8_grapheme_size(const char *text, size_t size);

/* Returns the width in columns on a terminal: 2 for wide characters and joined sequences, 0 for
 * marks. */
int sa_utf8_width(const char *text, size_t size);

/* Returns whether the text is right-to-left, by its first strongly directional character. */
bool sa_utf8_is_rtl(const char *text, size_t size);
/* Returns whether most strongly directional characters of a sentence are right-to-left. */
bool sa_utf8_words_are_rtl(const char *const *words, int count);

/* ---- Words in few columns -------------------------------------------------------------------- */

/* Writes the word, escaped for display, to out[capacity], truncated with an ellipsis to max_columns
 * or before a character with too many combining marks. Returns its width in columns. */
int sa_utf8_fit(const char *word, int max_columns, char *out, size_t capacity);
