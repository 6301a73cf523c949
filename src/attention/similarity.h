/* similarity: scores of how near a key is to the query, each with one number of its own per head: a
 * width or a sharpness.
 *
 *   gaussian  e_ij = -|q_i - k_j|^2 / (2 h^2)     softmax(e) is the kernel regression of 1964
 *   cosine    e_ij = beta q_i'k_j / (|q_i| |k_j|)  beta = log(1 + exp(b)) above 0
 *   qk-norm   the same with g, which starts large, instead of beta */
#ifndef SA_ATTENTION_SIMILARITY_H
#define SA_ATTENTION_SIMILARITY_H

#include "layers/params.h"

/* As in sa_score: own [1 x 1] is log h, b or g. */

sa_mat sa_gaussian_bind(sa_binder *binder, const char *part, int size, int heads,
                        int max_positions);
void sa_gaussian_forward(sa_mat own, sa_mat q, sa_mat k, sa_mat e, sa_mat scratch);
void sa_gaussian_backward(sa_mat own, sa_mat q, sa_mat k, sa_mat de, sa_mat dq, sa_mat dk,
                          sa_mat down, sa_mat scratch);

sa_mat sa_cosine_bind(sa_binder *binder, const char *part, int size, int heads, int max_positions);
void sa_cosine_forward(sa_mat own, sa_mat q, sa_mat k, sa_mat e, sa_mat scratch);
void sa_cosine_backward(sa_mat own, sa_mat q, sa_mat k, sa_mat de, sa_mat dq, sa_mat dk,
                        sa_mat down, sa_mat scratch);

sa_mat sa_qk_norm_bind(sa_binder *binder, const char *part, int size, int heads, int max_positions);
void sa_qk_norm_forward(sa_mat own, sa_mat q, sa_mat k, sa_mat e, sa_mat scratch);
void sa_qk_norm_backward(sa_mat own, sa_mat q, sa_mat k, sa_mat de, sa_mat dq, sa_mat dk,
                         sa_mat down, sa_mat scratch);

#endif
