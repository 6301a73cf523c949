/* file_text: the part of base/file.h that asks the system for nothing. */
#include "base/file.h"

#include <stdlib.h>
#include <string.h>

void sa_file_release(sa_file *file) {
    free(file->data);
    file->data = NULL;
    file->size = 0;
}

bool sa_lines_next(sa_lines *lines, char **line, size_t *size, bool *failed, sa_error *error) {
    sa_file *file = lines->file;
    if (lines->at >= file->size) return false;
    char *start = file->data + lines->at;
    size_t rest = file->size - lines->at;
    char *end = memchr(start, '\n', rest);
    size_t length = end ? (size_t)(end - start) : rest;
    lines->at += length + (end != NULL);
    lines->number++;
    if (length && start[length - 1] == '\r') length--;
    start[length] = 0;
    *line = start;
    *size = length;
    if (length > SA_LINE_LIMIT)
        *failed = !sa_fail(error, SA_LIMIT, "%s:%zu: line longer than %zu bytes", file->name,
                           lines->number, SA_LINE_LIMIT);
    else if (memchr(start, 0, length))
        *failed = !sa_fail(error, SA_DATA, "%s:%zu: NUL byte (is this text, in UTF-8?)", file->name,
                           lines->number);
    else if (memchr(start, '\r', length))
        *failed = !sa_fail(error, SA_DATA, "%s:%zu: carriage return inside a line", file->name,
                           lines->number);
    return !*failed;
}

/* ---- Saving ---------------------------------------------------------------------------------- */

bool sa_save_text(const char *path, const sa_buffer *text, sa_error *error) {
    return text->failed ? sa_fail_memory(error, text->size)
                        : sa_save(path, &(sa_chunk){text->text, text->size}, 1, error);
}

bool sa_save_text_in(const char *folder, const char *name, sa_buffer *text, sa_error *error) {
    char *path = sa_path_join(folder, name, error);
    const bool good = path && sa_save_text(path, text, error);
    sa_buffer_release(text);
    free(path);
    return good;
}
