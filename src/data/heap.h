/* heap: numbers by rank, the first of them always at hand. */
#ifndef SA_TEXT_HEAP_H
#define SA_TEXT_HEAP_H

#include "base/memory.h"
#include <stdint.h>

typedef struct sa_ranked {
    int64_t rank;
    int32_t what;
} sa_ranked;

typedef struct sa_heap {
    /* Whether a stands before b. */
    bool (*before)(const void *context, const sa_ranked *a, const sa_ranked *b);
    const void *context;
    sa_ranked *item; /* [count] item[0] is the first */
    size_t count, room;
} sa_heap;

bool sa_heap_push(sa_heap *heap, sa_ranked item, sa_error *error);
/* Takes the first out; count > 0. */
sa_ranked sa_heap_pop(sa_heap *heap);
void sa_heap_release(sa_heap *heap);

#endif
