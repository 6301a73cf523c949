/* line_input: the lines of a file or of standard input. A line from a terminal or pipe is available
 * before the next one arrives. */
#ifndef SA_CLI_INPUT_H
#define SA_CLI_INPUT_H

#include "data/text_lines.h"

typedef struct cli_input {
    sa_text_lines reader;
    bool interactive; /* a terminal or pipe: the reader's file holds the complete lines so far */
    bool ended;       /* end of input */
    size_t received;  /* bytes, with the beginning of an incomplete line */
    size_t capacity;
    bool first_column; /* set by the caller: lines end at their first tab */
    size_t tab_line;   /* the first line with a tab so far, from 1; 0: none */
} cli_input;

/* path: NULL or "-" is standard input; it must outlive the input. A file may be gzip. */
bool cli_input_open(cli_input *input, const char *path, sa_error *error);
void cli_input_close(cli_input *input);

/* The next lines, valid UTF-8 without line ends, until the next call: at least one, at most
 * max_lines, and only those that are available. *count is 0 at the end of the input. */
bool cli_input_next(cli_input *input, const char **lines, size_t max_lines, size_t *count,
                    sa_error *error);

#endif
