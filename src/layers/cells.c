/* cells: one step of a recurrent layer, forward and backward, for encoders and decoders. A cell
 * turns the previous state s_prev and the pre-activations a = W x + C c + b, which recurrent.c has
 * summed, into the new state s. The pre-activations are blocks of n columns, [z | r | s~] for a
 * GRU.
 *
 * The gated recurrent unit has four forms in papers and toolkits: reset before or after U, times z
 * on the new or on the old state. The first of each is gru_forward and gru_backward of
 * paper/rnnsearch.c, generalized.
 *
 *   z, r = sigma(a + U s_prev)
 *   s~ = tanh(a + U [r . s_prev])        reset before U: Bahdanau et al. 2015, A.1.1
 *   s~ = tanh(a + r . (U s_prev + a_u))  reset after U: dl4mt, cuDNN; Cho 2014 with c in a_u
 *   s  = (1 - z) . s_prev + z . s~      z weights the new state: Bahdanau et al. 2015, A.1.1
 *   s  = z . s_prev + (1 - z) . s~      z weights the old state: Cho et al. 2014 */
#include "layers/recurrent.h"
#include "tensor/dispatch.h"
#include "tensor/trace.h"

/* ---- The update of a gated recurrent unit ----------------------------------------------------
 * Of n units; gates: the blocks z | r | s~. */

/* A.1.1: s = (1 - z) . s_prev + z . s~    gates [L x 3n]; previous, s [L x n]
 * Section 2.3 (Cho et al. 2014): s = z . s_prev + (1 - z) . s~ */
static void update_forward(const sa_recurrent *w, sa_mat gates, sa_mat previous, sa_mat s) {
    const bool keeps_old = w->cell->keeps_old;
    for (int l = 0; l < s.rows; l++) {
        const sa_real *z = sa_row(gates, l), *s_tilde = z + 2 * w->n, *s_prev = sa_row(previous, l);
        sa_real *sl = sa_row(s, l);
        for (int k = 0; k < w->n; k++)
            sl[k] = keeps_old ? z[k] * s_prev[k] + (1 - z[k]) * s_tilde[k]
                              : (1 - z[k]) * s_prev[k] + z[k] * s_tilde[k];
    }
}

SA_DISPATCHED static void update_row_backward(bool keeps_old, int n, const sa_real *gates,
                                              const sa_real *s_prev, const sa_real *ds,
                                              sa_real *restrict da, sa_real *restrict ds_prev) {
    const sa_real *z = gates, *s_tilde = gates + 2 * n, sign = keeps_old ? -1 : 1;
    sa_real *da_z = da, *da_s = da + 2 * n;
    for (int k = 0; k < n; k++) {
        const sa_real kept = keeps_old ? z[k] : 1 - z[k], added = keeps_old ? 1 - z[k] : z[k];
        ds_prev[k] += ds[k] * kept;
        da_z[k] = ds[k] * (sign * (s_tilde[k] - s_prev[k])) * z[k] * (1 - z[k]);
        da_s[k] = ds[k] * added * (1 - s_tilde[k] * s_tilde[k]);
    }
}

static void update_backward(const sa_recurrent *w, sa_mat gates, sa_mat previous, sa_mat ds,
                            sa_mat da, sa_mat dprevious) {
    for (int l = 0; l < ds.rows; l++)
        update_row_backward(w->cell->keeps_old, w->n, sa_row(gates, l), sa_row(previous, l),
                            sa_row(ds, l), sa_row(da, l), sa_row(dprevious, l));
}

/* Computes rs = r . s_prev    [n] each */
static void reset_forward(int n, const sa_real *r, const sa_real *s_prev, sa_real *rs) {
    for (int k = 0; k < n; k++) rs[k] = r[k] * s_prev[k];
}

/* Accumulates into ds_prev; fills da_r, the gradient of the sum in r. */
static void reset_backward(int n, const sa_real *r, const sa_real *s_prev, const sa_real *drs,
                           sa_real *da_r, sa_real *ds_prev) {
    for (int k = 0; k < n; k++) {
        ds_prev[k] += drs[k] * r[k];
        da_r[k] = drs[k] * s_prev[k] * r[k] * (1 - r[k]);
    }
}

/* ---- Gated recurrent unit, reset before U ---------------------------------------------------- */

/* A.1.1: z, r = sigma(a + U s_prev); s~ = tanh(a + U [r . s_prev]); s = (1 - z) . s_prev + z . s~
 *
 *   s_prev [L x n]: U multiplies previous.masked, s_prev with dropout; the update reads previous.s
 *   gates [L x 3n]: a -> z | r | s~, cache [L x n]: r . s_prev -> state.s [L x n] */
