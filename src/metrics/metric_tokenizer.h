/* cut: how a metric cuts a line into tokens.
 *
 *   13a    as the NIST script mteval-v13a: symbols stand alone, dots and commas not inside numbers
 *   none   whatever stands between white space
 *   char   every character that is no white space
 *
 * White space is what Python's str.split knows: ASCII's, and Unicode's with the no-break spaces. */
#ifndef SA_METRICS_METRIC_TOKENIZER_H
#define SA_METRICS_METRIC_TOKENIZER_H

#include "base/memory.h"

typedef struct sa_metric_tokenizer {
    const char *name;
    /* Appends the tokens of a line (valid UTF-8), one space between two. */
    void (*cut)(const char *text, sa_buffer *out);
} sa_metric_tokenizer;

extern const sa_metric_tokenizer sa_metric_tokenizers[]; /* ends with a NULL name */

/* For the option rows: the name of a row, NULL after the last. */
const char *sa_metric_tokenizer_name(size_t row);

/* Bytes of the white space at text, 0 when it begins with something else. */
size_t sa_metric_space_size(const char *text);
/* Bytes of the character at text, which is not empty. */
size_t sa_metric_character_size(const char *text);
/* The next run without white space and its bytes, leaving *text behind it; NULL at the end. */
const char *sa_metric_next_word(const char **text, size_t *size);

#endif
