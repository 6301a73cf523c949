/* bootstrap: confidence intervals and significance tests by bootstrap resampling (Koehn 2004): the
 * metrics of many samples of the sentences, drawn with replacement. Two systems are compared on the
 * same samples. */
#ifndef SA_METRICS_BOOTSTRAP_H
#define SA_METRICS_BOOTSTRAP_H

#include "metrics/metrics.h"

typedef struct sa_resampling {
    int samples;
    int64_t seed; /* equal seeds and numbers of sentences give equal samples */
} sa_resampling;

extern const sa_option sa_resampling_options[]; /* of sa_resampling */

/* The values of every metric on every sample, [SA_METRIC_COUNT * samples], freed with free(); NULL:
 * out of memory. count > 0. */
double *sa_bootstrap_values(const sa_metric_stats *each, size_t count, const sa_metrics *metrics,
                            const sa_resampling *resampling, sa_error *error);

/* The mean of the samples, and the interval of 95 % of them: n/40 are cut off at each end. */
typedef struct sa_confidence_interval {
    double mean, low, high;
} sa_confidence_interval;
/* Sorts the values. */
sa_confidence_interval sa_confidence_interval_of(double *values, int samples);

/* The p-value of sacreBLEU's paired bootstrap test for two systems that differ by `difference`:
 *
 *   p = (c + 1) / (samples + 1),  c = number of samples i with |d_i| - mean|d| > |difference|
 *
 * where d_i is the difference on sample i. */
double sa_bootstrap_p_value(const double *ours, const double *theirs, int samples,
                            double difference);

#endif
