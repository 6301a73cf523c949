/* json: reads JSON from untrusted files. */
#ifndef SA_BASE_JSON_H
#define SA_BASE_JSON_H

#include "base/error.h"
#include <jansson.h>

/* The first byte from `at` on that is outside quoted strings, or size. `at` itself must be outside.
 */
size_t sa_json_skip_strings(const char *text, size_t size, size_t at);

/* The value of the text, to be released with json_decref. NULL and SA_DATA, with a message that
 * names `file`, its `part` and the byte, when it is not JSON, has a duplicate key, is nested deeper
 * than `depth` (checked first, because the parser is recursive) or would take too much memory;
 * SA_LIMIT: out of memory. */
json_t *sa_json_parse(const char *text, size_t size, int depth, const char *file, const char *part,
                      sa_error *error);

#endif
