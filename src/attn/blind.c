#include "attn/blind.h"
#include "math/term.h"
#include "math/vec.h"

/* Equation 8 of Luong et al. 2015: e = W_a s, its first S numbers */
void sa_location_forward(sa_mat v_a, sa_mat q, sa_mat k, sa_mat e, sa_mat scratch) {
    (void)v_a, (void)k, (void)scratch;
    sa_copy_mat(sa_cols(q, 0, e.cols), e);
}

void sa_location_backward(sa_mat v_a, sa_mat q, sa_mat k, sa_mat de, sa_mat dq, sa_mat dk,
                          sa_mat dv_a, sa_mat scratch) {
    (void)v_a, (void)q, (void)k, (void)dk, (void)dv_a, (void)scratch;
    if (sa_term("location.query")) sa_add(de, sa_cols(dq, 0, de.cols)); /* e_ij = q_ij */
}

void sa_uniform_forward(sa_mat v_a, sa_mat q, sa_mat k, sa_mat e, sa_mat scratch) {
    (void)v_a, (void)q, (void)k, (void)scratch;
    sa_zero(e);
}

/* A constant sends nothing back. */
void sa_uniform_backward(sa_mat v_a, sa_mat q, sa_mat k, sa_mat de, sa_mat dq, sa_mat dk,
                         sa_mat dv_a, sa_mat scratch) {
    (void)v_a, (void)q, (void)k, (void)de, (void)dq, (void)dk, (void)dv_a, (void)scratch;
}
