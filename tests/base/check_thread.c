/* The pool: every task once, results visible to the caller, for thousands of jobs. */
#include "base/thread.h"
#include "support/scratch.h"
#include "support/suite.h"

#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/stat.h>

static atomic_int inside;

/* Waits until as many threads are here, forever if one never comes. */
static void meet(int threads) {
    atomic_fetch_add(&inside, 1);
    while (atomic_load(&inside) < threads) sched_yield();
}

typedef struct job {
    int tasks;
    int numbers[3]; /* not atomic: the pool alone orders writes and reads */
} job;

/* Every task on a thread of its own; each writes when all have begun. */
static void write_task(void *context, int piece) {
    job *here = context;
    meet(here->tasks);
    here->numbers[piece] += piece + 1;
}

START_TEST(the_caller_sees_what_ten_thousand_jobs_wrote) {
    sa_pool *pool = sa_pool_open(3, NULL);
    job common = {0};
    int wrong = 0;
    for (int round = 0; round < 10000; round++) {
        common.tasks = round % 4;
        atomic_store(&inside, 0);
        sa_pool_run(pool, common.tasks, write_task, &common);
        for (int i = 0; i < 3; i++) {
            wrong += common.numbers[i] != (i < common.tasks ? i + 1 : 0);
            common.numbers[i] = 0;
        }
    }
    ck_assert_int_eq(wrong, 0);
    sa_pool_close(pool);
}
END_TEST

START_TEST(a_quota_is_rounded_up_to_cores) {
    static const struct {
        const char *both, *quota, *period;
        long cores;
    } given[] = {{.both = "250000 100000\n", .cores = 3},
                 {.both = "100000 100000\n", .cores = 1},
                 {.both = "1000 100000\n", .cores = 1},
                 {.both = "max 100000\n", .cores = LONG_MAX},
                 {.both = "200000 0\n", .cores = LONG_MAX},
                 {.quota = "400000\n", .period = "100000\n", .cores = 4},
                 {.quota = "-1\n", .period = "100000\n", .cores = LONG_MAX},
                 {.quota = "400000\n", .cores = LONG_MAX},
                 {.both = "100000 100000\n", .quota = "400000\n", .period = "100000\n", .cores = 1},
                 {.cores = LONG_MAX}};
    scratch_make();
    ck_assert_int_eq(mkdir(scratch_path("cpu"), 0700), 0);
    for (size_t i = 0; i < sizeof given / sizeof *given; i++) {
        const char *names[] = {"cpu.max", "cpu/cpu.cfs_quota_us", "cpu/cpu.cfs_period_us"};
        const char *texts[] = {given[i].both, given[i].quota, given[i].period};
        for (int file = 0; file < 3; file++) {
            unlink(scratch_path(names[file]));
            if (texts[file])
                scratch_write(scratch_path(names[file]), texts[file], strlen(texts[file]));
        }
        ck_assert_int_eq(sa_cpu_quota(scratch), given[i].cores);
    }
    scratch_remove();
}
END_TEST

static pthread_t caller;

static void check_caller(void *context, int piece) {
    *(int *)context += piece + (pthread_equal(pthread_self(), caller) ? 0 : 1000);
}

START_TEST(one_thread_is_the_callers) {
    sa_pool *pool = sa_pool_open(1, NULL);
    int sum = 0;
    caller = pthread_self();
    ck_assert_int_eq(sa_pool_threads(pool), 1);
    sa_pool_run(pool, 10, check_caller, &sum);
    ck_assert_int_eq(sum, 45);
    sa_pool_close(pool);
}
END_TEST

static void ask_to_stop(void *context, int piece) {
    ((bool *)context)[piece] = sa_stopping();
}

/* A watch stops what its pool runs, and nothing else. */
START_TEST(a_watch_ends_with_its_tasks) {
    volatile sig_atomic_t stop = 0;
    const sa_watch watch = {.stop = &stop}, late = {.deadline = 1e-9};
    for (int threads = 1; threads < 3; threads++) {
        sa_pool *pool = sa_pool_open(threads, NULL);
        for (int round = 0; round < 4; round++) {
            bool stopping[8];
            stop = round == 1;
            sa_pool_watch(pool, round == 3 ? NULL : round == 2 ? &late : &watch);
            sa_pool_run(pool, 8, ask_to_stop, stopping);
            for (int i = 0; i < 8; i++) ck_assert_int_eq(stopping[i], round == 1 || round == 2);
            ck_assert(!sa_stopping());
        }
        sa_pool_close(pool);
    }
}
END_TEST

static void meet_others(void *context, int piece) {
    (void)piece;
    meet(*(const int *)context);
}

START_TEST(all_threads_work_at_once) {
    int threads = 2 + _i;
    sa_pool *pool = sa_pool_open(threads, NULL);
    ck_assert_int_eq(sa_pool_threads(pool), threads);
    atomic_store(&inside, 0);
    sa_pool_run(pool, threads, meet_others, &threads);
    ck_assert_int_eq(atomic_load(&inside), threads);
    sa_pool_close(pool);
}
END_TEST

