/* gru: the gated recurrent unit, in the four forms that papers and toolkits use.
 *
 *   z, r = sigma(a + U s')
 *   s~ = tanh(a + U [r . s'])       reset before U: Bahdanau et al. 2015, A.1.1
 *   s~ = tanh(a + r . (U s' + a_u)) reset after U: dl4mt, cuDNN; with the context in a_u, Cho 2014
 *   s  = (1 - z) . s' + z . s~      z weights the new state: Bahdanau et al. 2015, A.1.1
 *   s  = z . s' + (1 - z) . s~      z weights the old state: Cho et al. 2014
 *
 * Blocks of a: [z | r | s~], and with the reset after U [u | z | r | s~]. */
#include "layers/recurrent.h"
#include "tensor/vec.h"

/* ---- The update ------------------------------------------------------------------------------
 * zrc: the blocks z | r | s~ of either form. */

/* A.1.1: s = (1 - z) . s' + z . s~ */
static void new_forward(sa_mat zrc, sa_mat previous, sa_mat state) {
    const int n = state.cols;
    for (int i = 0; i < state.rows; i++) {
        const sa_real *z = sa_row(zrc, i), *c = z + 2 * n, *s_ = sa_row(previous, i);
        sa_real *s = sa_row(state, i);
        for (int k = 0; k < n; k++) s[k] = (1 - z[k]) * s_[k] + z[k] * c[k];
    }
}

static void new_backward(sa_mat zrc, sa_mat previous, sa_mat dstate, sa_mat dzrc,
                         sa_mat dprevious) {
    const int n = dstate.cols;
    for (int i = 0; i < dstate.rows; i++) {
        const sa_real *z = sa_row(zrc, i), *c = z + 2 * n, *s_ = sa_row(previous, i);
        const sa_real *ds = sa_row(dstate, i);
        sa_real *daz = sa_row(dzrc, i), *dac = daz + 2 * n, *ds_ = sa_row(dprevious, i);
        for (int k = 0; k < n; k++) {
            ds_[k] += ds[k] * (1 - z[k]);
            daz[k] = ds[k] * (c[k] - s_[k]) * z[k] * (1 - z[k]);
            dac[k] = ds[k] * z[k] * (1 - c[k] * c[k]);
        }
    }
}

/* Section 2.3 (Cho et al. 2014): s = z . s' + (1 - z) . s~ */
static void old_forward(sa_mat zrc, sa_mat previous, sa_mat state) {
    const int n = state.cols;
    for (int i = 0; i < state.rows; i++) {
        const sa_real *z = sa_row(zrc, i), *c = z + 2 * n, *s_ = sa_row(previous, i);
        sa_real *s = sa_row(state, i);
        for (int k = 0; k < n; k++) s[k] = z[k] * s_[k] + (1 - z[k]) * c[k];
    }
}

static void old_backward(sa_mat zrc, sa_mat previous, sa_mat dstate, sa_mat dzrc,
                         sa_mat dprevious) {
    const int n = dstate.cols;
    for (int i = 0; i < dstate.rows; i++) {
        const sa_real *z = sa_row(zrc, i), *c = z + 2 * n, *s_ = sa_row(previous, i);
        const sa_real *ds = sa_row(dstate, i);
        sa_real *daz = sa_row(dzrc, i), *dac = daz + 2 * n, *ds_ = sa_row(dprevious, i);
        for (int k = 0; k < n; k++) {
            ds_[k] += ds[k] * z[k];
            daz[k] = ds[k] * (s_[k] - c[k]) * z[k] * (1 - z[k]);
            dac[k] = ds[k] * (1 - z[k]) * (1 - c[k] * c[k]);
        }
    }
}

static void update_forward(const sa_recurrent *w, sa_mat zrc, sa_mat previous, sa_mat state) {
    (w->cell->keeps_old ? old_forward : new_forward)(zrc, previous, state);
}

static void update_backward(const sa_recurrent *w, sa_mat zrc, sa_mat previous, sa_mat dstate,
                            sa_mat dzrc, sa_mat dprevious) {
    (w->cell->keeps_old ? old_backward : new_backward)(zrc, previous, dstate, dzrc, dprevious);
}

/* ---- Reset before U -------------------------------------------------------------------------- */

