#include "base/thread.h"
#include "base/memory.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

struct sa_pool {
    pthread_mutex_t lock;
    pthread_cond_t begin, done;
    void (*work)(void *context, int piece);
    void *context;
    int pieces, next, unfinished;
    bool closing;
    int helpers; /* threads beside the caller's */
    pthread_t thread[];
};

int sa_cores(void) {
    cpu_set_t set;
    long cores = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set)
                                                             : sysconf(_SC_NPROCESSORS_ONLN);
    return cores < 1 ? 1 : cores < SA_THREADS ? (int)cores : SA_THREADS;
}

/* Takes pieces until none is left; the lock is held on entry and on return. */
static void work_off(sa_pool *pool) {
    while (pool->next < pool->pieces) {
        int piece = pool->next++;
        pthread_mutex_unlock(&pool->lock);
        pool->work(pool->context, piece);
        pthread_mutex_lock(&pool->lock);
        if (--pool->unfinished == 0) pthread_cond_signal(&pool->done);
    }
}

static void *helper(void *argument) {
    sa_pool *pool = argument;
    pthread_mutex_lock(&pool->lock);
    while (!pool->closing) {
        work_off(pool);
        if (!pool->closing) pthread_cond_wait(&pool->begin, &pool->lock);
    }
    pthread_mutex_unlock(&pool->lock);
    return NULL;
}

sa_pool *sa_pool_open(int threads, sa_error *error) {
    if (threads <= 0) threads = sa_cores();
    if (threads > SA_THREADS) threads = SA_THREADS;
    sa_pool *pool = sa_new(1, sizeof *pool + (size_t)threads * sizeof pool->thread[0], error);
    if (!pool) return NULL;
    pthread_mutex_init(&pool->lock, NULL);
    pthread_cond_init(&pool->begin, NULL);
    pthread_cond_init(&pool->done, NULL);
    sigset_t all, before; /* signals are for the caller's thread */
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    while (pool->helpers < threads - 1 &&
           pthread_create(&pool->thread[pool->helpers], NULL, helper, pool) == 0)
        pool->helpers++;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return pool;
}

void sa_pool_close(sa_pool *pool) {
    if (!pool) return;
    pthread_mutex_lock(&pool->lock);
    pool->closing = true;
    pthread_cond_broadcast(&pool->begin);
    pthread_mutex_unlock(&pool->lock);
    for (int i = 0; i < pool->helpers; i++) pthread_join(pool->thread[i], NULL);
    pthread_cond_destroy(&pool->done);
    pthread_cond_destroy(&pool->begin);
    pthread_mutex_destroy(&pool->lock);
    free(pool);
}

int sa_pool_threads(const sa_pool *pool) {
    return pool->helpers + 1;
}

void sa_pool_run(sa_pool *pool, int pieces, void (*work)(void *context, int piece), void *context) {
    if (pieces <= 0) return;
    pthread_mutex_lock(&pool->lock);
    pool->work = work;
    pool->context = context;
    pool->pieces = pool->unfinished = pieces;
    pool->next = 0;
    if (pieces > 1) pthread_cond_broadcast(&pool->begin);
    work_off(pool);
    while (pool->unfinished > 0) pthread_cond_wait(&pool->done, &pool->lock);
    pool->pieces = pool->next = 0;
    pthread_mutex_unlock(&pool->lock);
}
