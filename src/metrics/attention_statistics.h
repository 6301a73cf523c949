/* attention_statistics: sums over attention weights, and statistics computed from them.
 *
 * alpha [T x S]; the last row predicts the target's EOS, the last column is the source's EOS. The
 * sums are defined at sa_attention_stats in softalign/report.h. */
#pragma once

#include "base/error.h"

#include <softalign/report.h>

/* Adds the weights [targets * sources] of a pair, which are the mean over its heads
 * [head_count * targets * sources]. */
void sa_attention_stats_add(sa_attention_stats *attention, const double *weights,
                            const double *heads, int head_count, int targets, int sources);
/* Adds the alignment of identical tokens; the tokens of both sides include EOS. */
void sa_attention_stats_add_identical(sa_attention_stats *attention, const double *weights,
                                      const char *const *target, int targets,
                                      const char *const *source, int sources);
/* Adds how many source words, EOS included, are read before each target word except EOS: up to the
 * last one that has weight, or all of them if the row sums to less than 1 because none was
 * selected; never fewer than for the previous target word. */
void sa_attention_stats_add_read(sa_attention_stats *attention, const double *weights, int targets,
                                 int sources);
/* Adds the counts for other pairs. */
void sa_attention_stats_sum(sa_attention_stats *attention, const sa_attention_stats *other);

/* Sets the figures that the sums give, entropy to monotonicity; NaN where there is nothing to
 * count. */
void sa_attention_figures(const sa_attention_stats *attention, sa_eval_result *figures);
/* Returns the mean entropy of the heads, divided by that of equal weights: 0 .. 1, or NaN. */
double sa_attention_normalized_entropy(const sa_attention_stats *attention);
/* Returns the fraction of the weight on the most attended source word, or NaN. */
double sa_attention_max_column(const sa_attention_stats *attention);

/* Returns the sum of column j of weights [rows * sources]. */
double sa_attention_column_sum(const double *weights, int rows, int sources, int j);

/* Returns the sum of the entropies of the rows of weights [targets * sources], in nats.
 *
 *   H = - sum_j alpha_j ln alpha_j:  0 when one source word has all the weight, ln S when S words
 *   share it equally. Weights that sum to more than 1 are divided by their sum. */
double sa_entropy_sum(const double *weights, int targets, int sources);
