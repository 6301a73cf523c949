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
#include <stdlib.h>
#include <string.h>
#include <utf8proc.h>
#include <zlib.h>

static atomic_long memory_calls, memory_blocks;              /* all calls; blocks not freed */
static long memory_first = LONG_MAX, memory_last = LONG_MAX; /* the calls that fail */

static inline bool memory_fails(void) {
    const long call = atomic_fetch_add(&memory_calls, 1) + 1;
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
    return memory_fails() ? NULL : count_block(__real_malloc(size));
}

WRAP(void *, calloc, (size_t count, size_t size)) {
    return memory_fails() ? NULL : count_block(__real_calloc(count, size));
}

WRAP(void *, realloc, (void *old, size_t size)) {
    if (memory_fails()) return NULL;
    void *block = __real_realloc(old, size);
    return old ? block : count_block(block);
}

WRAP(void *, aligned_alloc, (size_t alignment, size_t size)) {
    return memory_fails() ? NULL : count_block(__real_aligned_alloc(alignment, size));
}

WRAP(void, free, (void *block)) {
    if (block) atomic_fetch_sub(&memory_blocks, 1);
    __real_free(block);
}

/* Library functions that allocate. */
WRAP(utf8proc_ssize_t, utf8proc_map_custom,
     (const utf8proc_uint8_t *text, utf8proc_ssize_t size, utf8proc_uint8_t **out,
      utf8proc_option_t options, utf8proc_custom_func custom, void *data)) {
    if (memory_fails()) return UTF8PROC_ERROR_NOMEM;
    const utf8proc_ssize_t got = __real_utf8proc_map_custom(text, size, out, options, custom, data);
    if (got >= 0) count_block(*out);
    return got;
}

WRAP(int, inflateInit2_, (z_streamp stream, int bits, const char *version, int size)) {
    return memory_fails() ? Z_MEM_ERROR : __real_inflateInit2_(stream, bits, version, size);
}

WRAP(int, inflate, (z_streamp stream, int flush)) {
    return memory_fails() ? Z_MEM_ERROR : __real_inflate(stream, flush);
}

/* Fails every call for memory that `work` makes, one after the other, first alone and then with all
 * later ones. `work` cleans up after itself, and succeeds where it can do without the memory. Each
 * time all memory must be freed, and the error must name memory. Returns how often `work`
 * succeeded. */
static inline int fail_allocations(bool (*work)(sa_error *error)) {
    int survived = 0;
    json_set_alloc_funcs(malloc, free);
    for (int lasting = 0; lasting < 2; lasting++) {
        for (long call = 1;; call++) {
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
