/* container_open: sa_container_open of base/container.h. */
#include "base/container.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/option.h"
#include "base/pieces.h"

#include <errno.h>
#include <fcntl.h>
#include <libdeflate.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

enum {
    CACHE_LINE = 64,
    PART_SIZE = 1 << 22, /* bytes that a thread reads before it asks for more */
};

static bool read_chunk(int fd, const char *path, char *bytes, size_t at, size_t size,
                       sa_error *error) {
    for (const size_t end = at + size; at < end;) {
        ssize_t got = pread(fd, bytes + at, end - at, (off_t)at);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return sa_fail_errno(error, SA_IO, "read", path);
        if (got == 0) return sa_fail(error, SA_DATA, "%s: became shorter while it was read", path);
        at += (size_t)got;
    }
    return true;
}

/* A file that is read in parts into `bytes`: first the header with PART_SIZE bytes of data, then
 * PART_SIZE bytes each. */
typedef struct file_parts {
    int fd;
    const char *path;
    char *bytes;
    size_t size, data; /* data: the offset of the tensors' data, where the first piece begins */
    uint32_t *sums;    /* of the parts */
    int count;
    sa_container_check *check; /* or NULL */
    bool *odd;                 /* what it found */
} file_parts;

static size_t part_begin(const file_parts *file, int i) {
    if (i == file->count) return file->size;
    return i ? file->data + (size_t)i * PART_SIZE : 0;
}

static bool read_part(void *context, int task, sa_error *error) {
    const file_parts *file = context;
    const size_t end = part_begin(file, task + 1);
    for (size_t at = part_begin(file, task), next; at < end; at = next) {
        const size_t piece = at ? at : file->data; /* the header comes with the first piece */
        next = end - piece < SA_CONTAINER_PIECE ? end : piece + SA_CONTAINER_PIECE;
        if (!read_chunk(file->fd, file->path, file->bytes, at, next - at, error)) return false;
        file->sums[task] = libdeflate_crc32(file->sums[task], file->bytes + at,
                                            sa_container_summed(at, next - at, file->size));
        if (file->check)
            file->odd[(piece - file->data) / SA_CONTAINER_PIECE] =
                !file->check(file->bytes + piece, next - piece);
    }
    return true;
}

/* Reads the file in several threads, which also share the time that the system needs to clear the
 * memory, and computes its checksum from those of the parts. */
static bool read_whole(file_parts *file, int threads, uint32_t *sum, sa_error *error) {
    file->count = (int)((file->size - file->data) / PART_SIZE) + 1;
    file->sums = sa_new((size_t)file->count, sizeof *file->sums, error);
    sa_pool *pool = file->sums ? sa_pool_open(file->count < 3 ? 1 : threads, error) : NULL;
    const bool good = pool && sa_tasks_run(pool, file->count, read_part, file, error);
    for (int i = 0; good && i < file->count; i++) {
        const size_t begin = part_begin(file, i), size = part_begin(file, i + 1) - begin;
        *sum = (uint32_t)crc32_combine(*sum, file->sums[i],
                                       (z_off_t)sa_container_summed(begin, size, file->size));
    }
    sa_pool_close(pool);
    free(file->sums);
    return good;
}

/* Checks the type, size and first bytes of the file before allocating anything. The data of the
 * tensors begin at a cache line, so that weights can be used in place. */
static bool load(sa_container *container, file_parts *file, int threads, uint32_t *sum,
                 sa_error *error) {
    struct stat before, after;
    const char *path = file->path;
    if (fstat(file->fd, &before) != 0 || !S_ISREG(before.st_mode))
        return sa_fail(error, SA_OPEN, "cannot open '%s': not a regular file", path);
    file->size = (size_t)before.st_size;
    if (file->size > SA_FILE_LIMIT)
        return sa_fail(error, SA_LIMIT, "%s: larger than %zu bytes", path, SA_FILE_LIMIT);
    char start[SA_CONTAINER_START] = {0};
    size_t length = 0;
    if (!read_chunk(file->fd, path, start, 0,
                    file->size < SA_CONTAINER_START ? file->size : SA_CONTAINER_START, error) ||
        !sa_container_read_length(path, (unsigned char *)start, file->size, &length, error))
        return false;
    file->data = SA_CONTAINER_LENGTH_SIZE + length;
    container->memory = sa_new(file->size + CACHE_LINE, 1, error);
    if (!container->memory) return false;
    file->bytes =
        container->memory + (CACHE_LINE - ((uintptr_t)container->memory + file->data) % CACHE_LINE);
    const size_t pieces = (file->size - file->data) / SA_CONTAINER_PIECE + 1;
    if (file->check && !(container->odd = sa_new(pieces, sizeof *container->odd, error)))
        return false;
    file->odd = container->odd;
    if (!read_whole(file, threads, sum, error)) return false;
    if (fstat(file->fd, &after) != 0) return sa_fail_errno(error, SA_IO, "read", path);
    return after.st_size == before.st_size ||
           sa_fail(error, SA_DATA, "%s: changed while it was read", path);
}

static const char *builtin_name(size_t i) {
    return sa_builtins[i].name;
}

static bool open_builtin(sa_container *container, const char *path, sa_error *error) {
    const char *name = path + strlen(SA_BUILTIN);
    const sa_builtin *model = sa_builtins;
    while (model->name && strcmp(name, model->name) != 0) model++;
    if (!model->name)
        return sa_fail(error, SA_OPEN, "cannot open '%s': 'softalign models' lists the names%s",
                       path, sa_nearest_hint_in(&(sa_nearest){.wanted = name}, builtin_name));
    return sa_container_read_copy(container, path, model->bytes, model->size, error);
}

bool sa_container_open(sa_container *container, const char *path, int threads,
                       sa_container_check *check, sa_error *error) {
    *container = (sa_container){.name = path};
    if (strncmp(path, SA_BUILTIN, strlen(SA_BUILTIN)) == 0)
        return open_builtin(container, path, error);
    file_parts file = {.path = path, .check = check};
    file.fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* a pipe must not block */
    if (file.fd < 0) return sa_fail_errno(error, SA_OPEN, "open", path);
    uint32_t sum = 0;
    const bool good = load(container, &file, threads, &sum, error);
    close(file.fd);
    container->size = file.size;
    if (good) return sa_container_parse(container, file.bytes, file.size, sum, error);
    sa_container_close(container);
    return false;
}
