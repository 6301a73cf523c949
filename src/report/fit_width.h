/* fit_width: words in few columns. */
#ifndef SA_REPORT_FIT_WIDTH_H
#define SA_REPORT_FIT_WIDTH_H

#include <stddef.h>

/* Writes the word, escaped for display, to out[capacity], truncated with an ellipsis to max_columns
 * or before a character with too many combining marks. Returns its columns. */
int sa_fit_width(const char *word, int max_columns, char *out, size_t capacity);

#endif
