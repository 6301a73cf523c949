/* decoders: one step of each decoder, forward directly above backward. On entry, gates hold W x + b
 * and second_gates hold b. */
#include "model/decoder.h"
#include "tensor/vec.h"

/* ---- Parts of a step ------------------------------------------------------------------------- */

static void attend_backward(const sa_decoder *w, const sa_step *step, sa_decoder_rows rows,
                            sa_decoder_drows d, sa_source *dsource, sa_mat ds, sa_decoder *dw) {
    const sa_attention_pass pass = {&step->source->memory, rows.attention, d.attention,
                                    &dsource->memory, &step->scratch};
    sa_attention_step_backward(&w->attention, &pass, step->i, d.c, ds, &dw->attention);
}

static void cell(const sa_decoder *w, const sa_step *step, sa_decoder_rows rows, sa_state to) {
    sa_state_dropout_forward(step->mask, rows.previous);
    w->cell.cell->forward(&w->cell, rows.previous, rows.gates, rows.cell_cache, to);
}

/* The gates of a step: where d.a takes their place, a copy. */
static sa_mat gates_of(const sa_step *step, sa_mat gates) {
    if (!step->gates.cols) return gates;
    sa_copy_mat(gates, step->gates);
    return step->gates;
}

static void cell_backward(const sa_decoder *w, const sa_step *step, sa_decoder_rows rows,
                          sa_decoder_drows d, sa_state dto, sa_decoder *dw) {
    w->cell.cell->backward(&w->cell, rows.previous, gates_of(step, rows.gates), rows.cell_cache,
                           dto, d.a, d.previous, step->workspace, &dw->cell);
    sa_state_dropout_backward(step->mask, d.previous);
}

/* The layers above the first, from its state s_i; those of some decoders read c_i, too. */
static void layers_above(const sa_decoder *w, const sa_step *step, sa_decoder_rows rows) {
    sa_upper_forward(&w->upper, rows.s.s, rows.c, step->dropout.layers, step->rng, rows.upper);
}

static void layers_above_backward(const sa_decoder *w, const sa_step *step, sa_decoder_rows rows,
                                  sa_decoder_drows d, sa_decoder *dw) {
    sa_upper_backward(&w->upper, rows.upper, step->dropout.layers, d.upper, d.s.s, d.c,
                      step->workspace, &dw->upper);
}

/* ---- The decoders ---------------------------------------------------------------------------- */

/* A.2.2 (Bahdanau et al. 2015): c_i from the query s_{i-1}; s_i from y_{i-1}, c_i and s_{i-1} */
static void bahdanau_forward(const sa_decoder *w, const sa_step *step, sa_decoder_rows rows) {
    sa_attention_step_forward(&w->attention, &step->source->memory, step->which, step->i,
                              rows.previous.s, rows.attention, rows.c, &step->scratch);
    sa_recurrent_context_forward(&w->cell, rows.c, rows.gates, rows.cell_cache); /* a += C c_i */
    cell(w, step, rows, rows.s);
    layers_above(w, step, rows);
}

static void bahdanau_backward(const sa_decoder *w, const sa_step *step, sa_decoder_rows rows,
                              sa_decoder_drows d, sa_source *dsource, sa_decoder *dw) {
    layers_above_backward(w, step, rows, d, dw);
    cell_backward(w, step, rows, d, d.s, dw);
    sa_recurrent_context_backward(&w->cell, rows.cell_cache, d.a, d.c, &dw->cell); /* a += C c_i */
    attend_backward(w, step, rows, d, dsource, d.previous.s, dw);
}

/* Section 2.2 (Cho et al. 2014): the same c at every step, in every gate */
static void fixed_forward(const sa_decoder *w, const sa_step *step, sa_decoder_rows rows) {
    for (int l = 0; l < rows.c.rows; l++) /* c_i = c */
        sa_copy_mat(sa_rows(step->source->c, step->which ? step->which[l] : l, 1),
                    sa_rows(rows.c, l, 1));
    sa_recurrent_context_forward(&w->cell, rows.c, rows.gates, rows.cell_cache); /* a += C c */
    cell(w, step, rows, rows.s);
    layers_above(w, step, rows);
}

static void fixed_backward(const sa_decoder *w, const sa_step *step, sa_decoder_rows rows,
                           sa_decoder_drows d, sa_source *dsource, sa_decoder *dw) {
    layers_above_backward(w, step, rows, d, dw);
    cell_backward(w, step, rows, d, d.s, dw);
    sa_recurrent_context_backward(&w->cell, rows.cell_cache, d.a, d.c, &dw->cell); /* a += C c */
    sa_add(d.c, sa_rows(dsource->c, 0, d.c.rows));                                 /* c_i = c */
}

/* Sutskever et al. 2014: only s_0 depends on the source */
static void fixed_init_forward(const sa_decoder *w, const sa_step *step, sa_decoder_rows rows) {
    cell(w, step, rows, rows.s);
    layers_above(w, step, rows);
}

static void fixed_init_backward(const sa_decoder *w, const sa_step *step, sa_decoder_rows rows,
                                sa_decoder_drows d, sa_source *dsource, sa_decoder *dw) {
    (void)dsource;
    layers_above_backward(w, step, rows, d, dw);
    cell_backward(w, step, rows, d, d.s, dw);
}

