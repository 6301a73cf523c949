#include "metrics/bootstrap.h"
#include "base/rng.h"

#include <math.h>
#include <stdlib.h>

#define AT(field) SA_SCOPE_RUN, offsetof(sa_resampling, field)

const sa_option sa_resampling_options[] = {
    {"samples", SA_INT(AT(samples), 1000, 1, 1000000, "N"), "number of bootstrap samples"},
    {"seed", SA_INT64(AT(seed), 1, 0, 9007199254740991, "N"), "random seed of the bootstrap"},
    {0},
};

enum { STREAM = 0x626f6f74 };

double *sa_bootstrap_values(const sa_metric_stats *each, size_t count, const sa_metrics *metrics,
                            const sa_resampling *resampling, sa_error *error) {
    const size_t samples = (size_t)resampling->samples;
    double *values = sa_new(SA_METRIC_COUNT * samples, sizeof *values, error);
    sa_rng rng = sa_rng_seed((uint64_t)resampling->seed, STREAM);
    for (size_t i = 0; values && i < samples; i++) {
        sa_metric_stats sum = {0};
        for (size_t k = 0; k < count; k++)
            sa_metric_stats_add(&sum, &each[sa_rng_below(&rng, (uint32_t)count)]);
        for (size_t m = 0; m < SA_METRIC_COUNT; m++)
            values[m * samples + i] = sa_metric_list[m].value(&sum, metrics);
    }
    return values;
}

static int by_value(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

sa_confidence_interval sa_confidence_interval_of(double *values, int samples) {
    const int cut = samples / 40;
    double sum = 0;
    qsort(values, (size_t)samples, sizeof *values, by_value);
    for (int i = 0; i < samples; i++) sum += values[i];
    return (sa_confidence_interval){sum / samples, values[cut], values[samples - cut - 1]};
}

double sa_bootstrap_p_value(const double *ours, const double *theirs, int samples,
                            double difference) {
    double mean = 0;
    int larger = 0;
    for (int i = 0; i < samples; i++) mean += fabs(ours[i] - theirs[i]);
    mean /= samples;
    for (int i = 0; i < samples; i++) larger += fabs(ours[i] - theirs[i]) - mean > fabs(difference);
    return (double)(larger + 1) / (samples + 1);
}
