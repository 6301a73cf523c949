/* metric_tokenizer: tokenization for metrics.
 *
 *   13a    as the NIST script mteval-v13a: symbols are tokens, dots and commas too except in
 * numbers none   tokens separated by white space char   every character except white space
 *
 * White space is that of Python's str.split: ASCII and Unicode, including no-break spaces. */
#ifndef SA_METRICS_METRIC_TOKENIZER_H
#define SA_METRICS_METRIC_TOKENIZER_H

#include "base/memory.h"

typedef struct sa_metric_tokenizer {
    const char *name;
    /* Appends the tokens of a line (valid UTF-8), separated by single spaces. */
    void (*tokenize)(const char *text, sa_buffer *out);
} sa_metric_tokenizer;

extern const sa_metric_tokenizer sa_metric_tokenizers[]; /* ends with a NULL name */

/* For option rows: the name of a row, NULL after the last. */
const char *sa_metric_tokenizer_name(size_t row);

/* Bytes of the white space character at text, or 0. */
size_t sa_metric_space_size(const char *text);
/* Bytes of the character at text, which is not empty. */
size_t sa_metric_character_size(const char *text);
/* The next word and its size; moves *text past it. NULL at the end. */
const char *sa_metric_next_word(const char **text, size_t *size);

#endif
