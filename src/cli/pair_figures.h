/* figures: what several commands tell about a model that was tried on pairs. */
#ifndef SA_CLI_FIGURES_H
#define SA_CLI_FIGURES_H

#include "base/memory.h"
#include "metrics/bootstrap.h"
#include "metrics/by_length.h"
#include <jansson.h>
#include <softalign.h>

/* The scores of the pairs whose source is as long as the band says; `scores->sentences` is 0 when
 * it has none. */
bool cli_score_band(const sa_metrics *metrics, const sa_corpus *corpus,
                    const sa_sentence_result *each, const sa_length_band *band,
                    sa_eval_result *scores, sa_error *error);

/* What every pair counts, for samples to be drawn from: [count], freed with free(); NULL: memory.
 */
sa_metric_stats *cli_tallies(const sa_metrics *metrics, const sa_sentence_result *each,
                             size_t count, sa_error *error);
/* How far each measure may be trusted on the pairs of a band (NULL: on all), of which there is at
 * least one: spread[SA_METRIC_COUNT]. */
bool cli_spread_band(const sa_metrics *metrics, const sa_resampling *resampling,
                     const sa_metric_stats *tallies, const sa_sentence_result *each, size_t count,
                     const sa_length_band *band, sa_confidence_interval *spread, sa_error *error);

/* Mean, and what 95 % of the samples lie between. */
json_t *cli_json_spread(const sa_confidence_interval *spread);

/* Writes what belongs to pair `index` (from 0) to folder/0001.ENDING ... and releases it. */
bool cli_save_numbered(const char *folder, size_t index, const char *ending, sa_buffer *content,
                       sa_error *error);
/* The same of what `add` makes of the pair's matrix. */
bool cli_save_matrix(const char *folder, size_t index, const char *ending,
                     void (*add)(const sa_alignment *, sa_buffer *), const sa_alignment *alignment,
                     sa_error *error);

#endif
