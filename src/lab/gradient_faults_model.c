/* gradient_faults_model: the faults of layers and of the models around the attention. */
#include "lab/gradient_faults.h"
#include "layers/loss.h"
#include "model/decoder.h"
#include "model/transformer.h"

#include <limits.h>
#include <string.h>

/* ---- Layers ---------------------------------------------------------------------------------- */

SA_WRAPPED(sa_linear_backward);
void __wrap_sa_linear_backward(sa_weight W, sa_mat x, sa_mat dy, sa_mat dx, sa_weight dW,
                               sa_mat db) {
    dW.mat = sa_unless_broken("linear.weight", dW.mat);
    __real_sa_linear_backward(W, x, dy, sa_unless_broken("linear.input", dx), dW,
                              sa_unless_broken("linear.bias", db));
}

static _Thread_local bool in_transformer;

SA_WRAPPED(sa_embedding_backward);
void __wrap_sa_embedding_backward(const int32_t *ids, sa_mat dy, sa_mat dE) {
    if (in_transformer && sa_broken("transformer.scale"))
        sa_scale(1 / sa_sqrt((sa_real)dy.cols), dy);
    __real_sa_embedding_backward(ids, dy, sa_unless_broken("embedding.words", dE));
}

SA_WRAPPED(sa_maxout_backward);
void __wrap_sa_maxout_backward(sa_mat pairs, sa_mat dt, sa_mat dpairs) {
    __real_sa_maxout_backward(pairs, dt, dpairs);
    if (sa_broken("readout.maxout")) sa_zero(dpairs);
}

SA_WRAPPED(sa_l2_backward);
void __wrap_sa_l2_backward(const sa_param *param, const sa_real *values, double l2,
                           sa_real *gradients) {
    if (!sa_param_is_weight(param) || !sa_broken("params.l2"))
        __real_sa_l2_backward(param, values, l2, gradients);
}

SA_WRAPPED(sa_layernorm_backward);
void __wrap_sa_layernorm_backward(const sa_layernorm *w, const sa_layernorm_cache *cache, sa_mat dy,
                                  sa_layernorm *dw) {
    sa_layernorm own = {sa_unless_broken("layernorm.gain", dw->g), dw->b};
    if (!sa_broken(in_transformer ? "layernorm.input" : "cell.norm"))
        __real_sa_layernorm_backward(w, cache, dy, &own);
}

SA_WRAPPED(sa_residual_leave_backward);
void __wrap_sa_residual_leave_backward(const sa_residual *w, const sa_residual_cache *cache,
                                       double dropout, sa_mat d, sa_mat df, sa_mat din,
                                       sa_residual *dw) {
    __real_sa_residual_leave_backward(w, cache, dropout, d, df, din, dw);
    if (sa_broken("residual.skip")) sa_zero(d);
}

/* Without the rectifier's slope. */
SA_WRAPPED(sa_feedforward_backward);
void __wrap_sa_feedforward_backward(const sa_feedforward *w, sa_mat x, sa_mat inner, sa_mat dy,
                                    sa_mat dinner, sa_mat dx, sa_feedforward *dw) {
    if (!sa_broken("feedforward.relu")) {
        __real_sa_feedforward_backward(w, x, inner, dy, dinner, dx, dw);
        return;
    }
    sa_zero(dinner);
    sa_linear_backward(w->W_2, inner, dy, dinner, dw->W_2, dw->b_2);
    sa_linear_backward(w->W_1, x, dinner, dx, dw->W_1, dw->b_1);
}

/* ---- Dropout --------------------------------------------------------------------------------- */

static _Thread_local bool in_upper_layers, in_decoder;

SA_WRAPPED(sa_dropout_backward);
void __wrap_sa_dropout_backward(double p, sa_mat mask, sa_mat dx) {
    if (p <= 0 || !sa_broken("dropout.mask")) __real_sa_dropout_backward(p, mask, dx);
    if (in_upper_layers && sa_broken("upper.below")) sa_zero(dx); /* x^l = Dropout(y^{l-1}) */
}

SA_WRAPPED(sa_dropout_words_backward);
void __wrap_sa_dropout_words_backward(double p, sa_mat mask, sa_mat dx) {
    if (p <= 0 || !sa_broken("dropout.words")) __real_sa_dropout_words_backward(p, mask, dx);
}

