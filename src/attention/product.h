/* product: scores that are inner products of query and key. */
#ifndef SA_ATTENTION_PRODUCT_H
#define SA_ATTENTION_PRODUCT_H

#include "tensor/mat.h"

/* e_ij = q_i' k_j   Luong et al. 2015, section 3.1: "dot" with q = W_a s and k = U_a h, "general"
 * with q = s and k = W_a h. Shapes in score.h; v_a is not used. */
void sa_dot_forward(sa_mat v_a, sa_mat q, sa_mat k, sa_mat e, sa_mat scratch);
void sa_dot_backward(sa_mat v_a, sa_mat q, sa_mat k, sa_mat de, sa_mat dq, sa_mat dk, sa_mat dv_a,
                     sa_mat scratch);

/* e_ij = q_i' k_j / sqrt(n')   Vaswani et al. 2017, section 3.2.1 */
void sa_scaled_dot_forward(sa_mat v_a, sa_mat q, sa_mat k, sa_mat e, sa_mat scratch);
void sa_scaled_dot_backward(sa_mat v_a, sa_mat q, sa_mat k, sa_mat de, sa_mat dq, sa_mat dk,
                            sa_mat dv_a, sa_mat scratch);

/* e_ij = log(phi(q_i)' phi(k_j)), phi(x) = elu(x) + 1: Katharopoulos et al. 2020, section 3.2. Its
 * softmax are the weights phi(q_i)' phi(k_j) / sum_l phi(q_i)' phi(k_l). */
void sa_feature_dot_forward(sa_mat v_a, sa_mat q, sa_mat k, sa_mat e, sa_mat scratch);
void sa_feature_dot_backward(sa_mat v_a, sa_mat q, sa_mat k, sa_mat de, sa_mat dq, sa_mat dk,
                             sa_mat dv_a, sa_mat scratch);
/* phi */
void sa_elu_features(sa_mat x, sa_mat phi);

#endif
