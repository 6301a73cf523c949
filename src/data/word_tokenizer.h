/* word_tokenizer: splits sentences into words, numbers and single punctuation marks, and joins
 * them.
 *
 * A word includes: a hyphen or an apostrophe between its parts (peut-être, don't, 1970's); a dot, &
 * or @ between its parts (p.m, R&B, a.b@example.org); a comma or colon between digits (1,000,
 * 10:30); the hyphen of "Vor- und Nachteile", the minus of -5, the apostrophe of "the dogs' names".
 * A French elision ends after its apostrophe (l' | homme, qu' | il, but aujourd'hui). Each
 * ideograph or kana is a token. White space, including no-break spaces, separates tokens and is
 * dropped. */
#ifndef SA_DATA_WORD_TOKENIZER_H
#define SA_DATA_WORD_TOKENIZER_H

#include "data/tokens.h"
#include <stdint.h>

/* The split and join of the row "word" (see sa_tokenizer). */
bool sa_word_tokenizer_split(const char *text, size_t size, sa_tokens *tokens, sa_error *error);
void sa_word_tokenizer_join(const sa_token *tokens, size_t count, bool spaced_marks,
                            sa_buffer *out);

/* How often ? ! : ; before a space follow a space, minus how often they follow a word. Positive for
 * a corpus in a language that puts a space before them. */
int64_t sa_word_count_spaced_marks(const char *text, size_t size);

#endif
