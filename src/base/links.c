#include "base/links.h"
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

/* A plain decimal number of at most 7 digits: no line holds more words. */
static bool number(const char **at, int *value) {
    const char *start = *at;
    for (*value = 0; **at >= '0' && **at <= '9' && *at - start < 7; (*at)++)
        *value = *value * 10 + (**at - '0');
    return *at > start;
}

static bool one(const char **at, sa_link *link) {
    if (!number(at, &link->source)) return false;
    if (**at != '-' && **at != 'p') return false;
    link->possible = *(*at)++ == 'p';
    return number(at, &link->target) && (**at == ' ' || **at == 0);
}

bool sa_links_parse(const char *text, sa_link **links, size_t *count, sa_error *error) {
    sa_link *list = NULL;
    size_t capacity = 0, used = 0;
    for (const char *at = text + strspn(text, " "); *at; at += strspn(at, " ")) {
        sa_link link;
        const char *start = at;
        if (!one(&at, &link)) {
            free(list);
            return sa_fail(error, SA_DATA, "bad alignment link '%.*s'; expected i-j or ipj",
                           (int)strcspn(start, " "), start);
        }
        if (links && !sa_reserve(&list, &capacity, used + 1, sizeof *list, error)) {
            free(list);
            return false;
        }
        if (links) list[used] = link;
        used++;
    }
    if (links) *links = list;
    if (count) *count = used;
    return true;
}
