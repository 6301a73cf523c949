/* dropout: each unit is silenced with probability p during training and the others are scaled by
 * 1 / (1 - p) (Srivastava et al. 2014, inverted form), so that nothing changes when translating. */
#ifndef SA_NN_DROPOUT_H
#define SA_NN_DROPOUT_H

#include "base/rng.h"
#include "layers/cell_state.h"

/* The shares silenced, place by place; all 0: nothing is. */
typedef struct sa_dropout {
    double words;      /* of source and target words, each as a whole */
    double embeddings; /* of the numbers of embeddings */
    double state;      /* of what recurrent weights meet of a state */
    double annotations, readout;
    double sublayers; /* of what each sub-layer of a transformer adds */
} sa_dropout;

/* x = x . mask, drawing the mask (0 or 1 / (1 - p)). p in [0, 1). With p = 0 nothing is touched. */
void sa_dropout_forward(double p, sa_rng *rng, sa_mat mask, sa_mat x);
/* dx = dx . mask */
void sa_dropout_backward(double p, sa_mat mask, sa_mat dx);

/* Whole rows (Sennrich et al. 2016, Nematus: full words): x_i = mask_i x_i, with mask [R x 1]. */
void sa_dropout_words_forward(double p, sa_rng *rng, sa_mat mask, sa_mat x);
/* dx_i = mask_i dx_i */
void sa_dropout_words_backward(double p, sa_mat mask, sa_mat dx);

/* ---- States: Gal and Ghahramani 2016 ---------------------------------------------------------
 *
 * In all steps of a sentence U meets d . s' where it met s': the same units are silenced. What a
 * gated unit carries over from s' past U stays whole. */

/* The rooms of a layer of n units for B sentences and R rows of states. */
typedef struct sa_state_dropout {
    sa_mat mask;    /* [B x n] d */
    sa_mat masked;  /* [R x n] d . s' */
    sa_mat dmasked; /* [B x n] of the running step */
} sa_state_dropout;

/* Without `wanted` they take no place, and p must stay 0. */
sa_state_dropout sa_state_dropout_layout(sa_arena *arena, bool wanted, int rows, int sentences,
                                         int n);
/* Draws d, and lets U meet met instead of the states; with p = 0 it meets the states. */
void sa_state_dropout_start(double p, sa_rng *rng, const sa_state_dropout *buffers,
                            sa_state *states);
/* The same of the states' derivatives. */
void sa_state_dropout_return(double p, const sa_state_dropout *buffers, sa_state *dstate);

/* Of one step, about the mask's first sentences: met = d . s', if U meets that. */
void sa_state_dropout_forward(sa_mat mask, sa_state previous);
/* ds' += d . dmet */
void sa_state_dropout_backward(sa_mat mask, sa_state dprevious);

#endif
