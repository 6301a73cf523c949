/* memory: allocation with overflow checks; only this file and base/arena.c call malloc. A failure
 * is an sa_error with code SA_LIMIT. Free everything with free(). */
#pragma once

#include "base/error.h"

#include <limits.h>

/* Returns count * size zeroed bytes (at least one), or NULL. */
void *sa_new(size_t count, size_t size, sa_error *error);

/* Calls madvise for the whole units of `unit` bytes inside the memory. */
void sa_advise(void *memory, size_t size, size_t unit, int advice);
/* Asks for huge pages: fresh memory of several megabytes is faulted in faster. */
void sa_advise_huge_pages(void *memory, size_t size);

/* Gives freed memory back to the system; worth the time after much memory was freed that is not
 * needed again. */
void sa_return_memory(void);

/* Reallocates *place to count * size bytes; on failure *place is unchanged. New bytes are not
 * zeroed. */
bool sa_resize(void **place, size_t count, size_t size, sa_error *error);

/* Returns a copy of `size` bytes with a terminating zero. */
char *sa_copy(const char *text, size_t size, sa_error *error);

/* Grows an array geometrically so that it holds at least `need` items. `place` points at the
 * array's pointer. */
bool sa_reserve(void *place, size_t *capacity, size_t need, size_t size, sa_error *error);
/* Appends a copy of the item of `size` bytes. */
bool sa_append(void *place, size_t *count, size_t *capacity, const void *item, size_t size,
               sa_error *error);

/* Returns the formatted text, or NULL; free it with free(). */
char *sa_format(sa_error *error, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Writes folder/name to `path` and returns it. A path that had to be truncated is also too long for
 * the system, which reports it when the path is used. */
enum { SA_PATH_SIZE = PATH_MAX + 1 };
const char *sa_path_in(char path[SA_PATH_SIZE], const char *folder, const char *name);

/* A growing string. Appending reports no errors: after a failure `failed` stays true and further
 * text is dropped; check it once, before you use the text. `text` is terminated after the first
 * append. */
typedef struct sa_buffer {
    char *text;
    size_t size, capacity;
    bool failed;
} sa_buffer;

void sa_buffer_add(sa_buffer *buffer, const char *text, size_t size);
void sa_buffer_adds(sa_buffer *buffer, const char *text);
void sa_buffer_addf(sa_buffer *buffer, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Appends `count` spaces, or none if it is negative. */
void sa_buffer_pad(sa_buffer *buffer, int count);
/* Appends text that is safe on a terminal: escaped as by sa_escape, except for the characters in
 * `keep`. */
void sa_buffer_add_safe(sa_buffer *buffer, const char *text, size_t size, const char *keep);
/* Returns the text, which is freed instead of the buffer. NULL: out of memory; nothing is left. */
char *sa_buffer_take(sa_buffer *buffer, sa_error *error);
void sa_buffer_release(sa_buffer *buffer);

/* A slice of a text, which must outlive it. */
typedef struct sa_token {
    const char *text;
    size_t size;
} sa_token;

/* Compares two tokens in byte order, as strcmp does. */
int sa_token_compare(sa_token a, sa_token b);
