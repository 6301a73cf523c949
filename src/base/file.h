/* file: reads a whole file, unpacked if it is gzip; paths. Writing: base/save.h. */
#ifndef SA_BASE_FILE_H
#define SA_BASE_FILE_H

#include "base/file_text.h"

/* Reads `path` ("-": standard input) until its end. A directory is SA_OPEN; a damaged
 * gzip stream is SA_DATA; more than `limit` bytes, or gzip that unpacks more than 200 : 1 beyond
 * 64 MiB, or a device that gives more than SA_LINE_LIMIT, is SA_LIMIT. `path` must outlive the
 * file. */
bool sa_file_read(sa_file *file, const char *path, size_t limit, sa_error *error);

/* Whether there is certainly no such file. One that cannot be examined does not count as missing:
 * opening it gives the reason. */
bool sa_file_missing(const char *path);

/* Whether it is a regular file (behind links), which can be read again: no pipe, device or folder.
 */
bool sa_file_is_regular(const char *path);

/* The path without links, "." and "..", to be freed; it need not exist. NULL: memory. */
char *sa_path_resolve(const char *path, sa_error *error);

/* Whether two paths that exist lead to the same file. */
bool sa_file_same(const char *one, const char *other);

#endif