/* Section 3 (Luong et al. 2015): s_i from y_{i-1} and s_{i-1}; c_i from the query s_i */
static void luong_forward(const sa_decoder *w, const sa_step *step, sa_decoder_rows rows) {
    cell(w, step, rows, rows.s);
    layers_above(w, step, rows);
    sa_attention_step_forward(&w->attention, &step->source->memory, step->which, step->i,
                              sa_decoder_query(w, rows), rows.attention, rows.c, &step->scratch);
}

static void luong_backward(const sa_decoder *w, const sa_step *step, sa_decoder_rows rows,
                           sa_decoder_drows d, sa_source *dsource, sa_decoder *dw) {
    attend_backward(w, step, rows, d, dsource, sa_decoder_output_derivative(w, d), dw);
    layers_above_backward(w, step, rows, d, dw);
    cell_backward(w, step, rows, d, d.s, dw);
}

/* dl4mt: s'_i from y_{i-1} and s_{i-1}; c_i from the query s'_i; s_i from c_i and s'_i */
static void cgru_forward(const sa_decoder *w, const sa_step *step, sa_decoder_rows rows) {
    cell(w, step, rows, rows.middle);
    sa_attention_step_forward(&w->attention, &step->source->memory, step->which, step->i,
                              rows.middle.s, rows.attention, rows.c, &step->scratch);
    sa_recurrent_context_forward(&w->second, rows.c, rows.second_gates, rows.second_cell_cache);
    sa_state_dropout_forward(step->second_mask, rows.middle);
    w->second.cell->forward(&w->second, rows.middle, rows.second_gates, rows.second_cell_cache,
                            rows.s);
    layers_above(w, step, rows);
}

static void cgru_backward(const sa_decoder *w, const sa_step *step, sa_decoder_rows rows,
                          sa_decoder_drows d, sa_source *dsource, sa_decoder *dw) {
    layers_above_backward(w, step, rows, d, dw);
    sa_state_zero(d.middle);
    w->second.cell->backward(&w->second, rows.middle, gates_of(step, rows.second_gates),
                             rows.second_cell_cache, d.s, d.second_a, d.middle, step->workspace,
                             &dw->second);
    sa_state_dropout_backward(step->second_mask, d.middle);
    sa_recurrent_context_backward(&w->second, rows.second_cell_cache, d.second_a, d.c, &dw->second);
    attend_backward(w, step, rows, d, dsource, d.middle.s, dw);
    cell_backward(w, step, rows, d, d.middle, dw);
}

/* ---- The table ------------------------------------------------------------------------------- */

const sa_decoder_kind sa_decoder_kinds[] = {
    [SA_DECODER_BAHDANAU] = {"bahdanau",
                             "c_i from s_{i-1}, s_i = f(y_{i-1}, c_i, s_{i-1}), maxout readout",
                             "Bahdanau et al. 2015, A.2.2", SA_QUERY_STATE_PREVIOUS,
                             .context_in_cell = true, .context_above = true,
                             .output = &sa_output_maxout, .sees_word = true, .sees_context = true,
                             .sees_previous = true, .initial = SA_INITIAL_BACKWARD,
                             .forward = bahdanau_forward, .backward = bahdanau_backward},
    [SA_DECODER_FIXED] = {"fixed",
                          "one c for all words, s_i = f(y_{i-1}, c, s_{i-1}), maxout readout",
                          "Cho et al. 2014, section 2.2", SA_QUERY_STATE_NONE,
                          .context_in_cell = true, .context_above = true,
                          .output = &sa_output_maxout, .sees_word = true, .sees_context = true,
                          .initial = SA_INITIAL_CONTEXT, .forward = fixed_forward,
                          .backward = fixed_backward},
    [SA_DECODER_FIXED_INIT] = {"fixed-init",
                               "the source only in s_0, s_i = f(y_{i-1}, s_{i-1}), maxout readout",
                               "Sutskever et al. 2014", SA_QUERY_STATE_NONE,
                               .output = &sa_output_maxout, .sees_word = true,
                               .initial = SA_INITIAL_LAST, .forward = fixed_init_forward,
                               .backward = fixed_init_backward},
    [SA_DECODER_LUONG] =
        {"luong", "s_i = f(y_{i-1}, s_{i-1}), c_i from s_i, readout tanh(C_o c_i + U_o s_i)",
         "Luong et al. 2015, section 3", SA_QUERY_STATE_CURRENT, .output = &sa_output_tanh,
         .sees_context = true, .initial = SA_INITIAL_COPY, .forward = luong_forward,
         .backward = luong_backward},
    [SA_DECODER_CGRU] =
        {"cgru", "s'_i = f(y_{i-1}, s_{i-1}), c_i from s'_i, s_i = g(c_i, s'_i), tanh readout",
         "dl4mt; Nematus (Sennrich et al. 2017)", SA_QUERY_STATE_MIDDLE, .second = true,
         .output = &sa_output_tanh, .sees_word = true, .sees_context = true,
         .initial = SA_INITIAL_MEAN, .forward = cgru_forward, .backward = cgru_backward},
    {.name = NULL},
};
