/* file_text: a file in memory and its numbered lines, wherever it came from. */
#ifndef SA_BASE_FILE_TEXT_H
#define SA_BASE_FILE_TEXT_H

#include "base/error.h"
#include <stdint.h>

/* Limits of an unpacked file (less where addresses have 32 bits) and of a line. */
#define SA_FILE_LIMIT ((size_t)(SIZE_MAX > UINT32_MAX ? INT64_C(1) << 32 : INT64_C(1) << 30))
#define SA_LINE_LIMIT ((size_t)1 << 20)

typedef struct sa_file {
    char *data; /* size bytes and a terminating zero */
    size_t size;
    const char *name;
} sa_file;

void sa_file_release(sa_file *file);

/* The next line without its LF or CRLF, terminated in place; false at the end. A line above
 * SA_LINE_LIMIT, a NUL byte or a lone CR fails: `*failed` is set. */
typedef struct sa_lines {
    sa_file *file;
    size_t at, number; /* number of the last line returned, from 1 */
} sa_lines;
bool sa_lines_next(sa_lines *lines, char **line, size_t *size, bool *failed, sa_error *error);

/* folder/name, to be freed; NULL: memory. */
char *sa_path_join(const char *folder, const char *name, sa_error *error);

#endif
