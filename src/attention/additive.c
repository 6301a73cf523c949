#include "attention/additive.h"
#include "tensor/blas.h"
#include "tensor/dispatch.h"
#include "tensor/gradient_fault.h"
#include "tensor/vec.h"

sa_mat sa_additive_bind(sa_binder *binder, const char *part, int size, int heads,
                        int max_positions) {
    (void)heads, (void)max_positions;
    return sa_bind_vector(binder, part, "v_a", size, SA_INIT_ALIGN_LAST);
}

/* A.1.2: e_ij = v_a' tanh(W_a s_{i-1} + U_a h_j) */
void sa_additive_forward(sa_mat v_a, sa_mat q, sa_mat k, sa_mat e, sa_mat scratch) {
    for (int i = 0; i < q.rows; i++) {
        sa_tanh_shifted(k, sa_row(q, i), scratch);     /* t_j = tanh(q_i + k_j) */
        sa_gemm_nt(v_a, scratch, 0, sa_rows(e, i, 1)); /* e_ij = v_a' t_j */
    }
}

/* From t = tanh(q + k) of one word: da = de v (1 - t^2), added to dq and dk. The factors are 1, or
 * 0 to leave a term out. */
SA_DISPATCHED static void word_backward(sa_real de, const sa_real *v, const sa_real *t,
                                        sa_real slope, sa_real query, sa_real key, sa_real *dq,
                                        sa_real *dk, int size) {
    for (int l = 0; l < size; l++) {
        const sa_real da = de * v[l] * (1 - slope * t[l] * t[l]);
        dq[l] += query * da;
        dk[l] += key * da;
    }
}

/* The tanh is computed again: T x S x n' numbers would not stay in any cache. */
void sa_additive_backward(sa_mat v_a, sa_mat q, sa_mat k, sa_mat de, sa_mat dq, sa_mat dk,
                          sa_mat dv_a, sa_mat scratch) {
    const sa_real slope = sa_gradient_intact("additive.tanh"),
                  query = sa_gradient_intact("additive.query"),
                  key = sa_gradient_intact("additive.key");
    for (int i = 0; i < q.rows; i++) {
        sa_mat dei = sa_rows(de, i, 1);
        sa_tanh_shifted(k, sa_row(q, i), scratch);
        if (sa_gradient_intact("additive.v_a"))
            sa_gemm_nn(dei, scratch, 1, dv_a); /* e_ij = v_a' t_j */
        for (int j = 0; j < k.rows; j++)       /* t_j = tanh(q_i + k_j) */
            word_backward(dei.x[j], v_a.x, sa_row(scratch, j), slope, query, key, sa_row(dq, i),
                          sa_row(dk, j), k.cols);
    }
}
