/* tokenizer: a sentence as tokens and back; the rows that --tokenizer and its help walk.
 *
 *   word   words, numbers and single punctuation marks, as data/word_tokenizer.h says
 *   char   what a reader calls a character (a grapheme cluster), spaces included
 *   space  whatever stands between white space
 *   bpe    sub-words: what "word" gives, cut further by merges learned from the training pairs; one
 *          that its word goes on behind ends in SA_SUBWORD_MARK */
#ifndef SA_TEXT_TOKENIZER_H
#define SA_TEXT_TOKENIZER_H

#include "base/memory.h"
#include "base/subword_mark.h"

/* A part of the text that was split, which must outlive it. */
typedef struct sa_token {
    const char *text;
    size_t size;
} sa_token;

typedef struct sa_tokens {
    sa_token *token;
    size_t count, capacity;
} sa_tokens;

/* The longest token; what is longer is cut into several. */
enum { SA_TOKEN_MAX = 256 };
/* The longest sub-word as it is written. */
enum { SA_SUBWORD_MAX = SA_TOKEN_MAX + sizeof SA_SUBWORD_MARK - 1 };

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

/* Appends a token as it is. */
bool sa_tokens_add(sa_tokens *tokens, const char *text, size_t size, sa_error *error);
/* Appends a token, which is cut into several between its characters if it is too long. */
bool sa_tokens_push_split(sa_tokens *tokens, const char *text, size_t size, sa_error *error);
void sa_tokens_release(sa_tokens *tokens);

#endif
