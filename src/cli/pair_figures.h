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
bool cli_score_band(const sa_metrics *metrics, const sa_corpus *corpus, const sa_judgement *each,
                    const sa_band *band, sa_scores *scores, sa_error *error);

/* What every pair counts, for samples to be drawn from: [count], freed with free(); NULL: memory.
 */
sa_tally *cli_tallies(const sa_metrics *metrics, const sa_judgement *each, size_t count,
                      sa_error *error);
/* How far each measure may be trusted on the pairs of a band (NULL: on all), of which there is at
 * least one: spread[SA_MEASURES]. */
bool cli_spread_band(const sa_metrics *metrics, const sa_resampling *resampling,
                     const sa_tally *tallies, const sa_judgement *each, size_t count,
                     const sa_band *band, sa_spread *spread, sa_error *error);

/* Mean, and what 95 % of the samples lie between. */
json_t *cli_json_spread(const sa_spread *spread);

/* Writes what belongs to pair `index` (from 0) to folder/0001.ENDING ... and releases it. */
bool cli_save_numbered(const char *folder, size_t index, const char *ending, sa_buffer *content,
                       sa_error *error);
/* The same of what `add` makes of the pair's matrix. */
bool cli_save_matrix(const char *folder, size_t index, const char *ending,
                     void (*add)(const sa_alignment *, sa_buffer *), const sa_alignment *alignment,
                     sa_error *error);

#endif
