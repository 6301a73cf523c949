#include "report/fit_width.h"
#include "base/error.h"
#include "base/utf8.h"

#include <string.h>

/* Whether a character has enough combining marks to cover its neighbors. */
static bool has_mark_flood(const char *cluster, size_t size) {
    enum { MARKS = 4 };
    int marks = 0;
    for (size_t at = 0, length; at < size; at += length) {
        sa_utf8_codepoint(cluster + at, size - at, &length);
        marks += sa_utf8_width(cluster + at, length) == 0;
    }
    return marks > MARKS;
}

int sa_fit_width(const char *word, int max_columns, char *out, size_t capacity) {
    char safe[1024];
    sa_escape(safe, sizeof safe, word, strlen(word));
    const size_t size = strlen(safe);
    size_t at = 0;
    int columns = 0;
    while (at < size) {
        const size_t next = sa_utf8_grapheme_size(safe + at, size - at);
        const int width = sa_utf8_width(safe + at, next);
        const bool last = at + next == size;
        if (columns + width > max_columns - !last || at + next + 4 > capacity ||
            has_mark_flood(safe + at, next)) {
            memcpy(out + at, "…", sizeof "…");
            return columns + 1;
        }
        memcpy(out + at, safe + at, next);
        at += next;
        columns += width;
    }
    out[at] = 0;
    return columns;
}
