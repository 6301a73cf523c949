/* coder: how a side's text becomes numbers and back. */
#ifndef SA_DATA_TEXT_CODEC_H
#define SA_DATA_TEXT_CODEC_H

#include "data/bpe.h"
#include "data/tokenizer.h"
#include "data/vocab.h"

typedef struct sa_text_codec {
    const sa_tokenizer *tokenizer;
    bool lowercase;
    bool spaced_marks; /* see tokenizer.h */
    sa_bpe bpe;        /* when the tokenizer gives pieces */
    sa_vocab vocab;
} sa_text_codec;

/* For the option rows: how the two sides share merges; NULL after the last. */
const char *sa_bpe_name(size_t row);

/* Whether two coders give the same tokens of every text. */
bool sa_text_codec_equal(const sa_text_codec *one, const sa_text_codec *other);

/* Appends the tokens of a text; those of lower-case text and pieces point into *owned (freed by the
 * caller after the tokens; NULL when there is none). Not in lower case the pieces are those of the
 * lower-case words in the user's own spelling. `cutter`: of coder->bpe, for many texts; or NULL. */
bool sa_text_codec_split(const sa_text_codec *codec, sa_bpe_segmenter *segmenter, const char *text,
                         bool lower, sa_tokens *tokens, char **owned, sa_error *error);

/* A text as numbers, the end mark last. ids is freed by the caller. */
bool sa_text_codec_encode(const sa_text_codec *codec, sa_bpe_segmenter *segmenter, const char *text,
                          int32_t **ids, int *len, sa_error *error);

/* Natural text of numbers; the end mark is left out. */
void sa_text_codec_decode(const sa_text_codec *codec, const int32_t *ids, int len, sa_buffer *out);

/* Merges, vocabularies and the marks' habit from the pairs that `use` marks (NULL: all); merges
 * from every such pair. tokenizer and lowercase of both coders are set. Pairs with a side above
 * --max-len take no part in the vocabularies; SA_DATA when none is left. */
bool sa_text_codecs_build(sa_text_codec *source, sa_text_codec *target, const sa_corpus *corpus,
                          const bool *use, const sa_settings *settings, sa_error *error);
void sa_text_codec_release(sa_text_codec *codec);

/* No pair is left: the length is the only filter, so it took them all. */
bool sa_fail_too_long(const sa_corpus *corpus, int max_len, sa_error *error);

#endif
