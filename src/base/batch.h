/* batch: sentences as token ids, the plain data that the data, model and training modules exchange.
 *
 * Each side is sorted separately by decreasing length, so that the sentences active at a step are a
 * prefix, and packed: there is no padding. Rows have one of two orders:
 *
 *   step by step          row start[t] + b    for recurrent loops: a step is one slice
 *   sentence by sentence  row first[b] + t    for attention: a sentence is one slice */
#pragma once

#include "base/arena.h"
#include "base/sentence.h"

typedef struct sa_batch_side {
    int sentences;           /* B */
    int steps;               /* the longest length */
    int words;               /* sum of all lengths: rows of a packed block */
    const int *len;          /* [B] decreasing */
    const int *first;        /* [B+1] first row of each sentence, sentence by sentence */
    const int *active;       /* [steps+1] sentences longer than t; active[steps] = 0 */
    const int *start;        /* [steps+1] first row of each step, step by step */
    const int32_t *ids;      /* [words] step by step */
    const int *order;        /* [B] index in the given list */
    const int32_t *extended; /* [words] the sentences' extended ids, or the ids */
} sa_batch_side;

typedef struct sa_batch {
    sa_batch_side source, target;
    const int *source_of; /* the index of a pair's source, by the index of its target */
    int whole; /* sentences of the whole batch, of which this is a shard: the divisor of the loss */
    const sa_gold_alignment *gold; /* [B] in the given order, for the alignment loss; or NULL */
} sa_batch;

/* Returns the index of target b's source among the sources; without targets, b itself. */
static inline int sa_batch_source_index(const sa_batch *batch, int b) {
    return batch->source_of ? batch->source_of[b] : b;
}

/* Builds a batch of `count` pairs; `whole` is their number. While the arena counts, it
 * reads only the lengths, and whether a sentence has extended ids. Sentences of equal length keep
 * their order. target NULL (translation): that side is empty, and source_of is NULL. */
sa_batch sa_batch_build(sa_arena *arena, const sa_sentence *source, const sa_sentence *target,
                        int count);
