/* argument: the checks with which public functions begin. Each answers SA_USAGE, naming the
 * argument or field, and returns false when it does not hold. */
#ifndef SA_BASE_ARGUMENT_H
#define SA_BASE_ARGUMENT_H

#include "base/error.h"

/* The pointer is not NULL. */
bool sa_given(const void *pointer, const char *name, sa_error *error);

/* The number is in the range. */
bool sa_within(int64_t number, int64_t min, int64_t max, const char *name, sa_error *error);

/* The count is no more than an int holds, as a negative number passed for it is not; and unless it
 * is 0, the array is not NULL. */
bool sa_given_array(const void *array, size_t count, const char *name, sa_error *error);

/* The same for arrays whose texts must not be NULL, either, and must be UTF-8. */
bool sa_given_texts(const char *const *texts, size_t count, const char *name, sa_error *error);
bool sa_given_pairs(const sa_pair *pairs, size_t count, const char *name, sa_error *error);

/* Its sizes and words; its weights may be NULL. */
bool sa_given_alignment(const sa_alignment *alignment, const char *name, sa_error *error);

/* A corpus that was opened, or put together by a program. */
bool sa_given_corpus(const sa_corpus *corpus, const char *name, sa_error *error);

#endif
