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

static bool gzip_message(sa_error *error, const char *name, const char *what) {
    return sa_fail(error, SA_DATA, "%s: gzip: %s", name, what);
}

enum { ZLIB_CHUNK = 1 << 20 }; /* bytes per call: zlib counts in 32 bits */

static uInt zlib_chunk(size_t size) {
    return (uInt)(size < ZLIB_CHUNK ? size : ZLIB_CHUNK);
}

/* Unpacks all members of a gzip file; nothing may follow the last. */
static bool unpack(const sa_file *compressed, sa_file *file, size_t limit, sa_error *error) {
    const size_t ratio_limit_start = (size_t)64 << 20;
    z_stream stream = {0};
    if (inflateInit2(&stream, 15 + 16) != Z_OK) return sa_fail_memory(error, sizeof stream);
    size_t capacity = 0, consumed = 0;
    bool good = false, ended = false;
    for (;;) {
        if (ended) { /* another member? */
            if (consumed == compressed->size) {
                good = true;
                break;
            }
            if (compressed->size - consumed < 2 ||
                memcmp(compressed->data + consumed, "\x1f\x8b", 2) != 0) {
                gzip_message(error, file->name, "garbage after the end");
                break;
            }
            inflateReset(&stream);
            ended = false;
        }
        if (!sa_reserve(&file->data, &capacity, file->size + 65537, 1, error)) break;
        stream.next_in = (unsigned char *)compressed->data + consumed;
        stream.avail_in = zlib_chunk(compressed->size - consumed);
        stream.next_out = (unsigned char *)file->data + file->size;
        stream.avail_out = zlib_chunk(capacity - file->size - 1);
        size_t in_before = stream.avail_in, out_before = stream.avail_out;
        int state = inflate(&stream, Z_NO_FLUSH);
        consumed += in_before - stream.avail_in;
        file->size += out_before - stream.avail_out;
        if (file->size > limit || (file->size > ratio_limit_start && file->size / 200 > consumed)) {
            sa_fail(error, SA_LIMIT, "%s: unpacks to more than %zu bytes", file->name, file->size);
            break;
        }
        if (state == Z_STREAM_END) {
            ended = true;
        } else if (state == Z_BUF_ERROR ||
                   (state == Z_OK && consumed == compressed->size && stream.avail_out)) {
            gzip_message(error, file->name, "unexpected end of file");
            break;
        } else if (state == Z_MEM_ERROR) {
            sa_fail_memory(error, (size_t)1 << MAX_WBITS);
            break;
        } else if (state != Z_OK) {
            gzip_message(error, file->name, stream.msg);
            break;
        }
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
    if (good && file->size >= 2 && memcmp(file->data, "\x1f\x8b", 2) == 0) {
        sa_file compressed = *file;
        *file = (sa_file){.name = compressed.name};
        good = unpack(&compressed, file, limit, error);
        free(compressed.data);
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

/* Replaces a path that does not exist by its folder, resolved, and its name. */
static char *resolve_missing(const char *path, sa_error *error) {
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    char *folder = sa_copy(slash ? path : ".", slash ? (size_t)(slash - path) : 1, error);
    char *above = folder ? sa_path_resolve(*folder ? folder : "/", error) : NULL;
    char *whole = above ? sa_path_join(strcmp(above, "/") == 0 ? "" : above, name, error) : NULL;
    free(folder), free(above);
    return whole;
}

char *sa_path_resolve(const char *path, sa_error *error) {
    char real[PATH_MAX];
    size_t length = strlen(path);
    while (length > 1 && path[length - 1] == '/') length--;
    char *plain = sa_copy(path, length, error);
    if (!plain) return NULL;
    if (!realpath(plain, real)) {
        if (strcmp(plain, "/") == 0 || strcmp(plain, ".") == 0) return plain; /* without a folder */
        *real = 0;
    }
    char *found = *real ? sa_copy(real, strlen(real), error) : resolve_missing(plain, error);
    free(plain);
    return found;
}

bool sa_file_same(const char *one, const char *other) {
    struct stat a, b;
    return stat(one, &a) == 0 && stat(other, &b) == 0 && a.st_dev == b.st_dev &&
           a.st_ino == b.st_ino;
}
