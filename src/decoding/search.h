/* search: translations by one model or an ensemble, greedy, by beam, or drawn at random.
 *
 * All sentences of a batch advance together; a hypothesis is one row of the decoder, a finished one
 * leaves, and the beam of its sentence shrinks with it, as in the authors' code. Greedy search is a
 * beam of one. A sample is a hypothesis that goes its own way from the start. */
#ifndef SA_MODEL_SEARCH_H
#define SA_MODEL_SEARCH_H

#include "decoding/ensemble.h"

typedef struct sa_hypothesis {
    int32_t *ids; /* the words, end mark included when complete; freed by the caller */
    int len;
    double log_p;     /* sum of log p over its words */
    double score;     /* what hypotheses are compared by: see sa_search */
    bool complete;    /* it ended by itself */
    sa_real *weights; /* [len * source words] where it looked; NULL unless wanted; freed likewise */
} sa_hypothesis;

/* How many rows of the decoder a sentence takes at most. */
int sa_search_rows(const sa_search *search);

/* The best search->nbest translations of each of `count` sentences, best first, in
 * found[count * nbest]; an entry that does not exist has ids NULL. sources[m]: the sentences in the
 * numbers of model w[m]; all models share the target's words. */
bool sa_search_batch(const sa_seq2seq *const *w, int models, const sa_sentence *const *sources,
                     int count, const sa_search *search, const sa_override *override,
                     sa_hypothesis *found, sa_error *error);

#endif
