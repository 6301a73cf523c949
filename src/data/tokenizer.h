/* tokenizer: splits a sentence into tokens and joins them again; the choices of --tokenizer.
 *
 *   word       words, numbers and single punctuation marks, see below
 *   char       characters as readers see them (grapheme clusters), including spaces
 *   space      tokens separated by white space
 *   bpe        subwords of the tokens of "word", by merges learned from the training pairs; all but
 *              the last of a word end in SA_SUBWORD_MARK
 *   space-bpe  subwords of the tokens of "space" */
#pragma once

#include "data/spacing.h"

#include <softalign/lab.h>

typedef struct sa_tokenizer {
    const char *name, *help;
    /* Appends the tokens of a text (valid UTF-8, NFC) to the list, without marks of spaces. */
    bool (*split)(const char *text, size_t size, sa_tokens *tokens, sa_error *error);
    const char *between; /* two words in a text; NULL: what the codec's table of spaces says */
    bool subword;        /* split gives words, which data/text_codec.h segments */
} sa_tokenizer;

extern const sa_tokenizer sa_tokenizers[]; /* ends with a NULL name */

/* Returns the tokenizer of the source (side 0) or the target. */
const sa_tokenizer *sa_tokenizer_of(const sa_settings *settings, int side);

/* Returns whether a side has subwords. */
bool sa_has_subwords(const sa_settings *settings);

/* Returns a choice of --source-tokenizer and --target-tokenizer: "auto", then all tokenizers. */
const char *sa_side_tokenizer_name(size_t i);

/* Appends the detokenized text. */
void sa_tokenizer_join(const sa_tokenizer *tokenizer, const sa_token *tokens, size_t count,
                       const sa_spacing *spacing, sa_buffer *out);

/* ---- The tokenizer word ---------------------------------------------------------------------- */

/* Splits a text as "word" does; see sa_tokenizer. */
bool sa_word_tokenizer_split(const char *text, size_t size, sa_tokens *tokens, sa_error *error);
