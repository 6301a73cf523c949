/* additive: the score of Bahdanau et al. 2015, A.1.2, a perceptron with one hidden layer. */
#ifndef SA_ATTENTION_ADDITIVE_H
#define SA_ATTENTION_ADDITIVE_H

#include "layers/params.h"

/* v_a, n' numbers. */
sa_mat sa_additive_bind(sa_binder *binder, const char *part, int size, int heads,
                        int max_positions);
/* e_ij = v_a' tanh(q_i + k_j), with q_i = W_a s_{i-1} and k_j = U_a h_j; shapes in score.h. */
void sa_additive_forward(sa_mat v_a, sa_mat q, sa_mat k, sa_mat e, sa_mat scratch);
void sa_additive_backward(sa_mat v_a, sa_mat q, sa_mat k, sa_mat de, sa_mat dq, sa_mat dk,
                          sa_mat dv_a, sa_mat scratch);

#endif
