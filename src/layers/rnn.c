/* rnn: the simple recurrent network (Elman 1990), s = tanh(a + U s'). */
#include "layers/recurrent.h"
#include "tensor/vec.h"

void sa_rnn_forward(const sa_recurrent *w, sa_state previous, sa_mat gates, sa_mat cache,
                    sa_state state) {
    sa_recurrent_state_forward(w, 0, 1, previous.masked, gates, cache);
    sa_tanh(gates);
    sa_copy_mat(gates, state.s);
}

void sa_rnn_backward(const sa_recurrent *w, sa_state previous, sa_mat gates, sa_mat cache,
                     sa_state dstate, sa_mat da, sa_state dprevious, sa_mat scratch,
                     sa_recurrent *dw) {
    (void)previous, (void)scratch;
    for (int l = 0; l < gates.rows; l++) {
        const sa_real *s = sa_row(gates, l), *ds = sa_row(dstate.s, l);
        sa_real *dal = sa_row(da, l);
        for (int k = 0; k < gates.cols; k++) dal[k] = ds[k] * (1 - s[k] * s[k]);
    }
    sa_recurrent_state_backward(w, 0, 1, cache, da, 1, dprevious.masked, dw);
}

void sa_rnn_weights_backward(sa_state previous, sa_mat cache, sa_mat da, sa_recurrent *dw) {
    (void)cache;
    sa_recurrent_state_weights_backward(0, 1, previous.masked, da, dw);
}
