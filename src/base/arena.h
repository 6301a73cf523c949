/* arena: the memory of one shard of a batch. Caches and temporaries are laid out in it before the
 * forward pass and all given back at once. With base NULL it only counts: a dry run over the
 * longest batch tells the size, and training allocates nothing afterwards. */
#ifndef SA_BASE_ARENA_H
#define SA_BASE_ARENA_H

#include "base/error.h"

typedef struct sa_arena {
    char *base;
    size_t used, size;
} sa_arena;

bool sa_arena_init(sa_arena *arena, size_t size, sa_error *error);
void sa_arena_release(sa_arena *arena);

/* The next `count` * `size` bytes, aligned to a cache line, not zeroed. Traps when a counted size
 * was too small. Returns NULL while counting. */
void *sa_arena_take(sa_arena *arena, size_t count, size_t size);

#endif
