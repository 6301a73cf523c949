/* pair_statistics: statistics of the attention of a pair, and its links against the gold
 * alignment. */
#ifndef SA_API_PAIR_STATISTICS_H
#define SA_API_PAIR_STATISTICS_H

#include "inference/teacher_forcing.h"

/* Sets attention statistics, length balance and unknown words of a pair. */
bool sa_pair_add_statistics(const sa_model *model, const sa_pair *pair, const sa_sentence *source,
                            const sa_sentence *target, const sa_alignment *forced,
                            const sa_translation *translation, sa_sentence_result *out,
                            sa_error *error);

/* Counts the links of pair i that the weights (teacher-forced) make; between words also if the
 * model has subwords. SA_DATA: a gold link lies outside the sentences. */
bool sa_pair_count_links(const sa_model *model, const sa_link_options *linking,
                         const sa_corpus *corpus, const sa_dataset *pairs, size_t i,
                         const double *weights, sa_sentence_result *out, sa_error *error);

#endif