static void gru_forward(const sa_recurrent *w, sa_state previous, sa_mat gates, sa_mat cache,
                        sa_state state) {
    const int n = w->n;
    const sa_mat s_prev = previous.masked, rs = sa_cols(cache, 0, n);
    sa_product_forward(sa_U_of(w, 0, 2), s_prev, gates, cache); /* z, r = sigma(a + U s_prev) */
    sa_trace("inside sigma", gates);
    sa_sigmoid(sa_cols(gates, 0, 2 * n));
    for (int l = 0; l < gates.rows; l++)
        reset_forward(n, sa_row(gates, l) + n, sa_row(s_prev, l), sa_row(rs, l));
    sa_product_forward(sa_U_of(w, 2, 1), rs, gates, cache); /* s~ = tanh(a + U [r . s_prev]) */
    sa_trace("inside tanh", gates);
    sa_tanh(sa_cols(gates, 2 * n, n));
    update_forward(w, gates, previous.s, state.s);
}

static void gru_backward(const sa_recurrent *w, sa_state previous, sa_mat gates, sa_mat cache,
                         sa_state dstate, sa_mat da, sa_state dprevious, sa_mat drs,
                         sa_recurrent *dw) {
    const int n = w->n;
    update_backward(w, gates, previous.s, dstate.s, da, dprevious.s);
    sa_product_backward(sa_U_of(w, 2, 1), cache, da, 0, drs, dw); /* s~: a + U [r . s_prev] */
    for (int l = 0; l < gates.rows; l++)
        reset_backward(n, sa_row(gates, l) + n, sa_row(previous.masked, l), sa_row(drs, l),
                       sa_row(da, l) + n, sa_row(dprevious.masked, l));
    sa_product_backward(sa_U_of(w, 0, 2), cache, da, 1, dprevious.masked, dw); /* z, r */
}

/* Accumulates dU of both products. */
static void gru_weights_backward(sa_state previous, sa_mat cache, sa_mat da, sa_recurrent *dw) {
    const sa_mat rs = sa_cols(cache, 0, dw->n);
    sa_product_weights_backward(sa_U_of(dw, 0, 2), previous.masked, da);
    sa_product_weights_backward(sa_U_of(dw, 2, 1), rs, da);
}

/* ---- Gated recurrent unit, reset after U ----------------------------------------------------- */

/* Returns the blocks z | r | s~. */
static sa_mat gate_blocks(sa_mat gates, int n) {
    return sa_cols(gates, n, 3 * n);
}

/* z, r = sigma(a + U s_prev); u = a_u + U s_prev; s~ = tanh(a + r . u)
 *
 *   previous.s [L x n], gates [L x 4n]: a -> u | z | r | s~, state.s [L x n] */
static void gru_after_forward(const sa_recurrent *w, sa_state previous, sa_mat gates, sa_mat cache,
                              sa_state state) {
    const int n = w->n;
    sa_product_forward(sa_U_of(w, 0, 3), previous.masked, gates, cache); /* u, z, r: a + U s_prev */
    sa_trace("inside sigma", gates);
    sa_sigmoid(sa_cols(gates, n, 2 * n));
    for (int i = 0; i < gates.rows; i++) {
        const sa_real *u = sa_row(gates, i), *r = u + 2 * n;
        sa_real *s_tilde = sa_row(gates, i) + 3 * n;
        for (int k = 0; k < n; k++) s_tilde[k] += r[k] * u[k];
    }
    sa_trace("inside tanh", gates);
    sa_tanh(sa_cols(gates, 3 * n, n)); /* s~ = tanh(a + r . u) */
    update_forward(w, gate_blocks(gates, n), previous.s, state.s);
}

static void gru_after_backward(const sa_recurrent *w, sa_state previous, sa_mat gates, sa_mat cache,
                               sa_state dstate, sa_mat da, sa_state dprevious, sa_mat scratch,
                               sa_recurrent *dw) {
    const int n = w->n;
    update_backward(w, gate_blocks(gates, n), previous.s, dstate.s, gate_blocks(da, n),
                    dprevious.s);
    for (int i = 0; i < gates.rows; i++) { /* s~ = tanh(a + r . u) */
        const sa_real *u = sa_row(gates, i), *r = u + 2 * n;
        sa_real *dau = sa_row(da, i), *da_r = dau + 2 * n, *da_s = dau + 3 * n;
        for (int k = 0; k < n; k++) {
            dau[k] = da_s[k] * r[k];
            da_r[k] = da_s[k] * u[k] * r[k] * (1 - r[k]);
        }
    }
    sa_product_backward(sa_U_of(w, 0, 3), cache, da, 1, dprevious.masked, dw); /* u, z, r */
}

