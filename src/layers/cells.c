/* cells: the recurrent cells.
 *
 * The gated recurrent unit, in the four forms that papers and toolkits use.
 *
 *   z, r = sigma(a + U s')
 *   s~ = tanh(a + U [r . s'])       reset before U: Bahdanau et al. 2015, A.1.1
 *   s~ = tanh(a + r . (U s' + a_u)) reset after U: dl4mt, cuDNN; with the context in a_u, Cho 2014
 *   s  = (1 - z) . s' + z . s~      z weights the new state: Bahdanau et al. 2015, A.1.1
 *   s  = z . s' + (1 - z) . s~      z weights the old state: Cho et al. 2014
 *
 * Blocks of a: [z | r | s~], and with the reset after U [u | z | r | s~]. */
#include "layers/recurrent.h"
#include "tensor/dispatch.h"
#include "tensor/vec.h"

/* ---- The update of a gated recurrent unit ----------------------------------------------------
 * One row. zrc: the blocks z | r | s~ of either form. */

/* A.1.1: s = (1 - z) . s' + z . s~ */
static void new_forward(int n, const sa_real *zrc, const sa_real *s_, sa_real *s) {
    const sa_real *z = zrc, *c = zrc + 2 * n;
    for (int k = 0; k < n; k++) s[k] = (1 - z[k]) * s_[k] + z[k] * c[k];
}

SA_DISPATCHED static void new_backward(int n, const sa_real *zrc, const sa_real *s_,
                                       const sa_real *ds, sa_real *restrict dzrc,
                                       sa_real *restrict ds_) {
    const sa_real *z = zrc, *c = zrc + 2 * n;
    sa_real *daz = dzrc, *dac = dzrc + 2 * n;
    for (int k = 0; k < n; k++) {
        ds_[k] += ds[k] * (1 - z[k]); /* solution: gru */
        daz[k] = ds[k] * (c[k] - s_[k]) * z[k] * (1 - z[k]);
        dac[k] = ds[k] * z[k] * (1 - c[k] * c[k]); /* end */
    }
}

/* Section 2.3 (Cho et al. 2014): s = z . s' + (1 - z) . s~ */
static void old_forward(int n, const sa_real *zrc, const sa_real *s_, sa_real *s) {
    const sa_real *z = zrc, *c = zrc + 2 * n;
    for (int k = 0; k < n; k++) s[k] = z[k] * s_[k] + (1 - z[k]) * c[k];
}

SA_DISPATCHED static void old_backward(int n, const sa_real *zrc, const sa_real *s_,
                                       const sa_real *ds, sa_real *restrict dzrc,
                                       sa_real *restrict ds_) {
    const sa_real *z = zrc, *c = zrc + 2 * n;
    sa_real *daz = dzrc, *dac = dzrc + 2 * n;
    for (int k = 0; k < n; k++) {
        ds_[k] += ds[k] * z[k]; /* solution: gru */
        daz[k] = ds[k] * (s_[k] - c[k]) * z[k] * (1 - z[k]);
        dac[k] = ds[k] * (1 - z[k]) * (1 - c[k] * c[k]); /* end */
    }
}

static void update_forward(const sa_recurrent *w, sa_mat zrc, sa_mat previous, sa_mat state) {
    for (int i = 0; i < state.rows; i++)
        (w->cell->keeps_old ? old_forward : new_forward)(w->n, sa_row(zrc, i), sa_row(previous, i),
                                                         sa_row(state, i));
}

static void update_backward(const sa_recurrent *w, sa_mat zrc, sa_mat previous, sa_mat dstate,
                            sa_mat dzrc, sa_mat dprevious) {
    for (int i = 0; i < dstate.rows; i++)
        (w->cell->keeps_old ? old_backward : new_backward)(w->n, sa_row(zrc, i),
                                                           sa_row(previous, i), sa_row(dstate, i),
                                                           sa_row(dzrc, i), sa_row(dprevious, i));
}

/* ---- Gated recurrent unit, reset before U ---------------------------------------------------- */

/* A.1.1: z, r = sigma(a + U s'); s~ = tanh(a + U [r . s']). cache receives r . s'. It is
 * gru_forward of paper/rnnsearch.c, generalized. */
void sa_gru_before_forward(const sa_recurrent *w, sa_state previous, sa_mat gates, sa_mat cache,
                           sa_state state) {
    const int n = w->n;
    const sa_mat s_masked = previous.masked, reset = sa_cols(cache, 0, n);
    sa_product_forward(sa_U_of(w, 0, 2), s_masked, gates, cache); /* z, r = sigma(a + U s') */
    sa_sigmoid(sa_cols(gates, 0, 2 * n));
    for (int i = 0; i < gates.rows; i++) {
        const sa_real *r = sa_row(gates, i) + n, *s_ = sa_row(s_masked, i);
        sa_real *rs = sa_row(reset, i);
        for (int k = 0; k < n; k++) rs[k] = r[k] * s_[k];
    }
    sa_product_forward(sa_U_of(w, 2, 1), reset, gates, cache); /* s~ = tanh(a + U [r . s']) */
    sa_tanh(sa_cols(gates, 2 * n, n));
    update_forward(w, gates, previous.s, state.s);
}

