#include "metrics/bleu.h"

#include <math.h>
#include <stdlib.h>

/* ---- Smoothing ------------------------------------------------------------------------------- */

const sa_smoothing sa_smoothings[] = {
    [SA_SMOOTHING_EXP] = {"exp", 0},
    [SA_SMOOTHING_FLOOR] = {"floor", 0.1},
    [SA_SMOOTHING_ADD_K] = {"add-k", 1},
    [SA_SMOOTHING_NONE] = {"none", 0},
    {0},
};

double sa_smoothing_value(const sa_metrics *metrics) {
    const double usual = sa_smoothings[metrics->smooth].value;
    return usual > 0 && metrics->smooth_value > 0 ? metrics->smooth_value : usual;
}

/* ---- Counts ---------------------------------------------------------------------------------- */

/* Returns the reference length closest to ours; of equally close ones, the shorter. */
static int64_t nearest_length(int64_t ours, const sa_units *references, size_t count) {
    int64_t best = count ? (int64_t)references[0].count : 0;
    for (size_t i = 1; i < count; i++) {
        const int64_t length = (int64_t)references[i].count,
                      nearer = llabs(ours - best) - llabs(ours - length);
        if (nearer > 0 || (nearer == 0 && length < best)) best = length;
    }
    return best;
}

bool sa_bleu_add(sa_bleu *bleu, const sa_units *hypothesis, const sa_units *references,
                 size_t count, sa_error *error) {
    if (!sa_ngrams_match(hypothesis, references, count, SA_BLEU_ORDER, bleu->match, error))
        return false;
    for (int n = 1; n <= SA_BLEU_ORDER; n++) bleu->total[n - 1] += sa_ngrams_total(hypothesis, n);
    bleu->hypothesis += (int64_t)hypothesis->count;
    bleu->reference += nearest_length((int64_t)hypothesis->count, references, count);
    return true;
}

/* ---- BLEU ------------------------------------------------------------------------------------ */

double sa_bleu_brevity(const sa_bleu *bleu) {
    if (bleu->hypothesis >= bleu->reference) return 1;
    if (!bleu->hypothesis) return 0;
    return exp(1 - (double)bleu->reference / (double)bleu->hypothesis);
}

int sa_bleu_precisions(const sa_bleu *bleu, const sa_metrics *metrics, double *precisions) {
    const double value = sa_smoothing_value(metrics);
    double divisor = 1;
    int64_t matches = 0;
    int order = SA_BLEU_ORDER;
    for (int n = 0; n < SA_BLEU_ORDER; n++) precisions[n] = 0, matches += bleu->match[n];
    if (!matches) return 0;
    for (int n = 0; n < SA_BLEU_ORDER; n++) {
        const double added = metrics->smooth == SA_SMOOTHING_ADD_K && n > 0 ? value : 0;
        const double match = (double)bleu->match[n] + added, total = (double)bleu->total[n] + added;
        if (total == 0) break;
        if (metrics->effective_order) order = n + 1;
        if (match > 0) {
            precisions[n] = 100 * match / total;
        } else if (metrics->smooth == SA_SMOOTHING_EXP) {
            divisor *= 2;
            precisions[n] = 100 / (divisor * total);
        } else if (metrics->smooth == SA_SMOOTHING_FLOOR) {
            precisions[n] = 100 * value / total;
        }
    }
    return order;
}

double sa_bleu_value(const sa_bleu *bleu, const sa_metrics *metrics) {
    double precisions[SA_BLEU_ORDER], sum = 0;
    const int order = sa_bleu_precisions(bleu, metrics, precisions);
    for (int n = 0; n < order; n++) {
        if (precisions[n] == 0) return 0;
        sum += log(precisions[n]);
    }
    return order ? sa_bleu_brevity(bleu) * exp(sum / order) : 0;
}

const char *sa_bleu_zero_reason(const sa_bleu *bleu, const sa_metrics *metrics) {
    if (sa_bleu_value(bleu, metrics) > 0) return NULL;
    if (!bleu->hypothesis) return "the hypotheses are empty";
    if (!bleu->match[0]) return "no token of a hypothesis is in its references";
    if (!bleu->total[SA_BLEU_ORDER - 1] && !metrics->effective_order)
        return "no hypothesis has four tokens, so there are no 4-grams (--effective-order counts "
               "the shorter n-grams)";
    return "an order of n-grams has no match and is not smoothed (see --smooth)";
}
