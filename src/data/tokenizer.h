/* tokenizer: splits a sentence into tokens and joins them again; the rows of --tokenizer.
 *
 *   word       words, numbers and single punctuation marks, see below
 *   char       characters as readers see them (grapheme clusters), including spaces
 *   space      tokens separated by white space
 *   bpe        subwords of the tokens of "word", by merges learned from the training pairs; all but
 *              the last of a word end in SA_SUBWORD_MARK
 *   space-bpe  subwords of the tokens of "space" */
#ifndef SA_DATA_TOKENIZER_H
#define SA_DATA_TOKENIZER_H

#include "data/tokens.h"

typedef struct sa_tokenizer {
    const char *name, *help;
    /* Appends the tokens of a text (valid UTF-8, NFC) to the list. */
    bool (*split)(const char *text, size_t size, sa_tokens *tokens, sa_error *error);
    void (*join_words)(const sa_token *tokens, size_t count, bool spaced_marks, sa_buffer *out);
    bool subword; /* split gives words, which data/text_codec.h segments; see sa_tokenizer_join */
} sa_tokenizer;

extern const sa_tokenizer sa_tokenizers[]; /* ends with a NULL name */

/* Appends the detokenized text. spaced_marks: a space before ? ! : ; as in French. */
void sa_tokenizer_join(const sa_tokenizer *tokenizer, const sa_token *tokens, size_t count,
                       bool spaced_marks, sa_buffer *out);

/* ---- The tokenizer word ---------------------------------------------------------------------- */

/* The split and join of the row "word" (see sa_tokenizer). */
bool sa_word_tokenizer_split(const char *text, size_t size, sa_tokens *tokens, sa_error *error);
void sa_word_tokenizer_join(const sa_token *tokens, size_t count, bool spaced_marks,
                            sa_buffer *out);

/* How often ? ! : ; before a space follow a space, minus how often they follow a word. Positive for
 * a corpus in a language that puts a space before them. */
int64_t sa_word_count_spaced_marks(const char *text, size_t size);

#endif
