/* bootstrap: how far a score may be trusted (Koehn 2004). As many sentences as there are, drawn
 * with repetition, give a score of what might have been; many such samples give its spread. Two
 * systems are compared on the same samples. */
#ifndef SA_METRICS_BOOTSTRAP_H
#define SA_METRICS_BOOTSTRAP_H

#include "metrics/metrics.h"

typedef struct sa_resampling {
    int samples;
    int64_t seed; /* the same seed and number of sentences draw the same samples */
} sa_resampling;

extern const sa_option sa_resampling_options[]; /* of sa_resampling */

/* The scores of every measure on every sample: [SA_METRIC_COUNT * samples], freed with free();
 * NULL: memory. count > 0. */
double *sa_bootstrap_scores(const sa_metric_stats *each, size_t count, const sa_metrics *metrics,
                            const sa_resampling *resampling, sa_error *error);

/* The mean of the samples, and what 95 % of them lie between: n/40 are cut off at either end. */
typedef struct sa_confidence_interval {
    double mean, low, high;
} sa_confidence_interval;
/* Sorts the scores. */
sa_confidence_interval sa_confidence_interval_of(double *scores, int samples);

/* How likely two systems are to differ by as much as `difference` by chance alone, as sacreBLEU's
 * paired bootstrap has it:
 *
 *   p = (c + 1) / (samples + 1),  c = how many |d_i| - mean|d| > |difference|
 *
 * where d_i is the difference on sample i. */
double sa_bootstrap_p_value(const double *ours, const double *theirs, int samples,
                            double difference);

#endif
