#include "data/text_lines.h"
#include "base/utf8.h"

#include <string.h>

bool sa_text_lines_open(sa_text_lines *reader, const char *path, sa_error *error) {
    *reader = (sa_text_lines){0};
    if (!sa_file_read(&reader->file, path, SA_FILE_LIMIT, error)) return false;
    reader->lines.file = &reader->file;
    const sa_file *file = &reader->file;
    reader->lines.at = sa_utf8_mark_size(file->data, file->size);
    const char *guess = sa_utf8_guess_format(file->data, file->size);
    if (!guess) return true;
    sa_fail(error, SA_DATA, "%s:1: not UTF-8 (looks like %s)", file->name, guess);
    sa_text_lines_close(reader);
    return false;
}

void sa_text_lines_close(sa_text_lines *reader) {
    sa_file_release(&reader->file);
}

bool sa_text_lines_next(sa_text_lines *reader, char **line, size_t *size, bool *failed,
                        sa_error *error) {
    size_t bad;
    if (!sa_lines_next(&reader->lines, line, size, failed, error)) return false;
    if (sa_utf8_valid(*line, *size, &bad)) return true;
    *failed =
        !sa_fail(error, SA_DATA,
                 "%s:%zu: not UTF-8 at byte %zu: 0x%02X (perhaps an 8-bit code like Latin-1)",
                 reader->file.name, reader->lines.number, bad + 1, (unsigned char)(*line)[bad]);
    return false;
}
