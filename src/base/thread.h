/* thread: a small pool of workers that run the tasks of one job; the caller works too. */
#pragma once

#include "base/error.h"

#include <signal.h>

typedef struct sa_pool sa_pool;

enum { SA_MAX_THREADS = 256 };

/* As many threads as there are cores: at least 1 and at most SA_MAX_THREADS. */
static inline int sa_threads_for(long cores) {
    return cores < 1 ? 1 : cores < SA_MAX_THREADS ? (int)cores : SA_MAX_THREADS;
}

/* The same for the cores available to this process. */
int sa_cpu_count(void);

/* A pool of `threads` threads, the caller's included (0: one per core), at most SA_MAX_THREADS. It
 * works with fewer when the system refuses to start them. */
sa_pool *sa_pool_open(int threads, sa_error *error);
void sa_pool_close(sa_pool *pool);
int sa_pool_threads(const sa_pool *pool);

/* Runs work(context, i) for i = 0 .. tasks-1, in any order on any thread, and returns when all are
 * done. Not reentrant. */
void sa_pool_run(sa_pool *pool, int tasks, void (*work)(void *context, int task), void *context);

/* The same for at most SA_MAX_THREADS tasks; when work(context, i) is done and its turn has come,
 * in_turn(context, i) follows, in the order of i and one at a time. No task i > ahead begins before
 * in_turn(context, i - ahead) has returned. */
void sa_pool_run_in_turn(sa_pool *pool, int tasks, int ahead, void (*work)(void *context, int task),
                         void (*in_turn)(void *context, int task), void *context);

/* Ends the jobs of a pool early, and reports their progress. */
typedef struct sa_watch {
    const volatile sig_atomic_t *stop; /* not 0: end early; or NULL */
    double deadline;                   /* in sa_clock_seconds: end early after it; 0: none */
    /* Called before each task of the caller: how many have begun; or NULL. */
    void (*progress)(void *context, int begun, int tasks);
    void *context;
} sa_watch;

/* Sets the watch of all later jobs, which it must outlive; NULL: none. */
void sa_pool_watch(sa_pool *pool, const sa_watch *watch);

/* Within a task: whether the job is to end early; once true, it stays true. A pass then leaves its
 * loop over time steps or layers with undefined results, which the caller of the job must discard.
 */
bool sa_stopping(void);

/* [2] */
const uint64_t *sa_random_key(void);
