/* attention: the core that every attention here goes through.
 *
 *   e_ij = f(q_i, k_j)            a row of score.h
 *   alpha_i = softmax(e_i)        over the keys that query i may see
 *   c_i = sum_j alpha_ij v_j
 *
 * Bahdanau et al. 2015, A.1.2 (q from a decoder state, k and v from the annotations h_j); Vaswani
 * et al. 2017, equation 1. Q queries and S keys are those of one head and one sentence, so there is
 * no padding. */
#ifndef SA_ATTENTION_ATTENTION_H
#define SA_ATTENTION_ATTENTION_H

#include "attention/score.h"

/* Keys first .. first+count-1: what a query may see. Causal attention, a local window and the end
 * of the location score are all spans. */
typedef struct sa_span {
    int first, count;
} sa_span;

/* q [Q x dq], k [S x dk] -> alpha [Q x S], 0 outside the span. spans [Q], or NULL: every query sees
 * all keys. v_a as the score wants it; scratch [S x dk]. */
void sa_attention_weights_forward(const sa_score *score, sa_mat v_a, sa_mat q, sa_mat k,
                                  const sa_span *spans, sa_mat alpha, sa_mat scratch);
/* From dalpha [Q x S], which is overwritten: dq, dk and dv_a are added to. */
void sa_attention_weights_backward(const sa_score *score, sa_mat v_a, sa_mat q, sa_mat k,
                                   const sa_span *spans, sa_mat alpha, sa_mat dalpha, sa_mat dq,
                                   sa_mat dk, sa_mat dv_a, sa_mat scratch);

/* alpha [Q x S], v [S x dv] -> c [Q x dv] */
void sa_attention_sum_forward(sa_mat alpha, sa_mat v, sa_mat c);
/* dalpha is overwritten, dv added to. */
void sa_attention_sum_backward(sa_mat alpha, sa_mat v, sa_mat dc, sa_mat dalpha, sa_mat dv);

#endif
