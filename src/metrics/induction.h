/* induction: how a head of self-attention treats words that occurred before (Olsson et al. 2022).
 */
#pragma once

#include "base/batch.h"

/* Returns whether word i occurred before, with another word in between: then an induction head
 * attends to the word after the earlier occurrence. */
bool sa_is_repeated(const int32_t *words, int i);

/* Sums over any number of rows. */
typedef struct sa_induction {
    double prefix;   /* sum_{j < i: x_{j-1} = x_i} alpha_ij, over the rows of repeated words */
    double previous; /* alpha_{i,i-1}, over all rows except the first of each pair */
    size_t repeated, rows;
} sa_induction;

/* Adds the weights [to - from] of words `from` .. `to` - 1 in the row of word i. A row can be added
 * range by range; it is counted with the range of i. */
void sa_induction_add(sa_induction *sum, const double *alpha, const int32_t *words, int i, int from,
                      int to);
