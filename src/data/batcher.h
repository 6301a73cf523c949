/* batcher: which pairs make the next batch.
 *
 * As Bahdanau et al. 2015, B.2, do it: the pairs are shuffled afresh each epoch, 20 batches' worth
 * are fetched and sorted by length, so that a batch holds sentences of like length, and cut into
 * batches, which are served in random order. A batch is so many pairs, or, as toolkits have it for
 * sentences of very different lengths, as many as have so many words. Everything follows from
 * (seed, epoch): two numbers, the epoch and the position in it, are all there is to save. */
#ifndef SA_DATA_BATCHER_H
#define SA_DATA_BATCHER_H

#include "base/batch.h"

/* A batch's place among the epoch's pairs. */
typedef struct sa_batch_range {
    size_t first, count;
} sa_batch_range;

typedef struct sa_batcher {
    const sa_sentence *source, *target;
    size_t count, batch;
    int64_t words;
    uint64_t seed;
    int64_t epoch;           /* from 0 */
    size_t position;         /* pairs of this epoch already served */
    size_t *order;           /* [count] this epoch's pairs, fetch after fetch */
    sa_batch_range *batches; /* [number] this epoch's, as they are served */
    size_t number, next;     /* next: of the batch to be served */
} sa_batcher;

/* Batches of `batch` pairs; with words (0: none) of as many as have no more than that on either
 * side, end marks included, and of one that has more. */
bool sa_batcher_open(sa_batcher *batcher, const sa_sentence *source, const sa_sentence *target,
                     size_t count, int batch, int words, int64_t seed, sa_error *error);
void sa_batcher_close(sa_batcher *batcher);

/* Goes to a place that epoch and position of this or an earlier batcher named (a position inside a
 * batch: behind it). */
void sa_batcher_seek(sa_batcher *batcher, int64_t epoch, size_t position);

/* The indices of the next batch's pairs, valid until the next call. After the last batch of an
 * epoch position equals count; the next call begins a new epoch. */
const size_t *sa_batcher_next(sa_batcher *batcher, int *size);

/* All indices 0 .. count-1 by falling length of the sentences, equal ones in their order: for work
 * in batches that is no training. order [count] */
void sa_sentences_sort_by_length(const sa_sentence *sentences, size_t count, size_t *order);

#endif
