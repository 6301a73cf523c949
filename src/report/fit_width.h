/* fit: words where columns are few. */
#ifndef SA_REPORT_FIT_H
#define SA_REPORT_FIT_H

#include <stddef.h>

/* Writes to `out` (room bytes) a word that is safe to show, cut with an ellipsis so that it takes
 * `most` columns at most, and before a character with a flood of marks. Returns its columns. */
int sa_fit_width(const char *word, int max_columns, char *out, size_t capacity);

#endif
