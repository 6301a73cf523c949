/* tokens: tokens of limited length, the mark of subwords, and sets of byte strings. */
#pragma once

#include "base/memory.h"
#include <stdint.h>

/* ---- Subwords -------------------------------------------------------------------------------- */

/* The end of a token whose word continues in the next one. */
#define SA_SUBWORD_MARK "@@"

bool sa_subword_continues(const char *text, size_t size);

/* Fills word [count] with the index of each token's word; returns the number of words. Without
 * subwords each token is a word, and so is a final EOS, whatever precedes it. */
int sa_subword_word_indices(const char *const *token, int count, bool subwords, int *word);

/* ---- Unknown words --------------------------------------------------------------------------- */

/* How outputs spell an unknown word. Tokenizers keep it in one piece, so that a model reads its own
 * outputs as it wrote them; as a word of a training text it is a word like others. */
#define SA_UNKNOWN_WORD "<unk>"

/* Returns the size of an unknown word at text, or 0. */
size_t sa_unknown_word_size(const char *text, size_t size);

/* ---- Tokens ---------------------------------------------------------------------------------- */

/* Tokens are slices of the text that was split, or of memory of their own. */
typedef struct sa_tokens {
    sa_token *token;
    size_t count, capacity;
    char *owned; /* or NULL */
} sa_tokens;

/* Size of the longest token in bytes; longer ones are split. */
enum { SA_TOKEN_MAX = 256 };
/* Size of the longest subword in bytes, including its mark. */
enum { SA_SUBWORD_MAX = SA_TOKEN_MAX + sizeof SA_SUBWORD_MARK - 1 };

/* Appends a token. */
bool sa_tokens_add(sa_tokens *tokens, const char *text, size_t size, sa_error *error);
/* Appends a token; if it is longer than SA_TOKEN_MAX, splits it between characters. */
bool sa_tokens_push_split(sa_tokens *tokens, const char *text, size_t size, sa_error *error);
void sa_tokens_release(sa_tokens *tokens);

/* ---- Sets of strings ------------------------------------------------------------------------- */

typedef struct sa_string_entry {
    size_t end;    /* where the string ends in the text */
    int64_t value; /* what belongs to it, such as how often it occurs; 0 at first */
} sa_string_entry;

/* Strings, numbered in the order in which they were added. */
typedef struct sa_strings {
    sa_buffer text;         /* all strings, each followed by LF */
    sa_string_entry *entry; /* [count] */
    size_t count, capacity;
    uint32_t *slot; /* [slots] hash table of numbers plus 1; 0: free */
    size_t slots;   /* a power of two, or 0 */
} sa_strings;

/* Returns the number of a string, which is added if it is new; -1 on error (SA_LIMIT). */
int32_t sa_strings_add(sa_strings *strings, const char *text, size_t size, sa_error *error);
/* Adds to the value of a string, which is added if it is new. */
bool sa_strings_count(sa_strings *strings, sa_token string, int64_t times, sa_error *error);
/* Returns the number of a string, or -1. */
int32_t sa_strings_find(const sa_strings *strings, const char *text, size_t size);
/* Returns a string by its number, valid until the next one is added. */
sa_token sa_strings_get(const sa_strings *strings, int32_t number);
void sa_strings_release(sa_strings *strings);
