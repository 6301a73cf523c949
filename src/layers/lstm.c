/* lstm: long short-term memory (Hochreiter and Schmidhuber 1997) with a forget gate (Gers et al.
 * 2000), the cell of Sutskever et al. 2014 and Luong et al. 2015.
 *
 *   i, f, o = sigma(a + U s')      input, forget and output gate
 *   g = tanh(a + U s')             candidate
 *   m = f . m' + i . g             memory cell
 *   s = o . tanh(m)                with layer normalization o . tanh(LN(m)): recurrent.h
 *
 * Blocks of a: [i | f | o | g]. */
#include "layers/recurrent.h"
#include "tensor/vec.h"

/* The five equations above. */
void sa_lstm_forward(const sa_recurrent *w, sa_state previous, sa_mat gates, sa_mat cache,
                     sa_state state) {
    const int n = w->n;
    sa_mat squashed = sa_cols(cache, 0, n);
    sa_recurrent_state_forward(w, 0, 4, previous.masked, gates, cache); /* a + U s' */
    sa_sigmoid(sa_cols(gates, 0, 3 * n));                               /* i, f, o */
    sa_tanh(sa_cols(gates, 3 * n, n));                                  /* g */
    for (int l = 0; l < gates.rows; l++) {
        const sa_real *i = sa_row(gates, l), *f = i + n, *g = i + 3 * n,
                      *m_ = sa_row(previous.m, l);
        sa_real *m = sa_row(state.m, l), *tanh_m = sa_row(cache, l);
        for (int k = 0; k < n; k++) tanh_m[k] = m[k] = f[k] * m_[k] + i[k] * g[k];
    }
    sa_recurrent_memory_forward(w, squashed, cache);
    sa_tanh(squashed);
    for (int l = 0; l < gates.rows; l++) {
        const sa_real *o = sa_row(gates, l) + 2 * n, *tanh_m = sa_row(cache, l);
        sa_real *s = sa_row(state.s, l);
        for (int k = 0; k < n; k++) s[k] = o[k] * tanh_m[k];
    }
}

/* do, and the part of dm that comes through s = o . tanh(m) */
static void output_backward(sa_mat gates, sa_mat cache, sa_mat ds, sa_mat da, sa_mat dm) {
    const int n = ds.cols;
    for (int l = 0; l < gates.rows; l++) {
        const sa_real *o = sa_row(gates, l) + 2 * n, *tanh_m = sa_row(cache, l),
                      *dsl = sa_row(ds, l);
        sa_real *dao = sa_row(da, l) + 2 * n, *dml = sa_row(dm, l);
        for (int k = 0; k < n; k++) {
            dml[k] = dsl[k] * o[k] * (1 - tanh_m[k] * tanh_m[k]);
            dao[k] = dsl[k] * tanh_m[k] * o[k] * (1 - o[k]);
        }
    }
}

void sa_lstm_backward(const sa_recurrent *w, sa_state previous, sa_mat gates, sa_mat cache,
                      sa_state dstate, sa_mat da, sa_state dprevious, sa_mat scratch,
                      sa_recurrent *dw) {
    const int n = w->n;
    output_backward(gates, cache, dstate.s, da, scratch);
    sa_recurrent_memory_backward(w, cache, scratch, dw);
    for (int l = 0; l < gates.rows; l++) {
        const sa_real *i = sa_row(gates, l), *f = i + n, *g = i + 3 * n;
        const sa_real *m_ = sa_row(previous.m, l), *dm_here = sa_row(scratch, l),
                      *dm_next = sa_row(dstate.m, l);
        sa_real *dai = sa_row(da, l), *daf = dai + n, *dag = dai + 3 * n;
        sa_real *dm_ = sa_row(dprevious.m, l);
        for (int k = 0; k < n; k++) { /* m = f . m' + i . g */
            const sa_real dm = dm_next[k] + dm_here[k];
            dai[k] = dm * g[k] * i[k] * (1 - i[k]);
            daf[k] = dm * m_[k] * f[k] * (1 - f[k]);
            dag[k] = dm * i[k] * (1 - g[k] * g[k]);
            dm_[k] += dm * f[k];
        }
    }
    sa_recurrent_state_backward(w, 0, 4, cache, da, 1, dprevious.masked, dw); /* a + U s' */
}

void sa_lstm_weights_backward(sa_state previous, sa_mat cache, sa_mat da, sa_recurrent *dw) {
    (void)cache;
    sa_recurrent_state_weights_backward(0, 4, previous.masked, da, dw);
}
