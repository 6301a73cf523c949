/* links: a word alignment in Pharaoh form, one link after the other: "0-0 1-2 2p1".
 *
 * Positions count from 0, the source's first. A sure link is written with '-', a possible one (an
 * annotator's "may be aligned") with 'p'. */
#ifndef SA_BASE_LINKS_H
#define SA_BASE_LINKS_H

#include "base/error.h"

typedef struct sa_link {
    int source, target;
    bool possible;
} sa_link;

/* Reads the links of one line in their order; blank text has none. SA_DATA names the link that does
 * not read as one; the caller puts file and line in front. *links is freed with free(). */
bool sa_links_parse(const char *text, sa_link **links, size_t *count, sa_error *error);

#endif
