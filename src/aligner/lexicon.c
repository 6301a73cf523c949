#include "aligner/lexicon.h"
#include "base/memory.h"
#include "base/rng.h"

#include <math.h>
#include <stdlib.h>

size_t sa_keys_deduplicate(uint64_t *keys, size_t count) {
    size_t kept = 0;
    if (count) qsort(keys, count, sizeof *keys, sa_keys_compare);
    for (size_t k = 0; k < count; k++)
        if (!k || keys[k] != keys[k - 1]) keys[kept++] = keys[k];
    return kept;
}

bool sa_lexicon_init(sa_lexicon *lexicon, const sa_sentence *source, const sa_sentence *target,
                     size_t count, int32_t sources, int32_t targets, sa_error *error) {
    size_t all = 0, links = 0;
    for (size_t p = 0; p < count; p++)
        if (source[p].ids && target[p].ids)
            all += (size_t)source[p].len * (size_t)(target[p].len - 1);
    /* every source word with every target word that occurs in the same pair, once each, in order */
    uint64_t *link = sa_new(all, sizeof *link, error);
    for (size_t p = 0; link && p < count; p++)
        for (int j = 0; source[p].ids && target[p].ids && j < target[p].len - 1; j++)
            for (int i = 0; i < source[p].len; i++)
                link[links++] = (uint64_t)source[p].ids[i] << 32 | (uint32_t)target[p].ids[j];
    links = link ? sa_keys_deduplicate(link, links) : 0;
    *lexicon = (sa_lexicon){.sources = sources};
    if (link) lexicon->row = sa_new((size_t)sources + 1, sizeof *lexicon->row, error);
    if (lexicon->row) lexicon->target = sa_new(links, sizeof *lexicon->target, error);
    if (lexicon->target) lexicon->t = sa_new(links + 1, sizeof *lexicon->t, error);
    for (size_t k = 0; lexicon->t && k < links; k++) {
        lexicon->row[(link[k] >> 32) + 1]++;
        lexicon->target[k] = (int32_t)(uint32_t)link[k];
        lexicon->t[k] = 1.0 / (targets - SA_SPECIAL_TOKENS);
    }
    free(link);
    for (int32_t e = 0; lexicon->t && e < sources; e++) lexicon->row[e + 1] += lexicon->row[e];
    return lexicon->t;
}

void sa_lexicon_release(sa_lexicon *lexicon) {
    free(lexicon->row);
    free(lexicon->target);
    free(lexicon->t);
    *lexicon = (sa_lexicon){0};
}

size_t sa_lexicon_find(const sa_lexicon *lexicon, int32_t e, int32_t f) {
    size_t low = lexicon->row[e], high = lexicon->row[e + 1];
    const size_t end = high;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (lexicon->target[middle] < f)
            low = middle + 1;
        else
            high = middle;
    }
    return low < end && lexicon->target[low] == f ? low : lexicon->row[lexicon->sources];
}

/* Computes psi(x) = psi(x + 1) - 1/x and, from 7 on, the asymptotic series. */
double sa_digamma(double x) {
    double below = 0;
    for (; x < 7; x++) below += 1 / x;
    const double y = 1 / (x * x);
    return log(x) - below - 0.5 / x -
           y * (1.0 / 12 - y * (1.0 / 120 - y * (1.0 / 252 - y * (1.0 / 240 - y / 132))));
}

/* A word with no counts (all its posteriors underflowed) keeps its probabilities. */
void sa_lexicon_maximize(sa_lexicon *lexicon, const double *counts, double alpha) {
    for (int32_t e = 0; e < lexicon->sources; e++) {
        const size_t begin = lexicon->row[e], end = lexicon->row[e + 1];
        double total = alpha * (double)(end - begin);
        for (size_t k = begin; k < end; k++) total += counts[k];
        if (!(total > 0)) continue;
        const double psi = alpha > 0 ? sa_digamma(total) : 0;
        for (size_t k = begin; k < end; k++)
            lexicon->t[k] =
                alpha > 0 ? exp(sa_digamma(counts[k] + alpha) - psi) : counts[k] / total;
    }
}
