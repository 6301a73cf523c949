/* gru: the gated hidden unit of Bahdanau et al. 2015, A.1.1.
 *
 *   z  = sigma(W_z x + U_z s' + b_z)          share of the NEW state
 *   r  = sigma(W_r x + U_r s' + b_r)
 *   s~ = tanh(W x + U [r . s'] + b)           reset BEFORE U
 *   s  = (1 - z) . s' + z . s~
 *
 * with s' the previous state. What does not depend on s' (W x + b, and C c in the decoder) is made
 * for all steps at once outside and comes in as the pre-activations a = [a_z | a_r | a_s~]. */
#ifndef SA_NN_GRU_H
#define SA_NN_GRU_H

#include "nn/params.h"

typedef struct sa_gru { /* weights, or their gradients */
    sa_mat W;           /* [3n x in]  W_z, W_r, W */
    sa_mat b;           /* [1 x 3n]   b_z, b_r, b */
    sa_mat U_zr;        /* [2n x n]   U_z, U_r */
    sa_mat U;           /* [n x n] */
} sa_gru;

void sa_gru_bind(sa_binder *binder, const char *part, int in, int n, sa_gru *w);

/* One step for L sentences. gates [L x 3n]: on entry the pre-activations a, on return z | r | s~.
 * previous [L x n] is s'; reset [L x n] receives r . s'; state [L x n] receives s. */
void sa_gru_step_forward(const sa_gru *w, sa_mat previous, sa_mat gates, sa_mat reset,
                         sa_mat state);

/* dstate = dL/ds. da [L x 3n] receives the derivatives by the pre-activations; dprevious [L x n]
 * is added to. scratch [L x n]. Weight gradients wait for sa_gru_weights_backward. */
void sa_gru_step_backward(const sa_gru *w, sa_mat previous, sa_mat gates, sa_mat dstate, sa_mat da,
                          sa_mat dprevious, sa_mat scratch);

/* All steps of a sequence at once: dU_z, dU_r, dU from da [R x 3n], previous and reset [R x n]. */
void sa_gru_weights_backward(sa_mat previous, sa_mat reset, sa_mat da, sa_gru *dw);

#endif
