#include "nn/rnn.h"
#include "math/blas.h"
#include "math/term.h"
#include "math/vec.h"

/* s = tanh(a + U s') */
void sa_rnn_forward(const sa_recurrent *w, sa_state previous, sa_mat gates, sa_mat kept,
                    sa_state state) {
    (void)kept;
    sa_gemm_nt(previous.met, w->U, 1, gates);
    sa_tanh(gates);
    sa_copy_mat(gates, state.s);
}

void sa_rnn_backward(const sa_recurrent *w, sa_state previous, sa_mat gates, sa_mat kept,
                     sa_state dstate, sa_mat da, sa_state dprevious, sa_mat scratch) {
    const sa_real slope = sa_term("rnn.tanh");
    (void)previous, (void)kept, (void)scratch;
    for (int l = 0; l < gates.rows; l++) {
        const sa_real *s = sa_row(gates, l), *ds = sa_row(dstate.s, l);
        sa_real *dal = sa_row(da, l);
        for (int k = 0; k < gates.cols; k++) dal[k] = ds[k] * (1 - slope * s[k] * s[k]);
    }
    if (sa_term("rnn.state")) sa_gemm_nn(da, w->U, 1, dprevious.met);
}

void sa_rnn_weights_backward(sa_state previous, sa_mat kept, sa_mat da, sa_mat dU) {
    (void)kept;
    sa_gemm_tn(da, previous.met, 1, dU);
}
