/* file: a whole file in memory, unpacked if it is gzip; numbered lines. Writing: base/save.h. */
#ifndef SA_BASE_FILE_H
#define SA_BASE_FILE_H

#include "base/error.h"

/* Limits of an unpacked file and of a line. */
#define SA_FILE_LIMIT ((size_t)1 << 32)
#define SA_LINE_LIMIT ((size_t)1 << 20)

typedef struct sa_file {
    char *data; /* size bytes and a terminating zero */
    size_t size;
    const char *name;
} sa_file;

/* Reads `path` ("-": standard input) until its end. A directory is SA_OPEN; a damaged
 * gzip stream is SA_DATA; more than `limit` bytes, or gzip that unpacks more than 200 : 1 beyond
 * 64 MiB, or a device that gives more than SA_LINE_LIMIT, is SA_LIMIT. `path` must outlive the
 * file. */
bool sa_file_read(sa_file *file, const char *path, size_t limit, sa_error *error);
void sa_file_release(sa_file *file);

/* folder/name, to be freed; NULL: memory. */
char *sa_path_join(const char *folder, const char *name, sa_error *error);

/* Whether there is certainly no such file. One that cannot be examined does not count as missing:
 * opening it gives the reason. */
bool sa_file_missing(const char *path);

/* The path without links, "." and "..", to be freed; it need not exist. NULL: memory. */
char *sa_path_resolve(const char *path, sa_error *error);

/* Whether two paths that exist lead to the same file. */
bool sa_file_same(const char *one, const char *other);

/* The next line without its LF or CRLF, terminated in place; false at the end. A line above
 * SA_LINE_LIMIT, a NUL byte or a lone CR fails: `*failed` is set. */
typedef struct sa_lines {
    sa_file *file;
    size_t at, number; /* number of the last line returned, from 1 */
} sa_lines;
bool sa_lines_next(sa_lines *lines, char **line, size_t *size, bool *failed, sa_error *error);

#endif
