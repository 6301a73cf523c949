/* position: position encodings, added to embeddings (Vaswani et al. 2017, section 3.5).
 *
 *   sinusoidal  sin(t / 10000^(2i/m)) in column 2i, its cosine in column 2i + 1
 *   learned     row t of a weight matrix P; beyond its last row, that row */
#ifndef SA_LAYERS_POSITION_H
#define SA_LAYERS_POSITION_H

#include "layers/params.h"

/* For the option rows: the name of a kind of position, NULL after the last. */
const char *sa_position_name(size_t row);

typedef struct sa_positions { /* weights, or their gradients */
    int kind;
    sa_mat P; /* [max_positions x m], learned only */
} sa_positions;

/* "part.P" if they are learned. */
void sa_positions_bind(sa_binder *binder, const char *part, int kind, int max_positions, int m,
                       sa_positions *w);

/* Row t of `table` [T x m] becomes the encoding of position first + t (from 0). SA_POSITIONS_NONE
 * leaves it unchanged. */
void sa_positions_table(const sa_positions *w, int first, sa_mat table);
/* dx: the derivative by the encoding of position t. */
void sa_positions_backward(int t, sa_mat dx, sa_positions *dw);

#endif
