/* override: other weights in the place of the attention's own, to see what they are worth.
 *
 * "Is attention an explanation?" (Jain and Wallace 2019; Wiegreffe and Pinter 2019): the model
 * decodes as if it had looked elsewhere, and whoever watches sees what that changes. */
#ifndef SA_ATTN_OVERRIDE_H
#define SA_ATTN_OVERRIDE_H

#include "base/links.h"
#include "tensor/mat.h"

typedef enum sa_override_kind {
    SA_OVERRIDE_NONE,
    SA_OVERRIDE_UNIFORM, /* 1 / S everywhere */
    SA_OVERRIDE_SHUFFLE, /* the own weights in another order, the same for all steps of a sentence
                          */
    SA_OVERRIDE_SHIFT,   /* the own weights `shift` positions to the right, around the end */
    SA_OVERRIDE_ONE_HOT, /* all on the largest */
    SA_OVERRIDE_GOLD,    /* shared out among a word's links; a word without any keeps its own */
} sa_override_kind;

typedef struct sa_override {
    sa_override_kind kind;
    int shift;
    uint64_t seed;                 /* of the shuffling */
    const sa_gold_alignment *gold; /* the links of every sentence that was given, or NULL */
    const int *order;              /* [B] which of them stands at place b of the decoder's order */
} sa_override;

/* Reads "uniform", "shift:2" ...; false when the text names nothing of the kind. */
bool sa_override_parse(const char *text, sa_override *override);

/* The weights alpha [1 x S] of target position i (from 1) of sentence b, in place. room [1 x S]. */
void sa_override_apply(const sa_override *override, int b, int i, sa_mat alpha, sa_mat scratch);

#endif
