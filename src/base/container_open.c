/* container_open: sa_container_open_checked of base/container.h. */
#include "base/container.h"
#include "base/file.h"
#include "base/thread.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

enum {
    CACHE_LINE = 64,
    PART_SIZE = 1 << 22, /* bytes that one thread reads before it asks for more */
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

/* A part of a file, read by one thread. */
typedef struct file_part {
    size_t at, size;
    uint32_t sum;
    bool good;
    sa_error error;
} file_part;

typedef struct file_parts {
    int fd;
    const char *path;
    char *bytes;       /* the first byte of the file */
    size_t size, data; /* data: the offset of the tensors' data, where the first piece begins */
    file_part *parts;
    sa_container_check *check; /* or NULL */
    bool *odd;                 /* what it found */
} file_parts;

static void read_part(void *context, int task) {
    const file_parts *file = context;
    file_part *part = &file->parts[task];
    const size_t end = part->at + part->size;
    part->good = true;
    for (size_t at = part->at, next; part->good && at < end; at = next) {
        const size_t piece = at ? at : file->data; /* the header comes with the first one */
        next = end - piece < SA_CONTAINER_PIECE ? end : piece + SA_CONTAINER_PIECE;
        part->good = read_chunk(file->fd, file->path, file->bytes, at, next - at, &part->error);
        if (!part->good) return;
        part->sum = sa_container_update_checksum(part->sum, file->bytes, at, next - at, file->size);
        if (file->check)
            file->odd[(piece - file->data) / SA_CONTAINER_PIECE] =
                !file->check(file->bytes + piece, next - piece);
    }
}

/* The checksum of the whole from those of its parts. */
static bool join_parts(const file_parts *file, int count, uint32_t *sum, sa_error *error) {
    *sum = 0;
    for (int i = 0; i < count; i++) {
        const file_part *part = &file->parts[i];
        if (!part->good) {
            if (error) *error = part->error;
            return false;
        }
        const size_t summed = sa_container_summed(part->at, part->size, file->size);
        *sum = (uint32_t)crc32_combine(*sum, part->sum, (z_off_t)summed);
    }
    return true;
}

/* Much of the time the system clears the memory that the bytes go to: that is shared by the
 * threads, too. */
static bool read_whole(file_parts *file, int threads, uint32_t *sum, sa_error *error) {
    const int count = (int)((file->size - file->data) / PART_SIZE) + 1;
    file->parts = sa_new((size_t)count, sizeof *file->parts, error);
    sa_pool *pool = file->parts ? sa_pool_open(count < 3 ? 1 : threads, error) : NULL;
    for (int i = 0; pool && i < count; i++) {
        file_part *part = &file->parts[i];
        const size_t end = file->data + (size_t)(i + 1) * PART_SIZE;
        part->at = i ? file->data + (size_t)i * PART_SIZE : 0;
        part->size = (i < count - 1 ? end : file->size) - part->at;
    }
    if (pool) sa_pool_run(pool, count, read_part, file);
    const bool good = pool && join_parts(file, count, sum, error);
    sa_pool_close(pool);
    free(file->parts);
    return good;
}

/* A whole file in memory. The tensors' data begin at a cache line, so that weights can be used in
 * place. */
typedef struct loaded_file {
    char *memory, *bytes; /* as allocated; the first byte of the file */
    size_t size;
    uint32_t sum;
    bool *odd; /* see sa_container */
} loaded_file;

/* Checks the type, size and first bytes of the file before it allocates anything. */
static bool load(int fd, const char *path, int threads, sa_container_check *check,
                 loaded_file *file, sa_error *error) {
    struct stat before, after;
    if (fstat(fd, &before) != 0 || !S_ISREG(before.st_mode))
        return sa_fail(error, SA_OPEN, "cannot open '%s': not a regular file", path);
    file->size = (size_t)before.st_size;
    if (file->size > SA_FILE_LIMIT)
        return sa_fail(error, SA_LIMIT, "%s: larger than %zu bytes", path, SA_FILE_LIMIT);
    char start[SA_CONTAINER_START] = {0};
    size_t length = 0;
    if (!read_chunk(fd, path, start, 0,
                    file->size < SA_CONTAINER_START ? file->size : SA_CONTAINER_START, error) ||
        !sa_container_read_length(path, (unsigned char *)start, file->size, &length, error))
        return false;
    file->memory = sa_new(file->size + CACHE_LINE, 1, error);
    if (!file->memory) return false;
    const uintptr_t data = (uintptr_t)file->memory + SA_CONTAINER_LENGTH_SIZE + length;
    file->bytes = file->memory + (CACHE_LINE - data % CACHE_LINE);
    const size_t before_data = SA_CONTAINER_LENGTH_SIZE + length;
    const size_t pieces = (file->size - before_data) / SA_CONTAINER_PIECE + 1;
    file->odd = check ? sa_new(pieces, sizeof *file->odd, error) : NULL;
    file_parts parts = {.fd = fd,
                        .path = path,
                        .bytes = file->bytes,
                        .size = file->size,
                        .data = before_data,
                        .check = check,
                        .odd = file->odd};
    bool good = (file->odd || !check) && read_whole(&parts, threads, &file->sum, error);
    if (good && fstat(fd, &after) != 0)
        good = sa_fail_errno(error, SA_IO, "read", path);
    else if (good && after.st_size != before.st_size)
        good = sa_fail(error, SA_DATA, "%s: changed while it was read", path);
    if (!good) free(file->memory), free(file->odd);
    return good;
}

bool sa_container_open_checked(sa_container *container, const char *path, int threads,
                               sa_container_check *check, sa_error *error) {
    *container = (sa_container){.name = path};
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* a pipe must not block */
    if (fd < 0) return sa_fail_errno(error, SA_OPEN, "open", path);
    loaded_file file = {0};
    const bool good = load(fd, path, threads, check, &file, error);
    close(fd);
    if (!good) return false;
    if (!sa_container_parse(container, path, file.bytes, file.size, file.sum, error)) {
        free(file.memory), free(file.odd);
        return false;
    }
    container->memory = file.memory;
    container->size = file.size;
    container->odd = file.odd;
    return true;
}
