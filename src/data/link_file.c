#include "data/link_file.h"
#include "base/number.h"

#include <stdlib.h>
#include <string.h>

typedef struct numbered_link {
    int sentence, source, target; /* from 1 */
    bool possible;
} numbered_link;

/* A number of up to nine digits and the blanks after it. */
static bool read_number(const char **text, int *number) {
    const size_t digits = strspn(*text, "0123456789");
    if (!digits || digits > 9) return false;
    *number = atoi(*text);
    *text += digits;
    *text += strspn(*text, " \t");
    return true;
}

static bool read_link(const char *line, numbered_link *link) {
    double confidence;
    if (!read_number(&line, &link->sentence) || !read_number(&line, &link->source) ||
        !read_number(&line, &link->target))
        return false;
    link->possible = *line == 'P';
    if (*line == 'S' || *line == 'P') line++;
    line += strspn(line, " \t");
    return !*line || sa_number_parse(line, &confidence);
}

/* Whether the first line is one of NAACL's. */
static bool is_numbered(const sa_file *file) {
    char line[64] = "";
    numbered_link link;
    memcpy(line, file->data, strnlen(file->data, sizeof line - 1));
    line[strcspn(line, "\r\n")] = 0;
    return read_link(line, &link);
}

/* The file as lines of links. */
static bool add_lines(sa_text_lines *reader, size_t lines, int base, sa_buffer *out,
                      sa_error *error) {
    enum { MOST = 1 << 24 };
    size_t size, sentence = 1;
    char *line;
    bool failed = false;
    while (!failed && sa_text_lines_next(reader, &line, &size, &failed, error)) {
        numbered_link link;
        if (!*line) continue;
        if (!read_link(line, &link) || (size_t)link.sentence < sentence ||
            (size_t)link.sentence > (lines ? lines : MOST))
            return sa_fail(error, SA_DATA,
                           "%s:%zu: expected a sentence from %zu to %zu, source and target, "
                           "counted from 1, then perhaps S or P and a confidence",
                           reader->file.name, reader->lines.number, sentence, lines ? lines : MOST);
        for (; sentence < (size_t)link.sentence; sentence++) sa_buffer_adds(out, "\n");
        if (link.source && link.target)
            sa_buffer_addf(out, "%d%c%d ", link.source - 1 + base, link.possible ? 'p' : '-',
                           link.target - 1 + base);
    }
    do sa_buffer_adds(out, "\n");
    while (sentence++ < lines);
    return !failed;
}

bool sa_link_file_open(sa_text_lines *reader, const char *path, size_t lines, int base,
                       sa_error *error) {
    if (!sa_text_lines_open(reader, path, error)) return false;
    if (!is_numbered(&reader->file)) return true;
    sa_buffer text = {0};
    const bool good = add_lines(reader, lines, base, &text, error);
    const size_t size = text.size;
    sa_file_release(&reader->file);
    reader->lines.at = reader->lines.number = 0;
    reader->file.data = good ? sa_buffer_take(&text, error) : NULL;
    reader->file.size = size;
    if (!good) sa_buffer_release(&text);
    return reader->file.data;
}
