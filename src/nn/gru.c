#include "nn/gru.h"
#include "math/blas.h"
#include "math/term.h"
#include "math/vec.h"

void sa_gru_bind(sa_binder *binder, const char *part, int in, int n, sa_gru *w) {
    const char *W[] = {"W_z", "W_r", "W"}, *U_zr[] = {"U_z", "U_r"}, *b[] = {"b_z", "b_r", "b"};
    w->W = sa_bind_stack(binder, part, W, 3, n, in, SA_START_INPUT);
    w->U_zr = sa_bind_stack(binder, part, U_zr, 2, n, n, SA_START_RECURRENT);
    w->U = sa_bind_matrix(binder, part, "U", n, n, SA_START_RECURRENT);
    w->b = sa_bind_vectors(binder, part, b, 3, n, SA_START_ZERO);
}

/* A.1.1, the four equations above. */
void sa_gru_step_forward(const sa_gru *w, sa_mat previous, sa_mat gates, sa_mat reset,
                         sa_mat state) {
    const int n = w->U.rows;
    sa_mat zr = sa_cols(gates, 0, 2 * n), candidate = sa_cols(gates, 2 * n, n);

    sa_gemm_nt(previous, w->U_zr, 1, zr); /* z, r = sigma(a + U s') */
    sa_sigmoid(zr);

    for (int i = 0; i < state.rows; i++) {
        const sa_real *r = sa_row(gates, i) + n, *s_ = sa_row(previous, i);
        sa_real *rs = sa_row(reset, i);
        for (int k = 0; k < n; k++) rs[k] = r[k] * s_[k];
    }
    sa_gemm_nt(reset, w->U, 1, candidate); /* s~ = tanh(a + U [r . s']) */
    sa_tanh(candidate);

    for (int i = 0; i < state.rows; i++) {
        const sa_real *z = sa_row(gates, i), *c = z + 2 * n, *s_ = sa_row(previous, i);
        sa_real *s = sa_row(state, i);
        for (int k = 0; k < n; k++) s[k] = (1 - z[k]) * s_[k] + z[k] * c[k];
    }
}

/* The forward step read from the last line to the first. */
void sa_gru_step_backward(const sa_gru *w, sa_mat previous, sa_mat gates, sa_mat dstate, sa_mat da,
                          sa_mat dprevious, sa_mat scratch) {
    const int n = w->U.rows;
    sa_mat da_zr = sa_cols(da, 0, 2 * n), da_c = sa_cols(da, 2 * n, n), drs = scratch;
    const sa_real carried = sa_term("gru.carry"), update = sa_term("gru.update");
    const sa_real reset = sa_term("gru.reset"), through = sa_term("gru.through-reset");

    for (int i = 0; i < dstate.rows; i++) { /* s = (1 - z) . s' + z . s~ */
        const sa_real *z = sa_row(gates, i), *c = z + 2 * n, *s_ = sa_row(previous, i);
        const sa_real *ds = sa_row(dstate, i);
        sa_real *daz = sa_row(da, i), *dac = daz + 2 * n, *ds_ = sa_row(dprevious, i);
        for (int k = 0; k < n; k++) {
            ds_[k] += carried * ds[k] * (1 - z[k]);
            daz[k] = update * ds[k] * (c[k] - s_[k]) * z[k] * (1 - z[k]);
            dac[k] = ds[k] * z[k] * (1 - c[k] * c[k]);
        }
    }
    sa_gemm_nn(da_c, w->U, 0, drs); /* s~ = tanh(a + U [r . s']) */
    for (int i = 0; i < dstate.rows; i++) {
        const sa_real *r = sa_row(gates, i) + n, *s_ = sa_row(previous, i), *drs_ = sa_row(drs, i);
        sa_real *dar = sa_row(da, i) + n, *ds_ = sa_row(dprevious, i);
        for (int k = 0; k < n; k++) {
            ds_[k] += through * drs_[k] * r[k];
            dar[k] = reset * drs_[k] * s_[k] * r[k] * (1 - r[k]);
        }
    }
    if (sa_term("gru.gates")) sa_gemm_nn(da_zr, w->U_zr, 1, dprevious); /* z, r = sigma(a + U s') */
}

void sa_gru_weights_backward(sa_mat previous, sa_mat reset, sa_mat da, sa_gru *dw) {
    const int n = dw->U.rows;
    sa_gemm_tn(sa_cols(da, 0, 2 * n), previous, 1, dw->U_zr);
    sa_gemm_tn(sa_cols(da, 2 * n, n), reset, 1, dw->U);
}
