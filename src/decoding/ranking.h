/* rank: how finished hypotheses are compared, and how words are drawn when sampling. */
#ifndef SA_MODEL_RANK_H
#define SA_MODEL_RANK_H

#include "base/rng.h"
#include "tensor/mat.h"

/* Ways to make outputs of different lengths comparable: log p is divided by `divisor`. */
typedef struct sa_length_penalty {
    const char *name, *formula;
    double (*divisor)(int len, double power);
} sa_length_penalty;

extern const sa_length_penalty sa_length_penalties[]; /* ends with a NULL name */

/* For the option rows: the name of a way, NULL after the last. */
const char *sa_length_penalty_name(size_t row);

/* Wu et al. 2016, equation 14: sum_j log(min(sum_i alpha_ij, 1)), from the sums over the target. */
double sa_coverage_penalty(const sa_real *sums, int S);

/* A candidate of the next word. */
typedef struct sa_candidate {
    int32_t word;
    double log_p;
} sa_candidate;

/* Draws one of `count` candidates: from p^(1/temperature), among the top_k likeliest (0: all) and
 * the fewest likeliest whose probabilities reach top_p (Holtzman et al. 2020). The list is sorted.
 * Returns its place. */
int sa_sample(sa_candidate *list, int count, double temperature, int top_k, double top_p,
              sa_rng *rng);

#endif
