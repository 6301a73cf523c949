/* linking: word alignments from attention weights, from the alignments of both directions, and
 * their error rate. */
#pragma once

#include "base/batch.h"
#include "base/option.h"

extern const sa_option sa_linking_options[]; /* the options of sa_link_options */

/* Returns the source word with the largest weight in a row, the first of equals; `words` excludes
 * EOS, which follows. -1: no word has a weight above 0. */
int sa_most_attended(const double *row, int words);

/* Extracts links from weights [targets * sources], without EOS (the last row and column):
 *
 *   argmax     links each target word to its most attended source word, if any; with
 *              linking->null_key only if the null key has no more weight, as in the models of
 *              Brown et al. 1993
 *   threshold  links all words with a weight above 0 and of at least linking->threshold
 *
 * Free the links with free(). NULL: out of memory. */
sa_link *sa_linking_extract(const sa_link_options *linking, const double *weights, int targets,
                            int sources, size_t *count, sa_error *error);

/* Merges weights [rows * cols] between subwords into weights between words, out [row words * col
 * words]; row_word, col_word: the word of each subword, as sa_subword_word_indices gives them.
 *
 *   alpha_ij = 1/|i| sum_{t in i} sum_{s in j} alpha_ts
 *
 * Target subwords are averaged and source subwords added, so that rows that sum to 1 still do.
 */
void sa_merge_weights(const double *weights, int rows, int cols, const int *row_word,
                      const int *col_word, double *out);

/* Returns the size of alignment->weights: the mean; each head, if there are several; each head of
 * each layer, if there are several layers. */
size_t sa_alignment_size(const sa_alignment *alignment);

/* Returns how many of `count` pairs may have their weights in memory together: at least one; all of
 * them unless they are long. Text i of a side is at *(const char **)((const char *)side +
 * i * stride); no side has more than max_len tokens. */
size_t sa_alignments_together(const char *const *source, const char *const *target, size_t stride,
                              size_t count, int max_len);

/* ---- Both directions ------------------------------------------------------------------------- */

/* One alignment from the alignments of both directions (Koehn, Och and Marcu 2003).
 *
 *   intersection         links in both
 *   union                links in either
 *   grow-diag            the intersection, and links of the union that are adjacent to an accepted
 *                        link, diagonals included, and have a word without an accepted link
 *   grow-diag-final      grow-diag, then links with a word without an accepted link
 *   grow-diag-final-and  grow-diag, then links between two words without an accepted link
 *
 * Growing visits the accepted links by source and target word, and their neighbors in the order of
 * sa_symmetrization_neighbors, until nothing changes. The final step visits the links of the
 * forward, then of the backward direction, once each. */

/* The names of the methods, for options; NULL follows the last. */
extern const char *const sa_symmetrizations[];

/* Offsets of a link's neighbors: source, target. */
extern const int sa_symmetrization_neighbors[8][2];

/* Combines the links of one sentence, all of them taken as sure. Free *links with free(). SA_LIMIT:
 * a position is too large for any sentence. */
bool sa_symmetrize(int method, const sa_link *forward, size_t forward_count,
                   const sa_link *backward, size_t backward_count, sa_link **links, size_t *count,
                   sa_error *error);

/* ---- Against gold ---------------------------------------------------------------------------- */

/* Alignment error rate (Och and Ney 2003) against a gold alignment of sure and possible links.
 *
 *   AER = 1 - (|A and S| + |A and P|) / (|A| + |S|),  S a part of P
 *
 * Counts are summed over sentences; the rate is computed from the sums. */

/* Compares two links by source, then by target; returns the order as strcmp does. */
int sa_link_compare(const void *a, const void *b);

/* Sorts the links and removes duplicates, preferring sure links. Returns the new count. */
size_t sa_links_deduplicate(sa_link *links, size_t count);

/* |A|, |S|, |A and S|, |A and P| */
typedef sa_link_counts sa_aer;

/* Adds the counts of a sentence. Sorts and deduplicates both lists in place. A gold link that is
 * both sure and possible is sure. */
void sa_aer_add(sa_aer *aer, sa_link *links, size_t link_count, sa_link *gold, size_t gold_count);
/* Adds the counts of other sentences. */
void sa_aer_sum(sa_aer *aer, const sa_aer *other);

/* Returns the error rate, 0 (perfect) .. 1; NaN if there are neither links nor sure gold links. */
double sa_aer_rate(const sa_aer *aer);
double sa_aer_precision(const sa_aer *aer); /* |A and P| / |A| */
double sa_aer_recall(const sa_aer *aer);    /* |A and S| / |S| */

/* Adds to aer[0], aer[1] and aer[2] the counts of a sentence with its links moved by -1, 0 and 1
 * target words; links beyond its `targets` words are dropped. Sorts and deduplicates the gold
 * links. */
bool sa_aer_add_shifted(sa_aer aer[3], const sa_link *links, size_t count, int targets,
                        sa_link *gold, size_t gold_count, sa_error *error);

/* Returns whether moving the links lowers the error rate by at least SA_AER_MARGIN: the links are
 * off by one. */
#define SA_AER_MARGIN 0.05
bool sa_aer_is_off_by_one(double rate, double moved);
