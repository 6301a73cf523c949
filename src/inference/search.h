/* search: greedy search, beam search and sampling, with one model or an ensemble.
 *
 * All sentences of a batch advance together. A hypothesis is one row of the decoder; a finished one
 * leaves, and the beam of its sentence shrinks by it, as in the code of Bahdanau et al. Greedy
 * search is a beam of one. A sample is a hypothesis that continues on its own. */
#pragma once

#include "base/rng.h"
#include "inference/ensemble.h"

typedef struct sa_hypothesis {
    int32_t *ids; /* EOS included when complete; the caller frees it */
    int len;
    double log_p;     /* sum of log p over its words */
    double score;     /* what hypotheses are compared by: see sa_search */
    bool complete;    /* it ends with EOS */
    sa_real *weights; /* [len x source words] of the attention; NULL unless requested; the caller
                         frees it */
} sa_hypothesis;

/* What is known of the translations in advance. */
typedef struct sa_outlines {
    const int *lengths;          /* [count] their tokens, EOS included; NULL: as the search says */
    const sa_sentence *prefixes; /* [count] the tokens that they begin with, then EOS; or NULL */
} sa_outlines;

/* Returns the maximum number of decoder rows that a sentence takes. */
int sa_search_rows(const sa_search *search);

/* Finds the search->nbest best translations of each of `count` sentences, with an ensemble that was
 * just opened, and stores them, best first, in found[count * nbest]; ids is NULL where there is
 * none. sources[m]: the sentences as token ids of model m; all models have the same target
 * vocabulary. */
bool sa_search_batch(sa_ensemble *ensemble, const sa_sentence *const *sources, sa_outlines outlines,
                     int count, const sa_search *search, sa_hypothesis *found, sa_error *error);

typedef struct sa_candidate {
    int32_t word;
    double log_p;
} sa_candidate;

/* Samples one of `count` candidates from p^(1/temperature), among the top_k most likely (0: all)
 * and the fewest most likely whose probabilities sum to top_p (Holtzman et al. 2020). Sorts the
 * list and returns the index. */
int sa_sample(sa_candidate *list, int count, double temperature, int top_k, double top_p,
              sa_rng *rng);
