/* container_open: sa_container_open of base/container.h. */
#include "base/container.h"
#include "base/file.h"
#include "base/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    CACHE_LINE = 64,
    CHUNK_SIZE = 1 << 18, /* bytes still in the cache when their checksum is computed */
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

static bool read_whole(int fd, const char *path, char *bytes, size_t size, uint32_t *sum,
                       sa_error *error) {
    *sum = 0;
    for (size_t at = 0; at < size; at += CHUNK_SIZE) {
        const size_t chunk = size - at < CHUNK_SIZE ? size - at : CHUNK_SIZE;
        if (!read_chunk(fd, path, bytes, at, chunk, error)) return false;
        *sum = sa_container_update_checksum(*sum, bytes, at, chunk, size);
    }
    return true;
}

/* A whole file in memory. The tensors' data begin at a cache line, so that weights can be used in
 * place. */
typedef struct loaded_file {
    char *memory, *bytes; /* as allocated; the first byte of the file */
    size_t size;
    uint32_t sum;
} loaded_file;

/* Checks the type, size and first bytes of the file before it allocates anything. */
static bool load(int fd, const char *path, loaded_file *file, sa_error *error) {
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
    bool good = read_whole(fd, path, file->bytes, file->size, &file->sum, error);
    if (good && fstat(fd, &after) != 0)
        good = sa_fail_errno(error, SA_IO, "read", path);
    else if (good && after.st_size != before.st_size)
        good = sa_fail(error, SA_DATA, "%s: changed while it was read", path);
    if (!good) free(file->memory);
    return good;
}

bool sa_container_open(sa_container *container, const char *path, sa_error *error) {
    *container = (sa_container){.name = path};
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* a pipe must not block */
    if (fd < 0) return sa_fail_errno(error, SA_OPEN, "open", path);
    loaded_file file = {0};
    const bool good = load(fd, path, &file, error);
    close(fd);
    if (!good) return false;
    if (!sa_container_parse(container, path, file.bytes, file.size, file.sum, error)) {
        free(file.memory);
        return false;
    }
    container->memory = file.memory;
    container->size = file.size;
    return true;
}
