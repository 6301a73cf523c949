/* judging: what the attention of a pair says is aligned, beside the gold alignment. */
#ifndef SA_JUDGING_H
#define SA_JUDGING_H

#include "opened.h"

/* Counts the links of pair i, whose forced decoding has the weights, into `out`. SA_DATA: a gold
 * link lies beyond the sentence. */
bool sa_judge_links(const sa_linking *linking, const sa_corpus *corpus, const sa_dataset *pairs,
                    size_t i, const double *weights, sa_judgement *out, sa_error *error);

#endif
