#include "eval/aer.h"

#include <math.h>
#include <stdlib.h>

/* By position; of two links between the same words the sure one first. */
static int by_place(const void *a, const void *b) {
    const sa_link *x = a, *y = b;
    if (x->source != y->source) return x->source < y->source ? -1 : 1;
    if (x->target != y->target) return x->target < y->target ? -1 : 1;
    return x->possible - y->possible;
}

static bool same_place(const sa_link *a, const sa_link *b) {
    return a->source == b->source && a->target == b->target;
}

/* Sorts, and keeps one link of each place. Returns how many are left. */
static size_t settle(sa_link *links, size_t count) {
    size_t kept = 0;
    if (count) qsort(links, count, sizeof *links, by_place);
    for (size_t i = 0; i < count; i++)
        if (!kept || !same_place(&links[kept - 1], &links[i])) links[kept++] = links[i];
    return kept;
}

void sa_aer_add(sa_aer *aer, sa_link *links, size_t link_count, sa_link *gold, size_t gold_count) {
    link_count = settle(links, link_count);
    gold_count = settle(gold, gold_count);
    aer->links += link_count;
    for (size_t k = 0; k < gold_count; k++) aer->sure += !gold[k].possible;
    for (size_t i = 0, k = 0; i < link_count && k < gold_count;) {
        const bool match = same_place(&links[i], &gold[k]);
        aer->links_possible += match;
        aer->links_sure += match && !gold[k].possible;
        const sa_link ours = {links[i].source, links[i].target, false};
        const sa_link theirs = {gold[k].source, gold[k].target, false};
        const int order = by_place(&ours, &theirs);
        i += order <= 0;
        k += order >= 0;
    }
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

size_t sa_aer_argmax(const double *weights, int targets, int sources, sa_link *links) {
    size_t count = 0;
    if (sources < 2) return 0;
    for (int t = 0; t < targets - 1; t++) {
        const double *row = weights + (size_t)t * (size_t)sources;
        int most = 0;
        for (int s = 1; s < sources - 1; s++)
            if (row[s] > row[most]) most = s;
        links[count++] = (sa_link){.source = most, .target = t};
    }
    return count;
}
