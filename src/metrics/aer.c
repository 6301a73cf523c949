#include "metrics/aer.h"

#include <math.h>
#include <stdlib.h>

int sa_link_compare(const void *a, const void *b) {
    const sa_link *x = a, *y = b;
    if (x->source != y->source) return x->source < y->source ? -1 : 1;
    return (x->target > y->target) - (x->target < y->target);
}

/* Of two links between the same words, the sure one comes first. */
static int by_link_sure_first(const void *a, const void *b) {
    const int order = sa_link_compare(a, b);
    return order ? order : ((const sa_link *)a)->possible - ((const sa_link *)b)->possible;
}

size_t sa_links_deduplicate(sa_link *links, size_t count) {
    size_t kept = 0;
    if (count) qsort(links, count, sizeof *links, by_link_sure_first);
    for (size_t i = 0; i < count; i++)
        if (!kept || sa_link_compare(&links[kept - 1], &links[i]) != 0) links[kept++] = links[i];
    return kept;
}

void sa_aer_add(sa_aer *aer, sa_link *links, size_t link_count, sa_link *gold, size_t gold_count) {
    link_count = sa_links_deduplicate(links, link_count);
    gold_count = sa_links_deduplicate(gold, gold_count);
    aer->links += link_count;
    for (size_t k = 0; k < gold_count; k++) aer->sure += !gold[k].possible;
    for (size_t i = 0, k = 0; i < link_count && k < gold_count;) {
        const int order = sa_link_compare(&links[i], &gold[k]);
        aer->links_possible += order == 0;
        aer->links_sure += order == 0 && !gold[k].possible;
        i += order <= 0;
        k += order >= 0;
    }
}

void sa_aer_sum(sa_aer *aer, const sa_aer *other) {
    aer->links += other->links, aer->sure += other->sure;
    aer->links_sure += other->links_sure, aer->links_possible += other->links_possible;
}

static double ratio(size_t part, size_t whole) {
    return whole ? (double)part / (double)whole : NAN;
}

double sa_aer_rate(const sa_aer *aer) {
    return 1 - ratio(aer->links_sure + aer->links_possible, aer->links + aer->sure);
}

double sa_aer_precision(const sa_aer *aer) {
    return ratio(aer->links_possible, aer->links);
}
double sa_aer_recall(const sa_aer *aer) {
    return ratio(aer->links_sure, aer->sure);
}

size_t sa_aer_shift(sa_link *links, size_t count, int shift, int targets) {
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        const int target = links[i].target + shift;
        if (target < 0 || target >= targets) continue;
        links[kept] = links[i];
        links[kept++].target = target;
    }
    return kept;
}

bool sa_aer_is_off_by_one(double rate, double moved) {
    return rate - moved >= SA_AER_MARGIN; /* NaN is not */
}
