/* starving: memory that runs out while a test looks on. The linker leads the calls for memory of
 * the test programs that CMakeLists.txt lists, and of all they are linked with, through these. */
#ifndef TEST_STARVING_H
#define TEST_STARVING_H

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

static atomic_long starving_calls, starving_blocks;              /* all calls; not given back */
static long starving_first = LONG_MAX, starving_last = LONG_MAX; /* the calls that fail */

static inline bool starved(void) {
    const long call = atomic_fetch_add(&starving_calls, 1) + 1;
    if (call < starving_first || call > starving_last) return false;
    errno = ENOMEM;
    return true;
}

static inline void *starving_block(void *block) {
    if (block) atomic_fetch_add(&starving_blocks, 1);
    return block;
}

#define STARVING(result, name, parameters)                                                         \
    result __real_##name parameters;                                                               \
    result __wrap_##name parameters;                                                               \
    result __wrap_##name parameters

STARVING(void *, malloc, (size_t size)) {
    return starved() ? NULL : starving_block(__real_malloc(size));
}

STARVING(void *, calloc, (size_t count, size_t size)) {
    return starved() ? NULL : starving_block(__real_calloc(count, size));
}

STARVING(void *, realloc, (void *old, size_t size)) {
    if (starved()) return NULL;
    void *block = __real_realloc(old, size);
    return old ? block : starving_block(block);
}

STARVING(void *, aligned_alloc, (size_t alignment, size_t size)) {
    return starved() ? NULL : starving_block(__real_aligned_alloc(alignment, size));
}

STARVING(void, free, (void *block)) {
    if (block) atomic_fetch_sub(&starving_blocks, 1);
    __real_free(block);
}

/* Others that take memory for the program. */
STARVING(utf8proc_ssize_t, utf8proc_map_custom,
         (const utf8proc_uint8_t *text, utf8proc_ssize_t size, utf8proc_uint8_t **out,
          utf8proc_option_t options, utf8proc_custom_func custom, void *data)) {
    if (starved()) return UTF8PROC_ERROR_NOMEM;
    const utf8proc_ssize_t got = __real_utf8proc_map_custom(text, size, out, options, custom, data);
    if (got >= 0) starving_block(*out);
    return got;
}

STARVING(int, inflateInit2_, (z_streamp stream, int bits, const char *version, int size)) {
    return starved() ? Z_MEM_ERROR : __real_inflateInit2_(stream, bits, version, size);
}

STARVING(int, inflate, (z_streamp stream, int flush)) {
    return starved() ? Z_MEM_ERROR : __real_inflate(stream, flush);
}

/* Lets every call for memory that `work` makes fail, one after the other, first alone and then with
 * all later ones. `work` tidies up after itself; what it does without, it tells as success. Each
 * time all memory must be given back, and a failure be told as one of memory. Returns how many
 * shortages it did without. */
static inline int starve(bool (*work)(sa_error *error)) {
    int survived = 0;
    json_set_alloc_funcs(malloc, free);
    for (int lasting = 0; lasting < 2; lasting++) {
        for (long call = 1;; call++) {
            sa_error why = {0};
            const long blocks = starving_blocks;
            starving_calls = 0;
            starving_first = call, starving_last = lasting ? LONG_MAX : call;
            const bool good = work(&why), reached = starving_calls >= call;
            starving_first = starving_last = LONG_MAX;
            ck_assert_msg(starving_blocks == blocks, "call %ld: %ld blocks are not given back",
                          call, starving_blocks - blocks);
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
