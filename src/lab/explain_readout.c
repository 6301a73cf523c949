/* explain_readout: from the state to the probabilities of the next word. */
#include "lab/explain.h"
#include "tensor/blas.h"
#include "tensor/vec.h"

/* ---- From t~ to t ---------------------------------------------------------------------------- */

static sa_mat sums_of(sa_lab_explanation *out, sa_decoder_rows rows) {
    const sa_decoder *w = sa_lab_explanation_decoder(out);
    const sa_readout *readout = &w->readout;
    sa_mat sums = sa_lab_explanation_linear(out, readout->U_o, readout->b_o,
                                            sa_decoder_readout_state(w, rows));
    if (readout->V_o.mat.x)
        sa_weight_nt(sa_decoder_word_input(w, rows.input), readout->V_o, 1, sums);
    if (readout->C_o.mat.x) sa_weight_nt(rows.c, readout->C_o, 1, sums);
    return sums;
}

static void write_sums(sa_lab_explanation *out) {
    const sa_decoder *w = sa_lab_explanation_decoder(out);
    sa_lab_explanation_write(out, "U_o %s", w->sizes.sees_previous ? "s_{i-1}" : "s_i");
    if (w->readout.V_o.mat.x) sa_lab_explanation_write(out, " + V_o E y_{i-1}");
    if (w->readout.C_o.mat.x)
        sa_lab_explanation_write(out, " + C_o %s", sa_explain_fixed(w) ? "c" : "c_i");
    sa_lab_explanation_write(out, " + b_o");
}

static const char maxout_place[] = "Bahdanau et al. 2015, A.2.2";

static void explain_maxout(sa_lab_explanation *out, const sa_readout_cache *cache,
                           sa_decoder_rows rows) {
    sa_mat from = sa_lab_explanation_take(out, 1, cache->t.cols);
    (void)rows;
    for (int k = 0; k < from.cols; k++) /* counted from 1 */
        from.x[k] = 2 * k + (cache->sums.x[2 * k] >= cache->sums.x[2 * k + 1] ? 1 : 2);
    sa_lab_explanation_write(out, "t~_i = ");
    write_sums(out);
    sa_lab_explanation_cite(out, maxout_place);
    sa_lab_explanation_vector(out, "t~", "t~_i", cache->sums);
    sa_lab_explanation_write(out, "t_i = the greater of each two neighbours in t~_i");
    sa_lab_explanation_cite(out, maxout_place);
    sa_lab_explanation_counts(out, "winners", "unit of t~_i", from);
}

static void explain_tanh(sa_lab_explanation *out, const sa_readout_cache *cache,
                         sa_decoder_rows rows) {
    (void)cache;
    sa_lab_explanation_write(out, "t_i = tanh(");
    write_sums(out);
    sa_lab_explanation_write(out, ")");
    sa_lab_explanation_cite(out, "Luong et al. 2015, equation 5");
    sa_lab_explanation_vector(out, "t~", "inside tanh", sums_of(out, rows));
}

/* The ways from t~ to t, and where the probabilities stand. */
static const struct {
    const sa_output *output;
    void (*explain)(sa_lab_explanation *out, const sa_readout_cache *cache, sa_decoder_rows rows);
    const char *words;
} outputs[] = {
    {&sa_output_maxout, explain_maxout, maxout_place},
    {&sa_output_tanh, explain_tanh, "Luong et al. 2015, equation 6"},
};

/* ---- The words ------------------------------------------------------------------------------- */

static void explain_words(sa_lab_explanation *out, const sa_readout_cache *cache,
                          const char *place) {
    const sa_readout *readout = &sa_lab_explanation_decoder(out)->readout;
    const sa_pass *pass = &out->run->pass;
    const int word = out->job->target.ids[out->i - 1], K = readout->W_o.mat.rows;
    sa_mat logits = sa_lab_explanation_linear(out, readout->W_o, readout->b_y, cache->t);
    sa_mat powers = sa_lab_explanation_take(out, 1, K), p = sa_lab_explanation_take(out, 1, K);
    double shift, total = 0;
    const double sum = sa_lab_explanation_exp(logits, powers, &shift);
    sa_copy_mat(logits, p), sa_softmax(p);
    for (int i = 0; i < out->i; i++) total += pass->log_p[i];
    sa_lab_explanation_write(out, "p(y_i) = softmax(W_o t_i + b_y)");
    sa_lab_explanation_cite(out, place);
    sa_lab_explanation_column(out, "logits", "W_o t_i + b_y", logits, SA_ROWS_VOCABULARY, word);
    sa_lab_explanation_column(out, "exp_logits", shift != 0 ? "exp(..-max)" : "exp(..)", powers,
                              SA_ROWS_VOCABULARY, word);
    sa_lab_explanation_column(out, "p", "p(y_i)", p, SA_ROWS_VOCABULARY, word);
    sa_lab_explanation_number(out, "sum_words", "sum of exp", sum);
    sa_lab_explanation_number(out, "log_p", "log p(y_i)", pass->log_p[out->i - 1]);
    sa_lab_explanation_number(out, "total", "log p(y_1..i)", total);
}

void sa_explain_readout(sa_lab_explanation *out, sa_decoder_rows rows) {
    const sa_readout_cache cache = sa_readout_slice(&out->run->pass.decoder.readout, out->i - 1, 1);
    size_t way = 0;
    while (outputs[way].output != sa_lab_explanation_decoder(out)->readout.output)
        sa_require(++way < sizeof outputs / sizeof *outputs);
    sa_lab_explanation_section(out, "The read-out");
    outputs[way].explain(out, &cache, rows);
    sa_lab_explanation_vector(out, "t", "t_i", cache.t);
    explain_words(out, &cache, outputs[way].words);
}
