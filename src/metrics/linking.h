/* linking: a word alignment from attention weights. */
#ifndef SA_METRICS_LINKING_H
#define SA_METRICS_LINKING_H

#include "base/links.h"
#include "base/option.h"

extern const sa_option sa_linking_options[]; /* of sa_link_options */

/* The links that the weights [targets * sources] say, end marks (the last row and column) left out:
 *
 *   argmax     of every target word to the source word with the largest weight, the first of equals
 *   threshold  of all words with a weight of at least linking->threshold
 *
 * Row t speaks for target word t + shift: with a shift of -1 the end mark's row speaks for the last
 * word, and nothing does for the first with +1. links has room for sa_linking_capacity. Returns how
 * many there are. */
size_t sa_linking_extract(const sa_link_options *linking, const double *weights, int targets,
                          int sources, int shift, sa_link *links);
size_t sa_linking_capacity(int targets, int sources);

/* Merges weights [rows * cols] between subwords into weights between words, out [row words * col
 * words]; row_word, col_word: the word of each subword, as sa_subword_word_indices gives them.
 *
 *   alpha_ij = 1/|i| sum_{t in i} sum_{s in j} alpha_ts
 *
 * Target subwords are averaged and source subwords added up, so that rows that sum to 1 still do.
 */
void sa_merge_weights(const double *weights, int rows, int cols, const int *row_word,
                      const int *col_word, double *out);

#endif
