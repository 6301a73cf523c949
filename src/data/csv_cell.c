#include "data/csv_cell.h"

#include <string.h>

/* Whether a spreadsheet would run a cell that begins like this. */
static bool is_formula(const char *text) {
    static const char *const wide[] = {"＝", "＋", "－", "＠"};
    if (*text && strchr("=+-@\t\r\n", *text)) return true;
    for (size_t i = 0; i < sizeof wide / sizeof *wide; i++)
        if (strncmp(text, wide[i], strlen(wide[i])) == 0) return true;
    return false;
}

/* Whether a reader that strips one ' would get the word wrong without an additional one. */
static bool needs_escape(const char *word) {
    return is_formula(word + strspn(word, "'"));
}

/* A reader may trim a cell without quotes; a space is a token of its own among characters. */
static bool begins_or_ends_blank(const char *word) {
    const size_t size = strlen(word);
    return size && (strchr(" \t", *word) || strchr(" \t", word[size - 1]));
}

static void add(sa_buffer *out, const char *prefix, const char *word) {
    const bool quoted = strpbrk(word, ",\"\n\r") || begins_or_ends_blank(word);
    if (quoted) sa_buffer_adds(out, "\"");
    sa_buffer_adds(out, prefix);
    for (; *word; word++) sa_buffer_add(out, *word == '"' ? "\"\"" : word, *word == '"' ? 2 : 1);
    if (quoted) sa_buffer_adds(out, "\"");
}

void sa_csv_cell_add(sa_buffer *out, const char *word) {
    add(out, needs_escape(word) ? "'" : "", word);
}

void sa_csv_cell_add_plain(sa_buffer *out, const char *word) {
    add(out, "", word);
}

const char *sa_csv_cell_unescape(const char *text) {
    return *text == '\'' && needs_escape(text) ? text + 1 : text;
}
