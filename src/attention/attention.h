/* attention: the core that every attention here goes through.
 *
 *   e_ij = f(q_i, k_j)            a row of score.h
 *   alpha_i = pi(e_i)             a row of normalizer.h, over the keys that query i may see
 *   c_i = sum_j alpha_ij v_j
 *
 * Bahdanau et al. 2015, A.1.2 (q from a decoder state, k and v from the annotations h_j); Vaswani
 * et al. 2017, equation 1. Q queries and S keys are those of one head and one sentence, so there is
 * no padding. */
#ifndef SA_ATTENTION_ATTENTION_H
#define SA_ATTENTION_ATTENTION_H

#include "attention/normalizer.h"
#include "attention/score.h"

/* Keys first .. first+count-1: what a query may see. Causal attention, a local window and the end
 * of the location score are all spans. */
typedef struct sa_span {
    int first, count;
} sa_span;

/* The scores in alpha [Q x S] become weights, 0 outside the spans. spans [Q], or NULL: every query
 * sees all keys. exponent: the normalizer's alpha. */
void sa_attention_weights_forward(const sa_normalizer *normalizer, sa_real exponent,
                                  const sa_span *spans, sa_mat alpha);
/* dalpha [Q x S] becomes the derivative by the scores; *dexponent is added to (NULL: not learned).
 */
void sa_attention_weights_backward(const sa_normalizer *normalizer, sa_real exponent,
                                   const sa_span *spans, sa_mat alpha, sa_mat dalpha,
                                   sa_real *dexponent);

/* alpha [Q x S], v [S x dv] -> c [Q x dv] */
void sa_attention_sum_forward(sa_mat alpha, sa_mat v, sa_mat c);
/* dalpha is overwritten, dv added to. */
void sa_attention_sum_backward(sa_mat alpha, sa_mat v, sa_mat dc, sa_mat dalpha, sa_mat dv);

#endif
