/* gaze: what attention weights add up to, and the figures made of the sums.
 *
 * alpha [T x S]; the last row writes the target's end mark, the last column is the source's. The
 * counts and their definitions stand at sa_attention_stats in softalign.h. */
#ifndef SA_ANALYSIS_ATTENTION_STATISTICS_H
#define SA_ANALYSIS_ATTENTION_STATISTICS_H

#include "base/error.h"

/* Adds the weights of a pair, [targets * sources]; `heads`: [heads * targets * sources], those of
 * each head, whose mean they are. */
void sa_attention_stats_add(sa_attention_stats *attention, const double *weights,
                            const double *heads, int head_count, int targets, int sources);
/* Adds whether the target words find their twins; the words of both sides, end marks included. */
void sa_attention_stats_add_identical(sa_attention_stats *attention, const double *weights,
                                      const char *const *target, int targets,
                                      const char *const *source, int sources);
/* Adds the counts of other pairs. */
void sa_attention_stats_sum(sa_attention_stats *attention, const sa_attention_stats *other);

/* All NaN when there is nothing to count. */
double sa_attention_stats_entropy(const sa_attention_stats *attention); /* of a row, in nats */
double sa_attention_stats_norm_entropy(
    const sa_attention_stats *attention); /* heads' entropy beside that of equal weights, 0..1 */
double sa_attention_stats_coverage(
    const sa_attention_stats *attention); /* share of source words looked at */
double sa_attention_stats_eos_weight(
    const sa_attention_stats *attention); /* share of the weight on the end mark */
double sa_attention_stats_monotonicity(
    const sa_attention_stats *attention); /* share of steps that do not go back */
double sa_attention_stats_max_column(
    const sa_attention_stats *attention); /* share of the weight that one source word has */

/* The sum of the entropies of the rows, in nats; weights [targets * sources].
 *
 *   H = - sum_j alpha_j ln alpha_j:  0 when one source word has all the weight, ln S when S words
 *   share it equally */
double sa_entropy_sum(const double *weights, int targets, int sources);

#endif
