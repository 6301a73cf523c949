/* differential: the difference of two maps of weights, which cancels what they have in common (Ye
 * et al. 2024, "Differential Transformer", section 2.1). Query and key of a head have two halves:
 *
 *   A1 = pi(q1' k1 / sqrt(d)), A2 = pi(q2' k2 / sqrt(d)), alpha = A1 - lambda A2
 *   lambda = exp(lambda_q1' lambda_k1) - exp(lambda_q2' lambda_k2) + lambda_init
 *   o_i = (1 - lambda_init) RMSNorm(sum_j alpha_ij v_j)
 *
 * The heads of a layer share lambda and the norm's gain. The weights of a row sum to 1 - lambda,
 * and some of them are negative. */
#ifndef SA_ATTENTION_DIFFERENTIAL_H
#define SA_ATTENTION_DIFFERENTIAL_H

#include "layers/params.h"

typedef struct sa_differential { /* weights, or their gradients */
    sa_mat lambda;               /* [4 x d] lambda_q1, lambda_k1, lambda_q2, lambda_k2 */
    sa_mat g;                    /* [1 x dv] the gain of the norm */
    sa_real init;                /* lambda_init */
} sa_differential;

/* 0.8 - 0.6 exp(-0.3 (layer - 1)), of a layer counted from 1. */
double sa_lambda_init(int layer);

/* d: half of a head's units; value: numbers of its values. */
void sa_differential_bind(sa_binder *binder, const char *part, int d, int value, int layer,
                          sa_differential *w);

sa_real sa_lambda_forward(const sa_differential *w);
void sa_lambda_backward(const sa_differential *w, sa_real dlambda, sa_differential *dw);

/* alpha = A1 - lambda A2, all [Q x S] */
void sa_difference_forward(sa_real lambda, sa_mat A1, sa_mat A2, sa_mat alpha);
/* From dalpha, which is also dA1: dA2; returns the derivative by lambda. */
sa_real sa_difference_backward(sa_real lambda, sa_mat A2, sa_mat dalpha, sa_mat dA2);

/* o [Q x dv] = (1 - lambda_init) g . x / sqrt(mean(x^2) + epsilon) */
void sa_head_norm_forward(const sa_differential *w, sa_mat x, sa_mat o);
/* In place: d [Q x dv], the derivative by o, becomes that by x; dg is added to. */
void sa_head_norm_backward(const sa_differential *w, sa_mat x, sa_mat d, sa_differential *dw);

#endif
