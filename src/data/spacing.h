/* spacing: the spaces between the tokens of the tokenizer `word`, and how a text writes them.
 *
 * Each token has a key: `word`, `number`, `elided` (l'), `han` (an ideograph), `picture` (an
 * emoji), or the sign itself, with a + when it is the first, third ... of its kind in the sentence,
 * so that " opens and closes. What stands between two tokens is predicted from their keys by a
 * table that is learned from the training text of a side. Where a text deviates, one of the two
 * tokens carries a mark: SA_JOINED when there is no space, SA_SPACED when there is one, the space
 * itself when it is another one. So joining the tokens gives the text back, but for runs of white
 * space, which become one space, and for its kind (plain, no-break, thin ...), which is the most
 * frequent one. */
#pragma once

#include "base/utf8.h"
#include "data/tokens.h"

#define SA_JOINED "￭" /* as in OpenNMT */
#define SA_SPACED "▁" /* as in SentencePiece */

typedef struct sa_spacing {
    bool spaced_marks; /* of models without a table: a space before ? ! : ; as in French */
    sa_strings pairs;  /* "KEY KEY", or "KEY any" and "any KEY" of a sign */
    uint32_t *space;   /* [pairs.count] the code point between them, or 0 */
    size_t capacity;
    uint16_t *dense; /* the same for keys in ASCII, [DENSE x DENSE]; NULL: there is no table */
} sa_spacing;

/* Counts what stands between the tokens, which are slices of one text, as rows "KEY KEY MARK". */
bool sa_spacing_count(sa_word_counts *counts, const sa_tokens *tokens, sa_error *error);

/* The table of the first row of every two keys. SA_DATA names the file, its tensor and the row at
 * fault. */
bool sa_spacing_read(sa_spacing *spacing, const sa_strings *rows, const char *file,
                     const char *name, sa_error *error);
void sa_spacing_release(sa_spacing *spacing);

/* Adds the marks to the tokens, which are slices of one text. If there are any, the tokens get
 * memory of their own; what they had before is freed. */
bool sa_spacing_mark(const sa_spacing *spacing, sa_tokens *tokens, sa_error *error);

/* A token without its marks. */
sa_token sa_spacing_plain(sa_token token);

/* Appends the text of tokens, whose marks are obeyed. */
void sa_spacing_join(const sa_token *tokens, size_t count, const sa_spacing *spacing,
                     sa_buffer *out);

/* The same as models without a table do it. */
void sa_early_word_join(const sa_token *tokens, size_t count, const sa_spacing *spacing,
                        sa_buffer *out);

/* ---- Characters ------------------------------------------------------------------------------ */

/* The class of the character at text, SA_CHAR_SPACE at its end. */
sa_char_class sa_kind_at(const char *text, size_t size);

/* Bytes of the apostrophe at text, 0 if there is none. */
size_t sa_apostrophe_size(const char *text, size_t size);

/* Whether the letters before an apostrophe are an elided French word. */
bool sa_is_elided_word(const char *text, size_t size);

/* Whether the dot that ends Tibetan syllables is at text. */
bool sa_is_tsheg(const char *text, size_t size);

/* Bytes of a character that would look like a mark, 0 if there is none. */
size_t sa_spacing_mark_size(const char *text, size_t size);
