/* alignment_weights: where the matrices of an alignment lie in its one array. */
#ifndef SA_BASE_ALIGNMENT_WEIGHTS_H
#define SA_BASE_ALIGNMENT_WEIGHTS_H

#include "base/error.h"

/* How many numbers alignment->weights has: the mean; of several heads each; of several layers each
 * head of each layer. */
size_t sa_alignment_size(const sa_alignment *alignment);

#endif
