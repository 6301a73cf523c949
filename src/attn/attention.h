/* attention: the core that every model here shares.
 *
 *   e_ij = f(q_i, k_j)            a row of compat.h
 *   alpha_i = softmax(e_i)        over the keys of one sentence: padding does not exist
 *   c_i = sum_j alpha_ij v_j
 *
 * Bahdanau et al. 2015, A.1.2 (q from s_{i-1}, k and v from the annotations h_j); Vaswani et al.
 * 2017, equation 1. A query is one row per sentence in a recurrent decoder and one row per word
 * elsewhere. */
#ifndef SA_ATTN_ATTENTION_H
#define SA_ATTN_ATTENTION_H

#include "attn/compat.h"
#include "nn/params.h"

typedef struct sa_attention { /* weights, or their gradients */
    const sa_compat *compat;
    sa_mat W_a; /* [n' x n]  maps the query */
    sa_mat U_a; /* [n' x 2n] maps the annotations to keys */
    sa_mat v_a; /* [1 x n']  if the row has one */
} sa_attention;

/* Query of `query` numbers, annotations of `annotation` numbers, compared in n' = `size`. */
void sa_attention_bind(sa_binder *binder, const char *part, const sa_compat *compat, int query,
                       int annotation, int size, sa_attention *w);

/* For the queries of one sentence: q [Q x n'], k [S x n'], v [S x dv] -> alpha [Q x S], c [Q x dv].
 * scratch [S x n']. */
void sa_attention_forward(const sa_attention *w, sa_mat q, sa_mat k, sa_mat v, sa_mat alpha,
                          sa_mat c, sa_mat scratch);

/* From dc: dq, dk, dv and dw->v_a are added to. dalpha [Q x S] and scratch are overwritten. */
void sa_attention_backward(const sa_attention *w, sa_mat q, sa_mat k, sa_mat v, sa_mat alpha,
                           sa_mat dc, sa_mat dq, sa_mat dk, sa_mat dv, sa_attention *dw,
                           sa_mat dalpha, sa_mat scratch);

#endif
