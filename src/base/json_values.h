/* json_values: JSON values made of ours, and JSON as text.
 *
 * jansson drops members that find no memory without a word. The command therefore gives it an
 * allocator that never fails (json_set_alloc_funcs); the library, which serves other programs,
 * notes whether one has failed. */
#ifndef SA_BASE_JSON_VALUES_H
#define SA_BASE_JSON_VALUES_H

#include "base/memory.h"

#include <jansson.h>

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

/* Appends the value as indented ASCII and a line feed, and releases it. NULL sets out->failed, and
 * so does sa_json_short. */
void sa_json_add(json_t *value, sa_buffer *out);
/* The same on a single line. */
void sa_json_add_line(json_t *value, sa_buffer *out);

#endif
