/* limits: checks resource limits before OpenBLAS is loaded, whose start-up hangs, before main,
 * without the address space it wants. */
#include "base/thread.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

/* Bytes of the buffer that each OpenBLAS thread maps; upper bounds of the libraries and the stack.
 */
static const rlim_t buffer = (rlim_t)128 << 20, libraries = (rlim_t)256 << 20,
                    stack = (rlim_t)512 << 10;

/* Threads that OpenBLAS will start. */
static int blas_threads(char **environment) {
    static const char name[] = "OPENBLAS_NUM_THREADS=";
    const int cores = sa_cpu_count();
    for (; *environment; environment++)
        if (strncmp(*environment, name, sizeof name - 1) == 0) {
            const int asked = atoi(*environment + sizeof name - 1);
            return asked > 0 && asked < cores ? asked : cores;
        }
    return cores;
}

static void require(rlim_t least, struct rlimit limit, const char *what) {
    char text[256];
    if (limit.rlim_cur >= least) return;
    const int size = snprintf(text, sizeof text,
                              "softalign: %s is limited to %llu bytes; at least %llu are needed\n",
                              what, (unsigned long long)limit.rlim_cur, (unsigned long long)least);
    (void)!write(STDERR_FILENO, text, (size_t)size);
    _exit(SA_LIMIT);
}

static void check_limits(int count, char **arguments, char **environment) {
    struct rlimit limit;
    (void)count, (void)arguments;
    if (getrlimit(RLIMIT_STACK, &limit) == 0) require(stack, limit, "the stack (ulimit -s)");
    if (getrlimit(RLIMIT_AS, &limit) == 0)
        require(libraries + buffer * (rlim_t)blas_threads(environment), limit,
                "the address space (ulimit -v)");
}

/* The loader calls these before the constructors of the libraries. */
__attribute__((section(".preinit_array"), used)) static void (*const first)(int, char **,
                                                                            char **) = check_limits;
