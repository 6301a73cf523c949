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

/* The links of a pair. */
typedef struct sa_gold_alignment {
    const sa_link *links;
    size_t count;
} sa_gold_alignment;

/* Reads the links of one line in their order; blank text has none. SA_DATA names the link that does
 * not read as one; the caller puts file and line in front. *links is freed with free(). */
bool sa_links_parse(const char *text, sa_link **links, size_t *count, sa_error *error);

/* The same of a line of a file of alignments, where a number and a tab may stand first and
 * positions count from `base`. SA_DATA also when a position lies below it. */
bool sa_links_parse_line(const char *line, int base, sa_link **links, size_t *count,
                         sa_error *error);

/* The gold links of a pair of the corpus whose sides have so many words. SA_DATA, naming file and
 * line, when one lies beyond them. *links is freed with free(). */
bool sa_links_parse_gold(const sa_corpus *corpus, const sa_pair *pair, int sources, int targets,
                         sa_link **links, size_t *count, sa_error *error);

/* By source, then target: below, at or above 0. */
int sa_link_compare(const sa_link *a, const sa_link *b);

/* Sorts, and keeps one link of each place, the sure one if there is one. Returns how many are left.
 */
size_t sa_links_deduplicate(sa_link *links, size_t count);

#endif
