/* coder: how a side's text becomes numbers and back. */
#ifndef SA_TEXT_CODER_H
#define SA_TEXT_CODER_H

#include "data/bpe.h"
#include "data/vocab.h"

typedef struct sa_coder {
    const sa_tokenizer *tokenizer;
    bool lowercase;
    bool spaced_marks; /* see tokenizer.h */
    sa_bpe bpe;        /* when the tokenizer gives pieces */
    sa_vocab vocab;
} sa_coder;

/* For the option rows: how the two sides share merges; NULL after the last. */
const char *sa_bpe_name(size_t row);

/* Whether two coders give the same tokens of every text. */
bool sa_coder_same(const sa_coder *one, const sa_coder *other);

/* Appends the tokens of a text; those of lower-case text and pieces point into *owned (freed by the
 * caller after the tokens; NULL when there is none). Not in lower case the pieces are those of the
 * lower-case words in the user's own spelling. `cutter`: of coder->bpe, for many texts; or NULL. */
bool sa_coder_split(const sa_coder *coder, sa_cutter *cutter, const char *text, bool lower,
                    sa_tokens *tokens, char **owned, sa_error *error);

/* A text as numbers, the end mark last. ids is freed by the caller. */
bool sa_coder_encode(const sa_coder *coder, sa_cutter *cutter, const char *text, int32_t **ids,
                     int *len, sa_error *error);

/* Natural text of numbers; the end mark is left out. */
void sa_coder_decode(const sa_coder *coder, const int32_t *ids, int len, sa_buffer *out);

/* Merges, vocabularies and the marks' habit from the pairs that `use` marks (NULL: all); merges
 * from every such pair. tokenizer and lowercase of both coders are set. Pairs with a side above
 * --max-len take no part in the vocabularies; SA_DATA when none is left. */
bool sa_coders_build(sa_coder *source, sa_coder *target, const sa_corpus *corpus, const bool *use,
                     const sa_settings *settings, sa_error *error);
void sa_coder_release(sa_coder *coder);

/* No pair is left: the length is the only filter, so it took them all. */
bool sa_fail_too_long(const sa_corpus *corpus, int max_len, sa_error *error);

#endif
