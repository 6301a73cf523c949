/* json: reads JSON from untrusted files, makes JSON values, and writes them.
 *
 * jansson drops members that find no memory without a word. The command therefore gives it an
 * allocator that never fails (json_set_alloc_funcs); the library, which serves other programs,
 * notes whether one has failed. */
#pragma once

#include "base/memory.h"
#include <jansson.h>

/* The value of the text, to be released with json_decref. NULL and SA_DATA, with a message that
 * names `file`, its `part` and the byte, when it is not JSON, has a duplicate key, is nested deeper
 * than `depth` (the parser is recursive) or would take too much memory; SA_LIMIT: out of memory. */
json_t *sa_json_parse(const char *text, size_t size, int depth, const char *file, const char *part,
                      sa_error *error);

/* From here on sa_json_short tells this thread whether a value found no memory. The functions that
 * jansson allocates with stay those of the program, and are wrapped. */
void sa_json_watch(void);
bool sa_json_short(void);

/* A number, or null for what JSON has no number for. */
json_t *sa_json_number(double value);
/* The text of a buffer, which is released; *failed becomes true if it had run out of memory. */
json_t *sa_json_buffer(sa_buffer *text, bool *failed);
/* A list of strings; null for NULL. */
json_t *sa_json_words(const char *const *words, int count);
/* A list of numbers. */
json_t *sa_json_vector(const double *x, int count);
/* A list of rows; null for NULL. */
json_t *sa_json_matrix(const double *x, int rows, int cols);
/* A list of matrices, of which one lies behind the other. */
json_t *sa_json_matrices(const double *x, int count, int rows, int cols);

/* Appends the value as indented ASCII and a line feed, and releases it. NULL sets out->failed, and
 * so does sa_json_short. */
void sa_json_add(json_t *value, sa_buffer *out);
/* The same on a single line. */
void sa_json_add_line(json_t *value, sa_buffer *out);
