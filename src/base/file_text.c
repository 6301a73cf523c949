/* file_text: the part of base/file.h that needs nothing from the system. */
#include "base/file.h"
#include "base/utf8.h"

#include <stdlib.h>
#include <string.h>

void sa_file_release(sa_file *file) {
    free(file->data);
    file->data = NULL;
    file->size = 0;
}

bool sa_lines_next(sa_text_lines *reader, sa_error *error) {
    sa_file *file = &reader->file;
    if (reader->at >= file->size) return false;
    char *line = reader->line = file->data + reader->at;
    const size_t rest = file->size - reader->at;
    const char *end = memchr(line, '\n', rest);
    size_t size = end ? (size_t)(end - line) : rest;
    reader->at += size + (end != NULL);
    reader->number++;
    if (size && line[size - 1] == '\r') size--;
    line[size] = 0;
    reader->size = size;
    if (size > SA_LINE_LIMIT)
        reader->failed = !sa_fail(error, SA_LIMIT, "%s:%zu: line longer than %zu bytes", file->name,
                                  reader->number, SA_LINE_LIMIT);
    else if (memchr(line, 0, size))
        reader->failed = !sa_fail(error, SA_DATA, "%s:%zu: NUL byte (is this text, in UTF-8?)",
                                  file->name, reader->number);
    else if (memchr(line, '\r', size))
        reader->failed = !sa_fail(error, SA_DATA, "%s:%zu: carriage return inside a line",
                                  file->name, reader->number);
    return !reader->failed;
}

bool sa_text_lines_open(sa_text_lines *reader, const char *path, sa_error *error) {
    *reader = (sa_text_lines){0};
    return sa_file_read(&reader->file, path, SA_FILE_LIMIT, error) &&
           sa_text_lines_begin(reader, error);
}

bool sa_text_lines_begin(sa_text_lines *reader, sa_error *error) {
    const sa_file *file = &reader->file;
    reader->at = sa_utf8_mark_size(file->data, file->size);
    const char *command, *format = sa_file_format(file->data, file->size, true, &command);
    if (!format) return true;
    const bool other = *file->data == '<' || *file->data == 'v';
    sa_fail(error, SA_DATA, "%s:1: not %s (looks like %s)%s%s", file->name,
            other ? "the file itself" : "UTF-8", format,
            !command ? ""
            : other  ? "; this fetches it: "
                     : "; this converts it: ",
            command ? command : "");
    sa_text_lines_close(reader);
    return false;
}

void sa_text_lines_close(sa_text_lines *reader) {
    sa_file_release(&reader->file);
}

bool sa_text_lines_next(sa_text_lines *reader, sa_error *error) {
    size_t bad;
    if (!sa_lines_next(reader, error)) return false;
    if (sa_utf8_valid(reader->line, reader->size, &bad)) return true;
    reader->failed =
        !sa_fail(error, SA_DATA,
                 "%s:%zu: not UTF-8 at byte %zu: 0x%02X (perhaps an 8-bit code like Latin-1)",
                 reader->file.name, reader->number, bad + 1, (unsigned char)reader->line[bad]);
    return false;
}

/* ---- Saving ---------------------------------------------------------------------------------- */

bool sa_save_text(const char *path, const sa_buffer *text, sa_error *error) {
    return text->failed ? sa_fail_memory(error, text->size)
                        : sa_save(path, &(sa_chunk){text->text, text->size}, 1, error);
}

bool sa_save_text_in(const char *folder, const char *name, sa_buffer *text, sa_error *error) {
    char path[SA_PATH_SIZE];
    const bool good = sa_save_text(sa_path_in(path, folder, name), text, error);
    sa_buffer_release(text);
    return good;
}
