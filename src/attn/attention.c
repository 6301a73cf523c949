#include "attn/attention.h"
#include "math/blas.h"
#include "math/term.h"
#include "math/vec.h"

void sa_attention_bind(sa_binder *binder, const char *part, const sa_compat *compat, int query,
                       int annotation, int size, sa_attention *w) {
    *w = (sa_attention){.compat = compat};
    w->W_a = sa_bind_matrix(binder, part, "W_a", size, query, SA_START_ALIGN);
    w->U_a = sa_bind_matrix(binder, part, "U_a", size, annotation, SA_START_ALIGN);
    if (compat->vector) w->v_a = sa_bind_vector(binder, part, "v_a", size, SA_START_ALIGN_LAST);
}

/* A.1.2 (2015), equation 1 (2017) */
void sa_attention_forward(const sa_attention *w, sa_mat q, sa_mat k, sa_mat v, sa_mat alpha,
                          sa_mat c, sa_mat scratch) {
    w->compat->forward(w->v_a, q, k, alpha, scratch); /* e_ij = f(q_i, k_j) */
    sa_softmax(alpha);                                /* alpha_i = softmax(e_i) */
    sa_gemm_nn(alpha, v, 0, c);                       /* c_i = sum_j alpha_ij v_j */
}

void sa_attention_backward(const sa_attention *w, sa_mat q, sa_mat k, sa_mat v, sa_mat alpha,
                           sa_mat dc, sa_mat dq, sa_mat dk, sa_mat dv, sa_attention *dw,
                           sa_mat dalpha, sa_mat scratch) {
    sa_gemm_nt(dc, v, 0, dalpha); /* c_i = sum_j alpha_ij v_j */
    if (sa_term("attention.values")) sa_gemm_tn(alpha, dc, 1, dv);
    if (sa_term("attention.softmax"))
        sa_softmax_backward(alpha, dalpha, dalpha);                      /* alpha = softmax(e) */
    w->compat->backward(w->v_a, q, k, dalpha, dq, dk, dw->v_a, scratch); /* e_ij = f(q_i, k_j) */
}
