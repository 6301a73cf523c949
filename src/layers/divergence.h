/* divergence: R-Drop (Liang et al. 2021). Every pair passes the model twice, with two draws of
 * dropout, and the two distributions of each target word, p and q, are drawn together:
 *
 *   L_NLL = - log p(y) - log q(y)      L_KL = 1/2 (KL(p || q) + KL(q || p))
 *
 * The loss is half of L_NLL + weight L_KL, so that it and its gradient are as large as without.
 * With d_k the difference between the two logits of word k, in which log sum exp cancels,
 *
 *   KL(p || q) + KL(q || p) = sum_k (p_k - q_k) d_k
 *
 * which is the mean of d under p and that of -d under q: both are summed while the logits are read
 * part by part, as the sums of the softmax are (tensor/vec.h). */
#ifndef SA_LAYERS_DIVERGENCE_H
#define SA_LAYERS_DIVERGENCE_H

#include "layers/loss.h"

/* Of the rows of a pass. */
typedef struct sa_divergence {
    const int *twin; /* [rows] the other row of the same word; NULL: there are no twins */
    double weight;
    sa_mat logits; /* a block of rows that holds both or none of every two twins */
    sa_mat d;      /* of the same block */
    /* [rows of the block] of exp(z_k - max) d_k; then sum is the mean of d */
    sa_softmax_sums *sums;
} sa_divergence;

/* The end of the block of rows that begins at `first`: beyond both rows of all its twins. */
int sa_divergence_block_end(const sa_divergence *divergence, int first, int rows);

/* d_i = z_i - z_i' for some columns of the logits z [R x K] of the rows from `first` on. */
void sa_divergence_difference(const sa_divergence *divergence, int first, sa_mat z, sa_mat d);
/* Adds them to the sums, from e = exp(z - max) and max as sa_loss_read leaves them; `begins` with
 * the first columns. */
void sa_divergence_read(const sa_divergence *divergence, sa_mat e, const sa_real *max, sa_mat d,
                        bool begins);
/* objective_i -= weight / 4 sum_k (p_k - q_k) d_k, after all columns have been read. */
void sa_divergence_forward(const sa_divergence *divergence, int first, int count,
                           const sa_loss_row *loss, sa_real *objective);
/* From scaled_p = scale p of both rows, some columns: d becomes scale times the gradient of the sum
 * of -objective by the logits, weight / 2 (p - q + p . (d - sum_k p_k d_k)). */
void sa_divergence_backward(const sa_divergence *divergence, int first, sa_mat scaled_p, sa_mat d);

#endif
