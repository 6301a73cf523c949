#include "attn/product.h"
#include "math/blas.h"
#include "math/term.h"
#include "math/vec.h"

static void scale(sa_mat e, sa_real factor) {
    for (int i = 0; i < e.rows; i++)
        for (int j = 0; j < e.cols; j++) sa_row(e, i)[j] *= factor;
}

static sa_real one_over_root(int size) {
    return 1 / sa_sqrt((sa_real)size);
}

/* Section 3.2.1 (2017): e = q k' / sqrt(n') */
void sa_scaled_dot_forward(sa_mat v_a, sa_mat q, sa_mat k, sa_mat e, sa_mat scratch) {
    (void)v_a, (void)scratch;
    sa_gemm_nt(q, k, 0, e);
    scale(e, one_over_root(q.cols));
}

void sa_scaled_dot_backward(sa_mat v_a, sa_mat q, sa_mat k, sa_mat de, sa_mat dq, sa_mat dk,
                            sa_mat dv_a, sa_mat scratch) {
    (void)v_a, (void)dv_a, (void)scratch;
    scale(de, sa_term("scaled-dot.scale") ? one_over_root(q.cols) : 1); /* e = (q k') / sqrt(n') */
    if (sa_term("scaled-dot.query")) sa_gemm_nn(de, k, 1, dq);          /* e = q k' */
    if (sa_term("scaled-dot.key")) sa_gemm_tn(de, q, 1, dk);
}
