/* text_codec: vocabularies, and text encoded as token ids and decoded again. */
#pragma once

#include "base/batch.h"
#include "data/bpe.h"
#include "data/tokenizer.h"

/* ---- Vocabularies ---------------------------------------------------------------------------- */

/* Words, with ids from SA_SPECIAL_TOKENS on, by decreasing frequency. */
typedef sa_strings sa_vocab;

/* Appends the tokens of a training text, whose values count them, that occur at least min_freq
 * times to the words, at most max_size words (0: no limit), by decreasing frequency, with ties in
 * byte order. SA_DATA: no words. */
bool sa_vocab_build(sa_vocab *vocab, const sa_strings *tokens, int min_freq, int max_size,
                    sa_error *error);

/* Reads the words of a model file, each followed by LF. SA_DATA, with `file` and the tensor `name`:
 * a word is empty, repeated, too long, not UTF-8 or contains NUL or CR. */
bool sa_vocab_read(sa_vocab *vocab, const char *blob, size_t size, const char *file,
                   const char *name, sa_error *error);
/* Returns whether both have the same words in the same order. */
bool sa_vocab_equal(const sa_vocab *one, const sa_vocab *other);

/* Returns the number of ids, including special tokens: the rows of an embedding. */
int sa_vocab_size(const sa_vocab *vocab);
int32_t sa_vocab_find(const sa_vocab *vocab, const char *text, size_t size); /* or SA_UNK */
/* Returns the spelling of an id: its word, or <unk>, </s>, <s>. */
sa_token sa_vocab_token(const sa_vocab *vocab, int32_t id);

/* ---- Texts ----------------------------------------------------------------------------------- */

typedef struct sa_text_codec {
    const sa_tokenizer *tokenizer;
    bool lowercase;
    sa_vocab spaces;    /* entries of a table of spaces between words, most frequent first */
    sa_spacing spacing; /* that table */
    sa_bpe bpe;         /* merges of a subword tokenizer */
    sa_vocab vocab;
} sa_text_codec;

/* Returns whether two codecs split every text into the same tokens. */
bool sa_text_codec_equal(const sa_text_codec *one, const sa_text_codec *other);

/* Replaces tokens by the tokens of a text, in lower case if `lower`; subwords are so if the codec
 * lowercases. segmenter: of codec->bpe, reused for many texts; or NULL. */
bool sa_text_codec_split(const sa_text_codec *codec, sa_bpe_segmenter *segmenter, const char *text,
                         bool lower, sa_tokens *tokens, sa_error *error);

/* Sets the ids, EOS last, and the length of a text; the caller frees the ids. vocab: that of the
 * codec or another. more, if not NULL: words that the vocabulary lacks, numbered from its size on;
 * new ones are added to it if `add`, and are SA_UNK otherwise. */
bool sa_text_codec_encode(const sa_text_codec *codec, sa_bpe_segmenter *segmenter, const char *text,
                          const sa_vocab *vocab, sa_strings *more, bool add, sa_sentence *out,
                          sa_error *error);

/* Builds tables of spaces, merges and vocabularies from the pairs that `use` marks (NULL: all).
 * Codecs of a model keep theirs; only new words are appended. Pairs with a side above --max-len do
 * not count for the vocabularies. glossaries: of subwords, or NULL. SA_DATA: no pair is left. */
bool sa_text_codecs_build(sa_text_codec *source, sa_text_codec *target, const sa_corpus *corpus,
                          const bool *use, const sa_settings *settings, const char *glossaries,
                          sa_error *error);
void sa_text_codec_release(sa_text_codec *codec);

/* Fails with SA_DATA: no pair is within --max-len. */
bool sa_fail_too_long(const sa_corpus *corpus, int max_len, sa_error *error);
