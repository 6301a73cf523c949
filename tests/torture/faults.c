#include "torture/faults.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <utf8proc.h>
#include <zlib.h>

#define REAL(result, name, parameters)                                                             \
    result __real_##name parameters;                                                               \
    result __wrap_##name parameters;                                                               \
    result __wrap_##name parameters

fault fault_plan;
tally *fault_tally;

/* ---- The plan and the tally ------------------------------------------------------------------ */

static bool armed;
static atomic_long memory_calls, file_calls, live_blocks, clock_ticks;

bool fault_among(const char *call, const char *calls) {
    const size_t size = strlen(call);
    for (const char *at = calls; at && (at = strstr(at, call)); at++)
        if ((at == calls || at[-1] == ' ') && (at[size] == 0 || at[size] == ' ')) return true;
    return !calls;
}

static bool befalls(fault_kind kind, long call) {
    return armed && fault_plan.kind == kind &&
           (fault_plan.lasting ? call >= fault_plan.when : call == fault_plan.when);
}

/* Whether this call for memory is to fail. */
static bool memory_fails(void) {
    const long call = atomic_fetch_add(&memory_calls, armed) + 1;
    if (armed) fault_tally->memory = call;
    if (!befalls(FAULT_MEMORY, call)) return false;
    errno = ENOMEM;
    return true;
}

static void *count_block(void *block) {
    if (block && fault_tally) fault_tally->live = atomic_fetch_add(&live_blocks, 1) + 1;
    return block;
}

/* ---- Memory ---------------------------------------------------------------------------------- */

REAL(void *, malloc, (size_t size)) {
    return memory_fails() ? NULL : count_block(__real_malloc(size));
}

REAL(void *, calloc, (size_t count, size_t size)) {
    return memory_fails() ? NULL : count_block(__real_calloc(count, size));
}

REAL(void *, realloc, (void *old, size_t size)) {
    if (memory_fails()) return NULL;
    void *block = __real_realloc(old, size);
    return old ? block : count_block(block);
}

REAL(void *, aligned_alloc, (size_t alignment, size_t size)) {
    return memory_fails() ? NULL : count_block(__real_aligned_alloc(alignment, size));
}

REAL(void, free, (void *block)) {
    if (block && fault_tally) fault_tally->live = atomic_fetch_sub(&live_blocks, 1) - 1;
    __real_free(block);
}

/* Library functions that allocate. */
REAL(utf8proc_ssize_t, utf8proc_map_custom,
     (const utf8proc_uint8_t *text, utf8proc_ssize_t size, utf8proc_uint8_t **out,
      utf8proc_option_t options, utf8proc_custom_func custom, void *data)) {
    if (memory_fails()) return UTF8PROC_ERROR_NOMEM;
    const utf8proc_ssize_t got = __real_utf8proc_map_custom(text, size, out, options, custom, data);
    if (got >= 0) count_block(*out);
    return got;
}

REAL(int, inflateInit2_, (z_streamp stream, int bits, const char *version, int size)) {
    return memory_fails() ? Z_MEM_ERROR : __real_inflateInit2_(stream, bits, version, size);
}

REAL(int, pthread_create,
     (pthread_t * thread, const pthread_attr_t *form, void *(*run)(void *), void *argument)) {
    return memory_fails() ? EAGAIN : __real_pthread_create(thread, form, run, argument);
}

/* ---- What open files are --------------------------------------------------------------------- */

enum { FILES = 256 };
static struct {
    int file; /* its number; -1: not recorded */
    char path[64];
} opened[FILES];

static void note_open(int fd, int file, const char *path) {
    if (fd < 0 || fd >= FILES) return;
    opened[fd].file = file;
    snprintf(opened[fd].path, sizeof opened[fd].path, "%s", path);
}

/* A path below the folder that fd is; without a slash at the end. */
static void join(char *out, size_t capacity, int fd, const char *name) {
    const bool below = fd >= 0 && fd < FILES && *name != '/' && *opened[fd].path;
    const char *folder = below ? opened[fd].path : "";
    const char *slash = below && folder[strlen(folder) - 1] != '/' ? "/" : "";
    if (strcmp(folder, ".") == 0) folder = slash = "";
    snprintf(out, capacity, "%s%s%s", folder, slash, name);
    for (size_t end = strlen(out); end > 1 && out[end - 1] == '/';) out[--end] = 0;
}

/* Counts the call and sets *failed if the plan says so. Returns an entry to fill in if calls are
 * recorded, else NULL. */
