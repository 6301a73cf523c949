/* position: where a word stands, the rows of --positions: an encoding that is added to the word's
 * embedding (Vaswani et al. 2017, section 3.5), or a part of self-attention (attention/parts.h).
 * Positions count from 0. */
#ifndef SA_LAYERS_POSITION_H
#define SA_LAYERS_POSITION_H

#include "layers/params.h"

typedef struct sa_position_kind sa_position_kind;
typedef struct sa_part sa_part;

typedef struct sa_position_sizes {
    const sa_position_kind *kind;
    int max_positions, m; /* how many can be learned, and numbers of an embedding */
    int heads;            /* of the attention; parts of it only, as is the next */
    bool causal;          /* a word sees only those before it */
} sa_position_sizes;

typedef struct sa_positions { /* weights, or their gradients */
    const sa_position_kind *kind;
    sa_mat w; /* the row's own parameters, or empty */
    bool causal;
    int first; /* the position of the first word; 0 but in a proof that only distances matter */
} sa_positions;

struct sa_position_kind {
    const char *name, *formula, *citation;
    /* The parameters "part.NAME"; NULL: it has none. */
    sa_mat (*bind)(sa_binder *binder, const char *part, const sa_position_sizes *sizes);

    /* Row t of `table` [T x m] becomes the encoding of position first + t. */
    void (*encoding)(sa_mat w, int first, sa_mat table);
    /* dx [1 x m]: the derivative by the encoding of position t; NULL without parameters. */
    void (*encoding_backward)(int t, sa_mat dx, sa_mat dw);

    const sa_part *part; /* of every self-attention, or NULL */
};

extern const sa_position_kind sa_position_kinds[]; /* ends with a NULL name; attention/table.c */

void sa_positions_bind(sa_binder *binder, const char *part, const sa_position_sizes *sizes,
                       sa_positions *w);

/* Row t of `table` [T x m] becomes the encoding of position first + t; unchanged without one. */
void sa_positions_table(const sa_positions *w, int first, sa_mat table);
/* dx: the derivative by the encoding of position t. */
void sa_positions_backward(int t, sa_mat dx, sa_positions *dw);

/* The two encodings, as in a row. */
void sa_sinusoidal_encoding(sa_mat w, int first, sa_mat table);
sa_mat sa_learned_positions_bind(sa_binder *binder, const char *part,
                                 const sa_position_sizes *sizes);
void sa_learned_encoding(sa_mat P, int first, sa_mat table);
void sa_learned_encoding_backward(int t, sa_mat dx, sa_mat dP);

#endif
