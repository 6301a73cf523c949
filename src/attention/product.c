#include "attention/product.h"
#include "tensor/blas.h"
#include "tensor/gradient_fault.h"
#include "tensor/vec.h"

#include <float.h>

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

/* ---- Products of features -------------------------------------------------------------------- */

/* elu(x) + 1: x + 1 above 0, exp(x) below */
static sa_real elu_feature(sa_real x) {
    return x > 0 ? x + 1 : (sa_real)exp((double)x);
}

/* Its derivative, from its value. */
static sa_real elu_slope(sa_real phi) {
    return phi > 1 ? 1 : phi;
}

void sa_elu_features(sa_mat x, sa_mat phi) {
    for (int i = 0; i < x.rows; i++)
        for (int l = 0; l < x.cols; l++) sa_row(phi, i)[l] = elu_feature(sa_row(x, i)[l]);
}

/* phi(q_i)' phi(k_j) for all j, with phi(k) [S x d]; above 0 even where every feature is as good as
 * 0. */
static void feature_products(const sa_real *q, sa_mat phi, sa_real *products) {
    for (int j = 0; j < phi.rows; j++) products[j] = (sa_real)FLT_MIN;
    for (int l = 0; l < phi.cols; l++) {
        const sa_real own = elu_feature(q[l]);
        for (int j = 0; j < phi.rows; j++) products[j] += own * sa_row(phi, j)[l];
    }
}

/* Section 3.2 (Katharopoulos et al. 2020): the weights phi(q_i)' phi(k_j) of equation 4 as the
 * exponentials of scores */
void sa_feature_dot_forward(sa_mat v_a, sa_mat q, sa_mat k, sa_mat e, sa_mat scratch) {
    (void)v_a;
    sa_elu_features(k, scratch);
    for (int i = 0; i < q.rows; i++) {
        sa_real *ei = sa_row(e, i);
        feature_products(sa_row(q, i), scratch, ei);
        for (int j = 0; j < k.rows; j++) ei[j] = (sa_real)log((double)ei[j]);
    }
}

/* From g_j = de_ij / (phi(q_i)' phi(k_j)) of some keys, with phi(k) [keys x d]:
 * dphi(q_i) += sum_j g_j phi(k_j), dphi(k_j) += g_j phi(q_i) */
static void features_backward(const sa_real *q, sa_mat phi, const sa_real *g, sa_real *dq,
                              sa_mat dk) {
    const bool query = sa_gradient_intact("features.query"),
               key = sa_gradient_intact("features.key"),
               slope = sa_gradient_intact("features.slope");
    for (int l = 0; l < phi.cols; l++) {
        const sa_real own = elu_feature(q[l]);
        sa_real sum = 0;
        for (int j = 0; j < phi.rows; j++) {
            const sa_real other = sa_row(phi, j)[l];
            sum += g[j] * other;
            if (key) sa_row(dk, j)[l] += g[j] * own * (slope ? elu_slope(other) : 1);
        }
        if (query) dq[l] += sum * (slope ? elu_slope(own) : 1);
    }
}

void sa_feature_dot_backward(sa_mat v_a, sa_mat q, sa_mat k, sa_mat de, sa_mat dq, sa_mat dk,
                             sa_mat dv_a, sa_mat scratch) {
    enum { BLOCK = 64 }; /* keys at a time */
    (void)v_a, (void)dv_a;
    sa_elu_features(k, scratch);
    for (int i = 0; i < q.rows; i++)
        for (int first = 0; first < k.rows; first += BLOCK) {
            const int count = k.rows - first < BLOCK ? k.rows - first : BLOCK;
            const sa_mat phi = sa_rows(scratch, first, count);
            sa_real g[BLOCK];
            feature_products(sa_row(q, i), phi, g);
            for (int j = 0; j < count; j++) g[j] = sa_row(de, i)[first + j] / g[j];
            features_backward(sa_row(q, i), phi, g, sa_row(dq, i), sa_rows(dk, first, count));
        }
}
