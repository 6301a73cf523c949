/* content_free: scores that do not read the source, for comparison. */
#ifndef SA_ATTENTION_CONTENT_FREE_H
#define SA_ATTENTION_CONTENT_FREE_H

#include "tensor/mat.h"

/* e_ij = q_ij, with q_i = W_a s_i: Luong et al. 2015, equation 8. Shapes in score.h; q has a
 * number for every position up to S_max, the first S are used. */
void sa_location_forward(sa_mat v_a, sa_mat q, sa_mat k, sa_mat e, sa_mat scratch);
void sa_location_backward(sa_mat v_a, sa_mat q, sa_mat k, sa_mat de, sa_mat dq, sa_mat dk,
                          sa_mat dv_a, sa_mat scratch);

/* e_ij = 0, so that alpha_ij = 1 / S. */
void sa_uniform_forward(sa_mat v_a, sa_mat q, sa_mat k, sa_mat e, sa_mat scratch);
void sa_uniform_backward(sa_mat v_a, sa_mat q, sa_mat k, sa_mat de, sa_mat dq, sa_mat dk,
                         sa_mat dv_a, sa_mat scratch);

#endif
