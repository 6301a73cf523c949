/* system_failures: system calls that fail on demand. These functions replace the C library's. */
#ifndef TEST_SYSTEM_FAILURES_H
#define TEST_SYSTEM_FAILURES_H

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* In place of an errno: the call succeeds with an odd result. */
enum {
    ODD_SIZE = 0, /* the file has grown, or read is at its end */
    ODD_INODE = -1,
    ODD_DEVICE = -2,
    ODD_LINKS = -3, /* the file has been removed */
};

/* The `when`-th call (from 1) of that name fails with `reason`. */
static struct {
    const char *call;
    int when, reason;
} plan;

static inline void plan_failure(const char *call, int when, int reason) {
    plan.call = call, plan.when = when, plan.reason = reason;
}

static inline bool fails(const char *call) {
    if (!plan.call || strcmp(plan.call, call) != 0 || --plan.when != 0) return false;
    errno = plan.reason;
    return true;
}

static bool hesitant; /* every second write is interrupted, the others take one byte */

ssize_t write(int fd, const void *bytes, size_t size) {
    static int turn;
    if (fails("write")) return -1;
    if (hesitant && ++turn % 2) {
        errno = EINTR;
        return -1;
    }
    return syscall(SYS_write, fd, bytes, hesitant ? 1 : size);
}

int fsync(int fd) {
    return fails("fsync") ? -1 : (int)syscall(SYS_fsync, fd);
}

int close(int fd) {
    int result = (int)syscall(SYS_close, fd); /* a failing close still closes */
    return fails("close") ? -1 : result;
}

int renameat(int from_folder, const char *from, int to_folder, const char *to) {
    return fails("renameat") ? -1
                             : (int)syscall(SYS_renameat2, from_folder, from, to_folder, to, 0);
}

int openat(int folder, const char *path, int flags, ...) {
    va_list more;
    va_start(more, flags);
    const mode_t mode = flags & O_CREAT ? va_arg(more, mode_t) : 0;
    va_end(more);
    return fails("openat") ? -1 : (int)syscall(SYS_openat, folder, path, flags, mode);
}

int open(const char *path, int flags, ...) {
    va_list more;
    va_start(more, flags);
    const mode_t mode = flags & O_CREAT ? va_arg(more, mode_t) : 0;
    va_end(more);
    return fails("open") ? -1 : (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

ssize_t read(int fd, void *bytes, size_t size) {
    if (fails("read")) return plan.reason == ODD_SIZE ? 0 : -1;
    return syscall(SYS_read, fd, bytes, size);
}

ssize_t getrandom(void *bytes, size_t size, unsigned flags) {
    return fails("getrandom") ? -1 : syscall(SYS_getrandom, bytes, size, flags);
}

int fchmod(int fd, mode_t mode) {
    return fails("fchmod") ? -1 : (int)syscall(SYS_fchmod, fd, mode);
}

int flock(int fd, int what) {
    return fails("flock") ? -1 : (int)syscall(SYS_flock, fd, what);
}

int ftruncate(int fd, off_t size) {
    return fails("ftruncate") ? -1 : (int)syscall(SYS_ftruncate, fd, size);
}

DIR *opendir(const char *path) {
    const int fd = fails("opendir") ? -1 : open(path, O_RDONLY | O_DIRECTORY);
    return fd < 0 ? NULL : fdopendir(fd);
}

ssize_t pread(int fd, void *bytes, size_t size, off_t at) {
    if (fails("pread")) return plan.reason == ODD_SIZE ? 0 : -1;
    return syscall(SYS_pread64, fd, bytes, size, at);
}

static inline int real_fstatat(int folder, const char *name, struct stat *about, int flags) {
    int (*real)(int, const char *, struct stat *, int);
    void *found = dlsym(RTLD_NEXT, "fstatat");
    memcpy(&real, &found, sizeof real);
    return real(folder, name, about, flags);
}

int fstatat(int folder, const char *name, struct stat *about, int flags) {
    return fails("fstatat") ? -1 : real_fstatat(folder, name, about, flags);
}

int fstat(int fd, struct stat *about) {
    const bool odd = fails("fstat");
    if (odd && plan.reason > 0) return -1;
    const int state = real_fstatat(fd, "", about, AT_EMPTY_PATH);
    if (odd && plan.reason == ODD_SIZE) about->st_size++;
    if (odd && plan.reason == ODD_INODE) about->st_ino++;
    if (odd && plan.reason == ODD_DEVICE) about->st_dev++;
    if (odd && plan.reason == ODD_LINKS) about->st_nlink = 0;
    return state;
}

int unlinkat(int folder, const char *name, int flags) {
    return fails("unlinkat") ? -1 : (int)syscall(SYS_unlinkat, folder, name, flags);
}

int unlink(const char *path) {
    return fails("unlink") ? -1 : (int)syscall(SYS_unlinkat, AT_FDCWD, path, 0);
}

/* Only duplicating a descriptor can fail. */
int fcntl(int fd, int what, ...) {
    va_list more;
    va_start(more, what);
    const int argument = what == F_DUPFD_CLOEXEC || what == F_SETFD ? va_arg(more, int) : 0;
    va_end(more);
    if (what == F_DUPFD_CLOEXEC && fails("fcntl")) return -1;
    return (int)syscall(SYS_fcntl, fd, what, argument);
}

static inline int open_files(void) {
    int count = 0;
    for (int fd = 0; fd < 256; fd++) count += fcntl(fd, F_GETFD) != -1;
    return count;
}

#endif
