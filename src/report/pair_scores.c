#include "report/pair_scores.h"
#include "base/utf8.h"

#include <stdlib.h>

bool sa_pair_scores_band(const sa_metrics *metrics, const sa_corpus *corpus,
                         const sa_sentence_result *each, const sa_length_band *band,
                         sa_eval_result *scores, sa_error *error) {
    size_t count = 0, *chosen = sa_new(corpus->count, sizeof *chosen, error);
    if (!chosen) return false;
    for (size_t i = 0; i < corpus->count; i++)
        if (sa_length_band_contains(band, each[i].source_words)) chosen[count++] = i;
    scores->sentences = 0;
    const bool good =
        !count || sa_eval_summarize(metrics, corpus, each, chosen, count, scores, error);
    free(chosen);
    return good;
}

sa_metric_stats *sa_pair_scores_stats(const sa_metrics *metrics, const sa_sentence_result *each,
                                      size_t count, sa_error *error) {
    sa_metric_stats *stats = sa_new(count, sizeof *stats, error);
    bool good = stats != NULL;
    for (size_t i = 0; good && i < count; i++)
        good = sa_metric_stats_compute(&stats[i], metrics, sa_utf8_lower, each[i].translation,
                                       (const char *const *)&each[i].reference, 1, error);
    if (good) return stats;
    free(stats);
    return NULL;
}

bool sa_pair_scores_intervals(const sa_metrics *metrics, const sa_resampling *resampling,
                              const sa_metric_stats *stats, const sa_sentence_result *each,
                              size_t count, const sa_length_band *band,
                              sa_confidence_interval *interval, sa_error *error) {
    sa_metric_stats *chosen = sa_new(count, sizeof *chosen, error);
    size_t chosen_count = 0;
    for (size_t i = 0; chosen && i < count; i++)
        if (!band || sa_length_band_contains(band, each[i].source_words))
            chosen[chosen_count++] = stats[i];
    double *samples =
        chosen ? sa_bootstrap_scores(chosen, chosen_count, metrics, resampling, error) : NULL;
    for (int m = 0; samples && m < SA_METRIC_COUNT; m++)
        interval[m] =
            sa_confidence_interval_of(samples + m * resampling->samples, resampling->samples);
    free(samples);
    free(chosen);
    return samples != NULL;
}
