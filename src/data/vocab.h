/* vocab: words as numbers. Number 0, 1, 2 are the unknown word, the end mark and the start mark of
 * base/batch.h, which have no spelling here: a literal "</s>" in a text is an ordinary word. */
#ifndef SA_DATA_VOCAB_H
#define SA_DATA_VOCAB_H

#include "base/batch.h"
#include "data/strings.h"

typedef struct sa_vocab {
    sa_strings words; /* SA_SPECIAL_TOKENS, SA_SPECIAL_TOKENS + 1, ...: by falling frequency */
    char *blob;       /* the words, each ended by LF */
    size_t blob_size;
} sa_vocab;

/* From the tokens of a training text: those seen at least min_freq times, the `most` most frequent
 * of them (0: all), equally frequent ones in byte order. SA_DATA when none is left. */
bool sa_vocab_build(sa_vocab *vocab, const sa_word_counts *tokens, int min_freq, int most,
                    sa_error *error);

/* From the words of a model file, each ended by LF. SA_DATA, naming `file` and the tensor `name`,
 * when a word is empty, twice, too long, not UTF-8 or holds a NUL or CR, which no text has. */
bool sa_vocab_read(sa_vocab *vocab, const char *blob, size_t size, const char *file,
                   const char *name, sa_error *error);

void sa_vocab_release(sa_vocab *vocab);

/* Numbers in use, the special ones included: the rows of an embedding. */
int sa_vocab_size(const sa_vocab *vocab);
int32_t sa_vocab_find(const sa_vocab *vocab, const char *text, size_t size); /* or SA_UNK */
/* How a number is shown: its word, or <unk>, </s>, <s>. */
sa_token sa_vocab_token(const sa_vocab *vocab, int32_t id);

#endif
