#include "data/link_file.h"
#include "base/number.h"

#include <stdlib.h>
#include <string.h>

/* Reads three numbers (sentence, source and target) of up to nine digits, and the blanks after
 * each. */
static bool read_numbers(const char **text, int *number) {
    for (int i = 0; i < 3; i++) {
        const size_t digits = strspn(*text, "0123456789");
        if (!digits || digits > 9) return false;
        number[i] = atoi(*text);
        *text += digits;
        *text += strspn(*text, " \t");
    }
    return true;
}

static bool read_link(const char *line, int *number, bool *possible) {
    double confidence;
    if (!read_numbers(&line, number)) return false;
    *possible = *line == 'P';
    if (*line == 'S' || *line == 'P') line++;
    line += strspn(line, " \t");
    return !*line || sa_number_parse(line, &confidence);
}

/* Rewrites the file as lines of links. */
static bool add_lines(sa_text_lines *reader, size_t lines, int base, sa_buffer *out,
                      sa_error *error) {
    enum { MOST = 1 << 24 };
    size_t sentence = 1;
    while (sa_text_lines_next(reader, error)) {
        int number[3];
        bool possible;
        if (!reader->size) continue;
        if (!read_link(reader->line, number, &possible) || (size_t)*number < sentence ||
            (size_t)*number > (lines ? lines : MOST))
            return sa_fail(error, SA_DATA,
                           "%s:%zu: expected a sentence from %zu to %zu, source and target, "
                           "counted from 1, then perhaps S or P and a confidence",
                           reader->file.name, reader->number, sentence, lines ? lines : MOST);
        for (; sentence < (size_t)*number; sentence++) sa_buffer_adds(out, "\n");
        if (number[1] && number[2])
            sa_buffer_addf(out, "%d%c%d ", number[1] - 1 + base, possible ? 'p' : '-',
                           number[2] - 1 + base);
    }
    do sa_buffer_adds(out, "\n");
    while (sentence++ < lines);
    return !reader->failed;
}

bool sa_link_file_open(sa_text_lines *reader, const char *path, size_t lines, int base,
                       bool *open_end, sa_error *error) {
    int number[3];
    if (!sa_text_lines_open(reader, path, error)) return false;
    const char *start = reader->file.data + reader->at;
    if (!read_numbers(&start, number)) return true;
    if (open_end) *open_end = !lines;
    sa_buffer text = {0};
    const bool good = add_lines(reader, lines, base, &text, error);
    const size_t size = text.size;
    sa_file_release(&reader->file);
    reader->at = reader->number = 0;
    reader->file.data = good ? sa_buffer_take(&text, error) : NULL;
    reader->file.size = size;
    if (!good) sa_buffer_release(&text);
    return reader->file.data;
}
