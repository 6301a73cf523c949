#include "layers/gru.h"
#include "tensor/gradient_fault.h"
#include "tensor/vec.h"

/* ---- The candidate, reset before U ----------------------------------------------------------- */

/* A.1.1: z, r = sigma(a + U s'); s~ = tanh(a + U [r . s']). cache receives r . s'. */
static void before_forward(const sa_recurrent *w, sa_mat previous, sa_mat gates, sa_mat cache) {
    const int n = w->n;
    sa_mat reset = sa_cols(cache, 0, n);

    sa_recurrent_state_forward(w, 0, 2, previous, gates, cache); /* z, r = sigma(a + U s') */
    sa_sigmoid(sa_cols(gates, 0, 2 * n));

    for (int i = 0; i < gates.rows; i++) {
        const sa_real *r = sa_row(gates, i) + n, *s_ = sa_row(previous, i);
        sa_real *rs = sa_row(reset, i);
        for (int k = 0; k < n; k++) rs[k] = r[k] * s_[k];
    }
    sa_recurrent_state_forward(w, 2, 1, reset, gates, cache); /* s~ = tanh(a + U [r . s']) */
    sa_tanh(sa_cols(gates, 2 * n, n));
}

/* da holds the derivatives by the pre-activations of z and s~; that of r is written here. */
static void before_backward(const sa_recurrent *w, sa_mat previous, sa_mat gates, sa_mat cache,
                            sa_mat da, sa_mat dprevious, sa_mat drs, sa_recurrent *dw) {
    const int n = w->n;
    const sa_real reset = sa_gradient_intact("gru.reset"),
                  through = sa_gradient_intact("gru.through-reset");

    sa_recurrent_state_backward(w, 2, 1, cache, da, 0, drs, dw); /* s~ = tanh(a + U [r . s']) */
    for (int i = 0; i < gates.rows; i++) {
        const sa_real *r = sa_row(gates, i) + n, *s_ = sa_row(previous, i), *drs_ = sa_row(drs, i);
        sa_real *dar = sa_row(da, i) + n, *ds_ = sa_row(dprevious, i);
        for (int k = 0; k < n; k++) {
            ds_[k] += through * drs_[k] * r[k];
            dar[k] = reset * drs_[k] * s_[k] * r[k] * (1 - r[k]);
        }
    }
    if (sa_gradient_intact("gru.gates")) /* z, r = sigma(a + U s') */
        sa_recurrent_state_backward(w, 0, 2, cache, da, 1, dprevious, dw);
}

void sa_gru_before_weights_backward(sa_state previous, sa_mat cache, sa_mat da, sa_recurrent *dw) {
    const sa_mat reset = sa_cols(cache, 0, dw->n); /* r . s' */
    sa_recurrent_state_weights_backward(0, 2, previous.masked, da, dw);
    sa_recurrent_state_weights_backward(2, 1, reset, da, dw);
}

/* ---- The candidate, reset after U ------------------------------------------------------------ */

/* z, r = sigma(a + U s'); u = a_u + U s'; s~ = tanh(a + r . u) */
static void after_forward(const sa_recurrent *w, sa_mat previous, sa_mat gates, sa_mat cache) {
    const int n = w->n;
    sa_recurrent_state_forward(w, 0, 3, previous, gates, cache); /* u, z, r: a + U s' */
    sa_sigmoid(sa_cols(gates, n, 2 * n));
    for (int i = 0; i < gates.rows; i++) {
        const sa_real *u = sa_row(gates, i), *r = u + 2 * n;
        sa_real *c = sa_row(gates, i) + 3 * n;
        for (int k = 0; k < n; k++) c[k] += r[k] * u[k];
    }
    sa_tanh(sa_cols(gates, 3 * n, n)); /* s~ = tanh(a + r . u) */
}

static void after_backward(const sa_recurrent *w, sa_mat gates, sa_mat cache, sa_mat da,
                           sa_mat dprevious, sa_recurrent *dw) {
    const int n = w->n;
    const sa_real reset = sa_gradient_intact("gru.reset"),
                  through = sa_gradient_intact("gru.through-reset");
    for (int i = 0; i < gates.rows; i++) { /* s~ = tanh(a + r . u) */
        const sa_real *u = sa_row(gates, i), *r = u + 2 * n;
        sa_real *dau = sa_row(da, i), *dar = dau + 2 * n, *dac = dau + 3 * n;
        for (int k = 0; k < n; k++) {
            dau[k] = through * dac[k] * r[k];
            dar[k] = reset * dac[k] * u[k] * r[k] * (1 - r[k]);
        }
    }
    if (sa_gradient_intact("gru.gates")) /* u, z, r: a + U s' */
        sa_recurrent_state_backward(w, 0, 3, cache, da, 1, dprevious, dw);
}

