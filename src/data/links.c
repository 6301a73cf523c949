#include "data/links.h"
#include "base/memory.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* Parses the digits at *text and moves *text past them. INT_MAX is refused: the number of words up
 * to that position would overflow. */
static bool read_position(const char **text, int *position) {
    const char *start = *text;
    *position = 0;
    for (; **text >= '0' && **text <= '9'; ++*text)
        if (__builtin_mul_overflow(*position, 10, position) ||
            __builtin_add_overflow(*position, **text - '0', position))
            return false;
    return *text > start && *position < INT_MAX;
}

static bool read_link(const char *text, const char *end, sa_link *link) {
    if (!read_position(&text, &link->source)) return false;
    link->possible = *text == 'p';
    if (*text != '-' && *text != 'p') return false;
    text++;
    return read_position(&text, &link->target) && text == end;
}

bool sa_links_parse(const char *text, sa_link **links, size_t *count, sa_error *error) {
    static const char blanks[] = " \t";
    sa_link *list = NULL;
    size_t used = 0, capacity = 0;
    for (text += strspn(text, blanks); *text; text += strspn(text, blanks)) {
        size_t size = strcspn(text, blanks);
        bool good = sa_reserve(&list, &capacity, used + 1, sizeof *list, error);
        if (good && !read_link(text, text + size, &list[used++]))
            good = sa_fail(error, SA_DATA,
                           "'%.*s' is no link; expected source-target as in 0-0 or 2p1",
                           size < 40 ? (int)size : 40, text);
        if (!good) {
            free(list);
            return false;
        }
        text += size;
    }
    *links = list;
    *count = used;
    return true;
}

/* Frees the links, one of which is wrong. */
static bool fail_links(sa_link **links) {
    free(*links);
    *links = NULL;
    return false;
}

bool sa_links_parse_line(const char *line, int base, sa_link **links, size_t *count,
                         sa_error *error) {
    const size_t number = strspn(line, "0123456789");
    if (number && line[number] == '\t') line += number + 1;
    if (!sa_links_parse(line, links, count, error)) return false;
    for (sa_link *link = *links; link < *links + *count; link++) {
        if (link->source < base || link->target < base) {
            sa_fail(error, SA_DATA, "link %d%c%d: positions count from %d", link->source,
                    link->possible ? 'p' : '-', link->target, base);
            return fail_links(links);
        }
        link->source -= base, link->target -= base;
    }
    return true;
}

bool sa_links_parse_gold(const sa_corpus *corpus, const sa_pair *pair, int sources, int targets,
                         sa_link **gold, size_t *count, sa_error *error) {
    if (!sa_links_parse(pair->gold, gold, count, error)) return false;
    for (const sa_link *link = *gold; link < *gold + *count; link++) {
        if (link->source < sources && link->target < targets) continue;
        sa_fail(error, SA_DATA, "%s:%zu: link %d-%d is beyond the sentence (%d and %d tokens)",
                corpus->name, pair->line, link->source, link->target, sources, targets);
        return fail_links(gold);
    }
    return true;
}
