/* text_lines: the lines of a UTF-8 text file. */
#ifndef SA_DATA_TEXT_LINES_H
#define SA_DATA_TEXT_LINES_H

#include "base/file.h"

typedef struct sa_text_lines {
    sa_file file;
    sa_lines lines;
} sa_text_lines;

/* Reads the whole file ("-": standard input) and skips a byte order mark. */
bool sa_text_lines_open(sa_text_lines *reader, const char *path, sa_error *error);
void sa_text_lines_close(sa_text_lines *reader);

/* The next line: valid UTF-8, terminated. false at the end, or with *failed set: SA_DATA naming
 * file, line and byte. */
bool sa_text_lines_next(sa_text_lines *reader, char **line, size_t *size, bool *failed,
                        sa_error *error);

#endif
