/* scoring: the metrics of eval on texts as they come. */
#ifndef SA_SCORING_H
#define SA_SCORING_H

#include "eval/metrics.h"

/* Counts one sentence, in lower case if the settings say so. */
bool sa_score_line(const sa_metrics *metrics, const char *hypothesis, const char *const *references,
                   size_t count, sa_tally *tally, sa_error *error);

/* The figures of a sum of tallies. */
sa_figures sa_score_figures(const sa_tally *sum, const sa_metrics *metrics);

#endif
