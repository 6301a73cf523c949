/* input: the lines of a file or of standard input, as they come: a line typed or piped in can be
 * answered before the next one is there. */
#ifndef SA_CLI_INPUT_H
#define SA_CLI_INPUT_H

#include "data/text_lines.h"

typedef struct cli_input {
    sa_text_lines reader;
    bool interactive; /* a terminal or pipe: the reader's file holds the whole lines at hand */
    bool ended;       /* nothing more will come */
    size_t received;  /* bytes there are, the beginning of the next line included */
    size_t capacity;
} cli_input;

/* `path` NULL or "-": standard input. A file may be packed by gzip. The path must outlive it. */
bool cli_input_open(cli_input *input, const char *path, sa_error *error);
void cli_input_close(cli_input *input);

/* The next lines, checked, without their ends: at least one, at most `room`, and no more than are
 * there without waiting. They stay until the next call. *count is 0 at the end of the input. */
bool cli_input_next(cli_input *input, const char **lines, size_t max_lines, size_t *count,
                    sa_error *error);

#endif
