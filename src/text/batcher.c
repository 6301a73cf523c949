#include "text/batcher.h"
#include "base/memory.h"
#include "base/rng.h"

#include <stdlib.h>
#include <string.h>

enum { FETCH = 20 }; /* batches that are sorted together */

static void shuffle(size_t *list, size_t count, sa_rng *rng) {
    for (size_t i = count; i > 1; i--) {
        const size_t k = sa_rng_below(rng, (uint32_t)i), kept = list[k];
        list[k] = list[i - 1];
        list[i - 1] = kept;
    }
}

/* By target length, then source length, then index: a total order, so any sort gives the same. */
static int by_length(const void *a, const void *b, void *context) {
    const sa_batcher *batcher = context;
    const size_t x = *(const size_t *)a, y = *(const size_t *)b;
    const int target = batcher->target[x].len - batcher->target[y].len;
    const int source = batcher->source[x].len - batcher->source[y].len;
    return target ? target : source ? source : (x > y) - (x < y);
}

/* Swaps whole batches of one fetch into random order; a last, smaller one stays last. */
static void shuffle_batches(size_t *list, size_t count, size_t batch, sa_rng *rng) {
    for (size_t i = count / batch; i > 1; i--) {
        size_t *one = list + sa_rng_below(rng, (uint32_t)i) * batch,
               *other = list + (i - 1) * batch;
        for (size_t k = 0; k < batch; k++) {
            const size_t kept = one[k];
            one[k] = other[k];
            other[k] = kept;
        }
    }
}

/* B.2 (2015): shuffle, fetch 20 batches' worth, sort, cut. */
static void begin_epoch(sa_batcher *batcher) {
    sa_rng rng = sa_rng_seed(batcher->seed, (uint64_t)batcher->epoch);
    for (size_t i = 0; i < batcher->count; i++) batcher->order[i] = i;
    shuffle(batcher->order, batcher->count, &rng);
    const size_t fetch = FETCH * batcher->batch;
    for (size_t at = 0; at < batcher->count; at += fetch) {
        const size_t rest = batcher->count - at, size = rest < fetch ? rest : fetch;
        qsort_r(batcher->order + at, size, sizeof *batcher->order, by_length, batcher);
        shuffle_batches(batcher->order + at, size, batcher->batch, &rng);
    }
}

bool sa_batcher_open(sa_batcher *batcher, const sa_sentence *source, const sa_sentence *target,
                     size_t count, int batch, int64_t seed, sa_error *error) {
    *batcher = (sa_batcher){.source = source,
                            .target = target,
                            .count = count,
                            .batch = (size_t)batch,
                            .seed = (uint64_t)seed};
    if (count > UINT32_MAX) return sa_fail(error, SA_LIMIT, "more than %u pairs", UINT32_MAX);
    batcher->order = sa_new(count, sizeof *batcher->order, error);
    if (batcher->order) begin_epoch(batcher);
    return batcher->order;
}

void sa_batcher_close(sa_batcher *batcher) {
    free(batcher->order);
    *batcher = (sa_batcher){0};
}

void sa_batcher_seek(sa_batcher *batcher, int64_t epoch, size_t position) {
    batcher->epoch = epoch;
    batcher->position = position;
    begin_epoch(batcher);
}

const size_t *sa_batcher_next(sa_batcher *batcher, int *size) {
    if (batcher->position >= batcher->count) sa_batcher_seek(batcher, batcher->epoch + 1, 0);
    const size_t *first = batcher->order + batcher->position,
                 rest = batcher->count - batcher->position;
    *size = (int)(rest < batcher->batch ? rest : batcher->batch);
    batcher->position += (size_t)*size;
    return first;
}

static int by_falling_length(const void *a, const void *b, void *context) {
    const sa_sentence *sentences = context;
    const size_t x = *(const size_t *)a, y = *(const size_t *)b;
    const int longer = sentences[y].len - sentences[x].len;
    return longer ? longer : (x > y) - (x < y);
}

void sa_order_by_length(const sa_sentence *sentences, size_t count, size_t *order) {
    for (size_t i = 0; i < count; i++) order[i] = i;
    if (count)
        qsort_r(order, count, sizeof *order, by_falling_length, (void *)(uintptr_t)sentences);
}
