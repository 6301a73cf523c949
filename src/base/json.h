/* json: JSON of a file from elsewhere, read without trusting it. */
#ifndef SA_BASE_JSON_H
#define SA_BASE_JSON_H

#include "base/error.h"
#include <jansson.h>

/* The first byte from `at` on (which is not within quotes) that stands outside of quoted text;
 * size: there is none. */
size_t sa_json_skip_strings(const char *text, size_t size, size_t at);

/* What the text says, to be freed by json_decref; NULL and SA_DATA when it is no JSON, has a key
 * twice, or objects and arrays stand more than `depth` deep in each other (the parser goes down by
 * recursion, so this is looked at before). `file` and its `part` stand in the message. SA_LIMIT:
 * out of memory. */
json_t *sa_json_parse(const char *text, size_t size, int depth, const char *file, const char *part,
                      sa_error *error);

#endif
