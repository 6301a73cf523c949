/* location_aware: where the target word before has attended, as one more input of the score. Its
 * weights go through K learned filters of width 2r + 1.
 *
 *   f_ij = sum_{o=-r}^{r} F_o alpha_{i-1,j-o}      F [K x 2r+1]; a weight outside the source is 0
 *   e_ij = f(q_i, k_j + W_f f_ij + b_a)            v_a' tanh(W_a s + U_a h_j + W_f f_ij + b_a)
 *
 * Chorowski et al. 2015 ("Attention-based models for speech recognition"), equations 8 and 9, which
 * call v_a, U_a, W_f and b_a w, V, U and b. Before the first target word alpha is (1, 0, .., 0). */
#ifndef SA_ATTENTION_LOCATION_AWARE_H
#define SA_ATTENTION_LOCATION_AWARE_H

#include "layers/params.h"

typedef struct sa_location_aware { /* weights, or their gradients */
    sa_mat F;                      /* [K x 2r+1], which all heads share; without columns: none */
    sa_mat W_f, b_a;               /* [n' x K], [1 x n'] */
} sa_location_aware;

sa_location_aware sa_location_aware_bind(sa_binder *binder, const char *part, int size, int filters,
                                         int width);

/* The rows of W_f and numbers of b_a of head k. */
sa_location_aware sa_location_aware_head(sa_location_aware w, int heads, int k);

/* f [S x K] of the weights alpha [1 x S]; k_j += W_f f_j + b_a, k [S x n' of the head]. */
void sa_location_aware_forward(sa_location_aware w, sa_mat alpha, sa_mat f, sa_mat k);
/* From the derivative dk of the sum: dalpha and dw are added to, df [S x K] is overwritten. */
void sa_location_aware_backward(sa_location_aware w, sa_mat alpha, sa_mat f, sa_mat dk, sa_mat df,
                                sa_mat dalpha, sa_location_aware dw);

#endif
