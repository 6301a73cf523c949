/* positions: kinds of positions, for --positions: an encoding that is added to the word's embedding
 * (Vaswani et al. 2017, section 3.5), or a part of self-attention (attention/parts.h). Positions
 * count from 0. */
#pragma once

#include "layers/params.h"

typedef struct sa_position_kind sa_position_kind;
typedef struct sa_part sa_part;

typedef struct sa_position_sizes {
    const sa_position_kind *kind;
    int max_positions, m; /* how many positions can be learned; the size of an embedding */
    int heads;            /* of the attention; like the next, only for parts */
    bool causal;          /* a word sees only the words before it */
} sa_position_sizes;

typedef struct sa_positions { /* weights, or their gradients */
    const sa_position_kind *kind;
    sa_mat w; /* the parameters of its kind, or empty */
    bool causal;
    int first; /* the position of the first word; not 0 only in a proof that only distances matter
                */
} sa_positions;

struct sa_position_kind {
    const char *name, *formula, *citation;
    /* Binds the parameters "PREFIX.NAME"; NULL: there are none. */
    sa_mat (*bind)(sa_binder *binder, const char *prefix, const sa_position_sizes *sizes);

    /* Fills row t of `table` [T x m] with the encoding of position first + t. */
    void (*encoding)(sa_mat w, int first, sa_mat table);
    /* Accumulates into dw; dx [1 x m]: the gradient of the encoding of position t. NULL: there are
     * no parameters. */
    void (*encoding_backward)(int t, sa_mat dx, sa_mat dw);

    const sa_part *part; /* a part of every self-attention, or NULL */
};

extern const sa_position_kind sa_position_kinds[]; /* ends with a NULL name; attention/parts.c */

void sa_positions_bind(sa_binder *binder, const char *prefix, const sa_position_sizes *sizes,
                       sa_positions *w);

/* Fills row t of `table` [T x m] with the encoding of position first + t, if there is one. */
void sa_positions_table(const sa_positions *w, int first, sa_mat table);
/* Accumulates into dw; dx: the gradient of the encoding of position t. */
void sa_positions_backward(int t, sa_mat dx, sa_positions *dw);

/* The two encodings, for the table. */
void sa_sinusoidal_encoding(sa_mat w, int first, sa_mat table);
sa_mat sa_learned_positions_bind(sa_binder *binder, const char *prefix,
                                 const sa_position_sizes *sizes);
void sa_learned_encoding(sa_mat P, int first, sa_mat table);
void sa_learned_encoding_backward(int t, sa_mat dx, sa_mat dP);
