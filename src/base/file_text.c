#include "base/file_text.h"
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

char *sa_path_join(const char *folder, const char *name, sa_error *error) {
    sa_buffer path = {0};
    sa_buffer_addf(&path, "%s/%s", folder, name);
    if (!path.failed) return path.text;
    sa_fail_memory(error, path.size);
    sa_buffer_release(&path);
    return NULL;
}

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
