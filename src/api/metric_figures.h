/* scoring: the figures of the metrics for programs. */
#ifndef SA_SCORING_H
#define SA_SCORING_H

#include "metrics/metrics.h"

/* The figures of a sum of tallies. */
sa_figures sa_score_figures(const sa_tally *sum, const sa_metrics *metrics);

#endif
