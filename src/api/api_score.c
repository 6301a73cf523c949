#include "api/metric_figures.h"
#include "base/utf8.h"

#include <stdlib.h>

sa_figures sa_score_figures(const sa_tally *sum, const sa_metrics *metrics) {
    return (sa_figures){.bleu = sa_measures[SA_BLEU].score(sum, metrics),
                        .chrf = sa_measures[SA_CHRF].score(sum, metrics),
                        .exact = sa_measures[SA_EXACT].score(sum, metrics),
                        .tokens = sa_measures[SA_SAME].score(sum, metrics)};
}

bool sa_score(const sa_metrics *metrics, const char *const *hypotheses,
              const char *const *const *references, size_t reference_count, size_t count,
              sa_figures *figures, sa_error *error) {
    if (!sa_options_check(sa_metrics_options, metrics, error)) return false;
    sa_tally sum = {0}, one;
    const char **line = sa_new(reference_count, sizeof *line, error);
    bool good = line != NULL;
    for (size_t i = 0; good && i < count; i++) {
        for (size_t r = 0; r < reference_count; r++) line[r] = references[r][i];
        good = sa_tally_make(&one, metrics, sa_utf8_lower, hypotheses[i], line, reference_count,
                             error);
        if (good) sa_tally_add(&sum, &one);
    }
    free(line);
    *figures = sa_score_figures(&sum, metrics);
    return good;
}