SA_WRAPPED(sa_state_dropout_backward);
void __wrap_sa_state_dropout_backward(sa_mat mask, sa_state dprevious) {
    if (sa_state_masked(dprevious) && sa_broken("dropout.state"))
        sa_add(dprevious.masked, dprevious.s);
    else
        __real_sa_state_dropout_backward(mask, dprevious);
    if (!in_decoder && sa_broken("encoder.carry")) sa_state_zero(dprevious);
}

/* ---- Loss, copying, positions ---------------------------------------------------------------- */

SA_WRAPPED(sa_loss_backward);
void __wrap_sa_loss_backward(sa_mat p, int words, int first, const int32_t *ids, double smoothing,
                             sa_real scale, const sa_mixture *mixtures) {
    if (mixtures && sa_broken("copy.generated")) mixtures = NULL;
    if (sa_broken("loss.target")) first = words; /* no word of p is the reference token */
    if (smoothing > 0 && sa_broken("loss.smoothing")) words = INT_MAX;
    __real_sa_loss_backward(p, words, first, ids, smoothing, scale, mixtures);
}

SA_WRAPPED(sa_mixture_backward);
void __wrap_sa_mixture_backward(sa_mixture *mixture, double scale) {
    __real_sa_mixture_backward(mixture, scale);
    if (sa_broken("copy.gate")) mixture->dz = 0;
    if (sa_broken("copy.alpha")) mixture->dalpha = 0;
    if (mixture->rest > 0 && sa_broken("copy.rest")) mixture->drest = 0;
}

SA_WRAPPED(sa_gate_backward);
void __wrap_sa_gate_backward(const sa_gate *w, sa_mat dz, sa_mat dc, sa_mat ds, sa_mat dx) {
    if (!w->b.cols || !sa_broken("copy.inputs")) __real_sa_gate_backward(w, dz, dc, ds, dx);
}

SA_WRAPPED(sa_positions_backward);
void __wrap_sa_positions_backward(int t, sa_mat dx, sa_positions *dw) {
    if (!dw->kind->encoding_backward || !sa_broken("position.learned"))
        __real_sa_positions_backward(t, dx, dw);
}

/* ---- Recurrent layers ------------------------------------------------------------------------ */

SA_WRAPPED(sa_recurrent_input_weights_backward);
void __wrap_sa_recurrent_input_weights_backward(sa_mat x, sa_mat da, sa_recurrent *dw) {
    sa_recurrent own = *dw;
    own.b = sa_unless_broken("cell.bias", own.b);
    __real_sa_recurrent_input_weights_backward(x, da, &own);
}

SA_WRAPPED(sa_recurrent_memory_backward);
void __wrap_sa_recurrent_memory_backward(const sa_recurrent *w, sa_mat cache, sa_mat dm,
                                         sa_recurrent *dw) {
    if (!w->norm_m.g.cols || !sa_broken("cell.norm-memory"))
        __real_sa_recurrent_memory_backward(w, cache, dm, dw);
}

/* The gates' derivatives are complete when the last product U s' is reached. */
SA_WRAPPED(sa_product_backward);
void __wrap_sa_product_backward(sa_factor by, sa_mat cache, sa_mat da, sa_real beta, sa_mat dx,
                                sa_recurrent *dw) {
    static const struct {
        const char *cell, *term;
        int gate;
    } gates[] = {{"gru", "gru.update", 0},
                 {"gru", "gru.reset", 1},
                 {"lstm", "lstm.input", 0},
                 {"lstm", "lstm.forget", 1},
                 {"lstm", "lstm.output", 2}};
    const bool state = by.of == SA_BY_U, last = state && by.first == 0;
    const sa_recurrent *w = by.w;
    const int n = w->n;
    const bool gru = strcmp(w->cell->name, "gru") == 0, lstm = strcmp(w->cell->name, "lstm") == 0;
    for (size_t i = 0; last && i < sizeof gates / sizeof *gates; i++)
        if (strcmp(w->cell->name, gates[i].cell) == 0 && sa_broken(gates[i].term))
            sa_zero(sa_cols(da, (w->cell->first_gate + gates[i].gate) * n, n));
    if (state && gru && w->cell->first_gate && sa_broken("gru.candidate"))
        sa_zero(sa_cols(da, 0, n));
    if (last) dx = sa_unless_broken(gru ? "gru.gates" : lstm ? "lstm.state" : "rnn.state", dx);
    if (!state) dx = sa_unless_broken(by.of == SA_BY_W ? "cell.input" : "decoder.context", dx);
    __real_sa_product_backward(by, cache, da, beta, dx, dw);
    if (state && !last && sa_broken("gru.candidate")) sa_zero(dx);
}

