/* combine: one alignment from those of both directions (Koehn, Och and Marcu 2003).
 *
 *   intersection  the links in both
 *   union         the links in any
 *   grow-diag     the intersection, and of the union what grows on it: a link beside one that is
 *                 in, diagonals included, comes in while one of its two words has no link yet
 *
 * Growing visits the links that are in by source word, then target word, and their neighbours in
 * the order of sa_symmetrization_neighbors, until nothing changes; a final step there is none. */
#ifndef SA_METRICS_SYMMETRIZE_H
#define SA_METRICS_SYMMETRIZE_H

#include "base/links.h"

/* For the option rows: the name of a way, NULL after the last. */
const char *sa_symmetrization_name(size_t row);

/* Words from a link to its neighbours: source, target. */
extern const int sa_symmetrization_neighbors[8][2];

/* Combines the links of one sentence, all of them sure. Both lists are sorted and lose what they
 * have twice. *links is freed with free(). SA_LIMIT: a position beyond any line of text. */
bool sa_symmetrize(int way, sa_link *forward, size_t forward_count, sa_link *backward,
                   size_t backward_count, sa_link **links, size_t *count, sa_error *error);

#endif
