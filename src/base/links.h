/* links: word alignments in Pharaoh form, "0-0 1p2": source word - target word, both counted from
 * 0; "-" is a sure link, "p" a possible one. */
#ifndef SA_BASE_LINKS_H
#define SA_BASE_LINKS_H

#include "base/error.h"

typedef struct sa_link {
    int source, target;
    bool possible;
} sa_link;

/* Reads the links of one line, in the order written, repetitions kept; an empty line has none.
 * `links` is freed by the caller; NULL for both results only checks the form. Fails with SA_DATA,
 * quoting the link; the caller, who knows the file and line, puts them in front. */
bool sa_links_parse(const char *text, sa_link **links, size_t *count, sa_error *error);

#endif
