#include "base/thread.h"
#include "base/clock.h"
#include "base/memory.h"

#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>
#include <unistd.h>

struct sa_pool {
    pthread_mutex_t lock;
    pthread_cond_t begin, done;
    void (*work)(void *context, int task);
    void *context;
    int tasks, next, unfinished;
    bool closing;
    const sa_watch *watch; /* or NULL */
    int workers;           /* threads, not counting the caller's */
    pthread_t thread[];
};

/* Returns how many numbers the first line of a file begins with, of the two sought. */
static int two_numbers(const char *root, const char *name, long long x[2]) {
    char path[512];
    snprintf(path, sizeof path, "%s/%s", root, name);
    FILE *file = fopen(path, "re");
    const int found = file ? fscanf(file, "%lld %lld", &x[0], &x[1]) : 0;
    if (file) fclose(file);
    return found;
}

long sa_cpu_quota(const char *root) {
    long long x[2], period[2]; /* microseconds, in version 2 of cgroups in one file */
    if (two_numbers(root, "cpu.max", x) != 2) {
        if (two_numbers(root, "cpu/cpu.cfs_quota_us", x) < 1 ||
            two_numbers(root, "cpu/cpu.cfs_period_us", period) < 1)
            return LONG_MAX;
        x[1] = period[0];
    }
    return x[0] <= 0 || x[1] <= 0 ? LONG_MAX : (long)((x[0] - 1) / x[1] + 1);
}

int sa_cpu_count(void) {
    cpu_set_t set;
    const long cores = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set)
                                                                   : sysconf(_SC_NPROCESSORS_ONLN);
    const long quota = sa_cpu_quota("/sys/fs/cgroup");
    return sa_threads_for(cores < quota ? cores : quota);
}

static void *worker(void *pool) {
    sa_pool_run(pool, 0, NULL, NULL);
    return NULL;
}

sa_pool *sa_pool_open(int threads, sa_error *error) {
    if (threads <= 0) threads = sa_cpu_count();
    if (threads > SA_MAX_THREADS) threads = SA_MAX_THREADS;
    sa_pool *pool = sa_new(1, sizeof *pool + (size_t)threads * sizeof pool->thread[0], error);
    if (!pool) return NULL;
    pthread_mutex_init(&pool->lock, NULL);
    pthread_cond_init(&pool->begin, NULL);
    pthread_cond_init(&pool->done, NULL);
    sigset_t all, before; /* workers receive no signals */
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    while (pool->workers < threads - 1 &&
           pthread_create(&pool->thread[pool->workers], NULL, worker, pool) == 0)
        pool->workers++;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return pool;
}

void sa_pool_close(sa_pool *pool) {
    if (!pool) return;
    pthread_mutex_lock(&pool->lock);
    pool->closing = true;
    pthread_cond_broadcast(&pool->begin);
    pthread_mutex_unlock(&pool->lock);
    for (int i = 0; i < pool->workers; i++) pthread_join(pool->thread[i], NULL);
    pthread_cond_destroy(&pool->done);
    pthread_cond_destroy(&pool->begin);
    pthread_mutex_destroy(&pool->lock);
    free(pool);
}

int sa_pool_threads(const sa_pool *pool) {
    return pool->workers + 1;
}

static _Thread_local const sa_watch *watching; /* the task that this thread runs */

void sa_pool_watch(sa_pool *pool, const sa_watch *watch) {
    pool->watch = watch;
}

bool sa_stopping(void) {
    const sa_watch *watch = watching;
    return watch && ((watch->stop && *watch->stop) ||
                     (watch->deadline > 0 && sa_clock_seconds() > watch->deadline));
}

/* A worker passes no work: it takes tasks until the pool is closed. */
void sa_pool_run(sa_pool *pool, int tasks, void (*work)(void *context, int task), void *context) {
    if (work && tasks <= 0) return;
    pthread_mutex_lock(&pool->lock);
    if (work) {
        pool->work = work;
        pool->context = context;
        pool->tasks = pool->unfinished = tasks;
        pool->next = 0;
        if (tasks > 1) pthread_cond_broadcast(&pool->begin);
    }
    while (work ? pool->unfinished > 0 : !pool->closing) {
        if (pool->next >= pool->tasks) {
            pthread_cond_wait(work ? &pool->done : &pool->begin, &pool->lock);
            continue;
        }
        const int task = pool->next++;
        const sa_watch *watch = pool->watch;
        pthread_mutex_unlock(&pool->lock);
        if (work && watch && watch->progress) watch->progress(watch->context, task, tasks);
        watching = watch;
        pool->work(pool->context, task);
        watching = NULL;
        pthread_mutex_lock(&pool->lock);
        if (--pool->unfinished == 0) pthread_cond_signal(&pool->done);
    }
    if (work) pool->tasks = pool->next = 0;
    pthread_mutex_unlock(&pool->lock);
}

/* ---- A random key ---------------------------------------------------------------------------- */

static uint64_t key[2];

static void draw(void) {
    (void)!getrandom(key, sizeof key, GRND_NONBLOCK); /* on failure the key is 0: slow at worst */
}

const uint64_t *sa_random_key(void) {
    static pthread_once_t drawn = PTHREAD_ONCE_INIT;
    pthread_once(&drawn, draw);
    return key;
}
