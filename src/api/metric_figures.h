/* scoring: the figures of the metrics for programs. */
#ifndef SA_SCORING_H
#define SA_SCORING_H

#include "metrics/metrics.h"

/* The figures of a sum of tallies. */
sa_metric_values sa_metric_values_of(const sa_metric_stats *sum, const sa_metrics *metrics);

#endif
