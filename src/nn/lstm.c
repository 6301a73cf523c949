#include "nn/lstm.h"
#include "math/blas.h"
#include "math/term.h"
#include "math/vec.h"

/* The five equations of lstm.h. */
void sa_lstm_forward(const sa_recurrent *w, sa_state previous, sa_mat gates, sa_mat kept,
                     sa_state state) {
    const int n = w->U.cols;
    sa_gemm_nt(previous.met, w->U, 1, gates); /* a + U s' */
    sa_sigmoid(sa_cols(gates, 0, 3 * n));     /* i, f, o */
    sa_tanh(sa_cols(gates, 3 * n, n));        /* g */
    for (int l = 0; l < gates.rows; l++) {
        const sa_real *i = sa_row(gates, l), *f = i + n, *g = i + 3 * n,
                      *m_ = sa_row(previous.m, l);
        sa_real *m = sa_row(state.m, l), *tanh_m = sa_row(kept, l);
        for (int k = 0; k < n; k++) tanh_m[k] = m[k] = f[k] * m_[k] + i[k] * g[k];
    }
    sa_tanh(kept);
    for (int l = 0; l < gates.rows; l++) {
        const sa_real *o = sa_row(gates, l) + 2 * n, *tanh_m = sa_row(kept, l);
        sa_real *s = sa_row(state.s, l);
        for (int k = 0; k < n; k++) s[k] = o[k] * tanh_m[k];
    }
}

void sa_lstm_backward(const sa_recurrent *w, sa_state previous, sa_mat gates, sa_mat kept,
                      sa_state dstate, sa_mat da, sa_state dprevious, sa_mat scratch) {
    const int n = w->U.cols;
    const sa_real out = sa_term("lstm.output"), input = sa_term("lstm.input"),
                  forget = sa_term("lstm.forget"), carry = sa_term("lstm.carry");
    (void)scratch;
    for (int l = 0; l < gates.rows; l++) {
        const sa_real *i = sa_row(gates, l), *f = i + n, *o = i + 2 * n, *g = i + 3 * n;
        const sa_real *m_ = sa_row(previous.m, l), *tanh_m = sa_row(kept, l);
        const sa_real *ds = sa_row(dstate.s, l), *dm_next = sa_row(dstate.m, l);
        sa_real *dai = sa_row(da, l), *daf = dai + n, *dao = dai + 2 * n, *dag = dai + 3 * n;
        sa_real *dm_ = sa_row(dprevious.m, l);
        for (int k = 0; k < n; k++) { /* s = o . tanh(m), m = f . m' + i . g */
            const sa_real dm = dm_next[k] + ds[k] * o[k] * (1 - tanh_m[k] * tanh_m[k]);
            dao[k] = out * ds[k] * tanh_m[k] * o[k] * (1 - o[k]);
            dai[k] = input * dm * g[k] * i[k] * (1 - i[k]);
            daf[k] = forget * dm * m_[k] * f[k] * (1 - f[k]);
            dag[k] = dm * i[k] * (1 - g[k] * g[k]);
            dm_[k] += carry * dm * f[k];
        }
    }
    if (sa_term("lstm.state")) sa_gemm_nn(da, w->U, 1, dprevious.met); /* a + U s' */
}

void sa_lstm_weights_backward(sa_state previous, sa_mat kept, sa_mat da, sa_mat dU) {
    (void)kept;
    sa_gemm_tn(da, previous.met, 1, dU);
}
