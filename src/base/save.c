#include "base/file.h"
#include "base/number.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <libdeflate.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- Where the bytes go ---------------------------------------------------------------------- */

enum { LINKS = 40 }; /* most links that are followed, as in the system */

/* Returns the descriptor of this process that a link stands for, such as /proc/self/fd/1, to which
 * /dev/stdout leads; -1: it is an ordinary link. A link must have been read before; in that folder
 * only those of open descriptors can be. */
static int descriptor_of(const char *link) {
    const char *slash = strrchr(link, '/');
    int64_t number;
    if (!slash || !sa_integer_parse(slash + 1, &number)) return -1;
    char above[PATH_MAX];
    snprintf(above, sizeof above, "%.*s", (int)(slash - link), link);
    return sa_file_same(above, "/proc/self/fd") ? (int)number : -1;
}

/* Returns where the links lead, to a file that may be missing: `path` itself or a path in `real`.
 * Sets *descriptor if they lead to one. */
static const char *follow_links(const char *path, char real[PATH_MAX], int *descriptor,
                                sa_error *error) {
    const char *at = path;
    for (int links = 0; links <= LINKS; links++) {
        char to[PATH_MAX], next[PATH_MAX];
        const ssize_t size = readlink(at, to, sizeof to);
        /* it is not a link; any other problem shows when it is opened */
        if (size < 0 || (*descriptor = descriptor_of(at)) >= 0) return at;
        const char *slash = *to == '/' ? NULL : strrchr(at, '/');
        const int folder = slash ? (int)(slash - at) + 1 : 0;
        const int length = snprintf(next, sizeof next, "%.*s%.*s", folder, at, (int)size, to);
        errno = length < PATH_MAX ? ELOOP : ENAMETOOLONG;
        if (length >= PATH_MAX) break;
        at = strcpy(real, next);
    }
    sa_fail_errno(error, SA_OPEN, "open", path);
    return NULL;
}

/* Opens the folder of a path; `folder` receives its name, and *name the last component of the
 * path. */
static int open_parent(const char *path, char folder[PATH_MAX], const char **name) {
    const char *slash = strrchr(path, '/');
    *name = slash ? slash + 1 : path;
    const int size = slash ? (int)(*name - path) : 1;
    errno = ENAMETOOLONG;
    return snprintf(folder, PATH_MAX, "%.*s", size, slash ? path : ".") < PATH_MAX
               ? open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
               : -1;
}

/* ---- Replacing a file ------------------------------------------------------------------------ */

#define TEMPORARY_PREFIX ".softalign-"
#define TEMPORARY_SUFFIX ".tmp"
enum { TEMPORARY_SIZE = sizeof TEMPORARY_PREFIX TEMPORARY_SUFFIX + 16 }; /* 16 hexadecimal digits */

typedef struct save_target {
    const char *name; /* in the folder */
    int folder;       /* descriptor */
    mode_t mode;      /* mode of the file to be replaced; 0: there is none */
    char temporary[TEMPORARY_SIZE];
} save_target;

/* Removes the temporary file of a killed save; returns false if there is none. A save in progress
 * holds a lock on its temporary file. */
static bool remove_stale(int folder, const char *name) {
    struct stat opened, named;
    const int fd = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0) return false;
    const bool stale = flock(fd, LOCK_EX | LOCK_NB) == 0 && fstat(fd, &opened) == 0 &&
                       fstatat(folder, name, &named, AT_SYMLINK_NOFOLLOW) == 0 &&
                       opened.st_ino == named.st_ino && opened.st_dev == named.st_dev &&
                       unlinkat(folder, name, 0) == 0;
    close(fd);
    return stale;
}

/* Locks a new file; returns false if another process has meanwhile removed it as stale. On a file
 * system without locks the file stays unlocked, and stale files are never removed. */
static bool lock_new(int fd) {
    struct stat about;
    return (flock(fd, LOCK_SH | LOCK_NB) == 0 || errno != EWOULDBLOCK) &&
           (fstat(fd, &about) != 0 || about.st_nlink > 0);
}

/* Opens a temporary file. The first name tried is derived from the file's, so that the next save
 * finds what a killed one left; further names are random. */
