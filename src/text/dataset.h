/* dataset: pairs as numbers, ready for batches. */
#ifndef SA_TEXT_DATASET_H
#define SA_TEXT_DATASET_H

#include "text/vocab.h"

/* How a side's text becomes numbers and back. */
typedef struct sa_coder {
    const sa_tokenizer *tokenizer;
    bool lowercase;
    bool spaced_marks; /* see tokenizer.h */
    sa_vocab vocab;
} sa_coder;

/* Appends the tokens of a text. In lower case they point into *lowered (freed by the caller after
 * the tokens; NULL when nothing was lowered). */
bool sa_coder_split(const sa_coder *coder, const char *text, bool lower, sa_tokens *tokens,
                    char **lowered, sa_error *error);

/* A text as numbers, the end mark last. ids is freed by the caller. */
bool sa_coder_encode(const sa_coder *coder, const char *text, int32_t **ids, int *len,
                     sa_error *error);

/* Natural text of numbers; the end mark is left out. */
void sa_coder_decode(const sa_coder *coder, const int32_t *ids, int len, sa_buffer *out);

/* Vocabularies and the marks' habit from the pairs that `use` marks (NULL: all). tokenizer and
 * lowercase of both coders are set. Pairs with a side above --max-len take no part;
 * SA_DATA when none is left. */
bool sa_coders_build(sa_coder *source, sa_coder *target, const sa_corpus *corpus, const bool *use,
                     const sa_settings *settings, sa_error *error);
void sa_coder_release(sa_coder *coder);

typedef struct sa_dataset {
    sa_sentence *source, *target; /* [count] */
    size_t *pair;                 /* [count] which pair of the corpus */
    size_t count;
    size_t too_long;                    /* pairs left out */
    int longest_source, longest_target; /* words, end mark included */
    int64_t target_words;               /* end marks included */
    uint64_t hash;                      /* of all numbers: the same pairs give the same */
    int32_t *ids;
} sa_dataset;

/* Encodes the pairs that `use` marks (NULL: all), leaving out those with a side above max_len
 * tokens (0: none). SA_DATA when nothing is left, saying what took how many. */
bool sa_dataset_make(sa_dataset *dataset, const sa_corpus *corpus, const bool *use,
                     const sa_coder *source, const sa_coder *target, int max_len, sa_error *error);
void sa_dataset_release(sa_dataset *dataset);

/* Marks about 5 % of the pairs for validation by a hash of the source, so that equal sources stand
 * on the same side; at least one pair on each side when there are two different sources, else all
 * are marked. held [corpus->count]. Returns how many are marked. */
size_t sa_hold_out(const sa_corpus *corpus, bool *held);

#endif
