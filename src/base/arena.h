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
void *sa_arena_alloc(sa_arena *arena, size_t count, size_t size);

/* Lends the memory to others until it is used again; what is in it is lost. */
void sa_arena_discard(sa_arena *arena);

/* Two lots of rooms that are never in use at once may lie in the same place: when the first lot is
 * laid out, sa_arena_rewind goes back to where it began (`used` of before) and tells its end; when
 * the second is, sa_arena_advance goes on behind the longer one. */
size_t sa_arena_rewind(sa_arena *arena, size_t start);
void sa_arena_advance(sa_arena *arena, size_t end);

#endif
