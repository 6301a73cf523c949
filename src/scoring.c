#include "scoring.h"
#include "text/utf8.h"

#include <stdlib.h>
#include <string.h>

static bool score_lowered(sa_tally *tally, const sa_metrics *metrics, const char *hypothesis,
                          const char *const *references, size_t count, sa_error *error) {
    char *ours = sa_utf8_lower(hypothesis, strlen(hypothesis), error);
    char **theirs = ours ? sa_new(count, sizeof *theirs, error) : NULL;
    bool good = theirs != NULL;
    for (size_t i = 0; good && i < count; i++)
        good = (theirs[i] = sa_utf8_lower(references[i], strlen(references[i]), error)) != NULL;
    good = good && sa_tally_make(tally, metrics, ours, (const char *const *)theirs, count, error);
    for (size_t i = 0; theirs && i < count; i++) free(theirs[i]);
    free(theirs), free(ours);
    return good;
}

bool sa_score_line(const sa_metrics *metrics, const char *hypothesis, const char *const *references,
                   size_t count, sa_tally *tally, sa_error *error) {
    return (metrics->lowercase ? score_lowered : sa_tally_make)(tally, metrics, hypothesis,
                                                                references, count, error);
}

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
        good = sa_score_line(metrics, hypotheses[i], line, reference_count, &one, error);
        if (good) sa_tally_add(&sum, &one);
    }
    free(line);
    *figures = sa_score_figures(&sum, metrics);
    return good;
}