/* ---- LSTM ------------------------------------------------------------------------------------ */

/* Long short-term memory (Hochreiter and Schmidhuber 1997) with a forget gate (Gers et al.
 * 2000), the cell of Sutskever et al. 2014 and Luong et al. 2015.
 *
 *   i, f, o = sigma(a + U s_prev)      input, forget and output gate
 *   g = tanh(a + U s_prev)             candidate
 *   m = f . m_prev + i . g             memory cell
 *   s = o . tanh(m)                with layer normalization o . tanh(LN(m)): recurrent.h
 *
 *   previous.s, m [L x n], gates [L x 4n]: a -> i | f | o | g, cache [L x n]: tanh(m) ->
 *   state.s, m [L x n] */
static void lstm_forward(const sa_recurrent *w, sa_state previous, sa_mat gates, sa_mat cache,
                         sa_state state) {
    const int n = w->n;
    sa_mat squashed = sa_cols(cache, 0, n);
    sa_product_forward(sa_U_of(w, 0, 4), previous.masked, gates, cache); /* a + U s_prev */
    sa_trace("inside sigma", gates), sa_trace("inside tanh", gates);
    sa_sigmoid(sa_cols(gates, 0, 3 * n)); /* i, f, o */
    sa_tanh(sa_cols(gates, 3 * n, n));    /* g */
    for (int l = 0; l < gates.rows; l++) {
        const sa_real *i = sa_row(gates, l), *f = i + n, *g = i + 3 * n,
                      *m_prev = sa_row(previous.m, l);
        sa_real *m = sa_row(state.m, l), *tanh_m = sa_row(cache, l);
        for (int k = 0; k < n; k++) tanh_m[k] = m[k] = f[k] * m_prev[k] + i[k] * g[k];
    }
    sa_norm_m_forward(w, squashed, cache);
    sa_tanh(squashed);
    for (int l = 0; l < gates.rows; l++) {
        const sa_real *o = sa_row(gates, l) + 2 * n, *tanh_m = sa_row(cache, l);
        sa_real *s = sa_row(state.s, l);
        for (int k = 0; k < n; k++) s[k] = o[k] * tanh_m[k];
    }
}

/* Fills do in da, and the contribution of s = o . tanh(m) to dm. */
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

static void lstm_backward(const sa_recurrent *w, sa_state previous, sa_mat gates, sa_mat cache,
                          sa_state dstate, sa_mat da, sa_state dprevious, sa_mat scratch,
                          sa_recurrent *dw) {
    const int n = w->n;
    output_backward(gates, cache, dstate.s, da, scratch);
    sa_norm_m_backward(w, cache, scratch, dw);
    for (int l = 0; l < gates.rows; l++) {
        const sa_real *i = sa_row(gates, l), *f = i + n, *g = i + 3 * n;
        const sa_real *m_prev = sa_row(previous.m, l), *dm_here = sa_row(scratch, l),
                      *dm_next = sa_row(dstate.m, l);
        sa_real *dai = sa_row(da, l), *daf = dai + n, *dag = dai + 3 * n;
        sa_real *dm_prev = sa_row(dprevious.m, l);
        for (int k = 0; k < n; k++) { /* m = f . m_prev + i . g */
            const sa_real dm = dm_next[k] + dm_here[k];
            dai[k] = dm * g[k] * i[k] * (1 - i[k]);
            daf[k] = dm * m_prev[k] * f[k] * (1 - f[k]);
            dag[k] = dm * i[k] * (1 - g[k] * g[k]);
            dm_prev[k] += dm * f[k];
        }
    }
    sa_product_backward(sa_U_of(w, 0, 4), cache, da, 1, dprevious.masked, dw); /* a + U s_prev */
}

/* ---- Simple recurrent network ---------------------------------------------------------------- */

/* The simple recurrent network (Elman 1990): s = tanh(a + U s_prev)
 *
 *   previous.s [L x n], gates [L x n]: a -> s, state.s [L x n] */
static void rnn_forward(const sa_recurrent *w, sa_state previous, sa_mat gates, sa_mat cache,
                        sa_state state) {
    sa_product_forward(sa_U_of(w, 0, 1), previous.masked, gates, cache);
    sa_trace("inside tanh", gates);
    sa_tanh(gates);
    sa_copy_mat(gates, state.s);
}

