#include "analysis/ibm1.h"
#include "base/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- The lexicon ----------------------------------------------------------------------------- */

static int compare_links(const void *a, const void *b) {
    uint64_t one, other;
    memcpy(&one, a, sizeof one), memcpy(&other, b, sizeof other);
    return (one > other) - (one < other);
}

static bool is_read(const sa_sentence *source, const sa_sentence *target) {
    return source->ids && target->ids;
}

/* Every source word with every target word of its pairs, once each, in order. */
static uint64_t *collect_links(const sa_sentence *source, const sa_sentence *target, size_t count,
                               size_t *links, sa_error *error) {
    size_t all = 0, n = 0;
    for (size_t p = 0; p < count; p++)
        if (is_read(&source[p], &target[p]))
            all += (size_t)source[p].len * (size_t)(target[p].len - 1);
    uint64_t *link = sa_new(all, sizeof *link, error);
    for (size_t p = 0; link && p < count; p++)
        for (int j = 0; is_read(&source[p], &target[p]) && j < target[p].len - 1; j++)
            for (int i = 0; i < source[p].len; i++)
                link[n++] = (uint64_t)source[p].ids[i] << 32 | (uint32_t)target[p].ids[j];
    if (link) qsort(link, n, sizeof *link, compare_links);
    *links = 0;
    for (size_t k = 0; k < n; k++)
        if (!k || link[k] != link[k - 1]) link[(*links)++] = link[k];
    return link;
}

bool sa_ibm1_init(sa_ibm1_lexicon *lexicon, const sa_sentence *source, const sa_sentence *target,
                  size_t count, int32_t sources, int32_t targets, sa_error *error) {
    size_t links;
    uint64_t *link = collect_links(source, target, count, &links, error);
    *lexicon = (sa_ibm1_lexicon){.sources = sources};
    if (link) lexicon->row = sa_new((size_t)sources + 1, sizeof *lexicon->row, error);
    if (lexicon->row) lexicon->target = sa_new(links, sizeof *lexicon->target, error);
    if (lexicon->target) lexicon->t = sa_new(links + 1, sizeof *lexicon->t, error);
    for (size_t k = 0; lexicon->t && k < links; k++) {
        lexicon->row[(link[k] >> 32) + 1]++;
        lexicon->target[k] = (int32_t)(uint32_t)link[k];
        lexicon->t[k] = 1.0 / (targets - SA_SPECIAL_TOKENS);
    }
    free(link);
    if (!lexicon->t) {
        sa_ibm1_release(lexicon);
        return false;
    }
    for (int32_t e = 0; e < sources; e++) lexicon->row[e + 1] += lexicon->row[e];
    return true;
}

void sa_ibm1_release(sa_ibm1_lexicon *lexicon) {
    free(lexicon->row);
    free(lexicon->target);
    free(lexicon->t);
    *lexicon = (sa_ibm1_lexicon){0};
}

/* The entry of two words, or row[sources], where t is 0, when they have none. */
static size_t find(const sa_ibm1_lexicon *lexicon, int32_t e, int32_t f) {
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

/* sum_{i=0..l} t(f | e_i) */
static double sum_over_source(const sa_ibm1_lexicon *lexicon, const sa_sentence *source,
                              int32_t f) {
    double sum = 0;
    for (int i = 0; i < source->len; i++) sum += lexicon->t[find(lexicon, source->ids[i], f)];
    return sum;
}

/* ---- Expectation maximization ---------------------------------------------------------------- */

/* Adds the weights of a pair's words to their counts. Returns the log-probability of its target
 * words. */
static double count_pair(const sa_ibm1_lexicon *lexicon, const sa_sentence *source,
                         const sa_sentence *target, double *counts) {
    double log_probability = 0;
    for (int j = 0; j < target->len - 1; j++) {
        const int32_t f = target->ids[j];
        const double sum = sum_over_source(lexicon, source, f);
        for (int i = 0; i < source->len; i++) {
            const size_t entry = find(lexicon, source->ids[i], f);
            counts[entry] += lexicon->t[entry] / sum;
        }
        log_probability += log(sum / source->len);
    }
    return log_probability;
}

static void normalize(sa_ibm1_lexicon *lexicon, const double *counts) {
    for (int32_t e = 0; e < lexicon->sources; e++) {
        double total = 0;
        for (size_t k = lexicon->row[e]; k < lexicon->row[e + 1]; k++) total += counts[k];
        for (size_t k = lexicon->row[e]; k < lexicon->row[e + 1]; k++)
            lexicon->t[k] = counts[k] / total;
    }
}

double sa_ibm1_iterate(sa_ibm1_lexicon *lexicon, const sa_sentence *source,
                       const sa_sentence *target, size_t count, double *counts) {
    double log_probability = 0, words = 0;
    memset(counts, 0, lexicon->row[lexicon->sources] * sizeof *counts);
    for (size_t p = 0; p < count; p++)
        if (is_read(&source[p], &target[p])) {
            log_probability += count_pair(lexicon, &source[p], &target[p], counts);
            words += target[p].len - 1;
        }
    normalize(lexicon, counts);
    return exp(-log_probability / words);
}

/* ---- A pair ---------------------------------------------------------------------------------- */

void sa_ibm1_weights(const sa_ibm1_lexicon *lexicon, const sa_sentence *source,
                     const sa_sentence *target, double *weights) {
    const int S = source->len, T = target->len;
    memset(weights, 0, (size_t)T * (size_t)S * sizeof *weights);
    for (int j = 0; j < T - 1; j++) {
        const double sum = sum_over_source(lexicon, source, target->ids[j]);
        for (int i = 0; sum > 0 && i < S - 1; i++)
            weights[j * S + i] = lexicon->t[find(lexicon, source->ids[i], target->ids[j])] / sum;
    }
    weights[(size_t)T * (size_t)S - 1] = 1;
}

double sa_ibm1_log_probability(const sa_ibm1_lexicon *lexicon, const sa_sentence *source,
                               int32_t f) {
    return log(sum_over_source(lexicon, source, f) / source->len);
}
