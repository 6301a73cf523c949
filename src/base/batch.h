/* batch: sentences as numbers, the plain data that text, model and train meet through.
 *
 * Each side is ordered by falling length on its own, so the sentences that are still alive at a
 * step are a prefix, and packed, so that no row stands for padding. Two orders of rows are used:
 *
 *   step by step      row start[t] + b    for the recurrent loops: a step is one slice
 *   sentence by sentence  row first[b] + t    for attention: a sentence is one slice */
#ifndef SA_BASE_BATCH_H
#define SA_BASE_BATCH_H

#include "base/arena.h"
#include "base/links.h"
#include <stdint.h>

/* The special symbols are numbers below every word's, never spellings: a literal "<s>" in a text is
 * an ordinary word. */
enum { SA_UNK = 0, SA_EOS = 1, SA_BOS = 2, SA_SPECIAL_TOKENS = 3 };

/* One sentence: word numbers, the end mark last. */
typedef struct sa_sentence {
    const int32_t *ids;
    int len;
} sa_sentence;

typedef struct sa_batch_side {
    int sentences;      /* B */
    int steps;          /* the longest length */
    int words;          /* the sum of all lengths: rows of a packed block */
    const int *len;     /* [B] falling */
    const int *first;   /* [B+1] first row of a sentence, sentence by sentence */
    const int *active;  /* [steps+1] sentences longer than t; live[steps] = 0 */
    const int *start;   /* [steps+1] first row of a step, step by step */
    const int32_t *ids; /* [words] step by step */
    const int *order;   /* [B] which sentence of the given list stands here */
} sa_batch_side;

typedef struct sa_batch {
    sa_batch_side source, target;
    const int *source_of; /* [B] target place -> source place of the same pair */
    int whole; /* sentences of the whole batch, of which this may be a shard: the loss's divisor */
    const sa_gold_alignment *gold; /* [B] in the given order: where words shall look, or NULL */
} sa_batch;

/* Where the source of target place b stands among the sources; without targets: there. */
static inline int sa_batch_source_index(const sa_batch *batch, int b) {
    return batch->source_of ? batch->source_of[b] : b;
}

/* Lays out one side of `count` sentences in the arena (which may be counting: then the sentences
 * are read for their lengths alone). Ties in length keep the given order. */
sa_batch_side sa_batch_side_build(sa_arena *arena, const sa_sentence *sentences, int count);

/* A batch of `count` pairs; whole = count. `target` may be NULL (translation): then that side is
 * empty and source_of NULL. */
sa_batch sa_batch_build(sa_arena *arena, const sa_sentence *source, const sa_sentence *target,
                        int count);

#endif
