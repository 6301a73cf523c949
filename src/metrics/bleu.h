/* bleu: BLEU (Papineni et al. 2002) as sacreBLEU 2.6 defines it.
 *
 *   BLEU = BP exp(1/4 sum_n log p_n),  BP = min(1, exp(1 - r/c)),  n = 1 .. 4
 *
 * p_n is the share of the hypotheses' n-grams that are met in a reference, in per cent, c the
 * hypotheses' tokens and r those of the references nearest in length.
 *
 * Counts of sentences add up; the score is made of the sum. */
#ifndef SA_METRICS_BLEU_H
#define SA_METRICS_BLEU_H

#include "metrics/ngram.h"

enum { SA_BLEU_ORDER = 4 };

typedef struct sa_bleu {
    int64_t match[SA_BLEU_ORDER], total[SA_BLEU_ORDER]; /* n-grams of the hypotheses */
    int64_t hypothesis, reference;                      /* tokens */
} sa_bleu;

/* What happens to an order of which no n-gram is met; n is 2 and more for add-k:
 *
 *   exp    1/2, 1/4, ... of an n-gram counts as met, order after order
 *   floor  `value` of an n-gram counts as met
 *   add-k  `value` is added to the n-grams and to those met
 *   none   the score is 0 */
typedef struct sa_smoothing {
    const char *name;
    double value; /* unless another is asked for; 0: it has none */
} sa_smoothing;
extern const sa_smoothing sa_smoothings[]; /* ends with a NULL name */

/* For the option rows: the name of a row, NULL after the last. */
const char *sa_smoothing_name(size_t row);
/* The value that is in force. */
double sa_smoothing_value(const sa_metrics *metrics);

/* Adds the counts of one sentence, given its tokens and those of its references. */
bool sa_bleu_add(sa_bleu *bleu, const sa_units *hypothesis, const sa_units *references,
                 size_t count, sa_error *error);

/* 0 .. 100 */
double sa_bleu_score(const sa_bleu *bleu, const sa_metrics *metrics);
/* BP */
double sa_bleu_brevity(const sa_bleu *bleu);
/* p_n of every order, 0 .. 100; returns how many the score is made of, 0 when nothing matches. */
int sa_bleu_precisions(const sa_bleu *bleu, const sa_metrics *metrics, double *precisions);

#endif