void sa_gru_before_backward(const sa_recurrent *w, sa_state previous, sa_mat gates, sa_mat cache,
                            sa_state dstate, sa_mat da, sa_state dprevious, sa_mat drs,
                            sa_recurrent *dw) {
    const int n = w->n;
    update_backward(w, gates, previous.s, dstate.s, da, dprevious.s);
    sa_product_backward(sa_U_of(w, 2, 1), cache, da, 0, drs, dw); /* s~ = tanh(a + U [r . s']) */
    for (int i = 0; i < gates.rows; i++) {
        const sa_real *r = sa_row(gates, i) + n, *s_ = sa_row(previous.masked, i),
                      *drs_ = sa_row(drs, i);
        sa_real *dar = sa_row(da, i) + n, *ds_ = sa_row(dprevious.masked, i);
        for (int k = 0; k < n; k++) {
            ds_[k] += drs_[k] * r[k];                     /* solution: gru */
            dar[k] = drs_[k] * s_[k] * r[k] * (1 - r[k]); /* end */
        }
    }
    sa_product_backward(sa_U_of(w, 0, 2), cache, da, 1, dprevious.masked, dw); /* z, r: a + U s' */
}

void sa_gru_before_weights_backward(sa_state previous, sa_mat cache, sa_mat da, sa_recurrent *dw) {
    const sa_mat reset = sa_cols(cache, 0, dw->n); /* r . s' */
    sa_product_weights_backward(sa_U_of(dw, 0, 2), previous.masked, da);
    sa_product_weights_backward(sa_U_of(dw, 2, 1), reset, da);
}

/* ---- Gated recurrent unit, reset after U ----------------------------------------------------- */

/* z | r | s~ */
static sa_mat gate_blocks(sa_mat gates, int n) {
    return sa_cols(gates, n, 3 * n);
}

/* z, r = sigma(a + U s'); u = a_u + U s'; s~ = tanh(a + r . u) */
void sa_gru_after_forward(const sa_recurrent *w, sa_state previous, sa_mat gates, sa_mat cache,
                          sa_state state) {
    const int n = w->n;
    sa_product_forward(sa_U_of(w, 0, 3), previous.masked, gates, cache); /* u, z, r: a + U s' */
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
    sa_product_backward(sa_U_of(w, 0, 3), cache, da, 1, dprevious.masked, dw); /* u, z, r */
}

/* ---- LSTM ------------------------------------------------------------------------------------ */

/* Long short-term memory (Hochreiter and Schmidhuber 1997) with a forget gate (Gers et al.
 * 2000), the cell of Sutskever et al. 2014 and Luong et al. 2015.
 *
 *   i, f, o = sigma(a + U s')      input, forget and output gate
 *   g = tanh(a + U s')             candidate
 *   m = f . m' + i . g             memory cell
 *   s = o . tanh(m)                with layer normalization o . tanh(LN(m)): recurrent.h
 *
 * Blocks of a: [i | f | o | g]. */
void sa_lstm_forward(const sa_recurrent *w, sa_state previous, sa_mat gates, sa_mat cache,
                     sa_state state) {
    const int n = w->n;
    sa_mat squashed = sa_cols(cache, 0, n);
    sa_product_forward(sa_U_of(w, 0, 4), previous.masked, gates, cache); /* a + U s' */
    sa_sigmoid(sa_cols(gates, 0, 3 * n));                                /* i, f, o */
    sa_tanh(sa_cols(gates, 3 * n, n));                                   /* g */
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
    sa_product_backward(sa_U_of(w, 0, 4), cache, da, 1, dprevious.masked, dw); /* a + U s' */
}

/* ---- Simple recurrent network ---------------------------------------------------------------- */

/* The simple recurrent network (Elman 1990), s = tanh(a + U s'). */
void sa_rnn_forward(const sa_recurrent *w, sa_state previous, sa_mat gates, sa_mat cache,
                    sa_state state) {
    sa_product_forward(sa_U_of(w, 0, 1), previous.masked, gates, cache);
    sa_tanh(gates);
    sa_copy_mat(gates, state.s);
}

void sa_rnn_backward(const sa_recurrent *w, sa_state previous, sa_mat gates, sa_mat cache,
                     sa_state dstate, sa_mat da, sa_state dprevious, sa_mat scratch,
                     sa_recurrent *dw) {
    for (int l = 0; l < gates.rows; l++) {
        const sa_real *s = sa_row(gates, l), *ds = sa_row(dstate.s, l);
        sa_real *dal = sa_row(da, l);
        for (int k = 0; k < gates.cols; k++) dal[k] = ds[k] * (1 - s[k] * s[k]);
    }
    sa_product_backward(sa_U_of(w, 0, 1), cache, da, 1, dprevious.masked, dw);
}

/* ---- All but the first ----------------------------------------------------------------------- */

/* a + U s', in all blocks at once */
void sa_whole_weights_backward(sa_state previous, sa_mat cache, sa_mat da, sa_recurrent *dw) {
    sa_product_weights_backward(sa_U_of(dw, 0, dw->cell->gated_blocks), previous.masked, da);
}
