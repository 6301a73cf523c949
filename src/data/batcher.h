/* batcher: chooses the pairs of each batch.
 *
 * As in Bahdanau et al. 2015, B.2, the pairs are shuffled each epoch; 20 batches' worth of pairs at
 * a time are sorted by length, so that the sentences of a batch have similar lengths, and split
 * into batches, which are shuffled. The size of a batch is counted in pairs or in tokens.
 * Everything follows from (seed, epoch), so that resuming needs only the epoch and the position in
 * it. */
#pragma once

#include "base/batch.h"

/* A batch's range of the epoch's pairs. */
typedef struct sa_batch_range {
    size_t first, count;
} sa_batch_range;

typedef struct sa_batcher {
    const sa_sentence *source, *target;
    size_t count, batch;
    int64_t words;
    uint64_t seed;
    int64_t epoch;           /* from 0 */
    size_t position;         /* pairs of this epoch already used */
    size_t *order;           /* [count] this epoch's pairs, fetch after fetch */
    sa_batch_range *batches; /* [number] this epoch's, in order */
    size_t number, next;     /* next: index of the next batch */
} sa_batcher;

/* Makes batches of `batch` pairs or, if `words` is not 0, of at most `words` tokens on each side
 * (EOS included; a longer pair is a batch of its own). */
bool sa_batcher_open(sa_batcher *batcher, const sa_sentence *source, const sa_sentence *target,
                     size_t count, int batch, int words, int64_t seed, sa_error *error);
void sa_batcher_close(sa_batcher *batcher);

/* Continues from an earlier epoch and position; if the position is within a batch, after that
 * batch. */
void sa_batcher_seek(sa_batcher *batcher, int64_t epoch, size_t position);

/* Returns the indices of the next batch's pairs, valid until the next call. After the last batch of
 * an epoch, position equals count; the next call begins a new epoch. */
const size_t *sa_batcher_next(sa_batcher *batcher, int *size);

/* Fills order [count] with the indices of the sentences by decreasing length; equal lengths keep
 * their order. Used for batches outside training. */
void sa_sentences_sort_by_length(const sa_sentence *sentences, size_t count, size_t *order);
