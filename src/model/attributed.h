/* attributed: what attributions (attribution.h) are computed for. */
#pragma once

#include "model/seq2seq.h"

typedef struct sa_attribution sa_attribution;

/* A model, a pair and how it is attributed. */
typedef struct sa_attributed {
    const sa_attribution *method;
    const sa_seq2seq *w;
    const sa_sizes *sizes;
    size_t parameters; /* numbers of all weights */
    const sa_sentence *source, *target;
    const sa_align_options *options; /* target_prefix, steps; layer and at: of norms */
    double *gap;                     /* receives that of integrated gradients: sa_alignment.gap */
} sa_attributed;

/* The row of adversarial.c: scores [T x S]. */
bool sa_adversarial(const sa_attributed *job, double *scores, sa_error *error);
