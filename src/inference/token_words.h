/* token_words: which word each subword belongs to. */
#ifndef SA_INFERENCE_TOKEN_WORDS_H
#define SA_INFERENCE_TOKEN_WORDS_H

#include "data/text_codec.h"

/* The word of each token of a text, EOS included. */
typedef struct sa_token_words {
    int *word; /* [tokens] */
    int tokens, words;
} sa_token_words;

/* Of both sides of a pair; each is freed by sa_token_words_release. */
bool sa_token_words_make(const sa_text_codec *from, const sa_text_codec *to, const sa_pair *pair,
                         sa_token_words *source, sa_token_words *target, sa_error *error);
void sa_token_words_release(sa_token_words *words);

#endif
