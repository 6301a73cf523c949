/* heap: a binary heap of ranked ids. */
#ifndef SA_DATA_HEAP_H
#define SA_DATA_HEAP_H

#include "base/memory.h"
#include <stdint.h>

typedef struct sa_heap_item {
    int64_t rank;
    int32_t id;
} sa_heap_item;

typedef struct sa_heap {
    /* Whether a comes before b. */
    bool (*before)(const void *context, const sa_heap_item *a, const sa_heap_item *b);
    const void *context;
    sa_heap_item *item; /* [count] item[0] is the first */
    size_t count, capacity;
} sa_heap;

bool sa_heap_push(sa_heap *heap, sa_heap_item item, sa_error *error);
/* Removes the first item; count > 0. */
sa_heap_item sa_heap_pop(sa_heap *heap);
void sa_heap_release(sa_heap *heap);

#endif
