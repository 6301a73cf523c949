/* position: where a word stands, the rows of --positions. A row has one of four pairs of
 * functions:
 *
 *   encoding   added to the word's embedding (Vaswani et al. 2017, section 3.5)
 *   rotation   of the queries and keys of self-attention
 *   bias       added to the scores of self-attention
 *   vector     added to the keys and values of self-attention
 *
 * A new row is one pair: attention/EXTENDING.md. Positions count from 0. */
#ifndef SA_LAYERS_POSITION_H
#define SA_LAYERS_POSITION_H

#include "layers/params.h"

typedef struct sa_position_kind sa_position_kind;

typedef struct sa_position_sizes {
    const sa_position_kind *kind;
    int max_positions, m; /* how many can be learned, and numbers of an embedding */
    int heads;            /* of the attention; rotations and biases only, as is the next */
    bool causal;          /* a word sees only those before it */
    int farthest;         /* --shaw-distance k; vectors only, as are the next */
    int key, value;       /* numbers of a head's keys and values */
} sa_position_sizes;

typedef struct sa_positions {     /* weights, or their gradients */
    const sa_position_kind *kind; /* NULL: none */
    sa_mat w;                     /* the row's own parameters, or empty */
    sa_mat a_K, a_V;              /* [distances x d] of one layer: vectors, or empty */
    int farthest;
    int heads;
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

    /* Row r of x [R x heads d], queries or keys, is rotated by first + r, or back. */
    void (*rotation)(int first, bool back, int heads, sa_mat x);

    /* The bias of every score in e [1 x S], of the query of position i in head k (from 0), is
     * added. */
    void (*bias)(const sa_positions *w, int k, int i, sa_mat e);
    /* From de; NULL without parameters. */
    void (*bias_backward)(int k, int i, sa_mat de, sa_positions *dw);

    /* The parameters a_K and a_V of one layer's self-attention. */
    void (*bind_vectors)(sa_binder *binder, const char *part, const sa_position_sizes *sizes,
                         sa_positions *w);
    /* The row of a_K and a_V that is added to the key and value `distance` words after the query.
     */
    int (*vector)(const sa_positions *w, int distance);
};

extern const sa_position_kind sa_position_kinds[]; /* ends with a NULL name */

/* For the option rows: the name of a kind of position, NULL after the last. */
const char *sa_position_name(size_t row);

void sa_positions_bind(sa_binder *binder, const char *part, const sa_position_sizes *sizes,
                       sa_positions *w);

/* What the self-attention "part" of one layer has besides. */
void sa_positions_bind_vectors(sa_binder *binder, const char *part, const sa_position_sizes *sizes,
                               sa_positions *w);

/* Row t of `table` [T x m] becomes the encoding of position first + t; unchanged without one. */
void sa_positions_table(const sa_positions *w, int first, sa_mat table);
/* dx: the derivative by the encoding of position t. */
void sa_positions_backward(int t, sa_mat dx, sa_positions *dw);

/* Row r of x [R x heads d], queries or keys of several heads, is rotated by position + r, or back;
 * unchanged without a rotation. */
void sa_positions_rotate(const sa_positions *w, int heads, int position, bool back, sa_mat x);

/* The bias for row r of the scores e [R x S] of head k, of the query of position i + r. */
void sa_positions_bias(const sa_positions *w, int k, int i, sa_mat e);
void sa_positions_bias_backward(int k, int i, sa_mat de, sa_positions *dw);

/* Of the query of position i: own [S x d] = k_j + a^K_{j-i}. */
void sa_positions_keys_forward(const sa_positions *w, int i, sa_mat k, sa_mat own);
/* dk and da_K are added to. */
void sa_positions_keys_backward(int i, sa_mat d_own, sa_mat dk, sa_positions *dw);

/* Row r of o [R x dv] += sum_j alpha_rj a^V_{j-i-r}, of the query of position i + r; unchanged
 * without vectors. */
void sa_positions_values_forward(const sa_positions *w, int i, sa_mat alpha, sa_mat o);
/* dalpha and da_V are added to. */
void sa_positions_values_backward(const sa_positions *w, int i, sa_mat alpha, sa_mat d_o,
                                  sa_mat dalpha, sa_positions *dw);

/* T5's bucket of a key that stands `distance` words after the query: one of 32. */
int sa_t5_bucket(int distance, bool causal);
/* ALiBi's slope of head k (from 0) of several. */
double sa_alibi_slope(int k, int heads);

#endif
