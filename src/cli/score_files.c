#include "cli/score_command.h"
#include "data/text_lines.h"

#include <stdlib.h>

static bool add_line(score_file *file, const char *line, size_t size, sa_error *error) {
    if (!sa_reserve(&file->line, &file->capacity, file->count + 1, sizeof *file->line, error))
        return false;
    file->line[file->count] = sa_copy(line, size, error);
    return file->line[file->count++] != NULL;
}

bool score_file_read(score_file *file, const char *path, sa_error *error) {
    sa_text_lines reader;
    bool failed = false;
    char *line;
    size_t size;
    if (!sa_text_lines_open(&reader, path, error)) return false;
    *file = (score_file){.name = reader.file.name};
    while (!failed && sa_text_lines_next(&reader, &line, &size, &failed, error))
        failed = !add_line(file, line, size, error);
    sa_text_lines_close(&reader);
    if (!failed && !file->count) failed = !sa_fail(error, SA_DATA, "%s: no lines", file->name);
    if (failed) score_file_release(file);
    return !failed;
}

bool score_file_read_beside(score_file *file, const char *path, const score_file *first,
                            sa_error *error) {
    if (!path) return true;
    if (!score_file_read(file, path, error)) return false;
    return file->count == first->count ||
           sa_fail(error, SA_DATA,
                   "'%s' has %zu lines, '%s' has %zu: they must have one line per sentence",
                   first->name, first->count, file->name, file->count);
}

void score_file_release(score_file *file) {
    for (size_t i = 0; i < file->count; i++) free(file->line[i]);
    free(file->line);
    *file = (score_file){0};
}
