/* memory: the only room of malloc. Sizes are multiplied with overflow checks; a failure is an
 * sa_error with code SA_LIMIT. Everything is given back with free(). */
#ifndef SA_BASE_MEMORY_H
#define SA_BASE_MEMORY_H

#include "base/error.h"

/* count * size zeroed bytes (at least one), or NULL. */
void *sa_new(size_t count, size_t size, sa_error *error);

/* Fresh memory of some megabytes is there sooner in large pages, where the system has them. */
void sa_advise_huge_pages(void *memory, size_t size);

/* As realloc of *place to count * size bytes; on failure *place is as it was. New bytes are not
 * zeroed. */
bool sa_resize(void **place, size_t count, size_t size, sa_error *error);

/* A copy of size bytes with a terminating zero. */
char *sa_copy(const char *text, size_t size, sa_error *error);

/* Grows an array geometrically so that it holds at least `need` items. `place` points at the
 * array's pointer. */
bool sa_reserve(void *place, size_t *capacity, size_t need, size_t size, sa_error *error);

/* A growing run of bytes, for whatever is written piece by piece. Appending never reports: after
 * the first failure `failed` stays true and further text is dropped; the one who uses the bytes
 * checks it once. `text` is always terminated once something was appended. */
typedef struct sa_buffer {
    char *text;
    size_t size, capacity;
    bool failed;
} sa_buffer;

void sa_buffer_add(sa_buffer *buffer, const char *text, size_t size);
void sa_buffer_adds(sa_buffer *buffer, const char *text);
void sa_buffer_addf(sa_buffer *buffer, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void sa_buffer_release(sa_buffer *buffer);

#endif
