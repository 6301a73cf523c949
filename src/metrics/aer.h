/* aer: alignment error rate (Och and Ney 2003) against a gold alignment of sure and possible links.
 *
 *   AER = 1 - (|A and S| + |A and P|) / (|A| + |S|),  S a part of P
 *
 * Counts are summed over sentences; the rate is computed from the sums. */
#ifndef SA_METRICS_AER_H
#define SA_METRICS_AER_H

#include "base/batch.h"

/* Compares two links by source, then by target, as strcmp. */
int sa_link_compare(const void *a, const void *b);

/* Sorts the links and removes duplicates, preferring sure links. Returns the new count. */
size_t sa_links_deduplicate(sa_link *links, size_t count);

/* |A|, |S|, |A and S|, |A and P| */
typedef sa_link_counts sa_aer;

/* Adds the counts of one sentence. Both lists are sorted and deduplicated in place. A gold link
 * that is both sure and possible is sure. */
void sa_aer_add(sa_aer *aer, sa_link *links, size_t link_count, sa_link *gold, size_t gold_count);
/* Adds the counts of other sentences. */
void sa_aer_sum(sa_aer *aer, const sa_aer *other);

/* 0 (perfect) .. 1; NaN when there is neither a link nor a sure gold link. */
double sa_aer_rate(const sa_aer *aer);
double sa_aer_precision(const sa_aer *aer); /* |A and P| / |A| */
double sa_aer_recall(const sa_aer *aer);    /* |A and S| / |S| */

/* Moves every link by `shift` target words, and drops those that leave a sentence of `targets`
 * words. Returns the new count. */
size_t sa_aer_shift(sa_link *links, size_t count, int shift, int targets);

/* Whether the error rate of moved links is lower by at least SA_AER_MARGIN, which means that the
 * links are off by one. */
#define SA_AER_MARGIN 0.05
bool sa_aer_is_off_by_one(double rate, double moved);

#endif
