/* pair_scores: computes the scores of evaluated pairs by source length, and bootstrap confidence
 * intervals; finds scores by their keys. */
#pragma once

#include "base/json.h"
#include "metrics/metrics.h"

/* Returns the statistics [count] of every pair, for bootstrap samples, which the caller frees with
 * free(); NULL: out of memory. */
sa_metric_stats *sa_pair_scores_stats(const sa_metrics *metrics, const sa_sentence_result *each,
                                      size_t count, sa_error *error);
typedef struct sa_scored_pairs {
    const sa_metrics *metrics;
    const sa_corpus *corpus;
    const sa_sentence_result *each; /* [corpus->count], like stats */
    const sa_metric_stats *stats;   /* NULL: no intervals are drawn */
    const sa_resampling *resampling;
} sa_scored_pairs;

/* Computes the scores of the pairs whose source length is in the band (NULL: of all pairs) and the
 * interval[SA_METRIC_COUNT] of every metric. If there are none, scores->sentences is 0. */
bool sa_pair_scores_band(const sa_scored_pairs *pairs, const sa_length_band *band,
                         sa_eval_result *scores, sa_confidence_interval *interval, sa_error *error);

/* Returns {"bleu": {"mean", "low", "high"}, ...} for the first `count` metrics. */
json_t *sa_intervals_json(const sa_confidence_interval *intervals, int count);

/* Returns the figure with this key, or NULL. */
const double *sa_eval_figure(const sa_eval_result *scores, const char *key);
/* Returns {"sentences", "target_words", all figures by their keys}. */
json_t *sa_eval_json(const sa_eval_result *scores);
