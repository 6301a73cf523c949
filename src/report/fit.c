#include "report/fit.h"
#include "base/error.h"
#include "text/utf8.h"

#include <string.h>

int sa_fit(const char *word, int most, char *out, size_t room) {
    char safe[1024];
    sa_escape(safe, sizeof safe, word, strlen(word));
    const size_t size = strlen(safe);
    size_t at = 0;
    int columns = 0;
    while (at < size) {
        const size_t next = sa_utf8_cluster(safe + at, size - at);
        const int width = sa_utf8_width(safe + at, next);
        const bool last = at + next == size;
        if (columns + width > most - !last || at + next + 4 > room) {
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
