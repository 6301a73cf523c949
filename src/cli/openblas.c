/* openblas: prepares what OpenBLAS needs when it is loaded, which is before main. Without the
 * memory that it wants, it waits forever; without its threads, it interrupts the process; and told
 * to use the kernels of another processor, it runs into an illegal instruction. */
#include "base/thread.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

/* Bytes of the buffer that each OpenBLAS thread maps; upper bounds for the libraries, their data
 * and the stacks. */
static const rlim_t buffer = (rlim_t)128 << 20, libraries = (rlim_t)256 << 20,
                    data = (rlim_t)16 << 20, thread_stack = (rlim_t)16 << 20,
                    stack = (rlim_t)512 << 10;

static struct sigaction interrupt; /* what SIGINT does outside this file */
static bool core_type_set;         /* OPENBLAS_CORETYPE is set */

/* ---- Memory ---------------------------------------------------------------------------------- */

static const char *value_of(const char *name, char **environment) {
    const size_t size = strlen(name);
    for (; *environment; environment++)
        if (strncmp(*environment, name, size) == 0 && (*environment)[size] == '=')
            return *environment + size + 1;
    return NULL;
}

static void fail(const char *text, sa_code code) {
    (void)!write(STDERR_FILENO, text, strlen(text));
    _exit((int)code);
}

static void require(rlim_t least, int resource, const char *what) {
    char text[256];
    struct rlimit limit;
    if (getrlimit(resource, &limit) != 0 || limit.rlim_cur >= least) return;
    snprintf(text, sizeof text,
             "softalign: %s is limited to %llu bytes; at least %llu are needed\n", what,
             (unsigned long long)limit.rlim_cur, (unsigned long long)least);
    fail(text, SA_LIMIT);
}

/* ---- Signals --------------------------------------------------------------------------------- */

/* OpenBLAS raises SIGINT when a thread cannot be started. */
static void on_interrupt(int number, siginfo_t *info, void *context) {
    if (info->si_code == SI_TKILL && info->si_pid == getpid())
        fail("softalign: OpenBLAS cannot start its threads (see ulimit -u); with "
             "OPENBLAS_NUM_THREADS=1 it starts none\n",
             SA_LIMIT);
    sigaction(number, &interrupt, NULL);
    raise(number);
}

static void on_illegal_instruction(int number) {
    if (core_type_set)
        fail("softalign: illegal instruction: OPENBLAS_CORETYPE selects kernels that this "
             "processor cannot run\n",
             SA_USAGE);
    signal(number, SIG_DFL); /* the instruction runs again */
}

/* ---- Before and after OpenBLAS is loaded ----------------------------------------------------- */

static void check_limits(int count, char **arguments, char **environment) {
    const char *value = value_of("OPENBLAS_NUM_THREADS", environment);
    const int cores = sa_cpu_count(), asked = value ? atoi(value) : 0;
    const rlim_t threads = (rlim_t)(asked > 0 && asked < cores ? asked : cores); /* of OpenBLAS */
    require(stack, RLIMIT_STACK, "the stack (ulimit -s)");
    require(libraries + buffer * threads, RLIMIT_AS, "the address space (ulimit -v)");
    require(data + (buffer + thread_stack) * (threads - 1), RLIMIT_DATA, "data (ulimit -d)");
    core_type_set = value_of("OPENBLAS_CORETYPE", environment) != NULL;
    signal(SIGILL, on_illegal_instruction);
    struct sigaction action = {.sa_sigaction = on_interrupt, .sa_flags = SA_SIGINFO};
    sigaction(SIGINT, &action, &interrupt);
}

/* The loader calls these before the constructors of the libraries. */
__attribute__((section(".preinit_array"), used)) static void (*const start)(int, char **,
                                                                            char **) = check_limits;

/* OpenBLAS' own threads would spin on the other cores for a while. All threads are softalign's, so
 * this ends OpenBLAS' threads as it ends them itself before a fork; but not in its build with
 * OpenMP, which starts none, nor with another BLAS. */
enum { BUILT_WITH_THREADS = 1 }; /* what openblas_get_parallel returns */
extern int openblas_get_parallel(void) __attribute__((weak));
extern void openblas_set_num_threads(int threads) __attribute__((weak));
extern int blas_thread_shutdown_(void) __attribute__((weak));

__attribute__((constructor)) static void after_openblas(void) {
    sigaction(SIGINT, &interrupt, NULL);
    if (!openblas_get_parallel || openblas_get_parallel() != BUILT_WITH_THREADS) return;
    if (!openblas_set_num_threads || !blas_thread_shutdown_) return;
    openblas_set_num_threads(1);
    blas_thread_shutdown_();
}
