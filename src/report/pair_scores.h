/* pair_scores: the scores of evaluated pairs by source length, with bootstrap confidence intervals,
 * and by their keys. */
#ifndef SA_REPORT_PAIR_SCORES_H
#define SA_REPORT_PAIR_SCORES_H

#include "base/json.h"
#include "metrics/metrics.h"

/* The scores of the pairs whose source length is in the band; scores->sentences is 0 when there is
 * none. */
bool sa_pair_scores_band(const sa_metrics *metrics, const sa_corpus *corpus,
                         const sa_sentence_result *each, const sa_length_band *band,
                         sa_eval_result *scores, sa_error *error);

/* The statistics of every pair, from which bootstrap samples are drawn: [count], freed with free();
 * NULL: memory. */
sa_metric_stats *sa_pair_scores_stats(const sa_metrics *metrics, const sa_sentence_result *each,
                                      size_t count, sa_error *error);
/* The interval[SA_METRIC_COUNT] of every metric over the pairs of a band (NULL: all pairs), which
 * has at least one. */
bool sa_pair_scores_intervals(const sa_metrics *metrics, const sa_resampling *resampling,
                              const sa_metric_stats *stats, const sa_sentence_result *each,
                              size_t count, const sa_length_band *band,
                              sa_confidence_interval *interval, sa_error *error);

/* The figure with this key; NULL: there is none. */
const double *sa_eval_figure(const sa_eval_result *scores, const char *key);
/* {"sentences", "target_words", all figures by their keys} */
json_t *sa_eval_json(const sa_eval_result *scores);

#endif