/* Past U a GRU carries s' over to s, not the masked s' that U multiplies. */
SA_WRAPPED(sa_gru_before_backward);
void __wrap_sa_gru_before_backward(const sa_recurrent *w, sa_state previous, sa_mat gates,
                                   sa_mat cache, sa_state dstate, sa_mat da, sa_state dprevious,
                                   sa_mat scratch, sa_recurrent *dw) {
    dprevious.s = sa_unless_broken("gru.carry", dprevious.s);
    __real_sa_gru_before_backward(w, previous, gates, cache, dstate, da, dprevious, scratch, dw);
}

SA_WRAPPED(sa_gru_after_backward);
void __wrap_sa_gru_after_backward(const sa_recurrent *w, sa_state previous, sa_mat gates,
                                  sa_mat cache, sa_state dstate, sa_mat da, sa_state dprevious,
                                  sa_mat scratch, sa_recurrent *dw) {
    dprevious.s = sa_unless_broken("gru.carry", dprevious.s);
    __real_sa_gru_after_backward(w, previous, gates, cache, dstate, da, dprevious, scratch, dw);
}

SA_WRAPPED(sa_lstm_backward);
void __wrap_sa_lstm_backward(const sa_recurrent *w, sa_state previous, sa_mat gates, sa_mat cache,
                             sa_state dstate, sa_mat da, sa_state dprevious, sa_mat scratch,
                             sa_recurrent *dw) {
    dprevious.m = sa_unless_broken("lstm.carry", dprevious.m);
    __real_sa_lstm_backward(w, previous, gates, cache, dstate, da, dprevious, scratch, dw);
}

/* ---- Models ---------------------------------------------------------------------------------- */

SA_WRAPPED(sa_readout_backward);
void __wrap_sa_readout_backward(const sa_readout *w, double dropout, sa_readout_cache *cache,
                                sa_mat ds, sa_mat dx, sa_mat dc) {
    __real_sa_readout_backward(w, dropout, cache, ds, dx, dc);
    if (sa_broken("readout.state")) sa_zero(ds);
}

SA_WRAPPED(sa_upper_backward);
void __wrap_sa_upper_backward(const sa_upper_layers *w, sa_upper_rows rows, double dropout,
                              sa_upper_layer_drows *d, sa_mat dbelow, sa_mat dc, sa_mat scratch,
                              sa_upper_layers *dw) {
    in_upper_layers = true;
    __real_sa_upper_backward(w, rows, dropout, d, dbelow, dc, scratch, dw);
    in_upper_layers = false;
}

SA_WRAPPED(sa_decoder_backward);
void __wrap_sa_decoder_backward(const sa_decoder *w, const sa_batch *batch, sa_dropout dropout,
                                sa_decoder_cache *cache, sa_encoder_cache *encoder,
                                sa_decoder *dw) {
    in_decoder = true;
    __real_sa_decoder_backward(w, batch, dropout, cache, encoder, dw);
    in_decoder = false;
}

/* What goes back to the annotations but by way of the attention. */
SA_WRAPPED(sa_source_backward);
void __wrap_sa_source_backward(const sa_source_weights *w, const sa_attention *attention,
                               const sa_source *source, sa_source *d, sa_encoder_cache *encoder,
                               sa_source_weights *dw, sa_attention *dattention) {
    const sa_source_sizes *sizes = &w->sizes;
    sa_encoder_cache own = *encoder;
    if (sizes->fixed && sa_broken("fixed.context")) sa_zero(d->c);
    if (sizes->fixed) own.dannotations = sa_unless_broken("fixed.summary", own.dannotations);
    if (sizes->initial != SA_INITIAL_CONTEXT)
        own.dannotations = sa_unless_broken("decoder.init", own.dannotations);
    __real_sa_source_backward(w, attention, source, d, &own, dw, dattention);
    for (int layer = 0; sizes->initial == SA_INITIAL_COPY && layer < sizes->layers - 1; layer++)
        if (sa_broken("decoder.init-below")) sa_state_zero(encoder->dlast_below[layer]);
}

SA_WRAPPED(sa_transformer_backward);
void __wrap_sa_transformer_backward(const sa_transformer *w, sa_dropout dropout,
                                    sa_transformer_cache *cache, sa_transformer *dw) {
    in_transformer = true;
    __real_sa_transformer_backward(w, dropout, cache, dw);
    in_transformer = false;
}
