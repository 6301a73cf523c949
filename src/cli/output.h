/* output: results on standard output or in a file, with no write error lost. */
#ifndef SA_CLI_OUTPUT_H
#define SA_CLI_OUTPUT_H

#include "base/memory.h"
#include <jansson.h>

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

/* Appends JSON in ASCII and a line feed. Takes over `value`, which may be NULL: out of memory. */
void cli_add_json(json_t *value, sa_buffer *out);
/* The same on a single line. */
void cli_add_json_line(json_t *value, sa_buffer *out);
/* The same to standard output. */
bool cli_print_json(json_t *value, sa_error *error);
/* A number, or null for what JSON cannot say. */
json_t *cli_json_number(double value);
/* What the buffer holds; where it ran out of memory, the command ends. */
const char *cli_json_text(const sa_buffer *text);
/* The same as JSON; the buffer is released. */
json_t *cli_json_buffer(sa_buffer *text);
json_t *cli_json_words(const char *const *words, int count);
/* A list of rows; null for NULL. */
json_t *cli_json_matrix(const double *x, int rows, int cols);

/* folder/name, to be freed. */
char *cli_path(const char *folder, const char *name, sa_error *error);

/* Writes the buffer to `path` ("-": standard output; a device or pipe is written into, any other
 * file is replaced as a whole) and releases it. */
bool cli_save(const char *path, sa_buffer *buffer, sa_error *error);

/* SA_USAGE when writing to `output` would destroy `input`, a path or PAIRS. Both may be NULL. */
bool cli_refuse_overwrite(const char *input, const char *output, sa_error *error);

#endif
