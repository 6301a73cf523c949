/* output: results on standard output or in a file, with no write error lost. */
#ifndef SA_CLI_OUTPUT_H
#define SA_CLI_OUTPUT_H

#include "base/json_values.h"
#include "metrics/bootstrap.h"

/* Opens closed standard streams on /dev/null, so that no file opened later becomes one of them.
 * From then on the process exits when memory for JSON runs out. */
void cli_output_init(void);

/* Writes the buffer to standard output and empties it; on failure, as of sa_write_text, it is
 * released. */
bool cli_print(sa_buffer *buffer, sa_error *error);

/* Appends a line, wrapped at 80 columns and indented to `column`. */
void cli_wrap(sa_buffer *out, const char *line, size_t column);

/* Prints JSON and releases it. */
bool cli_print_json(json_t *value, sa_error *error);

/* The mean and the 95 % bootstrap confidence interval. */
json_t *cli_json_interval(const sa_confidence_interval *interval);

/* Writes the buffer to `path`, as sa_save_text does, or to standard output ("-"), and releases it.
 */
bool cli_save(const char *path, sa_buffer *buffer, sa_error *error);

/* SA_USAGE when `output` is the file `input`, or one of the PAIRS `input`. Both may be NULL. */
bool cli_refuse_overwrite(const char *input, const char *output, sa_error *error);

#endif
