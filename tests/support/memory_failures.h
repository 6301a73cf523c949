/* memory_failures: calls for memory that fail on demand. The linker wraps those of the test
 * programs that CMakeLists.txt lists, and of the libraries in them, in these functions. */
#ifndef TEST_MEMORY_FAILURES_H
#define TEST_MEMORY_FAILURES_H

#include "base/error.h"
#include <check.h>
#include <errno.h>
#include <jansson.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <utf8proc.h>
#include <zlib.h>

static atomic_long memory_calls, memory_blocks;              /* all calls; blocks not freed */
static long memory_first = LONG_MAX, memory_last = LONG_MAX; /* the calls that fail */
static long memory_step = 1; /* for what takes long: of so many calls, one fails alone and one with
                                all later ones */

/* Under the sanitizers not every call fails: of those with the same callers, at the same depth of
 * the stack, the first, second, fourth, eighth .. do. A hash of both tells places apart. */
enum { MEMORY_CALLS = 1 << 16, MEMORY_PLACES = 1 << 14 };
static bool memory_chosen[MEMORY_CALLS];
static struct memory_place {
    uintptr_t hash;
    long calls;
} memory_places[MEMORY_PLACES];
extern const char __executable_start[], etext[];

/* Returns a hash of who called the function with that frame. Only our functions keep frames. */
static inline uintptr_t memory_callers(const uintptr_t *frame) {
    uintptr_t hash = (uintptr_t)frame;
    for (int depth = 0; depth < 4; depth++) {
        hash = hash * 0x9e3779b97f4a7c15u ^ frame[1];
        if (frame[1] < (uintptr_t)__executable_start || frame[1] >= (uintptr_t)etext) break;
        if (frame[0] <= (uintptr_t)frame || frame[0] > (uintptr_t)(frame + 8192) || frame[0] % 16)
            break;
        frame = (const uintptr_t *)frame[0];
    }
    return hash ? hash : 1;
}

static inline void memory_choose(long call, uintptr_t hash) {
    size_t at = hash % MEMORY_PLACES;
    while (memory_places[at].hash && memory_places[at].hash != hash) at = (at + 1) % MEMORY_PLACES;
    memory_places[at].hash = hash;
    const long calls = ++memory_places[at].calls;
    if (call < MEMORY_CALLS) memory_chosen[call] = (calls & (calls - 1)) == 0;
}

static inline bool memory_fails(const void *frame) {
    const long call = atomic_fetch_add(&memory_calls, 1) + 1;
    if (memory_first > memory_last) memory_choose(call, memory_callers(frame));
    if (call < memory_first || call > memory_last) return false;
    errno = ENOMEM;
    return true;
}

static inline void *count_block(void *block) {
    if (block) atomic_fetch_add(&memory_blocks, 1);
    return block;
}

#define WRAP(result, name, parameters)                                                             \
    result __real_##name parameters;                                                               \
    result __wrap_##name parameters;                                                               \
    result __wrap_##name parameters

WRAP(void *, malloc, (size_t size)) {
    return memory_fails(__builtin_frame_address(0)) ? NULL : count_block(__real_malloc(size));
}

WRAP(void *, calloc, (size_t count, size_t size)) {
    return memory_fails(__builtin_frame_address(0)) ? NULL
                                                    : count_block(__real_calloc(count, size));
}

WRAP(void *, realloc, (void *old, size_t size)) {
    if (memory_fails(__builtin_frame_address(0))) return NULL;
    void *block = __real_realloc(old, size);
    return old ? block : count_block(block);
}

WRAP(void *, aligned_alloc, (size_t alignment, size_t size)) {
    return memory_fails(__builtin_frame_address(0))
               ? NULL
               : count_block(__real_aligned_alloc(alignment, size));
}

WRAP(void, free, (void *block)) {
    if (block) atomic_fetch_sub(&memory_blocks, 1);
    __real_free(block);
}

/* Library functions that allocate. */
WRAP(utf8proc_ssize_t, utf8proc_map_custom,
     (const utf8proc_uint8_t *text, utf8proc_ssize_t size, utf8proc_uint8_t **out,
      utf8proc_option_t options, utf8proc_custom_func custom, void *data)) {
    if (memory_fails(__builtin_frame_address(0))) return UTF8PROC_ERROR_NOMEM;
    const utf8proc_ssize_t got = __real_utf8proc_map_custom(text, size, out, options, custom, data);
    if (got >= 0) count_block(*out);
    return got;
}

WRAP(int, inflateInit2_, (z_streamp stream, int bits, const char *version, int size)) {
    return memory_fails(__builtin_frame_address(0))
               ? Z_MEM_ERROR
               : __real_inflateInit2_(stream, bits, version, size);
}

WRAP(int, inflate, (z_streamp stream, int flush)) {
    return memory_fails(__builtin_frame_address(0)) ? Z_MEM_ERROR : __real_inflate(stream, flush);
}

/* Chooses the calls of `work` that fail, and those after its last. */
static inline void memory_learn(bool (*work)(sa_error *error)) {
    sa_error why = {0};
    memset(memory_places, 0, sizeof memory_places);
    memset(memory_chosen, true, sizeof memory_chosen);
    memory_calls = 0;
    memory_first = LONG_MAX, memory_last = 0;
    ck_assert_msg(work(&why), "%s", why.text);
    memory_first = memory_last = LONG_MAX;
}

/* Fails every call for memory that `work` makes, one after the other, first alone and then with all
 * later ones. `work` cleans up after itself, and succeeds where it can do without the memory. Each
 * time all memory must be freed, and the error must name memory. Returns how often `work`
 * succeeded. */
static inline int fail_allocations(bool (*work)(sa_error *error)) {
    int survived = 0;
    json_set_alloc_funcs(malloc, free);
    if (TEST_SANITIZED) memory_learn(work);
    for (int lasting = 0; lasting < 2; lasting++) {
        for (long call = 1 + lasting * memory_step / 2;; call += memory_step) {
            if (TEST_SANITIZED && call < MEMORY_CALLS && !memory_chosen[call]) continue;
            sa_error why = {0};
            const long blocks = memory_blocks;
            memory_calls = 0;
            memory_first = call, memory_last = lasting ? LONG_MAX : call;
            const bool good = work(&why), reached = memory_calls >= call;
            memory_first = memory_last = LONG_MAX;
            ck_assert_msg(memory_blocks == blocks, "call %ld: %ld blocks are not freed", call,
                          memory_blocks - blocks);
            if (!reached) {
                ck_assert_msg(good, "%s", why.text);
                break;
            }
            survived += good;
            if (good) continue;
            ck_assert_msg(why.code == SA_LIMIT, "call %ld: %s", call, why.text);
            ck_assert_msg(strstr(why.text, "memory"), "call %ld: %s", call, why.text);
        }
    }
    return survived;
}

#endif
