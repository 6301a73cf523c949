/* bleu: BLEU (Papineni et al. 2002) as sacreBLEU 2.6 defines it.
 *
 *   BLEU = BP exp(1/4 sum_n log p_n),  BP = min(1, exp(1 - r/c)),  n = 1 .. 4
 *
 * p_n is the percentage of the hypotheses' n-grams that occur in a reference, c the number of
 * hypothesis tokens, and r the number of tokens of the references closest in length. Counts are
 * summed over sentences; BLEU is computed from the sums. */
#pragma once

#include "metrics/ngram.h"

enum { SA_BLEU_ORDER = 4 };

typedef struct sa_bleu {
    int64_t match[SA_BLEU_ORDER], total[SA_BLEU_ORDER]; /* n-grams of the hypotheses */
    int64_t hypothesis, reference;                      /* tokens */
} sa_bleu;

/* Smoothing of orders without a match:
 *
 *   exp    1/2, 1/4, ... matches for the first such order, the second ...
 *   floor  `value` matches
 *   add-k  adds `value` to the matches and totals of all orders n >= 2
 *   none   BLEU is 0 */
typedef struct sa_smoothing {
    const char *name;
    double value; /* default; 0: the method has no value */
} sa_smoothing;
extern const sa_smoothing sa_smoothings[]; /* ends with a NULL name */

/* Returns the value in effect. */
double sa_smoothing_value(const sa_metrics *metrics);

/* Adds the counts of a sentence, given its tokens and the tokens of its references. */
bool sa_bleu_add(sa_bleu *bleu, const sa_units *hypothesis, const sa_units *references,
                 size_t count, sa_error *error);

/* Returns BLEU, 0 .. 100. */
double sa_bleu_value(const sa_bleu *bleu, const sa_metrics *metrics);
/* Returns why BLEU is 0, for the user; NULL: it is not 0. */
const char *sa_bleu_zero_reason(const sa_bleu *bleu, const sa_metrics *metrics);
/* Returns the brevity penalty BP. */
double sa_bleu_brevity(const sa_bleu *bleu);
/* Computes p_n of every order, 0 .. 100. Returns the number of orders that count; 0: nothing
 * matches. */
int sa_bleu_precisions(const sa_bleu *bleu, const sa_metrics *metrics, double *precisions);
