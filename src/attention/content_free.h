/* content_free: scores that do not read the source, for comparison. */
#ifndef SA_ATTENTION_CONTENT_FREE_H
#define SA_ATTENTION_CONTENT_FREE_H

#include "layers/params.h"

/* e_ij = q_ij, with q_i = W_a s_i: Luong et al. 2015, equation 8. Shapes in score.h; q has a
 * number for every position up to S_max, the first S are used. */
void sa_location_forward(sa_mat v_a, sa_mat q, sa_mat k, sa_mat e, sa_mat scratch);
void sa_location_backward(sa_mat v_a, sa_mat q, sa_mat k, sa_mat de, sa_mat dq, sa_mat dk,
                          sa_mat dv_a, sa_mat scratch);

/* e_ij = 0, so that alpha_ij = 1 / S. */
void sa_uniform_forward(sa_mat v_a, sa_mat q, sa_mat k, sa_mat e, sa_mat scratch);
void sa_uniform_backward(sa_mat v_a, sa_mat q, sa_mat k, sa_mat de, sa_mat dq, sa_mat dk,
                         sa_mat dv_a, sa_mat scratch);

/* Graves' window: a mixture of Gaussians over the positions j = 1 .. S whose centers kappa move
 * forward only. q = log a, log b and log of the step of kappa of every component, less the biases
 * v_a = b_a; after the carry kappa itself in place of its step. */
enum { SA_GRAVES_COMPONENTS = 3 };

sa_mat sa_graves_bind(sa_binder *binder, const char *part, int size, int heads, int max_positions);
void sa_graves_forward(sa_mat v_a, sa_mat q, sa_mat k, sa_mat e, sa_mat scratch);
void sa_graves_backward(sa_mat v_a, sa_mat q, sa_mat k, sa_mat de, sa_mat dq, sa_mat dk,
                        sa_mat dv_a, sa_mat scratch);
void sa_graves_carry(sa_mat v_a, sa_mat previous, sa_mat q, sa_mat state);
void sa_graves_carry_backward(sa_mat previous, sa_mat state, sa_mat dstate, sa_mat dq,
                              sa_mat dprevious, sa_mat dv_a);

#endif
