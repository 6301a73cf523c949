#include "data/heap.h"

#include <stdlib.h>

bool sa_heap_push(sa_heap *heap, sa_heap_item item, sa_error *error) {
    if (!sa_reserve(&heap->item, &heap->capacity, heap->count + 1, sizeof item, error))
        return false;
    size_t at = heap->count++;
    for (size_t up; at; at = up) {
        up = (at - 1) / 2;
        if (!heap->before(heap->context, &item, &heap->item[up])) break;
        heap->item[at] = heap->item[up];
    }
    heap->item[at] = item;
    return true;
}

sa_heap_item sa_heap_pop(sa_heap *heap) {
    sa_require(heap->count > 0);
    const sa_heap_item first = heap->item[0], last = heap->item[--heap->count];
    size_t at = 0;
    for (size_t down; (down = 2 * at + 1) < heap->count; at = down) {
        if (down + 1 < heap->count &&
            heap->before(heap->context, &heap->item[down + 1], &heap->item[down]))
            down++;
        if (!heap->before(heap->context, &heap->item[down], &last)) break;
        heap->item[at] = heap->item[down];
    }
    heap->item[at] = last;
    return first;
}

void sa_heap_release(sa_heap *heap) {
    free(heap->item);
    heap->item = NULL;
    heap->count = heap->capacity = 0;
}
