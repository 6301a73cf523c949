/* input: the lines of a file or of standard input, as they come: a line typed or piped in can be
 * answered before the next one is there. */
#ifndef SA_CLI_INPUT_H
#define SA_CLI_INPUT_H

#include "base/file.h"

typedef struct cli_input {
    bool live;       /* a terminal or pipe: file holds what came and was not given out */
    bool ended;      /* nothing more will come */
    size_t received; /* bytes in file.data, of which file.size end in a whole line */
    size_t capacity;
    sa_file file;
    sa_lines lines;
} cli_input;

/* `path` NULL or "-": standard input. A file may be packed by gzip. The path must outlive it. */
bool cli_input_open(cli_input *input, const char *path, sa_error *error);
void cli_input_close(cli_input *input);

/* The next lines, without their ends: at least one, at most `room`, and no more than are there
 * without waiting. They stay until the next call. *count is 0 at the end of the input. */
bool cli_input_next(cli_input *input, const char **lines, size_t room, size_t *count,
                    sa_error *error);

#endif