static void rnn_backward(const sa_recurrent *w, sa_state previous, sa_mat gates, sa_mat cache,
                         sa_state dstate, sa_mat da, sa_state dprevious, sa_mat scratch,
                         sa_recurrent *dw) {
    for (int l = 0; l < gates.rows; l++) {
        const sa_real *s = sa_row(gates, l), *ds = sa_row(dstate.s, l);
        sa_real *dal = sa_row(da, l);
        for (int k = 0; k < gates.cols; k++) dal[k] = ds[k] * (1 - s[k] * s[k]);
    }
    sa_product_backward(sa_U_of(w, 0, 1), cache, da, 1, dprevious.masked, dw);
}

/* ---- The weights of all but the first -------------------------------------------------------- */

/* Accumulates dU of a + U s_prev, in all blocks at once. */
static void whole_weights_backward(sa_state previous, sa_mat cache, sa_mat da, sa_recurrent *dw) {
    sa_product_weights_backward(sa_U_of(dw, 0, dw->cell->gated_blocks), previous.masked, da);
}

/* ---- The table, which --cell and the tests iterate over -------------------------------------- */

/* A GRU with the reset gate after U needs U s_prev by itself, for the gate to multiply: one more
 * block, at the front. */
#define BEFORE                                                                                     \
    .gates = {{"z", "sigma", 0}, {"r", "sigma", 1}, {"s~", "tanh", 2, SA_READS_RESET}},            \
    .blocks = 3, .gated_blocks = 3, .grouped_blocks = 2, .suffix = {"_z", "_r", ""}, .cache = 1,   \
    .forward = gru_forward, .backward = gru_backward, .weights_backward = gru_weights_backward
#define AFTER                                                                                      \
    .gates = {{"z", "sigma", 1},                                                                   \
              {"r", "sigma", 2},                                                                   \
              {"u", NULL, 0},                                                                      \
              {"s~", "tanh", 3, SA_READS_PRODUCT}},                                                \
    .blocks = 4, .gated_blocks = 3, .first_gate = 1, .grouped_blocks = 2,                          \
    .suffix = {"", "_z", "_r", ""}, .forward = gru_after_forward, .backward = gru_after_backward,  \
    .weights_backward = whole_weights_backward

#define NEW "s = (1 - z) . s_before + z . s~"
#define OLD "s = z . s_before + (1 - z) . s~"

const sa_cell sa_cells[] = {
    {"gru", "s = (1-z) . s_before + z . tanh(W x + U [r . s_before])",
     "Bahdanau et al. 2015, A.1.1", BEFORE, .update = NEW},
    {"gru", "s = z . s_before + (1-z) . tanh(W x + U [r . s_before])",
     "Cho et al. 2014, section 2.3", BEFORE, .update = OLD, .keeps_old = true},
    {"gru", "s = (1-z) . s_before + z . tanh(W x + r . (U s_before))", "reset after U, as in cuDNN",
     AFTER, .update = NEW},
    {"gru", "s = z . s_before + (1-z) . tanh(W x + r . (U s_before))", "dl4mt, Nematus, Marian",
     AFTER, .update = OLD, .keeps_old = true},
    {"lstm", "m = f . m_before + i . g, s = o . tanh(m)",
     "Hochreiter and Schmidhuber 1997; Gers 2000",
     .gates = {{"i", "sigma", 0}, {"f", "sigma", 1}, {"o", "sigma", 2}, {"g", "tanh", 3}},
     .m_update = "m = f . m_before + i . g", .update = "s = o . tanh(m)", .blocks = 4,
     .gated_blocks = 4, .grouped_blocks = 4, .suffix = {"_i", "_f", "_o", ""}, .has_m = 1,
     .cache = 1, .forward = lstm_forward, .backward = lstm_backward,
     .weights_backward = whole_weights_backward},
    {"rnn", "s = tanh(W x + U s_before)", "Elman 1990", .gates = {{"s", "tanh", 0}}, .blocks = 1,
     .gated_blocks = 1, .grouped_blocks = 1, .suffix = {""}, .forward = rnn_forward,
     .backward = rnn_backward, .weights_backward = whole_weights_backward},
    {.name = NULL},
};

const sa_cell *sa_cell_find(int kind, bool keeps_old, bool reset_after) {
    return &sa_cells[kind == SA_CELL_GRU ? 2 * reset_after + keeps_old : 3 + kind];
}
