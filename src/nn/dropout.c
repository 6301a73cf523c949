#include "nn/dropout.h"
#include "math/term.h"

static void multiply(sa_mat mask, sa_mat x) {
    for (int i = 0; i < x.rows; i++) {
        const sa_real *keep = sa_row(mask, i);
        sa_real *xi = sa_row(x, i);
        for (int k = 0; k < x.cols; k++) xi[k] *= keep[k];
    }
}

void sa_dropout_forward(double p, sa_rng *rng, sa_mat mask, sa_mat x) {
    if (p <= 0) return;
    const uint32_t silent = (uint32_t)(p * 4294967296.0);
    const sa_real scale = (sa_real)(1 / (1 - p));
    for (int i = 0; i < x.rows; i++)
        for (int k = 0; k < x.cols; k++) sa_row(mask, i)[k] = sa_rng_next(rng) < silent ? 0 : scale;
    multiply(mask, x);
}

void sa_dropout_backward(double p, sa_mat mask, sa_mat dx) {
    if (p > 0 && sa_term("dropout.mask")) multiply(mask, dx);
}
