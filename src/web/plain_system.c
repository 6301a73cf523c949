/* plain_system: base/thread for one thread, and what wasi-libc lacks. */
#include "base/memory.h"
#include "base/thread.h"
#include "tensor/gradient_fault.h"
#include "web/broken_term.h"

#include <stdlib.h>
#include <string.h>

/* ---- base/thread.h --------------------------------------------------------------------------- */

struct sa_pool {
    bool running;
};

int sa_cpu_count(void) {
    return 1;
}

sa_pool *sa_pool_open(int threads, sa_error *error) {
    (void)threads;
    return sa_new(1, sizeof(sa_pool), error);
}

void sa_pool_close(sa_pool *pool) {
    free(pool);
}

int sa_pool_threads(const sa_pool *pool) {
    (void)pool;
    return 1;
}

void sa_pool_run(sa_pool *pool, int tasks, void (*work)(void *context, int task), void *context) {
    sa_pool_run_in_turn(pool, tasks, 1, work, NULL, context);
}

void sa_pool_run_in_turn(sa_pool *pool, int tasks, int ahead, void (*work)(void *context, int task),
                         void (*in_turn)(void *context, int task), void *context) {
    (void)ahead;
    sa_require(!pool->running);
    pool->running = true;
    for (int i = 0; i < tasks; i++) {
        work(context, i);
        if (in_turn) in_turn(context, i);
    }
    pool->running = false;
}

/* Words constructed to collide slow down the page that read them, and nobody else. */
const uint64_t *sa_random_key(void) {
    static const uint64_t key[2] = {1, 2};
    return key;
}

/* ---- tensor/gradient_fault.h ----------------------------------------------------------------- */

static const char *broken;

void web_break_term(const char *term) {
    broken = term;
}

bool sa_gradient_intact(const char *name) {
    return !broken || strcmp(name, broken) != 0;
}

/* ---- wasi-libc ------------------------------------------------------------------------------- */

#ifdef __wasi__

/* The memory of a module has no pages to advise on. */
int madvise(void *memory, size_t size, int advice) {
    (void)memory, (void)size, (void)advice;
    return 0;
}

/* Sifts item `at` down the heap of the first `count`. */
static void sift(char *items, size_t at, size_t count, size_t size,
                 int (*compare)(const void *, const void *, void *), void *context) {
    for (size_t child; (child = 2 * at + 1) < count; at = child) {
        char swapped[64];
        if (child + 1 < count &&
            compare(items + child * size, items + (child + 1) * size, context) < 0)
            child++;
        if (compare(items + at * size, items + child * size, context) >= 0) return;
        memcpy(swapped, items + at * size, size);
        memcpy(items + at * size, items + child * size, size);
        memcpy(items + child * size, swapped, size);
    }
}

/* Heap sort: the comparisons of this program leave no two items equal. */
void qsort_r(void *base, size_t count, size_t size,
             int (*compare)(const void *, const void *, void *), void *context) {
    char *items = base, swapped[64];
    sa_require(size <= sizeof swapped);
    for (size_t at = count / 2; at-- > 0;) sift(items, at, count, size, compare, context);
    for (size_t end = count; end-- > 1;) {
        memcpy(swapped, items, size);
        memcpy(items, items + end * size, size);
        memcpy(items + end * size, swapped, size);
        sift(items, 0, end, size, compare, context);
    }
}

#endif
