/* dataset: pairs as numbers, ready for batches. */
#ifndef SA_DATA_DATASET_H
#define SA_DATA_DATASET_H

#include "data/text_codec.h"

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
bool sa_dataset_build(sa_dataset *dataset, const sa_corpus *corpus, const bool *use,
                      const sa_text_codec *source, const sa_text_codec *target, int max_len,
                      sa_error *error);
void sa_dataset_release(sa_dataset *dataset);

/* Marks about 5 % of the pairs for validation by a hash of the source, so that equal sources stand
 * on the same side; at least one pair on each side when there are two different sources, else all
 * are marked. held [corpus->count]. Returns how many are marked. */
size_t sa_corpus_hold_out(const sa_corpus *corpus, bool *held);

#endif
