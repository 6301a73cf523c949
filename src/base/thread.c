#include "base/thread.h"
#include "base/clock.h"
#include "base/memory.h"

#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

struct sa_pool {
    pthread_mutex_t lock;
    pthread_cond_t begin, done, turned;
    void (*work)(void *context, int task);
    void (*in_turn)(void *context, int task); /* may be NULL */
    void *context;
    int tasks, next, unfinished;
    int ahead, turn;               /* see sa_pool_run_in_turn; the turns before `turn` are over */
    bool turning;                  /* a thread is calling in_turn */
    bool finished[SA_MAX_THREADS]; /* tasks whose work is done */
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

static bool must_wait(const sa_pool *pool) {
    return pool->in_turn && pool->next > pool->ahead && pool->next - pool->ahead >= pool->turn;
}

/* Calls in_turn for every task whose turn has come, unless another thread does so already. The lock
 * is held on entry and on return. */
static void take_turns(sa_pool *pool, int task) {
    pool->finished[task] = true;
    if (pool->turning) return;
    pool->turning = true;
    while (pool->turn < pool->tasks && pool->finished[pool->turn]) {
        pthread_mutex_unlock(&pool->lock);
        pool->in_turn(pool->context, pool->turn);
        pthread_mutex_lock(&pool->lock);
        pool->turn++;
        pthread_cond_broadcast(&pool->turned);
    }
    pool->turning = false;
}

static void *worker(void *pool) {
    sa_pool_run_in_turn(pool, 0, 0, NULL, NULL, NULL);
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
    pthread_cond_init(&pool->turned, NULL);
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
    pthread_cond_destroy(&pool->turned);
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

void sa_pool_run(sa_pool *pool, int tasks, void (*work)(void *context, int task), void *context) {
    sa_pool_run_in_turn(pool, tasks, 0, work, NULL, context);
}

/* A worker passes no work: it takes tasks until the pool is closed. */
void sa_pool_run_in_turn(sa_pool *pool, int tasks, int ahead, void (*work)(void *context, int task),
                         void (*in_turn)(void *context, int task), void *context) {
    sa_require(!in_turn || (tasks <= SA_MAX_THREADS && ahead > 0));
    if (work && tasks <= 0) return;
    pthread_mutex_lock(&pool->lock);
    if (work) {
        pool->work = work, pool->in_turn = in_turn;
        pool->context = context;
        pool->ahead = ahead;
        pool->tasks = pool->unfinished = tasks;
        pool->next = pool->turn = 0;
        memset(pool->finished, 0, sizeof pool->finished);
        if (tasks > 1) pthread_cond_broadcast(&pool->begin);
    }
    while (work ? pool->unfinished > 0 : !pool->closing) {
        if (pool->next >= pool->tasks) {
            pthread_cond_wait(work ? &pool->done : &pool->begin, &pool->lock);
            continue;
        }
        if (must_wait(pool)) {
            pthread_cond_wait(&pool->turned, &pool->lock);
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
        if (pool->in_turn) take_turns(pool, task);
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
