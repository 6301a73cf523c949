/* Runs a command and writes what it took: "SECONDS PEAK-MEGABYTES", from before it was started to
 * after it had ended. The exit code is the command's.
 *
 *   timed FILE COMMAND [ARGUMENT...] */
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

int main(int count, char **arguments) {
    if (count < 3) {
        fprintf(stderr, "timed: expected FILE COMMAND [ARGUMENT...]\n");
        return 2;
    }
    const double begin = now();
    const pid_t child = vfork();
    if (child == 0) {
        execvp(arguments[2], arguments + 2);
        _exit(127);
    }
    int status;
    struct rusage used;
    if (child < 0 || wait4(child, &status, 0, &used) < 0) {
        perror("timed");
        return 1;
    }
    const double seconds = now() - begin;
    FILE *file = fopen(arguments[1], "w");
    if (!file || fprintf(file, "%.4f %.1f\n", seconds, (double)used.ru_maxrss / 1024) < 0 ||
        fclose(file) != 0) {
        perror(arguments[1]);
        return 1;
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
