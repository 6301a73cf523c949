/* balance: a model's own translation beside the reference, word for word: what was said too often,
 * and what was left out (Tu et al. 2016, section 1). The counts stand at sa_length_balance in
 * softalign.h.
 */
#ifndef SA_ANALYSIS_LENGTH_BALANCE_H
#define SA_ANALYSIS_LENGTH_BALANCE_H

#include "base/error.h"

/* A text and where its writer looked. */
typedef struct sa_attended_text {
    const char *const *words; /* [targets] the end mark last, if the text is ended */
    int targets;
    bool ended;
    const double *weights; /* [targets * sources], NULL: no attention */
} sa_attended_text;

/* `sources`: source words, end mark included. */
sa_length_balance sa_length_balance_compute(const sa_attended_text *own,
                                            const sa_attended_text *reference, int sources);

/* Words that stand in runs of up to 4 words said right before. */
int sa_length_balance_repeated(const char *const *words, int count);

/* How many words too many or too few there are, by the counts of words, repetitions, or weights
 * on a source word, whichever says most; 0: none. */
double sa_length_balance_over(const sa_length_balance *balance);
double sa_length_balance_under(const sa_length_balance *balance);

/* Whether so many words are more than a matter of taste beside a reference of that length. */
bool sa_length_balance_is_off(double words, int reference);

#endif
