/* tokenizer: a sentence as tokens and back; the rows that --tokenizer and its help walk.
 *
 *   word   words, numbers and single punctuation marks, as data/word_tokenizer.h says
 *   char   what a reader calls a character (a grapheme cluster), spaces included
 *   space  whatever stands between white space
 *   bpe    sub-words: what "word" gives, cut further by merges learned from the training pairs; one
 *          that its word goes on behind ends in SA_SUBWORD_MARK */
#ifndef SA_DATA_TOKENIZER_H
#define SA_DATA_TOKENIZER_H

#include "data/tokens.h"

typedef struct sa_tokenizer {
    const char *name, *help;
    /* Appends the tokens of a text (valid UTF-8, NFC) to the list. */
    bool (*split)(const char *text, size_t size, sa_tokens *tokens, sa_error *error);
    /* Appends natural text made of tokens. spaced_marks: ? ! : ; follow a space, as in French. */
    void (*join)(const sa_token *tokens, size_t count, bool spaced_marks, sa_buffer *out);
    bool pieces; /* split gives words, which a coder's merges cut (data/text_codec.h); join takes
                  * pieces
                  */
} sa_tokenizer;

extern const sa_tokenizer sa_tokenizers[]; /* ends with a NULL name */

/* For the option rows: the name of a row, NULL after the last. */
const char *sa_tokenizer_name(size_t row);

#endif
