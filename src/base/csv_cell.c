#include "base/csv_cell.h"

#include <string.h>

/* Whether a spreadsheet would run a cell that begins like this. */
static bool runs(const char *text) {
    static const char *const wide[] = {"＝", "＋", "－", "＠"};
    if (*text && strchr("=+-@\t\r\n", *text)) return true;
    for (size_t i = 0; i < sizeof wide / sizeof *wide; i++)
        if (strncmp(text, wide[i], strlen(wide[i])) == 0) return true;
    return false;
}

/* Whether a reader that strips one ' would strip too much or too little without one more. */
static bool needs_quote(const char *word) {
    return runs(word + strspn(word, "'"));
}

void sa_cell_add(sa_buffer *out, const char *word) {
    const bool quoted = strpbrk(word, ",\"\n\r");
    if (quoted) sa_buffer_adds(out, "\"");
    if (needs_quote(word)) sa_buffer_adds(out, "'");
    for (; *word; word++) sa_buffer_add(out, *word == '"' ? "\"\"" : word, *word == '"' ? 2 : 1);
    if (quoted) sa_buffer_adds(out, "\"");
}

const char *sa_cell_word(const char *text) {
    return *text == '\'' && needs_quote(text) ? text + 1 : text;
}
