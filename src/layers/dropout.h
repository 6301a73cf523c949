/* dropout: in training each number becomes 0 with probability p and the others are scaled by
 * 1 / (1 - p) (Srivastava et al. 2014, inverted form), so that inference needs no change. */
#ifndef SA_LAYERS_DROPOUT_H
#define SA_LAYERS_DROPOUT_H

#include "base/rng.h"
#include "layers/cell_state.h"

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

#endif
