#include "api/metric_figures.h"
#include "base/utf8.h"

#include <stdlib.h>

sa_metric_values sa_metric_values_of(const sa_metric_stats *sum, const sa_metrics *metrics) {
    return (sa_metric_values){.bleu = sa_metric_list[SA_METRIC_BLEU].score(sum, metrics),
                              .chrf = sa_metric_list[SA_METRIC_CHRF].score(sum, metrics),
                              .exact = sa_metric_list[SA_METRIC_EXACT].score(sum, metrics),
                              .tokens = sa_metric_list[SA_METRIC_TOKENS].score(sum, metrics)};
}

bool sa_compute_metrics(const sa_metrics *metrics, const char *const *hypotheses,
                        const char *const *const *references, size_t reference_count, size_t count,
                        sa_metric_values *figures, sa_error *error) {
    if (!sa_options_check(sa_metrics_options, metrics, error)) return false;
    sa_metric_stats sum = {0}, one;
    const char **line = sa_new(reference_count, sizeof *line, error);
    bool good = line != NULL;
    for (size_t i = 0; good && i < count; i++) {
        for (size_t r = 0; r < reference_count; r++) line[r] = references[r][i];
        good = sa_metric_stats_compute(&one, metrics, sa_utf8_lower, hypotheses[i], line,
                                       reference_count, error);
        if (good) sa_metric_stats_add(&sum, &one);
    }
    free(line);
    *figures = sa_metric_values_of(&sum, metrics);
    return good;
}
