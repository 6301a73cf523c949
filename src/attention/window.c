#include "attention/window.h"
#include "layers/linear.h"
#include "tensor/blas.h"
#include "tensor/gradient_fault.h"
#include "tensor/vec.h"

#include <math.h>

const char *sa_window_name(size_t row) {
    static const char *const names[] = {[SA_WINDOW_NONE] = "none",
                                        [SA_WINDOW_LOCAL_M] = "local-m",
                                        [SA_WINDOW_LOCAL_P] = "local-p",
                                        [SA_WINDOW_SLIDING] = "sliding"};
    return row < sizeof names / sizeof *names ? names[row] : NULL;
}

/* The whole sentence if p is NaN, as in a model that diverged. */
sa_span sa_window_span(sa_real p, int D, int S) {
    const int first = (int)fmax(ceil((double)p - D), 1), last = (int)fmin(floor((double)p + D), S);
    return (sa_span){first - 1, last - first + 1};
}

/* Equation 9 (Luong et al. 2015): p_i = S sigma(v_p' tanh(W_p s_i)) */
void sa_window_center_forward(sa_weight W_p, sa_mat v_p, sa_mat s, sa_mat hidden,
                              sa_mat relative_center) {
    const sa_mat no_bias = {0};
    sa_linear_forward(W_p, no_bias, s, hidden);
    sa_tanh(hidden);
    sa_gemm_nt(hidden, v_p, 0, relative_center);
    sa_sigmoid(relative_center);
}

void sa_window_center_backward(sa_weight W_p, sa_mat v_p, sa_mat hidden, sa_mat relative_center,
                               sa_mat drelative_center, sa_mat dhidden, sa_mat ds) {
    const bool slope = sa_gradient_intact("window.tanh");
    for (int i = 0; i < relative_center.rows; i++) {
        const sa_real p = *sa_row(relative_center, i),
                      da = *sa_row(drelative_center, i) * p * (1 - p);
        const sa_real *t = sa_row(hidden, i);
        sa_real *dt = sa_row(dhidden, i);
        *sa_row(drelative_center, i) = da; /* sigma */
        for (int k = 0; k < hidden.cols; k++) dt[k] = da * v_p.x[k] * (slope ? 1 - t[k] * t[k] : 1);
    }
    if (sa_gradient_intact("window.query")) sa_weight_nn(dhidden, W_p, 1, ds); /* W_p s_i */
}

void sa_window_weights_backward(sa_mat s, sa_mat hidden, sa_mat drelative_center, sa_mat dhidden,
                                sa_weight dW_p, sa_mat dv_p) {
    sa_gemm_tn(drelative_center, hidden, 1, dv_p);
    sa_weight_tn(dhidden, s, dW_p);
}

/* 1 / (D/2)^2 */
static sa_real sharpness(int D) {
    return 4 / ((sa_real)D * (sa_real)D);
}

static sa_real gauss(sa_real away, int D) {
    return (sa_real)exp((double)(-away * away / 2 * sharpness(D)));
}

/* Equation 10: alpha_ij exp(-(j - p_i)^2 / (2 (D/2)^2)) */
void sa_window_gauss_forward(sa_real p, int D, sa_mat alpha) {
    const sa_span span = sa_window_span(p, D, alpha.cols);
    for (int j = span.first; j < span.first + span.count; j++)
        alpha.x[j] *= gauss((sa_real)(j + 1) - p, D);
}

sa_real sa_window_gauss_backward(sa_real p, int D, sa_mat alpha, sa_mat dalpha, sa_mat soft) {
    const sa_span span = sa_window_span(p, D, alpha.cols);
    const bool shape = sa_gradient_intact("window.gauss"),
               center = sa_gradient_intact("window.center");
    sa_real dp = 0;
    sa_zero(soft);
    for (int j = span.first; j < span.first + span.count; j++) {
        const sa_real away = (sa_real)(j + 1) - p, g = gauss(away, D);
        soft.x[j] = alpha.x[j] / g; /* g >= exp(-2) inside the window */
        if (center) dp += dalpha.x[j] * alpha.x[j] * away * sharpness(D);
        if (shape) dalpha.x[j] *= g;
    }
    return dp;
}
