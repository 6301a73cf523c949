#include "base/arena.h"
#include "base/memory.h"

#if __has_include(<sanitizer/asan_interface.h>)
#include <sanitizer/asan_interface.h> /* in other builds its macros do nothing */
#else
#define ASAN_POISON_MEMORY_REGION(memory, size) ((void)0)
#define ASAN_UNPOISON_MEMORY_REGION(memory, size) ((void)0)
#endif
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum { LINE = 64 };

bool sa_arena_init(sa_arena *arena, size_t size, sa_error *error) {
    size_t whole = (size + LINE - 1) / LINE * LINE;
    *arena = (sa_arena){.base = whole >= size ? aligned_alloc(LINE, whole ? whole : LINE) : NULL,
                        .size = whole};
    sa_advise_huge_pages(arena->base, whole);
    if (arena->base) ASAN_POISON_MEMORY_REGION(arena->base, whole);
    return arena->base || sa_fail_memory(error, size);
}

void sa_arena_release(sa_arena *arena) {
    free(arena->base);
    *arena = (sa_arena){0};
}

void sa_arena_discard(sa_arena *arena) {
    sa_advise(arena->base, arena->size, (size_t)sysconf(_SC_PAGESIZE), MADV_DONTNEED);
}

void *sa_arena_alloc(sa_arena *arena, size_t count, size_t size) {
    size_t bytes, end, start = arena->used;
    sa_require(!__builtin_mul_overflow(count, size, &bytes));
    sa_require(!__builtin_add_overflow(start, bytes, &end) && end <= SIZE_MAX - LINE);
    arena->used = (end + LINE - 1) / LINE * LINE;
    if (!arena->base) return NULL;
    sa_require(arena->used <= arena->size);
    ASAN_UNPOISON_MEMORY_REGION(arena->base + start, bytes);
    return arena->base + start;
}

size_t sa_arena_rewind(sa_arena *arena, size_t start) {
    const size_t end = arena->used;
    sa_require(start <= end);
    if (!start) ASAN_POISON_MEMORY_REGION(arena->base, arena->size);
    arena->used = start;
    return end;
}

void sa_arena_advance(sa_arena *arena, size_t end) {
    if (arena->used < end) arena->used = end;
}