typedef struct heard {
    int calls, begun[4], tasks;
} heard;

static void hear(void *context, int begun, int tasks) {
    heard *all = context;
    ck_assert(pthread_equal(pthread_self(), caller));
    all->begun[all->calls++] = begun;
    all->tasks = tasks;
}

/* Before each of its own tasks; of three threads that work at once each has one. */
START_TEST(progress_is_told_to_the_caller) {
    for (int threads = 1; threads <= 3; threads += 2) {
        heard all = {0};
        const sa_watch watch = {.progress = hear, .context = &all};
        const int tasks = threads == 1 ? 4 : 3;
        sa_pool *pool = sa_pool_open(threads, NULL);
        caller = pthread_self();
        atomic_store(&inside, 0);
        sa_pool_watch(pool, &watch);
        sa_pool_run(pool, tasks, meet_others, &threads);
        ck_assert_int_eq(all.calls, threads == 1 ? 4 : 1);
        ck_assert_int_eq(all.tasks, tasks);
        for (int i = 0; threads == 1 && i < 4; i++) ck_assert_int_eq(all.begun[i], i);
        sa_pool_close(pool);
    }
}
END_TEST

static void look_at_signals(void *context, int piece) {
    sigset_t blocked;
    pthread_sigmask(SIG_BLOCK, NULL, &blocked);
    ((int *)context)[piece] =
        !pthread_equal(pthread_self(), caller) && !sigismember(&blocked, SIGINT);
    meet(3);
}

START_TEST(signals_reach_the_callers_thread_alone) {
    sigset_t before, after;
    int open_to_signals[3] = {0};
    pthread_sigmask(SIG_BLOCK, NULL, &before);
    sa_pool *pool = sa_pool_open(3, NULL);
    pthread_sigmask(SIG_BLOCK, NULL, &after);
    ck_assert_int_eq(sigismember(&before, SIGINT), sigismember(&after, SIGINT));
    caller = pthread_self();
    atomic_store(&inside, 0);
    sa_pool_run(pool, 3, look_at_signals, open_to_signals);
    for (int i = 0; i < 3; i++) ck_assert_int_eq(open_to_signals[i], 0);
    sa_pool_close(pool);
}
END_TEST

START_TEST(no_number_means_one_per_core) {
    sa_pool *pool = sa_pool_open(0, NULL);
    ck_assert_int_ge(sa_cpu_count(), 1);
    ck_assert_int_eq(sa_pool_threads(pool), sa_cpu_count());
    sa_pool_close(pool);
    sa_pool_close(NULL);
}
END_TEST

/* Fewer where the system has no more. */
START_TEST(a_pool_has_at_most_256_threads) {
    sa_pool *pool = sa_pool_open(260, NULL);
    ck_assert_int_ge(sa_pool_threads(pool), 1);
    ck_assert_int_le(sa_pool_threads(pool), 256);
    sa_pool_close(pool);
}
END_TEST

START_TEST(a_thread_for_each_core_within_the_bounds) {
    static const long rows[][2] = {{-1, 1}, {0, 1}, {1, 1}, {7, 7}, {256, 256}, {257, 256}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        ck_assert_int_eq(sa_threads_for(rows[i][0]), rows[i][1]);
}
END_TEST

static void count_piece(void *context, int piece) {
    __atomic_fetch_add((int *)context + piece, 1, __ATOMIC_RELAXED);
}

START_TEST(every_piece_runs_once) {
    for (int threads = 1; threads <= 5; threads++) {
        sa_pool *pool = sa_pool_open(threads, NULL);
        for (int round = 0; round < 500; round++) {
            int counts[40] = {0};
            const int tasks = round % 40;
            sa_pool_run(pool, tasks, count_piece, counts);
            for (int i = 0; i < 40; i++) ck_assert_int_eq(counts[i], i < tasks);
        }
        sa_pool_close(pool);
    }
}
END_TEST

int main(void) {
    TCase *tests;
    Suite *suite = suite_of("thread", &tests);
    tcase_set_timeout(tests, 60);
    tcase_add_test(tests, the_caller_sees_what_ten_thousand_jobs_wrote);
    tcase_add_test(tests, a_quota_is_rounded_up_to_cores);
    tcase_add_test(tests, one_thread_is_the_callers);
    tcase_add_test(tests, a_watch_ends_with_its_tasks);
    tcase_add_loop_test(tests, all_threads_work_at_once, 0, 4);
    tcase_add_test(tests, progress_is_told_to_the_caller);
    tcase_add_test(tests, signals_reach_the_callers_thread_alone);
    tcase_add_test(tests, no_number_means_one_per_core);
    tcase_add_test(tests, a_pool_has_at_most_256_threads);
    tcase_add_test(tests, a_thread_for_each_core_within_the_bounds);
    tcase_add_test(tests, every_piece_runs_once);
    return suite_run(suite);
}
