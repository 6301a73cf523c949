/* pair_scores: the scores of evaluated pairs by source length, with bootstrap confidence intervals,
 * and by their keys. */
#pragma once

#include "base/json.h"
#include "metrics/metrics.h"

/* The statistics of every pair, from which bootstrap samples are drawn: [count], freed with free();
 * NULL: memory. */
sa_metric_stats *sa_pair_scores_stats(const sa_metrics *metrics, const sa_sentence_result *each,
                                      size_t count, sa_error *error);
typedef struct sa_scored_pairs {
    const sa_metrics *metrics;
    const sa_corpus *corpus;
    const sa_sentence_result *each; /* [corpus->count], as is the next */
    const sa_metric_stats *stats;   /* NULL: no intervals are drawn */
    const sa_resampling *resampling;
} sa_scored_pairs;

/* The scores of the pairs whose source length is in the band (NULL: of all), scores->sentences 0
 * where there is none, and the interval[SA_METRIC_COUNT] of every metric. */
bool sa_pair_scores_band(const sa_scored_pairs *pairs, const sa_length_band *band,
                         sa_eval_result *scores, sa_confidence_interval *interval, sa_error *error);

/* The intervals [SA_METRIC_COUNT] of all metrics, from bootstrap samples of the statistics. */
bool sa_intervals_draw(const sa_metric_stats *each, size_t count, const sa_metrics *metrics,
                       const sa_resampling *resampling, sa_confidence_interval *interval,
                       sa_error *error);
/* {"bleu": {"mean", "low", "high"}, ...} of the first `count` metrics. */
json_t *sa_intervals_json(const sa_confidence_interval *intervals, int count);

/* The figure with this key; NULL: there is none. */
const double *sa_eval_figure(const sa_eval_result *scores, const char *key);
/* {"sentences", "target_words", all figures by their keys} */
json_t *sa_eval_json(const sa_eval_result *scores);
