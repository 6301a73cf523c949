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

/* Figures computed from the sums; NaN where there is nothing to count. */
typedef struct sa_attention_figures {
    double entropy;       /* mean per row, in nats */
    double norm_entropy;  /* per head, divided by the entropy of equal weights: 0 .. 1 */
    double coverage;      /* fraction of covered source words */
    double eos_weight;    /* fraction of the weight that EOS has */
    double monotonicity;  /* fraction of steps that do not go back */
    double zeros;         /* fraction of the weights that are exactly 0 */
    double row_sum;       /* mean of the rows of words; 1 unless weight is lost */
    double latency;       /* mean number of source words read before a target word */
    double source_length; /* mean number of source words in its sentence */
    double max_column;    /* fraction of the weight on the most attended source word */
} sa_attention_figures;
sa_attention_figures sa_attention_figures_of(const sa_attention_stats *attention);

/* Returns the sum of column j of weights [rows * sources]. */
double sa_attention_column_sum(const double *weights, int rows, int sources, int j);

/* Returns the sum of the entropies of the rows of weights [targets * sources], in nats.
 *
 *   H = - sum_j alpha_j ln alpha_j:  0 when one source word has all the weight, ln S when S words
 *   share it equally. Weights that sum to more than 1 are divided by their sum. */
double sa_entropy_sum(const double *weights, int targets, int sources);
