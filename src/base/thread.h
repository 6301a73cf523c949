/* thread: a small pool of workers that run the tasks of one job. Workers sleep between jobs; the
 * caller works too. */
#ifndef SA_BASE_THREAD_H
#define SA_BASE_THREAD_H

#include "base/error.h"

typedef struct sa_pool sa_pool;

enum { SA_MAX_THREADS = 256 };

/* The number of cores available to this process, at most SA_MAX_THREADS. */
int sa_cpu_count(void);

/* A pool of `threads` threads, the caller's included (0: one per core), at most SA_MAX_THREADS. It
 * works with fewer when the system refuses to start them. */
sa_pool *sa_pool_open(int threads, sa_error *error);
void sa_pool_close(sa_pool *pool);
int sa_pool_threads(const sa_pool *pool);

/* Runs work(context, i) for i = 0 .. tasks-1, in any order on any thread, and returns when all are
 * done. Not reentrant. */
void sa_pool_run(sa_pool *pool, int tasks, void (*work)(void *context, int task), void *context);

#endif
