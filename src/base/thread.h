/* thread: a small pool of workers that run the pieces of one job and wait for the last. Workers
 * sleep between jobs; the caller works too. */
#ifndef SA_BASE_THREAD_H
#define SA_BASE_THREAD_H

#include "base/error.h"

typedef struct sa_pool sa_pool;

enum { SA_MAX_THREADS = 256 }; /* the most that are of use */

/* The cores this process may use, SA_MAX_THREADS at most. */
int sa_cpu_count(void);

/* A pool that works with `threads` threads, the caller's included (0: one per core), SA_MAX_THREADS
 * at most. When the system gives fewer, it works with those. */
sa_pool *sa_pool_open(int threads, sa_error *error);
void sa_pool_close(sa_pool *pool);
int sa_pool_threads(const sa_pool *pool);

/* Runs work(context, i) for i = 0 .. pieces-1, in any order on any thread, and returns when all are
 * done. Not reentrant. */
void sa_pool_run(sa_pool *pool, int tasks, void (*work)(void *context, int task), void *context);

#endif
