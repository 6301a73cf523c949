/* gaze: what attention weights add up to, and the figures made of the sums.
 *
 * alpha [T x S]; the last row writes the target's end mark, the last column is the source's. The
 * counts and their definitions stand at sa_gaze in softalign.h. */
#ifndef SA_EVAL_GAZE_H
#define SA_EVAL_GAZE_H

#include "base/error.h"

/* Adds the weights of a pair, [targets * sources]; `heads`: [heads * targets * sources], those of
 * each head, whose mean they are. */
void sa_gaze_add(sa_gaze *gaze, const double *weights, const double *heads, int head_count,
                 int targets, int sources);
/* Adds whether the target words find their twins; the words of both sides, end marks included. */
void sa_gaze_twins(sa_gaze *gaze, const double *weights, const char *const *target, int targets,
                   const char *const *source, int sources);
/* Adds the counts of other pairs. */
void sa_gaze_sum(sa_gaze *gaze, const sa_gaze *other);

/* All NaN when there is nothing to count. */
double sa_gaze_entropy(const sa_gaze *gaze); /* of a row, in nats */
double
sa_gaze_evenness(const sa_gaze *gaze); /* heads' entropy beside that of equal weights, 0..1 */
double sa_gaze_coverage(const sa_gaze *gaze); /* share of source words looked at */
double sa_gaze_end(const sa_gaze *gaze);      /* share of the weight on the end mark */
double sa_gaze_onward(const sa_gaze *gaze);   /* share of steps that do not go back */
double sa_gaze_column(const sa_gaze *gaze);   /* share of the weight that one source word has */

#endif
