/* length_balance: over-translation and under-translation with respect to the reference (Tu et al.
 * 2016, section 1). The counts are defined at sa_length_balance in softalign/report.h. */
#pragma once

#include "base/error.h"

#include <softalign/report.h>

/* A target text and the attention weights with which it was generated. */
typedef struct sa_attended_text {
    const char *const *words; /* [targets] EOS last, if `ended` */
    int targets;
    bool ended;
    const double *weights; /* [targets * sources], NULL: no attention */
} sa_attended_text;

/* Compares the two texts; `sources`: source tokens, EOS included. */
sa_length_balance sa_length_balance_compute(const sa_attended_text *own,
                                            const sa_attended_text *reference, int sources);

/* Returns the number of tokens in runs of at most 4 that repeat the previous run. */
int sa_length_balance_repeated(const char *const *words, int count);

/* Returns the number of words too many or too few: the largest of the figures for lengths,
 * repetitions and weights on a source word; at least 0. */
double sa_length_balance_over(const sa_length_balance *balance);
double sa_length_balance_under(const sa_length_balance *balance);

/* Returns whether that many words too many or too few matter for a reference of that length. */
bool sa_length_balance_is_off(double words, int reference);
