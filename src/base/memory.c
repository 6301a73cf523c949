#include "base/memory.h"

#ifdef __GLIBC__
#include <malloc.h>
#include <pthread.h>
#endif
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

void sa_advise(void *memory, size_t size, size_t unit, int advice) {
    const uintptr_t start = (uintptr_t)memory, first = (start + unit - 1) / unit * unit,
                    end = (start + size) / unit * unit;
    if (memory && first < end) madvise((char *)memory + (first - start), end - first, advice);
}

void sa_advise_huge_pages(void *memory, size_t size) {
    sa_advise(memory, size, 1 << 21, MADV_HUGEPAGE);
}

void *sa_new(size_t count, size_t size, sa_error *error) {
    void *memory = calloc(count ? count : 1, size ? size : 1);
    if (!memory) sa_fail_memory(error, count * size);
    sa_advise_huge_pages(memory, count * size);
    return memory;
}

void sa_return_memory(void) {
#ifdef __GLIBC__
    /* glibc's allocator initializes itself at first use, without a lock. Where another allocator
     * replaces malloc, such as a sanitizer's, this may be that use, in two threads at once. */
    static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&one_at_a_time);
    malloc_trim(0); /* otherwise it keeps what lies below memory that is in use */
    pthread_mutex_unlock(&one_at_a_time);
#endif
}

bool sa_resize(void **place, size_t count, size_t size, sa_error *error) {
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes)) return sa_fail_memory(error, SIZE_MAX);
    void *memory = realloc(*place, bytes ? bytes : 1);
    if (!memory) return sa_fail_memory(error, bytes);
    *place = memory;
    return true;
}

char *sa_copy(const char *text, size_t size, sa_error *error) {
    char *copy = size < SIZE_MAX ? sa_new(size + 1, 1, error) : NULL;
    if (copy) memcpy(copy, text, size);
    return copy;
}

bool sa_reserve(void *place, size_t *capacity, size_t need, size_t size, sa_error *error) {
    if (need <= *capacity) return true;
    size_t wanted = *capacity < SIZE_MAX / 2 ? *capacity * 2 : SIZE_MAX;
    if (wanted < need) wanted = need;
    if (wanted < 16) wanted = 16;
    void *array; /* copied with memcpy: the caller's pointer may have any type */
    memcpy(&array, place, sizeof array);
    if (!sa_resize(&array, wanted, size, error)) return false;
    memcpy(place, &array, sizeof array);
    *capacity = wanted;
    return true;
}

bool sa_append(void *place, size_t *count, size_t *capacity, const void *item, size_t size,
               sa_error *error) {
    char *array;
    if (!sa_reserve(place, capacity, *count + 1, size, error)) return false;
    memcpy(&array, place, sizeof array);
    memcpy(array + size * (*count)++, item, size);
    return true;
}

/* Makes room for `size` more bytes and a terminating zero. */
static bool extend(sa_buffer *buffer, size_t size) {
    buffer->failed =
        buffer->failed || size > SIZE_MAX - buffer->size - 1 ||
        !sa_reserve(&buffer->text, &buffer->capacity, buffer->size + size + 1, 1, NULL);
    return !buffer->failed;
}

void sa_buffer_add(sa_buffer *buffer, const char *text, size_t size) {
    if (!extend(buffer, size)) return;
    if (size) memcpy(buffer->text + buffer->size, text, size);
    buffer->size += size;
    buffer->text[buffer->size] = 0;
}

void sa_buffer_adds(sa_buffer *buffer, const char *text) {
    sa_buffer_add(buffer, text, strlen(text));
}

void sa_buffer_pad(sa_buffer *buffer, int count) {
    while (count-- > 0) sa_buffer_add(buffer, " ", 1);
}

__attribute__((format(printf, 2, 0))) static void
add_formatted(sa_buffer *buffer, const char *format, va_list arguments) {
    va_list again;
    va_copy(again, arguments);
    char few[256];
    const int size = vsnprintf(few, sizeof few, format, arguments);
    if (size < (int)sizeof few) {
        buffer->failed |= size < 0;
        sa_buffer_add(buffer, few, size < 0 ? 0 : (size_t)size);
    } else if (extend(buffer, (size_t)size)) {
        vsnprintf(buffer->text + buffer->size, (size_t)size + 1, format, again);
        buffer->size += (size_t)size;
    }
    va_end(again);
}

void sa_buffer_addf(sa_buffer *buffer, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    add_formatted(buffer, format, arguments);
    va_end(arguments);
}

char *sa_buffer_take(sa_buffer *buffer, sa_error *error) {
    sa_buffer_add(buffer, "", 0);
    if (!buffer->failed) return buffer->text;
    sa_fail_memory(error, buffer->size);
    sa_buffer_release(buffer);
    return NULL;
}

char *sa_format(sa_error *error, const char *format, ...) {
    sa_buffer text = {0};
    va_list arguments;
    va_start(arguments, format);
    add_formatted(&text, format, arguments);
    va_end(arguments);
    return sa_buffer_take(&text, error);
}

const char *sa_path_in(char path[SA_PATH_SIZE], const char *folder, const char *name) {
    snprintf(path, SA_PATH_SIZE, "%s/%s", folder, name);
    return path;
}

void sa_buffer_add_safe(sa_buffer *buffer, const char *text, size_t size, const char *keep) {
    for (size_t i = 0; i < size;) {
        char escaped[SA_ESCAPED];
        if (text[i] && strchr(keep, text[i])) {
            sa_buffer_add(buffer, text + i++, 1);
            continue;
        }
        i += sa_escape_first(escaped, text + i, size - i);
        sa_buffer_adds(buffer, escaped);
    }
}

void sa_buffer_release(sa_buffer *buffer) {
    free(buffer->text);
    *buffer = (sa_buffer){0};
}

int sa_token_compare(sa_token a, sa_token b) {
    const int order = memcmp(a.text, b.text, a.size < b.size ? a.size : b.size);
    return order ? order : (a.size > b.size) - (a.size < b.size);
}
