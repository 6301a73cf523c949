#include "attention/product.h"
#include "tensor/blas.h"
#include "tensor/gradient_fault.h"
#include "tensor/vec.h"

/* Section 3.1 (Luong et al. 2015): e = q k' */
void sa_dot_forward(sa_mat v_a, sa_mat q, sa_mat k, sa_mat e, sa_mat scratch) {
    (void)v_a, (void)scratch;
    sa_gemm_nt(q, k, 0, e);
}

void sa_dot_backward(sa_mat v_a, sa_mat q, sa_mat k, sa_mat de, sa_mat dq, sa_mat dk, sa_mat dv_a,
                     sa_mat scratch) {
    (void)v_a, (void)dv_a, (void)scratch;
    if (sa_gradient_intact("dot.query")) sa_gemm_nn(de, k, 1, dq); /* e = q k' */
    if (sa_gradient_intact("dot.key")) sa_gemm_tn(de, q, 1, dk);
}

/* Section 3.2.1 (Vaswani et al. 2017): e = q k' / sqrt(n') */
void sa_scaled_dot_forward(sa_mat v_a, sa_mat q, sa_mat k, sa_mat e, sa_mat scratch) {
    sa_dot_forward(v_a, q, k, e, scratch);
    sa_scale(1 / sa_sqrt((sa_real)q.cols), e);
}

void sa_scaled_dot_backward(sa_mat v_a, sa_mat q, sa_mat k, sa_mat de, sa_mat dq, sa_mat dk,
                            sa_mat dv_a, sa_mat scratch) {
    if (sa_gradient_intact("scaled-dot.scale"))
        sa_scale(1 / sa_sqrt((sa_real)q.cols), de); /* e = (q k') / sqrt(n') */
    sa_dot_backward(v_a, q, k, de, dq, dk, dv_a, scratch);
}
