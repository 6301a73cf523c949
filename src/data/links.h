/* links: word alignments in Pharaoh format: "0-0 1-2 2p1".
 *
 * Each link is a source and a target position, counted from 0; '-' marks a sure link, 'p' a
 * possible one. */
#ifndef SA_DATA_LINKS_H
#define SA_DATA_LINKS_H

#include "base/batch.h"

/* Parses the links of a line in their order; blank text has none. SA_DATA names the malformed link;
 * the caller adds file and line. *links is freed with free(). */
bool sa_links_parse(const char *text, sa_link **links, size_t *count, sa_error *error);

/* The same for a line of an alignment file, which may begin with a number and a tab and whose
 * positions count from `base`. SA_DATA also when a position is below it. */
bool sa_links_parse_line(const char *line, int base, sa_link **links, size_t *count,
                         sa_error *error);

/* Parses the gold links of a pair of the corpus with `sources` and `targets` tokens. SA_DATA, with
 * file and line, when a link is beyond them. *links is freed with free(). */
bool sa_links_parse_gold(const sa_corpus *corpus, const sa_pair *pair, int sources, int targets,
                         sa_link **links, size_t *count, sa_error *error);

#endif
