/* json: reads JSON from untrusted files, makes JSON values, and writes them. jansson silently drops
 * members when memory runs out. The command therefore sets an allocator that never fails
 * (json_set_alloc_funcs); the library records whether an allocation has failed. */
#pragma once

#include "base/memory.h"
#include <jansson.h>

/* Returns the value of the text; release it with json_decref. SA_DATA, with a message that names
 * `file`, its `part` and the byte: the text is not JSON, repeats a key, nests deeper than `depth`
 * (the parser is recursive), or needs too much memory; SA_LIMIT: out of memory. */
json_t *sa_json_parse(const char *text, size_t size, int depth, const char *file, const char *part,
                      sa_error *error);

/* Makes sa_json_short tell this thread, from now on, whether an allocation for JSON has failed.
 * Wraps the functions that the program set with json_set_alloc_funcs. */
void sa_json_watch(void);
bool sa_json_short(void);

/* Returns a number, or null for infinities and NaN. */
json_t *sa_json_number(double value);
/* Returns the text of a buffer and releases it; sets *failed if the buffer ran out of memory. */
json_t *sa_json_buffer(sa_buffer *text, bool *failed);
/* Returns a list of strings; null for NULL. */
json_t *sa_json_words(const char *const *words, int count);
/* Returns a list of numbers. */
json_t *sa_json_vector(const double *x, int count);
/* Returns a list of rows; null for NULL. */
json_t *sa_json_matrix(const double *x, int rows, int cols);
/* Returns a list of matrices that are stored one after the other. */
json_t *sa_json_matrices(const double *x, int count, int rows, int cols);

/* Appends the value as ASCII with a line feed, and releases it. form: JSON_INDENT(2), or
 * JSON_COMPACT for a single line. Sets out->failed if the value is NULL or sa_json_short is true.
 */
void sa_json_add(json_t *value, size_t form, sa_buffer *out);
