#include "attention/attention.h"
#include "tensor/blas.h"
#include "tensor/gradient_fault.h"
#include "tensor/vec.h"

static void zero_outside(sa_mat alpha, const sa_span *spans) {
    for (int i = 0; i < alpha.rows; i++) {
        const int first = spans[i].first, behind = first + spans[i].count;
        sa_zero(sa_cols(sa_rows(alpha, i, 1), 0, first));
        sa_zero(sa_cols(sa_rows(alpha, i, 1), behind, alpha.cols - behind));
    }
}

/* alpha_i = pi(e_i) inside the spans: A.1.2 (Bahdanau et al. 2015), equation 1 (Vaswani et al.
 * 2017)
 */
void sa_attention_weights_forward(const sa_normalizer *normalizer, sa_real exponent,
                                  const sa_span *spans, sa_mat alpha) {
    if (!spans) {
        normalizer->forward(exponent, alpha);
        return;
    }
    for (int i = 0; i < alpha.rows; i++)
        normalizer->forward(exponent,
                            sa_cols(sa_rows(alpha, i, 1), spans[i].first, spans[i].count));
    zero_outside(alpha, spans);
}

/* Weights outside the spans are 0 and have no part in it. */
void sa_attention_weights_backward(const sa_normalizer *normalizer, sa_real exponent,
                                   const sa_span *spans, sa_mat alpha, sa_mat dalpha,
                                   sa_real *dexponent) {
    if (sa_gradient_intact("attention.normalizer"))
        normalizer->backward(exponent, alpha, dalpha, dexponent);
    if (spans) zero_outside(dalpha, spans);
}

/* A.1.2: c_i = sum_j alpha_ij v_j */
void sa_attention_sum_forward(sa_mat alpha, sa_mat v, sa_mat c) {
    sa_gemm_nn(alpha, v, 0, c);
}

void sa_attention_sum_backward(sa_mat alpha, sa_mat v, sa_mat dc, sa_mat dalpha, sa_mat dv) {
    sa_gemm_nt(dc, v, 0, dalpha);
    if (sa_gradient_intact("attention.values")) sa_gemm_tn(alpha, dc, 1, dv);
}
