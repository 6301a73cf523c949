/* symmetrize: one alignment from those of both directions (Koehn, Och and Marcu 2003).
 *
 *   intersection  links in both
 *   union         links in either
 *   grow-diag     the intersection, and links of the union that are adjacent to an accepted link,
 *                 diagonals included, and have a word without an accepted link
 *
 * Growing visits the accepted links by source and target word, and their neighbors in the order of
 * sa_symmetrization_neighbors, until nothing changes. There is no final step. */
#ifndef SA_METRICS_SYMMETRIZE_H
#define SA_METRICS_SYMMETRIZE_H

#include "base/batch.h"

/* For option rows: the name of a method, NULL after the last. */
const char *sa_symmetrization_name(size_t row);

/* Offsets of a link's neighbors: source, target. */
extern const int sa_symmetrization_neighbors[8][2];

/* Combines the links of one sentence, all of them sure. Both lists are sorted and deduplicated.
 * *links is freed with free(). SA_LIMIT: a position is too large for any sentence. */
bool sa_symmetrize(int method, sa_link *forward, size_t forward_count, sa_link *backward,
                   size_t backward_count, sa_link **links, size_t *count, sa_error *error);

#endif
