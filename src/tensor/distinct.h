/* distinct: rows that are equal, bit by bit, need be multiplied only once.
 *
 * In a search many are: hypotheses that continue the same one have its state and context, and words
 * stand in several rows of a batch. */
#ifndef SA_TENSOR_DISTINCT_H
#define SA_TENSOR_DISTINCT_H

#include "tensor/mat.h"

enum { SA_DISTINCT_ROWS = 512 }; /* at most */

/* The number of distinct rows of x: row i equals row first[same[i]], and of such rows it is the
 * first if first[same[i]] == i. */
int sa_distinct_rows(sa_mat x, int same[SA_DISTINCT_ROWS], int first[SA_DISTINCT_ROWS]);

/* Row i of `to` becomes row index[i] of `from`. */
void sa_gather_rows(sa_mat from, const int *index, sa_mat to);
/* Row index[i] of `from` is added to row i of `to`. */
void sa_add_gathered(sa_mat from, const int *index, sa_mat to);

#endif
