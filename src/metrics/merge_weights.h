/* merging: attention between words, from attention between their pieces. */
#ifndef SA_METRICS_MERGE_WEIGHTS_H
#define SA_METRICS_MERGE_WEIGHTS_H

#include "base/subword_mark.h"

/* alpha between words from alpha [rows * cols] between pieces; row_word, col_word: the word of each
 * piece, as sa_subword_word_indices gives them.
 *
 *   alpha_ij = 1/|i| sum_{t in i} sum_{s in j} alpha_ts
 *
 * A target word is written where its pieces look on average; a source word is looked at when any of
 * its pieces is. So rows that sum to 1 still do. out [row words * col words] */
void sa_merge_weights(const double *weights, int rows, int cols, const int *row_word,
                      const int *col_word, double *out);

#endif
