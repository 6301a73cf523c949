/* vocab: token ids. Ids 0, 1 and 2 are the special tokens UNK, EOS and BOS of base/batch.h, which
 * have no spelling here: a literal "</s>" in a text is an ordinary word. */
#ifndef SA_DATA_VOCAB_H
#define SA_DATA_VOCAB_H

#include "base/batch.h"
#include "data/strings.h"

typedef struct sa_vocab {
    sa_strings words; /* ids from SA_SPECIAL_TOKENS on, by decreasing frequency */
    char *blob;       /* the words, each followed by LF */
    size_t blob_size;
} sa_vocab;

/* The tokens of a training text that occur at least min_freq times, at most `max_size` of them (0:
 * no limit), by decreasing frequency, ties in byte order. SA_DATA when there is none. */
bool sa_vocab_build(sa_vocab *vocab, const sa_word_counts *tokens, int min_freq, int max_size,
                    sa_error *error);

/* Reads the words of a model file, each followed by LF. SA_DATA, with `file` and the tensor `name`,
 * when a word is empty, repeated, too long, not UTF-8 or contains NUL or CR. */
bool sa_vocab_read(sa_vocab *vocab, const char *blob, size_t size, const char *file,
                   const char *name, sa_error *error);

void sa_vocab_release(sa_vocab *vocab);

/* The number of ids, special tokens included: the rows of an embedding. */
int sa_vocab_size(const sa_vocab *vocab);
int32_t sa_vocab_find(const sa_vocab *vocab, const char *text, size_t size); /* or SA_UNK */
/* The spelling of an id: its word, or <unk>, </s>, <s>. */
sa_token sa_vocab_token(const sa_vocab *vocab, int32_t id);

#endif
