/* alignment_weights: where the matrices of an alignment lie in its one array. */
#ifndef SA_BASE_ALIGNMENT_WEIGHTS_H
#define SA_BASE_ALIGNMENT_WEIGHTS_H

#include "base/error.h"

/* How many numbers alignment->weights has: the mean; of several heads each; of several layers each
 * head of each layer. */
size_t sa_alignment_size(const sa_alignment *alignment);

/* How many of `count` pairs may have their weights in memory together: at least one, all unless
 * they are long. Text i of a side is at *(const char **)((const char *)side + i * stride); no side
 * has more than max_len tokens. */
size_t sa_alignments_together(const char *const *source, const char *const *target, size_t stride,
                              size_t count, int max_len);

#endif
