/* tokens: a growing list of tokens of limited length. */
#ifndef SA_DATA_TOKENS_H
#define SA_DATA_TOKENS_H

#include "base/memory.h"
#include "data/subword_mark.h"

/* A slice of the text that was split; the text must outlive it. */
typedef struct sa_token {
    const char *text;
    size_t size;
} sa_token;

typedef struct sa_tokens {
    sa_token *token;
    size_t count, capacity;
} sa_tokens;

/* Bytes of the longest token; longer ones are split. */
enum { SA_TOKEN_MAX = 256 };
/* Bytes of the longest subword, including its mark. */
enum { SA_SUBWORD_MAX = SA_TOKEN_MAX + sizeof SA_SUBWORD_MARK - 1 };

/* Compares in byte order, as strcmp. */
int sa_token_compare(sa_token a, sa_token b);

/* Appends a token. */
bool sa_tokens_add(sa_tokens *tokens, const char *text, size_t size, sa_error *error);
/* Appends a token, split between characters if it is longer than SA_TOKEN_MAX. */
bool sa_tokens_push_split(sa_tokens *tokens, const char *text, size_t size, sa_error *error);
void sa_tokens_release(sa_tokens *tokens);

#endif
