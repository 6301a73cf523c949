/* tokenizer: a sentence as tokens and back; the rows that --tokenizer and its help walk.
 *
 *   word   letters with their marks, numbers, single punctuation marks. A hyphen between letters or
 *          digits, an apostrophe between letters, and . , : between digits stay inside (peut-être,
 *          don't, 3.14, 10:30, 1997-03-04); a French elision ends after its apostrophe (l' | homme,
 *          qu' | il). Ideographs and kana are tokens by themselves. All white space separates, the
 *          no-break kinds too.
 *   char   what a reader calls a character (a grapheme cluster), spaces included
 *   space  whatever stands between white space */
#ifndef SA_TEXT_TOKENIZER_H
#define SA_TEXT_TOKENIZER_H

#include "base/memory.h"

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

typedef struct sa_tokenizer {
    const char *name, *help;
    /* Appends the tokens of a text (valid UTF-8, NFC) to the list. */
    bool (*split)(const char *text, size_t size, sa_tokens *tokens, sa_error *error);
    /* Appends natural text made of tokens. spaced_marks: ? ! : ; follow a space, as in French. */
    void (*join)(const sa_token *tokens, size_t count, bool spaced_marks, sa_buffer *out);
} sa_tokenizer;

extern const sa_tokenizer sa_tokenizers[]; /* ends with a NULL name */

/* For the option rows: the name of a row, NULL after the last. */
const char *sa_tokenizer_name(size_t row);

void sa_tokens_release(sa_tokens *tokens);

/* How often ? ! : ; follow a space in a text, less how often they do not: over a training corpus
 * the sign tells how its language writes them. */
int64_t sa_spaced_marks(const char *text, size_t size);

#endif
