/* ranking: how finished hypotheses are compared, and how words are sampled. */
#ifndef SA_INFERENCE_RANKING_H
#define SA_INFERENCE_RANKING_H

#include "base/rng.h"
#include "tensor/mat.h"

/* How hypotheses of different lengths are compared: log p is divided by `divisor`. */
typedef struct sa_length_penalty {
    const char *name, *formula;
    double (*divisor)(int len, double power);
} sa_length_penalty;

extern const sa_length_penalty sa_length_penalties[]; /* ends with a NULL name */

/* For the option rows: the name of a length penalty, NULL after the last. */
const char *sa_length_penalty_name(size_t row);

/* Wu et al. 2016, equation 14: sum_j log(min(sum_i alpha_ij, 1)), from the sums over i [S]. */
double sa_coverage_penalty(const sa_real *sums, int S);

typedef struct sa_candidate {
    int32_t word;
    double log_p;
} sa_candidate;

/* Samples one of `count` candidates from p^(1/temperature), among the top_k most likely (0: all)
 * and the fewest most likely whose probabilities sum to top_p (Holtzman et al. 2020). Sorts the
 * list and returns the index. */
int sa_sample(sa_candidate *list, int count, double temperature, int top_k, double top_p,
              sa_rng *rng);

#endif
