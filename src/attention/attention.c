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

/* alpha_i = softmax(e_i) inside the spans, in place */
static void softmax_forward(const sa_span *spans, sa_mat alpha) {
    if (!spans) {
        sa_softmax(alpha);
        return;
    }
    for (int i = 0; i < alpha.rows; i++)
        sa_softmax(sa_cols(sa_rows(alpha, i, 1), spans[i].first, spans[i].count));
    zero_outside(alpha, spans);
}

/* dalpha becomes de, which is 0 outside the spans. */
static void softmax_backward(const sa_span *spans, sa_mat alpha, sa_mat dalpha) {
    if (sa_gradient_intact("attention.softmax")) sa_softmax_backward(alpha, dalpha, dalpha);
    if (spans) zero_outside(dalpha, spans);
}

/* A.1.2 (Bahdanau et al. 2015), equation 1 (Vaswani et al. 2017) */
void sa_attention_weights_forward(const sa_score *score, sa_mat v_a, sa_mat q, sa_mat k,
                                  const sa_span *spans, sa_mat alpha, sa_mat scratch) {
    score->forward(v_a, q, k, alpha, scratch); /* e_ij = f(q_i, k_j) */
    softmax_forward(spans, alpha);             /* alpha_i = softmax(e_i) */
}

void sa_attention_weights_backward(const sa_score *score, sa_mat v_a, sa_mat q, sa_mat k,
                                   const sa_span *spans, sa_mat alpha, sa_mat dalpha, sa_mat dq,
                                   sa_mat dk, sa_mat dv_a, sa_mat scratch) {
    softmax_backward(spans, alpha, dalpha);                    /* alpha_i = softmax(e_i) */
    score->backward(v_a, q, k, dalpha, dq, dk, dv_a, scratch); /* e_ij = f(q_i, k_j) */
}

/* A.1.2: c_i = sum_j alpha_ij v_j */
void sa_attention_sum_forward(sa_mat alpha, sa_mat v, sa_mat c) {
    sa_gemm_nn(alpha, v, 0, c);
}

void sa_attention_sum_backward(sa_mat alpha, sa_mat v, sa_mat dc, sa_mat dalpha, sa_mat dv) {
    sa_gemm_nt(dc, v, 0, dalpha);
    if (sa_gradient_intact("attention.values")) sa_gemm_tn(alpha, dc, 1, dv);
}