void sa_gru_after_weights_backward(sa_state previous, sa_mat cache, sa_mat da, sa_recurrent *dw) {
    (void)cache;
    sa_recurrent_state_weights_backward(0, 3, previous.masked, da, dw);
}

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
    const sa_real carry = sa_gradient_intact("gru.carry"),
                  update = sa_gradient_intact("gru.update");
    for (int i = 0; i < dstate.rows; i++) {
        const sa_real *z = sa_row(zrc, i), *c = z + 2 * n, *s_ = sa_row(previous, i);
        const sa_real *ds = sa_row(dstate, i);
        sa_real *daz = sa_row(dzrc, i), *dac = daz + 2 * n, *ds_ = sa_row(dprevious, i);
        for (int k = 0; k < n; k++) {
            ds_[k] += carry * ds[k] * (1 - z[k]);
            daz[k] = update * ds[k] * (c[k] - s_[k]) * z[k] * (1 - z[k]);
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
    const sa_real carry = sa_gradient_intact("gru.carry"),
                  update = sa_gradient_intact("gru.update");
    for (int i = 0; i < dstate.rows; i++) {
        const sa_real *z = sa_row(zrc, i), *c = z + 2 * n, *s_ = sa_row(previous, i);
        const sa_real *ds = sa_row(dstate, i);
        sa_real *daz = sa_row(dzrc, i), *dac = daz + 2 * n, *ds_ = sa_row(dprevious, i);
        for (int k = 0; k < n; k++) {
            ds_[k] += carry * ds[k] * z[k];
            daz[k] = update * ds[k] * (s_[k] - c[k]) * z[k] * (1 - z[k]);
            dac[k] = ds[k] * (1 - z[k]) * (1 - c[k] * c[k]);
        }
    }
}

/* ---- The four cells -------------------------------------------------------------------------- */

/* z | r | s~ among the blocks of a cell with the reset after U */
static sa_mat gate_blocks(sa_mat gates, int n) {
    return sa_cols(gates, n, 3 * n);
}

void sa_gru_before_new_forward(const sa_recurrent *w, sa_state previous, sa_mat gates, sa_mat cache,
                               sa_state state) {
    before_forward(w, previous.masked, gates, cache);
    new_forward(gates, previous.s, state.s);
}

void sa_gru_before_new_backward(const sa_recurrent *w, sa_state previous, sa_mat gates,
                                sa_mat cache, sa_state dstate, sa_mat da, sa_state dprevious,
                                sa_mat scratch, sa_recurrent *dw) {
    new_backward(gates, previous.s, dstate.s, da, dprevious.s);
    before_backward(w, previous.masked, gates, cache, da, dprevious.masked, scratch, dw);
}

void sa_gru_before_old_forward(const sa_recurrent *w, sa_state previous, sa_mat gates, sa_mat cache,
                               sa_state state) {
    before_forward(w, previous.masked, gates, cache);
    old_forward(gates, previous.s, state.s);
}

void sa_gru_before_old_backward(const sa_recurrent *w, sa_state previous, sa_mat gates,
                                sa_mat cache, sa_state dstate, sa_mat da, sa_state dprevious,
                                sa_mat scratch, sa_recurrent *dw) {
    old_backward(gates, previous.s, dstate.s, da, dprevious.s);
    before_backward(w, previous.masked, gates, cache, da, dprevious.masked, scratch, dw);
}

void sa_gru_after_new_forward(const sa_recurrent *w, sa_state previous, sa_mat gates, sa_mat cache,
                              sa_state state) {
    after_forward(w, previous.masked, gates, cache);
    new_forward(gate_blocks(gates, w->n), previous.s, state.s);
}

void sa_gru_after_new_backward(const sa_recurrent *w, sa_state previous, sa_mat gates, sa_mat cache,
                               sa_state dstate, sa_mat da, sa_state dprevious, sa_mat scratch,
                               sa_recurrent *dw) {
    const int n = w->n;
    (void)scratch;
    new_backward(gate_blocks(gates, n), previous.s, dstate.s, gate_blocks(da, n), dprevious.s);
    after_backward(w, gates, cache, da, dprevious.masked, dw);
}

void sa_gru_after_old_forward(const sa_recurrent *w, sa_state previous, sa_mat gates, sa_mat cache,
                              sa_state state) {
    after_forward(w, previous.masked, gates, cache);
    old_forward(gate_blocks(gates, w->n), previous.s, state.s);
}

void sa_gru_after_old_backward(const sa_recurrent *w, sa_state previous, sa_mat gates, sa_mat cache,
                               sa_state dstate, sa_mat da, sa_state dprevious, sa_mat scratch,
                               sa_recurrent *dw) {
    const int n = w->n;
    (void)scratch;
    old_backward(gate_blocks(gates, n), previous.s, dstate.s, gate_blocks(da, n), dprevious.s);
    after_backward(w, gates, cache, da, dprevious.masked, dw);
}