static op *call(const char *name, bool *failed) {
    static op spare;
    *failed = false;
    if (!armed) return memset(&spare, 0, sizeof spare);
    const long number = atomic_fetch_add(&file_calls, 1) + 1;
    fault_tally->files = number;
    op *entry = &spare;
    if (number > OPS)
        fault_tally->overflow = true;
    else if (fault_tally->recording)
        entry = &fault_tally->ops[number - 1];
    *entry = (op){.file = -1};
    snprintf(entry->call, sizeof entry->call, "%s", name);
    if (befalls(FAULT_KILL, number) && (fault_plan.reason || strcmp(name, "write") != 0))
        raise(SIGKILL);
    if (befalls(FAULT_FILE, number) && fault_plan.reason != FAULT_SHORT &&
        fault_among(name, fault_plan.calls)) {
        errno = fault_plan.reason;
        *failed = true;
    }
    return entry;
}

/* Whether the call just counted transfers only half of its bytes. */
static bool halved(void) {
    return befalls(FAULT_FILE, file_calls) && fault_plan.reason == FAULT_SHORT;
}

static size_t half(size_t size) {
    return size > 1 ? size / 2 : size;
}

/* ---- Calls without a trace --------------------------------------------------------------------
 */

#define PLAIN(name, parameters, arguments)                                                         \
    REAL(int, name, parameters) {                                                                  \
        bool failed;                                                                               \
        call(#name, &failed);                                                                      \
        return failed ? -1 : __real_##name arguments;                                              \
    }

PLAIN(fstat, (int fd, struct stat *about), (fd, about))
PLAIN(stat, (const char *path, struct stat *about), (path, about))
PLAIN(fstatat, (int folder, const char *name, struct stat *about, int flags),
      (folder, name, about, flags))
PLAIN(access, (const char *path, int mode), (path, mode))
PLAIN(faccessat, (int folder, const char *path, int mode, int flags), (folder, path, mode, flags))
PLAIN(fchmod, (int fd, mode_t mode), (fd, mode))
PLAIN(flock, (int fd, int what), (fd, what))
PLAIN(ftruncate, (int fd, off_t size), (fd, size))

/* ---- Reading and writing --------------------------------------------------------------------- */

static int note_new(op *entry, int fd, int folder, const char *path, int flags) {
    join(entry->path, sizeof entry->path, folder, path);
    const bool creates = armed && flags & O_CREAT && fd >= 0;
    if (creates) {
        entry->kind = OP_CREATE;
        entry->file = (int)fault_tally->created;
        fault_tally->created++;
    }
    note_open(fd, creates ? entry->file : -1, entry->path);
    return fd;
}

REAL(int, openat, (int folder, const char *path, int flags, ...)) {
    va_list more;
    va_start(more, flags);
    const mode_t mode = flags & O_CREAT ? va_arg(more, mode_t) : 0;
    va_end(more);
    bool failed;
    op *entry = call("openat", &failed);
    return failed ? -1
                  : note_new(entry, __real_openat(folder, path, flags, mode), folder, path, flags);
}

REAL(int, open, (const char *path, int flags, ...)) {
    bool failed;
    op *entry = call("open", &failed);
    return failed ? -1 : note_new(entry, __real_open(path, flags, 0666), -1, path, flags);
}

REAL(int, __open_2, (const char *path, int flags)) {
    bool failed;
    op *entry = call("open", &failed);
    return failed ? -1 : note_new(entry, __real___open_2(path, flags), -1, path, flags);
}

REAL(DIR *, opendir, (const char *path)) {
    bool failed;
    call("opendir", &failed);
    DIR *list = failed ? NULL : __real_opendir(path);
    if (list) note_open(dirfd(list), -1, path);
    return list;
}

REAL(DIR *, fdopendir, (int fd)) {
    bool failed;
    call("fdopendir", &failed);
    return failed ? NULL : __real_fdopendir(fd);
}

REAL(int, scandir,
     (const char *path, struct dirent ***list, int (*chosen)(const struct dirent *),
      int (*order)(const struct dirent **, const struct dirent **))) {
    bool failed;
    call("scandir", &failed);
    const int count = failed ? -1 : __real_scandir(path, list, chosen, order);
    if (count >= 0) count_block(*list);
    for (int k = 0; k < count; k++) count_block((*list)[k]);
    return count;
}

REAL(struct dirent *, readdir, (DIR * list)) {
    bool failed;
    call("readdir", &failed);
    return failed ? NULL : __real_readdir(list);
}

REAL(ssize_t, read, (int fd, void *bytes, size_t size)) {
    bool failed;
    call("read", &failed);
    return failed ? -1 : __real_read(fd, bytes, halved() ? half(size) : size);
}

REAL(ssize_t, pread, (int fd, void *bytes, size_t size, off_t at)) {
    bool failed;
    call("pread", &failed);
    return failed ? -1 : __real_pread(fd, bytes, halved() ? half(size) : size, at);
}

static void record_bytes(op *entry, int fd, const void *bytes, size_t size) {
    if (fd < 0 || fd >= FILES || opened[fd].file < 0 || !fault_tally->recording || !armed) return;
    if (size > RECORDED - fault_tally->used) {
        fault_tally->overflow = true;
        return;
    }
    *entry = (op){.kind = OP_WRITE, .file = opened[fd].file, .at = fault_tally->used, .size = size};
    strcpy(entry->call, "write");
    memcpy(fault_tally->data + entry->at, bytes, size);
    fault_tally->used += size;
}

REAL(ssize_t, write, (int fd, const void *bytes, size_t size)) {
    bool failed;
    op *entry = call("write", &failed);
    if (failed) return -1;
    if (befalls(FAULT_KILL, file_calls)) {
        (void)!__real_write(fd, bytes, half(size));
        raise(SIGKILL);
    }
    const ssize_t written = __real_write(fd, bytes, halved() ? half(size) : size);
    if (written > 0) record_bytes(entry, fd, bytes, (size_t)written);
    return written;
}

static int print(int fd, const char *format, va_list arguments) {
    bool failed;
    call("dprintf", &failed);
    return failed ? -1 : vdprintf(fd, format, arguments);
}

int __wrap_dprintf(int fd, const char *format, ...);
int __wrap___dprintf_chk(int fd, int flag, const char *format, ...);

int __wrap_dprintf(int fd, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    const int size = print(fd, format, arguments);
    va_end(arguments);
    return size;
}

int __wrap___dprintf_chk(int fd, int flag, const char *format, ...) {
    va_list arguments;
    (void)flag;
    va_start(arguments, format);
    const int size = print(fd, format, arguments);
    va_end(arguments);
    return size;
}

REAL(int, fsync, (int fd)) {
    bool failed;
    op *entry = call("fsync", &failed);
    struct stat about;
    if (failed) return -1;
    if (__real_fstat(fd, &about) == 0 && S_ISDIR(about.st_mode)) {
        entry->kind = OP_SYNC_FOLDER;
        join(entry->path, sizeof entry->path, fd, "");
        if (!*entry->path) strcpy(entry->path, ".");
    } else if (fd >= 0 && fd < FILES && opened[fd].file >= 0) {
        entry->kind = OP_SYNC;
        entry->file = opened[fd].file;
    }
    return 0;
}

REAL(int, close, (int fd)) {
    bool failed;
    call("close", &failed);
    const int reason = errno, result = __real_close(fd); /* a failing close still closes */
    note_open(fd, -1, "");
    if (failed) errno = reason;
    return failed ? -1 : result;
}

/* ---- Names ----------------------------------------------------------------------------------- */

REAL(int, renameat, (int from_folder, const char *from, int to_folder, const char *to)) {
    bool failed;
    op *entry = call("renameat", &failed);
    if (failed || __real_renameat(from_folder, from, to_folder, to) != 0) return -1;
    entry->kind = OP_RENAME;
    join(entry->path, sizeof entry->path, from_folder, from);
    join(entry->to, sizeof entry->to, to_folder, to);
    return 0;
}

REAL(int, unlinkat, (int folder, const char *name, int flags)) {
    bool failed;
    op *entry = call("unlinkat", &failed);
    if (failed || __real_unlinkat(folder, name, flags) != 0) return -1;
    entry->kind = OP_UNLINK;
    join(entry->path, sizeof entry->path, folder, name);
    return 0;
}

REAL(int, mkdir, (const char *path, mode_t mode)) {
    bool failed;
    op *entry = call("mkdir", &failed);
    if (failed || __real_mkdir(path, mode) != 0) return -1;
    entry->kind = OP_MKDIR;
    join(entry->path, sizeof entry->path, -1, path);
    return 0;
}

/* ---- Time ------------------------------------------------------------------------------------ */

REAL(int, clock_gettime, (clockid_t id, struct timespec *now)) {
    if (!armed) return __real_clock_gettime(id, now);
    const long ticks = atomic_fetch_add(&clock_ticks, 1);
    *now = (struct timespec){1 + ticks / 1000, ticks % 1000 * 1000000};
    return 0;
}

/* ---- Beginning and end ----------------------------------------------------------------------- */

void faults_open(void) {
    fault_tally = mmap(NULL, sizeof *fault_tally, PROT_READ | PROT_WRITE,
                       MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (fault_tally == MAP_FAILED) abort();
    json_set_alloc_funcs(__wrap_malloc, __wrap_free);
    for (int fd = 0; fd < FILES; fd++) note_open(fd, -1, "");
}

void faults_arm(fault plan, bool recording) {
    fault_tally->memory = fault_tally->files = fault_tally->created = 0;
    fault_tally->used = 0;
    fault_tally->recording = recording;
    fault_tally->overflow = false;
    fault_tally->live = 0;
    memory_calls = file_calls = live_blocks = clock_ticks = 0;
    fault_plan = plan;
    armed = true;
}

void faults_disarm(void) {
    armed = false;
}
