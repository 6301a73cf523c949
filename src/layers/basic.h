/* basic: the layers that others consist of: y = W x + b, the embedding of words, maxout and
 * dropout; and what a recurrent layer passes from step to step. */
#pragma once

#include "base/batch.h"
#include "base/rng.h"
#include "layers/params.h"
#include "tensor/mat.h"

/* y = x W' + b    x [R x in], W [out x in], b [1 x out] or empty, y [R x out] */
void sa_linear_forward(sa_weight W, sa_mat b, sa_mat x, sa_mat y);
/* dx += dy W, dW += dy' x, db += sum of dy's rows. dx and db may be empty. */
void sa_linear_backward(sa_weight W, sa_mat x, sa_mat dy, sa_mat dx, sa_weight dW, sa_mat db);

/* y_i = E[ids_i]   E [K x m], y [words x m] */
void sa_embedding_forward(sa_mat E, const int32_t *ids, sa_mat y);
/* dE[ids_i] += dy_i */
void sa_embedding_backward(const int32_t *ids, sa_mat dy, sa_mat dE);
/* Computes the maximum of each adjacent pair (Goodfellow et al. 2013; Bahdanau et al. 2015, A.2.2):
 * t_k = max(t~_2k, t~_2k+1)   pairs [R x 2l], t [R x l] */
void sa_maxout_forward(sa_mat pairs, sa_mat t);
/* Computes dpairs = dt at the larger of the two, 0 at the other. A tie goes to the first. */
void sa_maxout_backward(sa_mat pairs, sa_mat dt, sa_mat dpairs);

/* ---- Dropout ---------------------------------------------------------------------------------
 * In training each number becomes 0 with probability p and the others are scaled by
 * 1 / (1 - p) (Srivastava et al. 2014, inverted form), so that inference needs no change. */

/* The probability of dropout at each place. */
typedef struct sa_dropout {
    double all;   /* for embeddings, annotations, t, and the outputs of a Transformer's sublayers */
    double words; /* for source and target words, each as a whole */
    double state; /* for the previous state, in its product with U */
    double layers; /* for what a recurrent layer passes to the next one */
    double noise;  /* not a probability: the amount of the noise that parts of attention draw */
} sa_dropout;

/* Draws a mask (0 or 1 / (1 - p)) and computes x = x . mask or, with a mask [R x 1], drops whole
 * rows (Sennrich et al. 2016, Nematus): x_i = mask_i x_i. p in [0, 1); 0 changes nothing. */
void sa_dropout_forward(double p, sa_rng *rng, sa_mat mask, sa_mat x);
/* dx = dx . mask */
void sa_dropout_backward(double p, sa_mat mask, sa_mat dx);

/* ---- Recurrent states ------------------------------------------------------------------------ */

/* What a recurrent cell passes to its next step. */
typedef struct sa_state {
    sa_mat s;      /* [L x n] the state that other layers read */
    sa_mat m;      /* [L x n] the memory cell of an LSTM; no columns for other cells */
    sa_mat masked; /* [L x n] what U multiplies: s or, with dropout, d . s */
} sa_state;

sa_state sa_state_of(sa_mat s, sa_mat m); /* without dropout */
sa_state sa_state_rows(sa_state all, int first, int count);
void sa_state_copy(sa_state from, sa_state to); /* as sa_state_add, s and m only */
void sa_state_add(sa_state from, sa_state to);  /* to += from */
void sa_state_zero(sa_state state);

/* ---- States: Gal and Ghahramani 2016 ---------------------------------------------------------
 * U multiplies d . s_prev instead of s_prev, with the same mask d in all steps of a sentence. What
 * a gated cell carries over from s_prev past U is not dropped. */

/* The buffers for a layer of n units, B sentences and R rows of states. */
typedef struct sa_state_dropout {
    sa_mat mask;    /* [B x n] d */
    sa_mat masked;  /* [R x n] d . s_prev */
    sa_mat dmasked; /* [B x n] of the current step */
} sa_state_dropout;

/* Draws d, and sets states->masked: to the buffer, or with p = 0 to the states. */
void sa_state_dropout_start(double p, sa_rng *rng, const sa_state_dropout *buffers,
                            sa_state *states);
/* Does the same for the states' gradients, in the backward pass. */
void sa_state_dropout_return(double p, const sa_state_dropout *buffers, sa_state *dstate);

/* Computes one step of the first sentences: masked = d . s_prev, if there is dropout. */
void sa_state_dropout_forward(sa_mat mask, sa_state previous);
/* ds' += d . dmasked */
void sa_state_dropout_backward(sa_mat mask, sa_state dprevious);
