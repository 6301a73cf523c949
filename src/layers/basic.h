/* basic: the layers from which others are made: y = W x + b, the embedding of words, maxout,
 * dropout, and positions of words. */
#pragma once

#include "base/batch.h"
#include "base/rng.h"
#include "layers/cell_state.h"
#include "layers/params.h"
#include "tensor/weight.h"

/* y = x W' + b    x [R x in], W [out x in], b [1 x out] or empty, y [R x out] */
void sa_linear_forward(sa_weight W, sa_mat b, sa_mat x, sa_mat y);
/* dx += dy W, dW += dy' x, db += sum of dy's rows. dx and db may be empty. */
void sa_linear_backward(sa_weight W, sa_mat x, sa_mat dy, sa_mat dx, sa_weight dW, sa_mat db);

/* y_i = E[ids_i]   E [K x m], y [words x m] */
void sa_embedding_forward(sa_mat E, const int32_t *ids, sa_mat y);
/* dE[ids_i] += dy_i */
void sa_embedding_backward(const int32_t *ids, sa_mat dy, sa_mat dE);
/* y_{i-1} of every row: BOS, then the reference tokens. */
int32_t *sa_embedding_inputs(sa_arena *arena, const sa_batch_side *side);

/* The maximum of each adjacent pair (Goodfellow et al. 2013; Bahdanau et al. 2015, A.2.2):
 * t_k = max(t~_2k, t~_2k+1)   pairs [R x 2l], t [R x l] */
void sa_maxout_forward(sa_mat pairs, sa_mat t);
/* dpairs = dt at the larger of the two, 0 at the other. A tie goes to the first. */
void sa_maxout_backward(sa_mat pairs, sa_mat dt, sa_mat dpairs);

/* ---- Dropout ---------------------------------------------------------------------------------
 * In training each number becomes 0 with probability p and the others are scaled by
 * 1 / (1 - p) (Srivastava et al. 2014, inverted form), so that inference needs no change. */

/* The probability at each place. */
typedef struct sa_dropout {
    double words; /* of source and target words, each as a whole */
    double embeddings;
    double state; /* of the previous state, in its product with U */
    double annotations, readout;
    double layers;    /* of what a recurrent layer passes to the next one */
    double sublayers; /* of the output of each sublayer of a Transformer */
    double noise;     /* no probability: how much of the noise that parts of attention draw */
} sa_dropout;

/* x = x . mask, for a mask (0 or 1 / (1 - p)) drawn here. p in [0, 1); 0 changes nothing. */
void sa_dropout_forward(double p, sa_rng *rng, sa_mat mask, sa_mat x);
/* dx = dx . mask */
void sa_dropout_backward(double p, sa_mat mask, sa_mat dx);

/* Whole rows (Sennrich et al. 2016, Nematus: full words): x_i = mask_i x_i, with mask [R x 1]. */
void sa_dropout_words_forward(double p, sa_rng *rng, sa_mat mask, sa_mat x);
/* dx_i = mask_i dx_i */
void sa_dropout_words_backward(double p, sa_mat mask, sa_mat dx);

/* Fills noise from N(0, deviation^2). */
void sa_noise_draw(double deviation, sa_rng *rng, sa_mat noise);

/* ---- States: Gal and Ghahramani 2016 ---------------------------------------------------------
 *
 * U multiplies d . s' instead of s', with the same mask d in all steps of a sentence. What a gated
 * cell carries over from s' past U is not dropped. */

/* For a layer of n units, B sentences and R rows of states. */
typedef struct sa_state_dropout {
    sa_mat mask;    /* [B x n] d */
    sa_mat masked;  /* [R x n] d . s' */
    sa_mat dmasked; /* [B x n] of the running step */
} sa_state_dropout;

/* Without `wanted` the buffers are empty, and p must be 0. */
sa_state_dropout sa_state_dropout_layout(sa_arena *arena, bool wanted, int rows, int sentences,
                                         int n);
/* Draws d, and sets states->masked: to the buffer, or with p = 0 to the states. */
void sa_state_dropout_start(double p, sa_rng *rng, const sa_state_dropout *buffers,
                            sa_state *states);
/* The same for the states' derivatives, in the backward pass. */
void sa_state_dropout_return(double p, const sa_state_dropout *buffers, sa_state *dstate);

/* One step of the first sentences: masked = d . s', where there is dropout. */
void sa_state_dropout_forward(sa_mat mask, sa_state previous);
/* ds' += d . dmasked */
void sa_state_dropout_backward(sa_mat mask, sa_state dprevious);

/* ---- Positions -------------------------------------------------------------------------------
 * The rows of --positions: an encoding that is added to the word's embedding (Vaswani et al. 2017,
 * section 3.5), or a part of self-attention (attention/parts.h). Positions count from 0. */

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
    /* The parameters "PREFIX.NAME"; NULL: it has none. */
    sa_mat (*bind)(sa_binder *binder, const char *prefix, const sa_position_sizes *sizes);

    /* Row t of `table` [T x m] becomes the encoding of position first + t. */
    void (*encoding)(sa_mat w, int first, sa_mat table);
    /* dx [1 x m]: the derivative by the encoding of position t; NULL without parameters. */
    void (*encoding_backward)(int t, sa_mat dx, sa_mat dw);

    const sa_part *part; /* of every self-attention, or NULL */
};

extern const sa_position_kind sa_position_kinds[]; /* ends with a NULL name; attention/parts.c */

void sa_positions_bind(sa_binder *binder, const char *prefix, const sa_position_sizes *sizes,
                       sa_positions *w);

/* Row t of `table` [T x m] becomes the encoding of position first + t; unchanged without one. */
void sa_positions_table(const sa_positions *w, int first, sa_mat table);
/* dx: the derivative by the encoding of position t. */
void sa_positions_backward(int t, sa_mat dx, sa_positions *dw);

/* The two encodings, as in a row. */
void sa_sinusoidal_encoding(sa_mat w, int first, sa_mat table);
sa_mat sa_learned_positions_bind(sa_binder *binder, const char *prefix,
                                 const sa_position_sizes *sizes);
void sa_learned_encoding(sa_mat P, int first, sa_mat table);
void sa_learned_encoding_backward(int t, sa_mat dx, sa_mat dP);
