/* wasi_command: what WASI lacks for the command, by functions of its host (host.mjs of the npm
 * package), which return 0 or an errno. */
#include "web/system/plain_system.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A lock of a folder is a file in it that the host creates exclusively. */
HOST("lock") int host_lock(int fd);
HOST("dup") int host_dup(int fd, int *copy);
HOST("realpath") int host_realpath(const char *path, size_t length, char *real, size_t size);
/* Returns the last signal, and forgets it. From then on the host leaves it to the command to end.
 */
HOST("signal") int host_signal(void);

/* Enters the folder where the host runs: relative paths start there. */
__attribute__((constructor)) static void enter(void) {
    const char *folder = getenv("PWD");
    if (folder) (void)!chdir(folder);
}

static int fail(int reason) {
    errno = reason;
    return reason ? -1 : 0;
}

void web_raise_signal(void) {
    const int number = host_signal();
    if (number) raise(number);
}

int flock(int fd, int operation) {
    return fail(host_lock(fd));
}

/* Replaces the function of wasi-libc, which cannot duplicate. */
int fcntl(int fd, int command, ...) {
    int copy = 0;
    if (fail(host_dup(fd, &copy)) != 0) return -1;
    if (command == F_DUPFD_CLOEXEC) return copy;
    close(copy); /* F_GETFD: it is open */
    return 0;
}

char *realpath(const char *path, char *real) {
    return fail(host_realpath(path, strlen(path), real, PATH_MAX)) == 0 ? real : NULL;
}
