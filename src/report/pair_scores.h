/* pair_scores: the scores of evaluated pairs as JSON. */
#pragma once

#include "base/json.h"
#include "metrics/metrics.h"

/* Returns {"bleu": {"mean", "low", "high"}, ...} for the first `count` metrics. */
json_t *sa_intervals_json(const sa_confidence_interval *intervals, int count);

/* Returns {"sentences", "target_words", all figures by their keys}. */
json_t *sa_eval_json(const sa_eval_result *scores);
