#include "data/batcher.h"
#include "base/memory.h"
#include "base/rng.h"

#include <stdlib.h>
#include <string.h>

enum { FETCH_BATCHES = 20 }; /* batches sorted together */

/* Shuffles items of at most 16 bytes. */
static void shuffle(void *list, size_t count, size_t size, sa_rng *rng) {
    char *items = list, swapped[16];
    for (size_t i = count; i > 1; i--) {
        char *one = items + sa_rng_below(rng, (uint32_t)i) * size, *last = items + (i - 1) * size;
        memcpy(swapped, one, size);
        memcpy(one, last, size);
        memcpy(last, swapped, size);
    }
}

/* What the comparisons of this thread's current qsort read. */
static _Thread_local const sa_sentence *sorted_source, *sorted_target;

/* Compares by target length, source length and index: a total order, so that every sort gives the
 * same result. */
static int by_length(const void *a, const void *b) {
    const size_t x = *(const size_t *)a, y = *(const size_t *)b;
    const int target = sorted_target[x].len - sorted_target[y].len;
    const int source = sorted_source[x].len - sorted_source[y].len;
    return target ? target : source ? source : (x > y) - (x < y);
}

/* Returns how many pairs from `at` on form a batch: `pairs` pairs or, if `words` is not 0, as many
 * as have at most `words` tokens on each side; at least one. */
static size_t count_fitting(const sa_batcher *batcher, size_t at, size_t end, size_t pairs,
                            int64_t words) {
    int64_t source = 0, target = 0;
    size_t next = at;
    if (!words) return end - at < pairs ? end - at : pairs;
    while (next < end) {
        source += batcher->source[batcher->order[next]].len;
        target += batcher->target[batcher->order[next]].len;
        if (next > at && (source > words || target > words)) break;
        next++;
    }
    return next - at;
}

/* Splits the sorted pairs of one fetch into batches and shuffles them; an incomplete batch stays
 * last. */
static void split_fetch(sa_batcher *batcher, size_t at, size_t end, sa_rng *rng) {
    sa_batch_range *first = batcher->batches + batcher->number;
    size_t count = 0;
    for (; at < end; at += first[count++].count)
        first[count] =
            (sa_batch_range){at, count_fitting(batcher, at, end, batcher->batch, batcher->words)};
    batcher->number += count;
    const bool small = !batcher->words && first[count - 1].count < batcher->batch;
    shuffle(first, count - small, sizeof *first, rng);
}

/* Begins an epoch as in Bahdanau et al. 2015, B.2: shuffles, fetches 20 batches' worth of pairs,
 * sorts and splits them. */
static void begin_epoch(sa_batcher *batcher) {
    sa_rng rng = sa_rng_seed(batcher->seed, (uint64_t)batcher->epoch);
    for (size_t i = 0; i < batcher->count; i++) batcher->order[i] = i;
    shuffle(batcher->order, batcher->count, sizeof *batcher->order, &rng);
    batcher->number = 0;
    for (size_t at = 0, size; at < batcher->count; at += size) {
        size = count_fitting(batcher, at, batcher->count, FETCH_BATCHES * batcher->batch,
                             FETCH_BATCHES * batcher->words);
        sorted_source = batcher->source, sorted_target = batcher->target;
        qsort(batcher->order + at, size, sizeof *batcher->order, by_length);
        split_fetch(batcher, at, at + size, &rng);
    }
}

bool sa_batcher_open(sa_batcher *batcher, const sa_sentence *source, const sa_sentence *target,
                     size_t count, int batch, int words, int64_t seed, sa_error *error) {
    *batcher = (sa_batcher){.source = source, .target = target, .count = count, .words = words};
    batcher->batch = (size_t)batch;
    batcher->seed = (uint64_t)seed;
    if (count > UINT32_MAX) return sa_fail(error, SA_LIMIT, "more than %u pairs", UINT32_MAX);
    const size_t most = words ? count : count / (size_t)batch + 1; /* batches */
    batcher->order = sa_new(count, sizeof *batcher->order, error);
    batcher->batches = batcher->order ? sa_new(most, sizeof *batcher->batches, error) : NULL;
    if (batcher->batches) begin_epoch(batcher);
    return batcher->batches;
}

void sa_batcher_close(sa_batcher *batcher) {
    free(batcher->order);
    free(batcher->batches);
    *batcher = (sa_batcher){0};
}

void sa_batcher_seek(sa_batcher *batcher, int64_t epoch, size_t position) {
    batcher->epoch = epoch;
    batcher->position = batcher->next = 0;
    begin_epoch(batcher);
    while (batcher->next < batcher->number && batcher->position < position)
        batcher->position += batcher->batches[batcher->next++].count;
}

const size_t *sa_batcher_next(sa_batcher *batcher, int *size) {
    if (batcher->next >= batcher->number) sa_batcher_seek(batcher, batcher->epoch + 1, 0);
    const sa_batch_range batch = batcher->batches[batcher->next++];
    *size = (int)batch.count;
    batcher->position += batch.count;
    return batcher->order + batch.first;
}

static int by_decreasing_length(const void *a, const void *b) {
    const size_t x = *(const size_t *)a, y = *(const size_t *)b;
    const int longer = sorted_source[y].len - sorted_source[x].len;
    return longer ? longer : (x > y) - (x < y);
}

void sa_sentences_sort_by_length(const sa_sentence *sentences, size_t count, size_t *order) {
    for (size_t i = 0; i < count; i++) order[i] = i;
    sorted_source = sentences;
    if (count) qsort(order, count, sizeof *order, by_decreasing_length);
}
