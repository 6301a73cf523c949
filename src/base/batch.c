#include "base/batch.h"

#include <limits.h>

/* Orders the indices by decreasing length, by counting sort: equal lengths keep their order. */
static void order_by_length(const sa_sentence *sentences, int count, int longest, int *order,
                            int *bucket) {
    for (int length = 0; length <= longest; length++) bucket[length] = 0;
    for (int i = 0; i < count; i++) bucket[sentences[i].len]++;
    for (int length = longest, next = 0; length >= 0; length--) {
        int here = bucket[length];
        bucket[length] = next;
        next += here;
    }
    for (int i = 0; i < count; i++) order[bucket[sentences[i].len]++] = i;
}

/* Builds one side of `count` sentences. */
static sa_batch_side build_side(sa_arena *arena, const sa_sentence *sentences, int count) {
    int steps = 0, words = 0;
    bool any_extended = false;
    for (int i = 0; i < count; i++) {
        sa_require(sentences[i].len > 0 && sentences[i].len <= INT_MAX - words);
        words += sentences[i].len;
        if (sentences[i].len > steps) steps = sentences[i].len;
        any_extended |= sentences[i].extended != NULL;
    }
    int *len = sa_arena_alloc(arena, (size_t)count, sizeof *len);
    int *first = sa_arena_alloc(arena, (size_t)count + 1, sizeof *first);
    int *active = sa_arena_alloc(arena, (size_t)steps + 1, sizeof *active);
    int *start = sa_arena_alloc(arena, (size_t)steps + 1, sizeof *start);
    int *order = sa_arena_alloc(arena, (size_t)count, sizeof *order);
    int32_t *ids = sa_arena_alloc(arena, (size_t)words, sizeof *ids);
    int32_t *extended = any_extended ? sa_arena_alloc(arena, (size_t)words, sizeof *extended) : ids;
    sa_batch_side side = {count, steps, words, len, first, active, start, ids, order, extended};
    if (!arena->base) return side;

    /* `active` serves as scratch until the loop below. */
    order_by_length(sentences, count, steps, order, active);
    first[0] = 0;
    for (int b = 0; b < count; b++) {
        len[b] = sentences[order[b]].len;
        first[b + 1] = first[b] + len[b];
    }
    for (int t = 0, alive = count, row = 0; t <= steps; t++) {
        while (alive > 0 && len[alive - 1] <= t) alive--;
        active[t] = alive;
        start[t] = row;
        for (int b = 0; b < alive; b++, row++) {
            const sa_sentence *sentence = &sentences[order[b]];
            ids[row] = sentence->ids[t];
            if (extended != ids) extended[row] = sa_sentence_extended(sentence)[t];
        }
    }
    return side;
}

sa_batch sa_batch_build(sa_arena *arena, const sa_sentence *source, const sa_sentence *target,
                        int count) {
    sa_batch batch = {.whole = count, .source = build_side(arena, source, count)};
    if (!target) return batch;
    batch.target = build_side(arena, target, count);
    int *position = sa_arena_alloc(arena, (size_t)count, sizeof *position);
    int *source_of = sa_arena_alloc(arena, (size_t)count, sizeof *source_of);
    batch.source_of = source_of;
    if (!arena->base) return batch;
    for (int b = 0; b < count; b++) position[batch.source.order[b]] = b;
    for (int b = 0; b < count; b++) source_of[b] = position[batch.target.order[b]];
    return batch;
}
