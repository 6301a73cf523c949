/* plain_thread: base/thread.h with a single thread, and what wasi-libc lacks for base. */
#include "base/clock.h"
#include "base/memory.h"
#include "base/thread.h"
#include "web/system/plain_system.h"

#include <stdlib.h>

struct sa_pool {
    const sa_watch *watch; /* or NULL */
    bool running;
};

int sa_cpu_count(void) {
    return 1;
}

sa_pool *sa_pool_open(int threads, sa_error *error) {
    return sa_new(1, sizeof(sa_pool), error);
}

void sa_pool_close(sa_pool *pool) {
    free(pool);
}

int sa_pool_threads(const sa_pool *pool) {
    return 1;
}

static const sa_watch *watching; /* of the running job */

void sa_pool_watch(sa_pool *pool, const sa_watch *watch) {
    pool->watch = watch;
}

/* Does nothing, unless the host has signals. */
__attribute__((weak, visibility("hidden"))) void web_raise_signal(void) {}

bool sa_stopping(void) {
    if (!watching) return false;
    if (watching->stop) web_raise_signal();
    return (watching->stop && *watching->stop) ||
           (watching->deadline > 0 && sa_clock_seconds() > watching->deadline);
}

void sa_pool_run(sa_pool *pool, int tasks, void (*work)(void *context, int task), void *context) {
    sa_require(!pool->running);
    pool->running = true;
    watching = pool->watch;
    sa_stopping(); /* asks for a signal, even before a job that does not */
    for (int i = 0; i < tasks; i++) {
        if (watching && watching->progress) watching->progress(watching->context, i, tasks);
        work(context, i);
    }
    watching = NULL;
    pool->running = false;
}

/* Words made to collide slow down only the page that reads them. */
const uint64_t *sa_random_key(void) {
    static const uint64_t key[2] = {1, 2};
    return key;
}

#ifdef __wasi__

/* Does nothing: the memory of a module has no pages to advise on. */
int madvise(void *memory, size_t size, int advice) {
    return 0;
}

#endif
