/* chrf: chrF (Popovic 2015), and chrF++ with word n-grams (Popovic 2017), as sacreBLEU 2.6 defines
 * them.
 *
 *   chrF_beta = 100 (1 + beta^2) P R / (beta^2 P + R)
 *
 * P and R are the means of the precisions and recalls of the orders for which both sides have
 * n-grams. Of several references, the one with the best chrF counts. Counts are summed over
 * sentences; chrF is computed from the sums. */
#pragma once

#include "metrics/ngram.h"

/* Maximum orders of characters, of words, of both. */
enum { SA_CHRF_CHARACTERS = 12, SA_CHRF_WORDS = 4, SA_CHRF_ORDERS = 16 };

/* n-grams of characters, then of words: in the hypotheses, in the references, and matches. */
typedef struct sa_chrf {
    int64_t hypothesis[SA_CHRF_ORDERS], reference[SA_CHRF_ORDERS], match[SA_CHRF_ORDERS];
} sa_chrf;

/* Adds the counts of one sentence. */
bool sa_chrf_add(sa_chrf *chrf, const sa_metrics *metrics, const char *hypothesis,
                 const char *const *references, size_t count, sa_error *error);

/* Returns chrF, 0 .. 100. */
double sa_chrf_value(const sa_chrf *chrf, const sa_metrics *metrics);
