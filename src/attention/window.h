/* window: local attention (Luong et al. 2015, section 3.2). Each query sees only the positions j
 * (from 1) with |j - p_i| <= D around a center p_i.
 *
 *   sliding  p_i = i, in self-attention alone: D is half of the window of Beltagy et al. 2020,
 *            section 3.1 (a causal query sees itself and the D words before it: Jiang et al. 2023)
 *
 *   local-m  p_i = i                              (beyond the end of the source: its last position)
 *   local-p  p_i = S sigma(v_p' tanh(W_p s_i))    equation 9
 *            alpha_ij exp(-(j - p_i)^2 / (2 (D/2)^2))   equation 10: rows sum to less than 1
 *
 * The softmax is taken over the window, before the Gaussian. */
#ifndef SA_ATTENTION_WINDOW_H
#define SA_ATTENTION_WINDOW_H

#include "attention/attention.h"
#include "tensor/weight.h"

/* For the option rows: the name of a kind of window, NULL after the last. */
const char *sa_window_name(size_t row);

/* The positions within D of p among 1 .. S, as keys counted from 0. */
sa_span sa_window_span(sa_real p, int D, int S);

/* Equation 9 without S: relative_center = sigma(v_p' hidden), hidden = tanh(W_p s).
 * s [L x n], W_p [n' x n], v_p [1 x n'], hidden [L x n'], relative_center [L x 1] */
void sa_window_center_forward(sa_weight W_p, sa_mat v_p, sa_mat s, sa_mat hidden,
                              sa_mat relative_center);
/* From drelative_center, which becomes the derivative by v_p' hidden: dhidden is overwritten with
 * the derivative by W_p s, ds is added to. */
void sa_window_center_backward(sa_weight W_p, sa_mat v_p, sa_mat hidden, sa_mat relative_center,
                               sa_mat drelative_center, sa_mat dhidden, sa_mat ds);
/* All rows at once, from the derivatives that sa_window_center_backward wrote. */
void sa_window_weights_backward(sa_mat s, sa_mat hidden, sa_mat drelative_center, sa_mat dhidden,
                                sa_weight dW_p, sa_mat dv_p);

/* Equation 10 on one row of weights, in place. */
void sa_window_gauss_forward(sa_real p, int D, sa_mat alpha);
/* dalpha becomes the derivative by the weights before the Gaussian, which are written to `soft`;
 * returns dp. */
sa_real sa_window_gauss_backward(sa_real p, int D, sa_mat alpha, sa_mat dalpha, sa_mat soft);

#endif
