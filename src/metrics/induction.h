/* induction: what a head of self-attention does with words that stood before (Olsson et al. 2022).
 */
#pragma once

#include "base/batch.h"

/* Whether word i stood before, and another one between the two: an induction head attends to the
 * word after the earlier one. */
bool sa_is_repeated(const int32_t *words, int i);

/* Sums over any number of rows. */
typedef struct sa_induction {
    double prefix;   /* of sum_{j < i: x_{j-1} = x_i} alpha_ij over the rows of repeated words */
    double previous; /* of alpha_{i,i-1} over all rows but the first of a pair */
    size_t repeated, rows;
} sa_induction;

/* Adds the weights [to - from] of words `from` .. `to` - 1 in the row of word i. Ranges of a row
 * can come one by one; the row is counted with that of i. */
void sa_induction_add(sa_induction *sum, const double *alpha, const int32_t *words, int i, int from,
                      int to);
