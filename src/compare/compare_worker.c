#include "base/save.h"
#include "compare/compare.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MOST_DEATHS = 3 };

/* What a child has to say; in memory that both see. */
typedef struct outcome {
    bool ended, good;
    sa_error error;
} outcome;

/* It ends with the process that started it, and takes no signal meant for that. */
static _Noreturn void begin_work(sa_comparison *all, pid_t parent, sa_compare_work *work,
                                 const volatile sig_atomic_t *stop, outcome *out) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    setpgid(0, 0);
    if (getppid() != parent) _exit(0);
    out->good = sa_compare_share_reopen(all, &out->error) && work(all, stop, &out->error);
    out->ended = !out->good || !*stop;
    fflush(NULL);
    _exit(0);
}

/* Returns the status of waitpid(). Meanwhile the first process shows what all tell; its child could
 * die, and the next one would not know which lines have been shown. */
static int wait_for(sa_comparison *all, pid_t child, const volatile sig_atomic_t *stop) {
    const struct timespec pause = {.tv_nsec = 100 * 1000000};
    bool told = false;
    int status = 0;
    while (waitpid(child, &status, WNOHANG) == 0) {
        if (*stop && !told) told = kill(child, SIGTERM) == 0;
        sa_compare_note_told(all);
        nanosleep(&pause, NULL);
    }
    return status;
}

static void tell_death(const sa_comparison *all, int status) {
    const sa_exchange *processes = all->processes;
    char line[256];
    snprintf(line, sizeof line,
             "process %d on '%s': its worker died (%s); what it trained goes on from the last "
             "validation\n",
             processes->rank, processes->hosts[processes->rank],
             WIFSIGNALED(status) ? strsignal(WTERMSIG(status)) : "stopped");
    sa_compare_tell(all, line);
}

static void tell_end(const sa_comparison *all) {
    char line[64];
    snprintf(line, sizeof line, "process %d stops training: its workers died\n",
             all->processes->rank);
    sa_compare_tell(all, line);
}

static bool work_on(sa_comparison *all, sa_compare_work *work, const volatile sig_atomic_t *stop,
                    outcome *out, sa_error *error) {
    const pid_t parent = getpid();
    for (int deaths = 0; deaths < MOST_DEATHS; deaths++) {
        fflush(NULL);
        *out = (outcome){0};
        const pid_t child = fork();
        if (child < 0)
            return sa_fail(error, SA_LIMIT, "cannot start a process that trains: %s",
                           strerror(errno));
        if (child == 0) begin_work(all, parent, work, stop, out);
        const int status = wait_for(all, child, stop);
        if (*stop || (out->ended && out->good)) return true;
        if (out->ended) {
            *error = out->error;
            return false;
        }
        tell_death(all, status);
    }
    if (sa_exchange_leads(all->processes))
        return sa_fail(error, SA_LIMIT,
                       "%d workers of the first process died: memory may be short; the same "
                       "command goes on",
                       MOST_DEATHS);
    tell_end(all);
    return true;
}

bool sa_compare_work_in_child(sa_comparison *all, sa_compare_work *work,
                              const volatile sig_atomic_t *stop, sa_error *error) {
    outcome *out =
        mmap(NULL, sizeof *out, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (out == MAP_FAILED) return sa_fail_memory(error, sizeof *out);
    const bool good = work_on(all, work, stop, out, error);
    sa_compare_note_told(all);
    munmap(out, sizeof *out);
    return good;
}