static int open_temporary(save_target *to) {
    for (uint64_t number = libdeflate_crc32(0, to->name, strlen(to->name));;) {
        snprintf(to->temporary, sizeof to->temporary,
                 TEMPORARY_PREFIX "%016" PRIx64 TEMPORARY_SUFFIX, number);
        int fd;
        bool taken;
        do {
            fd = openat(to->folder, to->temporary,
                        O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, to->mode ? 0600 : 0666);
            taken = fd < 0 && errno == EEXIST;
        } while (taken && remove_stale(to->folder, to->temporary));
        if (fd < 0 && !taken) return -1;
        if (fd >= 0 && lock_new(fd)) return fd;
        if (fd >= 0) close(fd);
        if (getrandom(&number, sizeof number, 0) != sizeof number) return -1;
    }
}

static bool write_chunks(int fd, const sa_chunk *chunks, size_t count) {
    for (size_t i = 0; i < count; i++) {
        const char *data = chunks[i].data;
        for (size_t size = chunks[i].size; size;) {
            const ssize_t written = write(fd, data, size);
            if (written < 0 && errno == EINTR) continue;
            if (written < 0) return false;
            data += written;
            size -= (size_t)written;
        }
    }
    return true;
}

/* Writes the new file and renames it, or removes it. */
static bool replace(const save_target *to, int fd, const sa_chunk *chunks, size_t count) {
    const int again = fcntl(fd, F_DUPFD_CLOEXEC, 0); /* keeps the lock */
    bool good = again >= 0 && (!to->mode || fchmod(fd, to->mode & 0777) == 0) &&
                write_chunks(fd, chunks, count) && fsync(fd) == 0;
    int reason = errno;
    if (close(fd) != 0 && good) good = false, reason = errno;
    if (good && renameat(to->folder, to->temporary, to->folder, to->name) != 0)
        good = false, reason = errno;
    if (again >= 0) close(again);
    if (!good) unlinkat(to->folder, to->temporary, 0);
    errno = reason;
    return good;
}