/* A.1.1: z, r = sigma(a + U s'); s~ = tanh(a + U [r . s']). cache receives r . s'. */
void sa_gru_before_forward(const sa_recurrent *w, sa_state previous, sa_mat gates, sa_mat cache,
                           sa_state state) {
    const int n = w->n;
    const sa_mat s_masked = previous.masked, reset = sa_cols(cache, 0, n);
    sa_recurrent_state_forward(w, 0, 2, s_masked, gates, cache); /* z, r = sigma(a + U s') */
    sa_sigmoid(sa_cols(gates, 0, 2 * n));
    for (int i = 0; i < gates.rows; i++) {
        const sa_real *r = sa_row(gates, i) + n, *s_ = sa_row(s_masked, i);
        sa_real *rs = sa_row(reset, i);
        for (int k = 0; k < n; k++) rs[k] = r[k] * s_[k];
    }
    sa_recurrent_state_forward(w, 2, 1, reset, gates, cache); /* s~ = tanh(a + U [r . s']) */
    sa_tanh(sa_cols(gates, 2 * n, n));
    update_forward(w, gates, previous.s, state.s);
}

void sa_gru_before_backward(const sa_recurrent *w, sa_state previous, sa_mat gates, sa_mat cache,
                            sa_state dstate, sa_mat da, sa_state dprevious, sa_mat drs,
                            sa_recurrent *dw) {
    const int n = w->n;
    update_backward(w, gates, previous.s, dstate.s, da, dprevious.s);
    sa_recurrent_state_backward(w, 2, 1, cache, da, 0, drs, dw); /* s~ = tanh(a + U [r . s']) */
    for (int i = 0; i < gates.rows; i++) {
        const sa_real *r = sa_row(gates, i) + n, *s_ = sa_row(previous.masked, i),
                      *drs_ = sa_row(drs, i);
        sa_real *dar = sa_row(da, i) + n, *ds_ = sa_row(dprevious.masked, i);
        for (int k = 0; k < n; k++) {
            ds_[k] += drs_[k] * r[k];
            dar[k] = drs_[k] * s_[k] * r[k] * (1 - r[k]);
        }
    }
    sa_recurrent_state_backward(w, 0, 2, cache, da, 1, dprevious.masked, dw); /* z, r: a + U s' */
}

void sa_gru_before_weights_backward(sa_state previous, sa_mat cache, sa_mat da, sa_recurrent *dw) {
    const sa_mat reset = sa_cols(cache, 0, dw->n); /* r . s' */
    sa_recurrent_state_weights_backward(0, 2, previous.masked, da, dw);
    sa_recurrent_state_weights_backward(2, 1, reset, da, dw);
}

/* ---- Reset after U --------------------------------------------------------------------------- */

/* z | r | s~ */
static sa_mat gate_blocks(sa_mat gates, int n) {
    return sa_cols(gates, n, 3 * n);
}

/* z, r = sigma(a + U s'); u = a_u + U s'; s~ = tanh(a + r . u) */
void sa_gru_after_forward(const sa_recurrent *w, sa_state previous, sa_mat gates, sa_mat cache,
                          sa_state state) {
    const int n = w->n;
    sa_recurrent_state_forward(w, 0, 3, previous.masked, gates, cache); /* u, z, r: a + U s' */
    sa_sigmoid(sa_cols(gates, n, 2 * n));
    for (int i = 0; i < gates.rows; i++) {
        const sa_real *u = sa_row(gates, i), *r = u + 2 * n;
        sa_real *c = sa_row(gates, i) + 3 * n;
        for (int k = 0; k < n; k++) c[k] += r[k] * u[k];
    }
    sa_tanh(sa_cols(gates, 3 * n, n)); /* s~ = tanh(a + r . u) */
    update_forward(w, gate_blocks(gates, n), previous.s, state.s);
}

void sa_gru_after_backward(const sa_recurrent *w, sa_state previous, sa_mat gates, sa_mat cache,
                           sa_state dstate, sa_mat da, sa_state dprevious, sa_mat scratch,
                           sa_recurrent *dw) {
    const int n = w->n;
    (void)scratch;
    update_backward(w, gate_blocks(gates, n), previous.s, dstate.s, gate_blocks(da, n),
                    dprevious.s);
    for (int i = 0; i < gates.rows; i++) { /* s~ = tanh(a + r . u) */
        const sa_real *u = sa_row(gates, i), *r = u + 2 * n;
        sa_real *dau = sa_row(da, i), *dar = dau + 2 * n, *dac = dau + 3 * n;
        for (int k = 0; k < n; k++) {
            dau[k] = dac[k] * r[k];
            dar[k] = dac[k] * u[k] * r[k] * (1 - r[k]);
        }
    }
    sa_recurrent_state_backward(w, 0, 3, cache, da, 1, dprevious.masked, dw); /* u, z, r */
}

void sa_gru_after_weights_backward(sa_state previous, sa_mat cache, sa_mat da, sa_recurrent *dw) {
    (void)cache;
    sa_recurrent_state_weights_backward(0, 3, previous.masked, da, dw);
}
