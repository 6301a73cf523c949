/* spacing: the spaces between the tokens of the tokenizer `word`, and how a text writes them.
 *
 * Each token has a key: `word`, `number`, `elided` (l'), `han` (an ideograph), `picture` (an
 * emoji), or the sign itself, with a + when it is the first, third ... of its kind in the sentence,
 * so that " opens and closes. The space between two tokens is predicted from their keys by a
 * table, learned from the training text of a side. Where a text deviates, one of the two tokens
 * carries a mark: SA_JOINED for no space, SA_SPACED for a plain one, otherwise the space itself. So
 * joining the tokens restores the text, except that runs of white space become one space of the
 * most frequent kind (plain, no-break, thin ...). */
#pragma once

#include "base/utf8.h"
#include "data/tokens.h"

#define SA_JOINED "￭" /* as in OpenNMT */
#define SA_SPACED "▁" /* as in SentencePiece */

/* Strings "KEY KEY", or for a sign "KEY any" and "any KEY"; the value is the code point between
 * them, or 0. */
typedef sa_strings sa_spacing;

/* Counts the spaces between the tokens, which are slices of one text, as entries "KEY KEY MARK". */
bool sa_spacing_count(sa_strings *counts, const sa_tokens *tokens, sa_error *error);

/* Builds the table from entries "KEY KEY MARK"; for each two keys, the first one counts. SA_DATA
 * names the file, its tensor and the wrong entry. */
bool sa_spacing_read(sa_spacing *spacing, const sa_strings *entries, const char *file,
                     const char *name, sa_error *error);

/* Adds the marks to the tokens, which are slices of one text. If there are any marks, the tokens
 * get memory of their own, and their previous memory is freed. */
bool sa_spacing_mark(const sa_spacing *spacing, sa_tokens *tokens, sa_error *error);

/* Returns a token without its marks. */
sa_token sa_spacing_plain(sa_token token);

/* Appends the text of the tokens, with the spaces that their marks and the table ask for. */
void sa_spacing_join(const sa_token *tokens, size_t count, const sa_spacing *spacing,
                     sa_buffer *out);

/* ---- Characters ------------------------------------------------------------------------------ */

/* Returns the class of the character at text; at its end, SA_CHAR_SPACE. */
sa_char_class sa_kind_at(const char *text, size_t size);

/* Returns the size in bytes of the apostrophe at text, or 0. */
size_t sa_apostrophe_size(const char *text, size_t size);

/* Returns whether the letters before an apostrophe are an elided French word. */
bool sa_is_elided_word(const char *text, size_t size);

/* Returns whether the dot that ends Tibetan syllables is at text. */
bool sa_is_tsheg(const char *text, size_t size);

/* Returns the size in bytes of a character at text that would look like a mark, or 0. */
size_t sa_spacing_mark_size(const char *text, size_t size);
