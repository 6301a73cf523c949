#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

/* ---- Reading --------------------------------------------------------------------------------- */

static bool read_all(int fd, sa_file *file, size_t limit, sa_error *error) {
    size_t capacity = 0;
    for (;;) {
        if (!sa_reserve(&file->data, &capacity, file->size + 65537, 1, error)) return false;
        ssize_t got = read(fd, file->data + file->size, capacity - file->size - 1);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return sa_fail_errno(error, SA_IO, "read", file->name);
        if (got == 0) return true;
        file->size += (size_t)got;
        if (file->size > limit)
            return sa_fail(error, SA_LIMIT, "%s: larger than %zu bytes", file->name, limit);
    }
}

static bool is_gzip(const char *data, size_t size) {
    return size >= 2 && memcmp(data, "\x1f\x8b", 2) == 0;
}

static bool fail_gzip(const sa_file *file, const char *what, sa_error *error) {
    return sa_fail(error, SA_DATA, "%s: gzip: %s", file->name, what);
}

static uInt zlib_chunk(size_t size) {
    enum { MOST = 1 << 20 }; /* bytes per call: zlib counts with 32 bits */
    return (uInt)(size < MOST ? size : MOST);
}

/* Unpacks all members of a gzip file; nothing may follow the last one. */
static bool unpack(const sa_file *packed, sa_file *file, size_t limit, sa_error *error) {
    const size_t ratio_limit_start = (size_t)64 << 20;
    z_stream stream = {0};
    size_t capacity = 0, used = 0;
    bool good = true;
    if (inflateInit2(&stream, 15 + 16) != Z_OK) return sa_fail_memory(error, sizeof stream);
    for (int state = Z_OK; good && (state != Z_STREAM_END || used < packed->size);) {
        if (state == Z_STREAM_END && !is_gzip(packed->data + used, packed->size - used))
            good = fail_gzip(file, "garbage after the end", error);
        if (state == Z_STREAM_END) inflateReset(&stream); /* another member */
        good = good && sa_reserve(&file->data, &capacity, file->size + 65537, 1, error);
        if (!good) break;
        const uInt in = zlib_chunk(packed->size - used),
                   out = zlib_chunk(capacity - file->size - 1);
        stream.next_in = (unsigned char *)packed->data + used, stream.avail_in = in;
        stream.next_out = (unsigned char *)file->data + file->size, stream.avail_out = out;
        state = inflate(&stream, Z_NO_FLUSH);
        used += in - stream.avail_in;
        file->size += out - stream.avail_out;
        if (file->size > limit || (file->size > ratio_limit_start && file->size / 200 > used))
            good = sa_fail(error, SA_LIMIT, "%s: unpacks to more than %zu bytes", file->name,
                           file->size);
        else if (state == Z_BUF_ERROR ||
                 (state == Z_OK && used == packed->size && stream.avail_out))
            good = fail_gzip(file, "unexpected end of file", error);
        else if (state == Z_MEM_ERROR)
            good = sa_fail_memory(error, (size_t)1 << MAX_WBITS);
        else if (state != Z_OK && state != Z_STREAM_END)
            good = fail_gzip(file, stream.msg, error);
    }
    inflateEnd(&stream);
    return good;
}

bool sa_file_read(sa_file *file, const char *path, size_t limit, sa_error *error) {
    bool standard = strcmp(path, "-") == 0;
    *file = (sa_file){.name = standard ? "standard input" : path};
    int fd = standard ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return sa_fail_errno(error, SA_OPEN, "open", path);
    struct stat about = {0};
    bool good = true;
    if (fstat(fd, &about) == 0 && S_ISDIR(about.st_mode)) {
        errno = EISDIR;
        good = sa_fail_errno(error, SA_OPEN, "open", path);
    }
    if (S_ISCHR(about.st_mode) && limit > SA_LINE_LIMIT)
        limit = SA_LINE_LIMIT; /* /dev/zero is endless */
    if (S_ISREG(about.st_mode) && (size_t)about.st_size > limit)
        good = sa_fail(error, SA_LIMIT, "%s: larger than %zu bytes", file->name, limit);
    good = good && read_all(fd, file, limit, error);
    if (!standard) close(fd);
    if (good && is_gzip(file->data, file->size)) {
        const sa_file packed = *file;
        *file = (sa_file){.name = packed.name};
        good = unpack(&packed, file, limit, error);
        free(packed.data);
    }
    if (good) file->data[file->size] = 0;
    if (!good) free(file->data), file->data = NULL, file->size = 0;
    return good;
}

bool sa_file_is_regular(const char *path) {
    struct stat file;
    return stat(path, &file) == 0 && S_ISREG(file.st_mode);
}

bool sa_file_missing(const char *path) {
    return access(path, F_OK) != 0 && (errno == ENOENT || errno == ENOTDIR);
}

char *sa_path_resolve(const char *path, sa_error *error) {
    char real[PATH_MAX];
    size_t size = strlen(path);
    while (size > 1 && path[size - 1] == '/') size--;
    if (realpath(path, real)) return sa_copy(real, strlen(real), error);
    if (size == 1 && strchr("/.", *path)) return sa_copy(path, 1, error); /* it is gone */
    const char *slash = memrchr(path, '/', size), *name = slash ? slash + 1 : path;
    char *folder = slash ? sa_copy(path, (size_t)(name - path), error) : sa_copy(".", 1, error);
    char *above = folder ? sa_path_resolve(folder, error) : NULL;
    char *whole = above ? sa_format(error, "%s/%.*s", strcmp(above, "/") == 0 ? "" : above,
                                    (int)(path + size - name), name)
                        : NULL;
    free(folder), free(above);
    return whole;
}

bool sa_file_same(const char *one, const char *other) {
    struct stat a, b;
    return stat(one, &a) == 0 && stat(other, &b) == 0 && a.st_dev == b.st_dev &&
           a.st_ino == b.st_ino;
}
