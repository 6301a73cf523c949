/* coverage: how much of each source word the target words before have covered, as one more input of
 * the score.
 *
 *   e_ij = f(q_i, k_j + w_c C_{i-1,j})           additive: v_a' tanh(q_i + k_j + w_c C_{i-1,j})
 *   C_ij = C_{i-1,j} + alpha_ij / Phi_j          C_0j = 0
 *   Phi_j = N sigma(U_f h_j)                     the fertility of word j, or 1
 *
 * Tu et al. 2016 ("Modeling coverage for neural machine translation"), section 3.1; See et al. 2017
 * ("Get to the point"), section 2.3. */
#ifndef SA_ATTENTION_COVERAGE_H
#define SA_ATTENTION_COVERAGE_H

#include "tensor/mat.h"

typedef struct sa_coverage {
    const char *name, *formula, *citation;
    bool fertility; /* Phi_j is learned; else it is 1 */
    bool loss;      /* --coverage-weight times the coverage loss is trained, too */
} sa_coverage;

extern const sa_coverage sa_coverages[]; /* ends with a NULL name */

/* For the option rows: the name of a row, NULL after the last. */
const char *sa_coverage_name(size_t row);

/* Phi [S x 1] of annotations h [S x A]; U_f [1 x A]. */
void sa_fertility_forward(sa_real N, sa_mat U_f, sa_mat h, sa_mat Phi);
/* dh and dU_f are added to. */
void sa_fertility_backward(sa_real N, sa_mat U_f, sa_mat h, sa_mat Phi, sa_mat dPhi, sa_mat dh,
                           sa_mat dU_f);

/* k_j += w_c C_j    k [S x dk], w_c [1 x dk], C [1 x S] */
void sa_coverage_keys_forward(sa_mat w_c, sa_mat C, sa_mat k);
/* From the derivative dk of the sum: dC and dw_c are added to. */
void sa_coverage_keys_backward(sa_mat w_c, sa_mat C, sa_mat dk, sa_mat dC, sa_mat dw_c);

/* C = previous + alpha / Phi    all [1 x S] but Phi [S x 1], or without columns: 1 */
void sa_coverage_sum_forward(sa_mat previous, sa_mat alpha, sa_mat Phi, sa_mat C);
/* dprevious, dalpha and dPhi are added to. */
void sa_coverage_sum_backward(sa_mat alpha, sa_mat Phi, sa_mat dC, sa_mat dprevious, sa_mat dalpha,
                              sa_mat dPhi);

/* sum_j min(alpha_j, C_j): attending to a word again costs what is covered of it already. */
sa_real sa_coverage_loss_forward(sa_mat C, sa_mat alpha);
/* From the derivative by the loss: dC and dalpha are added to; C counts as the smaller of equals.
 */
void sa_coverage_loss_backward(sa_mat C, sa_mat alpha, sa_real dloss, sa_mat dC, sa_mat dalpha);

#endif