static bool replace_file(const char *real, const char *path, const sa_chunk *chunks, size_t count,
                         sa_error *error) {
    char folder[PATH_MAX];
    save_target to = {.mode = 0};
    struct stat old;
    to.folder = open_parent(real, folder, &to.name);
    if (to.folder < 0) return sa_fail_errno(error, SA_OPEN, "open", folder);
    if (fstatat(to.folder, to.name, &old, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(old.st_mode))
        to.mode = old.st_mode;
    const int fd = open_temporary(&to);
    bool good = fd >= 0 && replace(&to, fd, chunks, count);
    if (!good)
        sa_fail_errno(error, SA_IO, "write", path);
    else if (fsync(to.folder) != 0)
        good = sa_fail(error, SA_IO, "'%s' is saved, but may not survive a power cut: %s", path,
                       strerror(errno));
    close(to.folder);
    return good;
}

/* ---- Writing directly ------------------------------------------------------------------------ */

static bool write_to(int fd, const char *name, const sa_chunk *chunks, size_t count,
                     sa_error *error) {
    if (write_chunks(fd, chunks, count)) return true;
    return errno == EPIPE ? sa_fail(error, SA_IO, "%s", "")
                          : sa_fail_errno(error, SA_IO, "write", name);
}

bool sa_save(const char *path, const sa_chunk *chunks, size_t count, sa_error *error) {
    int descriptor = -1;
    struct stat about;
    char buffer[PATH_MAX];
    const char *real = follow_links(path, buffer, &descriptor, error);
    if (!real) return false;
    if (descriptor >= 0) return write_to(descriptor, path, chunks, count, error);
    if (stat(real, &about) != 0 || S_ISREG(about.st_mode) || S_ISDIR(about.st_mode))
        return replace_file(real, path, chunks, count, error);
    const int fd = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
    if (fd < 0) return sa_fail_errno(error, SA_OPEN, "open", path);
    const bool good = write_to(fd, path, chunks, count, error);
    return (close(fd) == 0 || !good || sa_fail_errno(error, SA_IO, "write", path)) && good;
}

bool sa_write_text(int fd, const char *name, const sa_buffer *text, sa_error *error) {
    return text->failed ? sa_fail_memory(error, text->size)
                        : write_to(fd, name, &(sa_chunk){text->text, text->size}, 1, error);
}

/* ---- The lock of a folder -------------------------------------------------------------------- */

bool sa_save_is_temporary(const char *name) {
    const size_t head = strlen(TEMPORARY_PREFIX), tail = TEMPORARY_SIZE - sizeof TEMPORARY_SUFFIX;
    return strlen(name) == TEMPORARY_SIZE - 1 && strncmp(name, TEMPORARY_PREFIX, head) == 0 &&
           strspn(name + head, "0123456789abcdef") == tail - head &&
           strcmp(name + tail, TEMPORARY_SUFFIX) == 0;
}

/* Locks .lock and writes the owner into it, or fails and names the owner. What locks is flock, not
 * the note: the system releases it when the process dies, and a stale note is harmless. */
static bool acquire_lock(const sa_directory_lock *lock, const char *folder, sa_error *error) {
    if (flock(lock->file, LOCK_EX | LOCK_NB) != 0) {
        if (errno != EWOULDBLOCK) return sa_fail_errno(error, SA_OPEN, "lock", folder);
        char owner[128];
        ssize_t size = read(lock->file, owner, sizeof owner - 1);
        owner[size > 0 ? size : 0] = 0;
        owner[strcspn(owner, "\n")] = 0;
        return sa_fail(error, SA_BUSY, "'%s' is locked by %s", folder,
                       *owner ? owner : "another training");
    }
    char host[65] = "";
    gethostname(host, sizeof host - 1);
    if (ftruncate(lock->file, 0) != 0 ||
        dprintf(lock->file, "pid %ld on %s\n", (long)getpid(), host) < 0)
        return sa_fail_errno(error, SA_IO, "write into", folder);
    return true;
}

/* Syncs the entry of a new folder to disk; without this, a power cut could lose the folder. A
 * parent that is writable but not readable cannot be synced. */
static bool sync_parent(const char *path, sa_error *error) {
    char plain[PATH_MAX], above[PATH_MAX];
    const char *name;
    size_t length = strlen(path);
    while (length > 1 && path[length - 1] == '/') length--;
    snprintf(plain, sizeof plain, "%.*s", (int)length, path);
    const int fd = open_parent(plain, above, &name);
    const bool good = fd < 0 ? errno == EACCES : fsync(fd) == 0;
    if (!good) sa_fail_errno(error, SA_IO, "create", path);
    if (fd >= 0) close(fd);
    return good;
}

bool sa_directory_create(const char *folder, sa_error *error) {
    if (mkdir(folder, 0777) == 0) return sync_parent(folder, error);
    return errno == EEXIST || sa_fail_errno(error, SA_OPEN, "create", folder);
}

/* Removes a file; for a link, the file that it leads to, because the next save follows the link. */
static bool remove_file(const char *folder, const char *name, sa_error *error) {
    struct stat about;
    char path[SA_PATH_SIZE], buffer[PATH_MAX];
    int descriptor;
    if (stat(sa_path_in(path, folder, name), &about) != 0 || !S_ISREG(about.st_mode)) return true;
    const char *real = follow_links(path, buffer, &descriptor, error);
    return real && (unlink(real) == 0 || sa_fail_errno(error, SA_IO, "remove", path));
}

bool sa_directory_remove(const char *folder, const char *const *names, size_t count,
                         sa_error *error) {
    const int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0) return sa_fail_errno(error, SA_OPEN, "open", folder);
    bool good = true;
    for (size_t i = 0; good && i < count; i++) good = remove_file(folder, names[i], error);
    if (good && fsync(fd) != 0) good = sa_fail_errno(error, SA_IO, "write into", folder);
    close(fd);
    return good;
}

bool sa_directory_lock_open(sa_directory_lock *lock, const char *folder, sa_error *error) {
    *lock = SA_UNLOCKED;
    if (!sa_directory_create(folder, error)) return false;
    DIR *list = opendir(folder);
    if (!list) return sa_fail_errno(error, SA_OPEN, "open", folder);
    /* checks the folder itself: an old .lock can be opened in a folder that became read-only */
    if (faccessat(dirfd(list), ".", W_OK | X_OK, AT_EACCESS) == 0)
        lock->file = openat(dirfd(list), ".lock", O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0666);
    const bool good = lock->file >= 0 ? acquire_lock(lock, folder, error)
                                      : sa_fail_errno(error, SA_OPEN, "write into", folder);
    for (struct dirent *entry; good && (entry = readdir(list));)
        if (sa_save_is_temporary(entry->d_name)) remove_stale(dirfd(list), entry->d_name);
    closedir(list);
    if (!good) sa_directory_lock_close(lock);
    return good;
}

void sa_directory_lock_close(sa_directory_lock *lock) {
    if (lock->file >= 0) close(lock->file);
    *lock = SA_UNLOCKED;
}
