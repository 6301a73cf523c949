/* divergence: R-Drop (Liang et al. 2021). Every pair passes the model twice, with two draws of
 * dropout, and the two distributions of each target word, p and q, are drawn together:
 *
 *   L_NLL = - log p(y) - log q(y)      L_KL = 1/2 (KL(p || q) + KL(q || p))
 *
 * The loss is half of L_NLL + weight L_KL, so that it and its gradient are as large as without.
 * With d_k the difference between the two logits of word k, in which log sum exp cancels,
 *
 *   KL(p || q) + KL(q || p) = sum_k (p_k - q_k) d_k */
#ifndef SA_LAYERS_DIVERGENCE_H
#define SA_LAYERS_DIVERGENCE_H

#include "tensor/mat.h"

/* Of the rows of a pass. */
typedef struct sa_divergence {
    const int *twin; /* [rows] the other row of the same word; NULL: there are no twins */
    double weight;
    sa_mat logits; /* a block of rows that holds both or none of every two twins */
    sa_mat d;      /* of the same block */
} sa_divergence;

/* The end of the block of rows that begins at `first`: beyond both rows of all its twins. */
int sa_divergence_block_end(const sa_divergence *divergence, int first, int rows);

/* d_i = z_i - z_i' for the logits z [R x K] of the rows from `first` on. */
void sa_divergence_difference(const sa_divergence *divergence, int first, sa_mat z, sa_mat d);

/* objective_i -= weight / 4 sum_k (p_k - q_k) d_k, for scaled_p = scale p of both rows [R x K]. */
void sa_divergence_forward(const sa_divergence *divergence, int first, sa_mat scaled_p,
                           sa_real scale, sa_mat d, sa_real *objective);
/* d becomes scale times the gradient of the sum of -objective by the logits:
 * weight / 2 (p - q + p . (d - sum_k p_k d_k)). */
void sa_divergence_backward(const sa_divergence *divergence, int first, sa_mat scaled_p,
                            sa_real scale, sa_mat d);

#endif
