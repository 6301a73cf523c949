#include "attention/content_free.h"
#include "tensor/gradient_fault.h"
#include "tensor/vec.h"

static int least(int a, int b) {
    return a < b ? a : b;
}

/* Equation 8 of Luong et al. 2015: e = W_a s, its first S numbers. The query's span leaves out
 * positions beyond S_max. */
void sa_location_forward(sa_mat v_a, sa_mat q, sa_mat k, sa_mat e, sa_mat scratch) {
    (void)v_a, (void)k, (void)scratch;
    const int visible = least(q.cols, e.cols);
    sa_copy_mat(sa_cols(q, 0, visible), sa_cols(e, 0, visible));
    sa_zero(sa_cols(e, visible, e.cols - visible));
}

void sa_location_backward(sa_mat v_a, sa_mat q, sa_mat k, sa_mat de, sa_mat dq, sa_mat dk,
                          sa_mat dv_a, sa_mat scratch) {
    (void)v_a, (void)k, (void)dk, (void)dv_a, (void)scratch;
    const int visible = least(q.cols, de.cols);
    if (sa_gradient_intact("location.query")) /* e_ij = q_ij */
        sa_add(sa_cols(de, 0, visible), sa_cols(dq, 0, visible));
}

void sa_uniform_forward(sa_mat v_a, sa_mat q, sa_mat k, sa_mat e, sa_mat scratch) {
    (void)v_a, (void)q, (void)k, (void)scratch;
    sa_zero(e);
}

void sa_uniform_backward(sa_mat v_a, sa_mat q, sa_mat k, sa_mat de, sa_mat dq, sa_mat dk,
                         sa_mat dv_a, sa_mat scratch) {
    (void)v_a, (void)q, (void)k, (void)de, (void)dq, (void)dk, (void)dv_a, (void)scratch;
}
