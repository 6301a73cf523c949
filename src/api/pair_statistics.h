/* judging: what the attention of a pair adds up to, and what it says is aligned, beside the gold
 * alignment. */
#ifndef SA_JUDGING_H
#define SA_JUDGING_H

#include "inference/teacher_forcing.h"

/* Counts gaze, balance and unknown words of a pair into `out`. */
bool sa_pair_add_statistics(const sa_model *model, const sa_pair *pair, const sa_sentence *source,
                            const sa_sentence *target, const sa_alignment *forced,
                            const sa_translation *translation, sa_sentence_result *out,
                            sa_error *error);

/* Counts the links of pair i, whose forced decoding has the weights, into `out`: those between
 * words, also of a model of pieces. SA_DATA: a gold link lies beyond the sentence. */
bool sa_pair_count_links(const sa_model *model, const sa_link_options *linking,
                         const sa_corpus *corpus, const sa_dataset *pairs, size_t i,
                         const double *weights, sa_sentence_result *out, sa_error *error);

#endif
