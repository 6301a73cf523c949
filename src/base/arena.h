/* arena: the memory of one shard of a batch. Caches and temporaries are allocated in it before the
 * forward pass and released together. With base NULL it only counts: a dry run over the longest
 * batch gives the size, and training allocates nothing afterwards. The address sanitizer finds
 * what is read or written beside the allocations. */
#pragma once

#include "base/error.h"

typedef struct sa_arena {
    char *base;
    size_t used, size;
} sa_arena;

bool sa_arena_init(sa_arena *arena, size_t size, sa_error *error);
void sa_arena_release(sa_arena *arena);

/* Returns the next count * size bytes, aligned to a cache line, not zeroed; NULL while counting.
 * Traps if the arena is too small. */
void *sa_arena_alloc(sa_arena *arena, size_t count, size_t size);

/* Returns the pages to the system until they are used again; their contents are lost. */
void sa_arena_discard(sa_arena *arena);

/* Two groups of allocations that are never in use at the same time can share memory: after the
 * first group, sa_arena_rewind goes back to its start (the earlier `used`) and returns its end;
 * after the second, sa_arena_advance continues after the longer one. */
size_t sa_arena_rewind(sa_arena *arena, size_t start);
void sa_arena_advance(sa_arena *arena, size_t end);
