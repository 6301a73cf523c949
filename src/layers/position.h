/* position: where a word stands, as a vector that is added to its embedding (Vaswani et al. 2017,
 * section 3.5).
 *
 *   sinusoidal  sin(t / 10000^(2i/m)) to number 2i, cos of the same to number 2i + 1
 *   learned     row t of a matrix P, as any weight; behind its last row that row serves all */
#ifndef SA_NN_POSITION_H
#define SA_NN_POSITION_H

#include "layers/params.h"

enum { SA_POSITIONS_NONE, SA_POSITIONS_SINUSOIDAL, SA_POSITIONS_LEARNED };

/* For the option rows: the name of a kind of position, NULL after the last. */
const char *sa_position_name(size_t row);

typedef struct sa_positions { /* weights, or their gradients */
    int kind;
    sa_mat P; /* [places x m], learned only */
} sa_positions;

/* "part.P" when they are learned. */
void sa_positions_bind(sa_binder *binder, const char *part, int kind, int max_positions, int m,
                       sa_positions *w);

/* Row t of `table` [T x m] becomes the vector of position first + t (from 0). Nothing without
 * positions. */
void sa_positions_table(const sa_positions *w, int first, sa_mat table);
/* dx, the derivative by the vector of position t, is added to P's. */
void sa_positions_backward(int t, sa_mat dx, sa_positions *dw);

#endif
