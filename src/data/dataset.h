/* dataset: pairs as token ids, and the extended ids for copying. */
#pragma once

#include "data/text_codec.h"

typedef struct sa_dataset {
    sa_sentence *source, *target; /* [count] with extended ids for copying */
    size_t *pair;                 /* [count] index in the corpus */
    size_t count;
    size_t too_long;                    /* number of pairs omitted */
    int longest_source, longest_target; /* tokens, EOS included */
    int64_t target_words;               /* tokens, EOS included */
    uint64_t hash;                      /* of all ids: identifies the data */
} sa_dataset;

/* Encodes the pairs that `use` marks (NULL: all), except pairs with a side above max_len tokens (0:
 * no limit), with the threads of the settings. Adds extended ids if they say that the model copies.
 * SA_DATA: no pair is left. */
bool sa_dataset_build(sa_dataset *dataset, const sa_corpus *corpus, const bool *use,
                      const sa_text_codec *source, const sa_text_codec *target, int max_len,
                      const sa_settings *settings, sa_error *error);
void sa_dataset_release(sa_dataset *dataset);
/* Returns the pairs of the corpus that the dataset contains, at most `most`. Free their list with
 * free(). NULL: out of memory. */
sa_corpus sa_dataset_pairs(const sa_dataset *dataset, const sa_corpus *corpus, size_t most,
                           sa_error *error);
