/* word: sentences as words, numbers and single punctuation marks, and natural text of them.
 *
 * Inside a word stay: a hyphen or an apostrophe between its parts (peut-être, don't, 1970's); a
 * dot, & or @ between its parts (p.m, R&B, a.b@example.org); a comma or colon between digits
 * (1,000, 10:30); the hyphen of "Vor- und Nachteile", the minus of -5, the apostrophe of "the dogs'
 * names". A French elision ends after its apostrophe (l' | homme, qu' | il, but aujourd'hui).
 * Ideographs and kana are tokens by themselves. White space separates and is forgotten, the
 * no-break kinds too. */
#ifndef SA_DATA_WORD_TOKENIZER_H
#define SA_DATA_WORD_TOKENIZER_H

#include "data/tokens.h"
#include <stdint.h>

/* The split and join of the row "word" (see sa_tokenizer). */
bool sa_word_tokenizer_split(const char *text, size_t size, sa_tokens *tokens, sa_error *error);
void sa_word_tokenizer_join(const sa_token *tokens, size_t count, bool spaced_marks,
                            sa_buffer *out);

/* How often ? ! : ; at the end of a word follow a space, less how often they do not: over a
 * training corpus the sign tells how its language writes them. */
int64_t sa_word_count_spaced_marks(const char *text, size_t size);

#endif
