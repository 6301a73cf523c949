/* overlap: pairs that are found among other pairs, letter by letter. */
#ifndef SA_ANALYSIS_OVERLAP_H
#define SA_ANALYSIS_OVERLAP_H

#include "base/error.h"

/* How many pairs of `tested` have a source that is one of `known`, and how many are such pairs as a
 * whole. */
bool sa_overlap_count(const sa_corpus *tested, const sa_corpus *known, size_t *sources,
                      size_t *pairs, sa_error *error);

#endif
