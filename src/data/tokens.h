/* tokens: a growing list of tokens, each of limited length. */
#ifndef SA_DATA_TOKENS_H
#define SA_DATA_TOKENS_H

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

/* Appends a token as it is. */
bool sa_tokens_add(sa_tokens *tokens, const char *text, size_t size, sa_error *error);
/* Appends a token, which is cut into several between its characters if it is too long. */
bool sa_tokens_push_split(sa_tokens *tokens, const char *text, size_t size, sa_error *error);
void sa_tokens_release(sa_tokens *tokens);

#endif
