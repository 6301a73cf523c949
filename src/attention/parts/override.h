/* override: attention weights replaced by others while the model decodes, to measure how much the
 * translation depends on them (Jain and Wallace 2019, "Attention is not explanation"; Wiegreffe and
 * Pinter 2019). */
#ifndef SA_ATTENTION_PARTS_OVERRIDE_H
#define SA_ATTENTION_PARTS_OVERRIDE_H

#include "attention/parts.h"
#include "base/batch.h"

typedef struct sa_override {
    sa_attention_override chosen;
    uint64_t seed;                 /* of the permutation */
    const sa_gold_alignment *gold; /* of every pair of the batch, or NULL */
    const int *order;              /* [B] the pair that is sentence b of the decoder */
} sa_override;

/* From now on w's weights are replaced; before anything is laid out for it. */
void sa_override_install(sa_attention *w, const sa_override *override);

/* SA_USAGE: there is no such kind. */
bool sa_override_check(sa_attention_override override, sa_error *error);

#endif
