/* merging: the words of a model's pieces (see also sa_alignment_merge of softalign.h). */
#ifndef SA_MERGING_H
#define SA_MERGING_H

#include "inference/model.h"

/* The word of each token of a text as a model reads it, the end mark included. */
typedef struct sa_token_words {
    int *word; /* [tokens] */
    int tokens, words;
} sa_token_words;

/* Both sides of a pair, released one by one. */
bool sa_token_words_make(const sa_model *model, const sa_pair *pair, sa_token_words *source,
                         sa_token_words *target, sa_error *error);
void sa_token_words_release(sa_token_words *words);

/* Replaces links between words by links between all their pieces; those of no word are dropped. */
bool sa_links_of_subwords(const sa_token_words *source, const sa_token_words *target,
                          sa_link **links, size_t *count, sa_error *error);

/* The links of pairs[which[i]] (NULL: i), which must have some, between the tokens that the coders
 * make. Those of a corpus must lie inside the sentences: SA_DATA says where one does not; without
 * one (NULL) they need not. Freed with sa_gold_release. */
sa_gold_alignment *sa_gold_make(const sa_text_codec *source, const sa_text_codec *target,
                                const sa_corpus *corpus, const sa_pair *pairs, const size_t *which,
                                size_t count, sa_error *error);
/* Pairs that shall guide attention have no alignments. */
bool sa_fail_unaligned(const sa_corpus *corpus, sa_error *error);
void sa_gold_release(sa_gold_alignment *gold, size_t count);

#endif
