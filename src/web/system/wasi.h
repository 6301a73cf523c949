/* wasi: what wasi-libc lacks; plain_thread.c and wasi_command.c define it. The compiler includes it
 * before every file. */
#pragma once

#include <stddef.h>
#include <sys/types.h>

int madvise(void *memory, size_t size, int advice);

/* The host defines it, see wasi_command.c. It keeps the mode of a replaced file. */
#define HOST(name) __attribute__((import_module("softalign"), import_name(name)))
HOST("fchmod") int fchmod(int fd, mode_t mode);
HOST("getrandom") ssize_t getrandom(void *buffer, size_t size, unsigned flags);
HOST("gethostname") int gethostname(char *name, size_t size);
HOST("getpid") pid_t getpid(void);

int flock(int fd, int operation);
char *realpath(const char *path, char *real);

#define F_DUPFD_CLOEXEC 1030

/* The width of a terminal is unknown. */
struct winsize {
    unsigned short ws_row, ws_col;
};
#define TIOCGWINSZ 0x5413
