#include "cli/pair_figures.h"
#include "base/utf8.h"
#include "cli/output.h"

#include <stdlib.h>

bool cli_score_band(const sa_metrics *metrics, const sa_corpus *corpus,
                    const sa_sentence_result *each, const sa_length_band *band,
                    sa_eval_result *scores, sa_error *error) {
    size_t count = 0, *chosen = sa_new(corpus->count, sizeof *chosen, error);
    if (!chosen) return false;
    for (size_t i = 0; i < corpus->count; i++)
        if (sa_length_band_contains(band, each[i].source_words)) chosen[count++] = i;
    scores->sentences = 0;
    const bool good =
        !count || sa_eval_summarize_with(metrics, corpus, each, chosen, count, scores, error);
    free(chosen);
    return good;
}

sa_metric_stats *cli_tallies(const sa_metrics *metrics, const sa_sentence_result *each,
                             size_t count, sa_error *error) {
    sa_metric_stats *tallies = sa_new(count, sizeof *tallies, error);
    bool good = tallies != NULL;
    for (size_t i = 0; good && i < count; i++)
        good = sa_metric_stats_compute(&tallies[i], metrics, sa_utf8_lower, each[i].translation,
                                       (const char *const *)&each[i].reference, 1, error);
    if (good) return tallies;
    free(tallies);
    return NULL;
}

bool cli_spread_band(const sa_metrics *metrics, const sa_resampling *resampling,
                     const sa_metric_stats *tallies, const sa_sentence_result *each, size_t count,
                     const sa_length_band *band, sa_confidence_interval *spread, sa_error *error) {
    sa_metric_stats *chosen = sa_new(count, sizeof *chosen, error);
    size_t held = 0;
    for (size_t i = 0; chosen && i < count; i++)
        if (!band || sa_length_band_contains(band, each[i].source_words))
            chosen[held++] = tallies[i];
    double *samples = chosen ? sa_bootstrap_scores(chosen, held, metrics, resampling, error) : NULL;
    for (int m = 0; samples && m < SA_METRIC_COUNT; m++)
        spread[m] =
            sa_confidence_interval_of(samples + m * resampling->samples, resampling->samples);
    free(samples);
    free(chosen);
    return samples != NULL;
}

json_t *cli_json_spread(const sa_confidence_interval *spread) {
    return json_pack("{s:o, s:o, s:o}", "mean", cli_json_number(spread->mean), "low",
                     cli_json_number(spread->low), "high", cli_json_number(spread->high));
}

bool cli_save_numbered(const char *folder, size_t index, const char *ending, sa_buffer *content,
                       sa_error *error) {
    sa_buffer path = {0};
    sa_buffer_addf(&path, "%s/%04zu.%s", folder, index + 1, ending);
    const bool good =
        path.failed ? sa_fail_memory(error, path.size) : cli_save(path.text, content, error);
    sa_buffer_release(content);
    sa_buffer_release(&path);
    return good;
}

bool cli_save_matrix(const char *folder, size_t index, const char *ending,
                     void (*add)(const sa_alignment *, sa_buffer *), const sa_alignment *alignment,
                     sa_error *error) {
    sa_buffer matrix = {0};
    add(alignment, &matrix);
    return cli_save_numbered(folder, index, ending, &matrix, error);
}
