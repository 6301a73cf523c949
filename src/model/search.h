/* search: the most probable translation, greedy or by beam.
 *
 * All sentences of a batch advance together; a hypothesis is one row of the decoder, a finished one
 * leaves, and the beam of its sentence shrinks with it, as in the authors' code. Greedy search is a
 * beam of one. */
#ifndef SA_MODEL_SEARCH_H
#define SA_MODEL_SEARCH_H

#include "model/seq2seq.h"

typedef struct sa_found {
    int32_t *ids; /* the words, end mark included when complete; freed by the caller */
    int len;
    double log_p;  /* sum of log p over its words */
    double score;  /* log_p / len^length_power */
    bool complete; /* it ended by itself */
} sa_found;

/* The best search->nbest translations of each of `count` sentences, best first, in
 * found[count * nbest]; an entry that does not exist has ids NULL. */
bool sa_search_batch(const sa_seq2seq *w, const sa_sentence *sources, int count,
                     const sa_search *search, sa_found *found, sa_error *error);

#endif
