/* overlap: test pairs that occur among other pairs, compared byte by byte. */
#ifndef SA_ANALYSIS_OVERLAP_H
#define SA_ANALYSIS_OVERLAP_H

#include "base/error.h"

/* Counts the pairs of `tested` whose source occurs in `known` (*sources, which may be NULL), and
 * those that occur there as a whole. */
bool sa_overlap_count(const sa_corpus *tested, const sa_corpus *known, size_t *sources,
                      size_t *pairs, sa_error *error);

#endif
