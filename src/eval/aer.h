/* aer: alignment error rate (Och and Ney 2003) against gold with sure and possible links.
 *
 *   AER = 1 - (|A and S| + |A and P|) / (|A| + |S|),  S a part of P
 *
 * Counts add up over sentences; the rate is made of the sums. */
#ifndef SA_EVAL_AER_H
#define SA_EVAL_AER_H

#include "base/links.h"

typedef struct sa_aer {
    size_t links, sure;                /* |A|, |S| */
    size_t links_sure, links_possible; /* |A and S|, |A and P| */
} sa_aer;

/* Adds the counts of one sentence. Links given twice count once; order does not matter, both lists
 * are sorted in place. A gold link that is both sure and possible is sure. */
void sa_aer_add(sa_aer *aer, sa_link *links, size_t link_count, sa_link *gold, size_t gold_count);

/* 0 (perfect) .. 1; NaN when there is neither a link nor a sure gold link. */
double sa_aer_rate(const sa_aer *aer);
double sa_aer_precision(const sa_aer *aer); /* |A and P| / |A| */
double sa_aer_recall(const sa_aer *aer);    /* |A and S| / |S| */

/* The link of every target word to the source word with the largest weight, end marks (the last row
 * and column) left out, ties to the lower position. weights [targets * sources]; links has room for
 * targets - 1. Returns how many. */
size_t sa_aer_argmax(const double *weights, int targets, int sources, sa_link *links);

#endif
