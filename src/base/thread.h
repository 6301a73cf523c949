/* thread: a small pool of threads that run the tasks of one job; the caller takes part. */
#pragma once

#include "base/error.h"

#include <signal.h>

typedef struct sa_pool sa_pool;

enum { SA_MAX_THREADS = 256 };

/* Returns one thread per core: at least 1, at most SA_MAX_THREADS. */
static inline int sa_threads_for(long cores) {
    return cores < 1 ? 1 : cores < SA_MAX_THREADS ? (int)cores : SA_MAX_THREADS;
}

/* Returns how many cores the cgroup of a container may use, rounded up: cpu.max below `root`, or
 * the two files of version 1. LONG_MAX: there is no limit. */
long sa_cpu_quota(const char *root);

/* Counts the cores available to this process by affinity and quota, within the same limits. */
int sa_cpu_count(void);

/* Opens a pool of `threads` threads, including the caller's (0: one per core; at most
 * SA_MAX_THREADS). It works with fewer if the system refuses to start them. */
sa_pool *sa_pool_open(int threads, sa_error *error);
void sa_pool_close(sa_pool *pool);
int sa_pool_threads(const sa_pool *pool);

/* Runs work(context, i) for i = 0 .. tasks-1, in any order on any thread, and returns when all are
 * done. It is not reentrant. */
void sa_pool_run(sa_pool *pool, int tasks, void (*work)(void *context, int task), void *context);

/* What ends the jobs of a pool early and reports their progress. */
typedef struct sa_watch {
    const volatile sig_atomic_t *stop; /* not 0: end early; or NULL */
    double deadline;                   /* in sa_clock_seconds: when to end early; 0: never */
    /* Called before each task of the caller, with the number of tasks begun; or NULL. */
    void (*progress)(void *context, int begun, int tasks);
    void *context;
} sa_watch;

/* Sets the watch for all later jobs; it must outlive them. NULL: none. */
void sa_pool_watch(sa_pool *pool, const sa_watch *watch);

/* Returns whether the job of the current task is to end early; once true, it stays true. A pass
 * then leaves its loop over time steps or layers with undefined results, which the caller of the
 * job must discard. */
bool sa_stopping(void);

/* Returns the key [2] of hash tables, random for each process. */
const uint64_t *sa_random_key(void);
