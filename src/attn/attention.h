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
    int query_width, key_width; /* numbers of q and of k */
    sa_mat W_a;                 /* maps the query (or, for SA_KEY_STATE, the annotations) */
    sa_mat U_a;                 /* maps the annotations */
    sa_mat v_a;                 /* [1 x n'] */
} sa_attention;

/* Widths that decide the shapes of W_a, U_a and v_a. */
typedef struct sa_attention_sizes {
    int state, annotation; /* numbers of s and of h */
    int size;              /* n' */
    int places;            /* S_max of the location score */
} sa_attention_sizes;

void sa_attention_bind(sa_binder *binder, const char *part, const sa_compat *compat,
                       sa_attention_sizes sizes, sa_attention *w);

/* q from s, for any number of rows: W_a s or s itself. */
void sa_attention_query_forward(const sa_attention *w, sa_mat s, sa_mat q);
/* ds is added to. dW_a waits for sa_attention_query_weights_backward, which takes all rows at once.
 */
void sa_attention_query_backward(const sa_attention *w, sa_mat dq, sa_mat ds);
void sa_attention_query_weights_backward(sa_mat s, sa_mat dq, sa_attention *dw);

/* k from h, for all annotations at once: U_a h or W_a h. dh and dw are added to. */
void sa_attention_keys_forward(const sa_attention *w, sa_mat h, sa_mat k);
void sa_attention_keys_backward(const sa_attention *w, sa_mat h, sa_mat dk, sa_mat dh,
                                sa_attention *dw);

/* For the queries of one sentence: q [Q x dq], k [S x dk], v [S x dv] -> alpha [Q x S], c [Q x dv].
 * scratch [S x dk]. */
void sa_attention_forward(const sa_attention *w, sa_mat q, sa_mat k, sa_mat v, sa_mat alpha,
                          sa_mat c, sa_mat scratch);

/* From dc: dq, dk, dv and dw->v_a are added to. dalpha [Q x S] and scratch are overwritten. */
void sa_attention_backward(const sa_attention *w, sa_mat q, sa_mat k, sa_mat v, sa_mat alpha,
                           sa_mat dc, sa_mat dq, sa_mat dk, sa_mat dv, sa_attention *dw,
                           sa_mat dalpha, sa_mat scratch);

#endif
