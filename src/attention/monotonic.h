/* monotonic: attention that reads the source once, from left to right (Raffel et al. 2017, "Online
 * and linear-time attention by enforcing monotonic alignments", sections 2.3 to 2.5). For each
 * target word it goes on from the source word that the target word before has selected, selects
 * word j with probability p_ij or goes to the next.
 *
 *   e_ij = g v_a' / |v_a| tanh(W_a s + U_a h_j + b_a) + r
 *   p_ij = sigma(e_ij + noise)                       noise from N(0, 1), in training
 *   q_ij = (1 - p_i,j-1) q_i,j-1 + alpha_i-1,j       the probability of coming to word j
 *   alpha_ij = p_ij q_ij                             alpha_0 = (1, 0, .., 0)
 *
 * Training needs these expected weights; they sum to at most 1, because the end of the source may
 * come before a word is selected. Decoding is hard: p_ij is 1 if e_ij > 0, and else 0. Then the
 * same equations give a row with a single 1, or an empty one. */
#ifndef SA_ATTENTION_MONOTONIC_H
#define SA_ATTENTION_MONOTONIC_H

#include "attention/normalizer.h"
#include "layers/params.h"

/* The score, as in sa_score: own [1 x 2 n' + 2] is v_a, b_a, g and r. It has a single head. */
sa_mat sa_monotonic_bind(sa_binder *binder, const char *part, int size, int heads,
                         int max_positions);
void sa_monotonic_score_forward(sa_mat own, sa_mat q, sa_mat k, sa_mat e, sa_mat scratch);
void sa_monotonic_score_backward(sa_mat own, sa_mat q, sa_mat k, sa_mat de, sa_mat dq, sa_mat dk,
                                 sa_mat down, sa_mat scratch);

/* From scores to weights, the score's own row in place of --normalizer's. */
extern const sa_normalizer sa_monotonic_normalizer;

#endif
