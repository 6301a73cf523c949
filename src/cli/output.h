/* output: results on standard output or in a file, with no write error lost. */
#ifndef SA_CLI_OUTPUT_H
#define SA_CLI_OUTPUT_H

#include "base/json_values.h"
#include "metrics/bootstrap.h"

/* Opens what the caller of the program has closed among standard input, output and error as
 * something that fails: no file opened later can take such a place and be written into. Where
 * memory for JSON runs out, the command ends. */
void cli_output_init(void);

/* Writes the buffer to standard output and empties it. SA_IO when that fails, without text when the
 * reader has gone away: `softalign translate | head` ends silently. SA_LIMIT when the buffer had
 * run out of memory. The buffer is released on failure. */
bool cli_print(sa_buffer *buffer, sa_error *error);

/* Appends the words of a line from column `column` on, broken before the 80th. */
void cli_wrap(sa_buffer *out, const char *line, size_t column);

/* Prints JSON and releases it. */
bool cli_print_json(json_t *value, sa_error *error);

/* The mean and the 95 % bootstrap confidence interval. */
json_t *cli_json_interval(const sa_confidence_interval *interval);

/* Writes the buffer to `path` ("-": standard output; a device or pipe is written into, any other
 * file is replaced as a whole) and releases it. */
bool cli_save(const char *path, sa_buffer *buffer, sa_error *error);

/* SA_USAGE when writing to `output` would destroy `input`, a path or PAIRS. Both may be NULL. */
bool cli_refuse_overwrite(const char *input, const char *output, sa_error *error);

#endif
