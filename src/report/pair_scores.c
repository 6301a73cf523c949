#include "report/pair_scores.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

sa_metric_stats *sa_pair_scores_stats(const sa_metrics *metrics, const sa_sentence_result *each,
                                      size_t count, sa_error *error) {
    sa_metric_stats *stats = sa_new(count, sizeof *stats, error);
    bool good = stats != NULL;
    for (size_t i = 0; good && i < count; i++)
        good = sa_metric_stats_compute(&stats[i], metrics, each[i].translation,
                                       (const char *const *)&each[i].reference, 1, error);
    if (good) return stats;
    free(stats);
    return NULL;
}

/* Computes the intervals [SA_METRIC_COUNT] of all metrics from bootstrap samples. */
static bool draw_intervals(const sa_metric_stats *each, size_t count, const sa_metrics *metrics,
                           const sa_resampling *resampling, sa_confidence_interval *interval,
                           sa_error *error) {
    double *samples = sa_bootstrap_values(each, count, metrics, resampling, error);
    for (int m = 0; samples && m < SA_METRIC_COUNT; m++)
        interval[m] =
            sa_confidence_interval_of(samples + m * resampling->samples, resampling->samples);
    free(samples);
    return samples != NULL;
}

json_t *sa_intervals_json(const sa_confidence_interval *intervals, int count) {
    json_t *object = json_object();
    for (int m = 0; m < count; m++)
        json_object_set_new(object, sa_metric_list[m].key,
                            json_pack("{s:o, s:o, s:o}", "mean", sa_json_number(intervals[m].mean),
                                      "low", sa_json_number(intervals[m].low), "high",
                                      sa_json_number(intervals[m].high)));
    return object;
}

bool sa_pair_scores_band(const sa_scored_pairs *pairs, const sa_length_band *band,
                         sa_eval_result *scores, sa_confidence_interval *interval,
                         sa_error *error) {
    const sa_corpus *corpus = pairs->corpus;
    size_t count = 0, *chosen = sa_new(corpus->count, sizeof *chosen, error);
    sa_metric_stats *stats = pairs->stats ? sa_new(corpus->count, sizeof *stats, error) : NULL;
    for (size_t i = 0; chosen && i < corpus->count; i++) {
        if (band && !sa_length_band_contains(band, pairs->each[i].source_words)) continue;
        if (stats) stats[count] = pairs->stats[i];
        chosen[count++] = i;
    }
    scores->sentences = 0;
    const bool good =
        chosen && (stats || !pairs->stats) &&
        (!count ||
         (sa_eval_summarize(pairs->metrics, corpus, pairs->each, chosen, count, scores, error) &&
          (!stats ||
           draw_intervals(stats, count, pairs->metrics, pairs->resampling, interval, error))));
    free(chosen), free(stats);
    return good;
}

/* ---- Figures --------------------------------------------------------------------------------- */

static const struct {
    const char *key;
    size_t at;
} figures[] = {
    {"loss", offsetof(sa_eval_result, loss)},
    {"perplexity", offsetof(sa_eval_result, perplexity)},
    {"bleu", offsetof(sa_eval_result, bleu)},
    {"chrf", offsetof(sa_eval_result, chrf)},
    {"exact", offsetof(sa_eval_result, exact)},
    {"tokens", offsetof(sa_eval_result, tokens)},
    {"wer", offsetof(sa_eval_result, wer)},
    {"per", offsetof(sa_eval_result, per)},
    {"aer", offsetof(sa_eval_result, aer)},
    {"precision", offsetof(sa_eval_result, precision)},
    {"recall", offsetof(sa_eval_result, recall)},
    {"aer_before", offsetof(sa_eval_result, aer_before)},
    {"aer_after", offsetof(sa_eval_result, aer_after)},
    {"entropy", offsetof(sa_eval_result, entropy)},
    {"coverage", offsetof(sa_eval_result, coverage)},
    {"end_weight", offsetof(sa_eval_result, end_weight)},
    {"row_sum", offsetof(sa_eval_result, row_sum)},
    {"zeros", offsetof(sa_eval_result, zeros)},
    {"latency", offsetof(sa_eval_result, latency)},
    {"source_length", offsetof(sa_eval_result, source_length)},
    {"monotonicity", offsetof(sa_eval_result, monotonicity)},
    {"rep", offsetof(sa_eval_result, rep)},
    {"drop", offsetof(sa_eval_result, drop)},
};
enum { FIGURES = sizeof figures / sizeof *figures };

const double *sa_eval_figure(const sa_eval_result *scores, const char *key) {
    size_t i = 0;
    while (i < FIGURES && strcmp(figures[i].key, key) != 0) i++;
    return i < FIGURES ? (const void *)((const char *)scores + figures[i].at) : NULL;
}

json_t *sa_eval_json(const sa_eval_result *scores) {
    json_t *object = json_pack("{s:I, s:I}", "sentences", (json_int_t)scores->sentences,
                               "target_words", (json_int_t)scores->target_words);
    for (size_t i = 0; i < FIGURES; i++)
        json_object_set_new(object, figures[i].key,
                            sa_json_number(*sa_eval_figure(scores, figures[i].key)));
    return object;
}
