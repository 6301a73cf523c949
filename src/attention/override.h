/* override: other weights in the place of the attention's own, to see what they are worth.
 *
 * "Is attention an explanation?" (Jain and Wallace 2019; Wiegreffe and Pinter 2019): the model
 * decodes as if it had looked elsewhere, and whoever watches sees what that changes. */
#ifndef SA_ATTN_OVERRIDE_H
#define SA_ATTN_OVERRIDE_H

#include "base/links.h"
#include "tensor/mat.h"

typedef struct sa_override {
    sa_attention_override chosen;
    uint64_t seed;                 /* of the shuffling */
    const sa_gold_alignment *gold; /* the links of every sentence that was given, or NULL */
    const int *order;              /* [B] which of them stands at place b of the decoder's order */
} sa_override;

/* The weights alpha [1 x S] of target position i (from 1) of sentence b, in place. room [1 x S]. */
void sa_override_apply(const sa_override *override, int b, int i, sa_mat alpha, sa_mat scratch);

#endif
