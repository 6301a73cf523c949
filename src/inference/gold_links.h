/* gold_links: the alignments that come with pairs, as links between a model's tokens. */
#ifndef SA_INFERENCE_GOLD_LINKS_H
#define SA_INFERENCE_GOLD_LINKS_H

#include "inference/model.h"
#include "inference/token_words.h"

/* Replaces links between words by links between all their subwords; links of no word are dropped.
 */
bool sa_links_of_subwords(const sa_token_words *source, const sa_token_words *target,
                          sa_link **links, size_t *count, sa_error *error);

/* The links of pairs[which[i]] (which NULL: of pairs[i]), all of which have an alignment, between
 * the tokens of the codecs. With a corpus, SA_DATA names a link outside its sentences; without
 * (NULL) such links are kept. Freed by sa_gold_release. */
sa_gold_alignment *sa_gold_make(const sa_text_codec *source, const sa_text_codec *target,
                                const sa_corpus *corpus, const sa_pair *pairs, const size_t *which,
                                size_t count, sa_error *error);
void sa_gold_release(sa_gold_alignment *gold, size_t count);

/* Fails: the training pairs have no alignments for --guided-alignment. */
bool sa_fail_unaligned(const sa_corpus *corpus, sa_error *error);

/* SA_USAGE: none of the models has attention that the override changes. */
bool sa_override_applies(sa_attention_override chosen, const sa_model *const *models, int number,
                         sa_error *error);

/* Sets up an override for decoding `count` pairs; SA_OVERRIDE_GOLD reads their alignments, which
 * sa_override_close frees. SA_DATA: a pair has none. SA_USAGE: there is nothing to override. */
bool sa_override_open(sa_override *override, sa_attention_override chosen, const sa_model *model,
                      const sa_pair *pairs, size_t count, sa_error *error);
void sa_override_close(sa_override *override, size_t count);

#endif
