/* explain_readout: from the decoder's state to the probabilities of the next word. */
#include "lab/explain_parts.h"
#include "tensor/blas.h"
#include "tensor/vec.h"

static const char maxout_place[] = "Bahdanau et al. 2015, A.2.2";

/* ---- From t~ to t ---------------------------------------------------------------------------- */

static sa_mat sums_of(sa_explainer *out, sa_decoder_rows rows) {
    const sa_decoder *w = sa_explainer_decoder(out);
    const sa_readout *readout = &w->readout;
    sa_mat sums =
        sa_explainer_linear(out, readout->U_o, readout->b_o, sa_decoder_readout_state(w, rows));
    if (readout->V_o.mat.x)
        sa_weight_nt(sa_decoder_word_input(w, rows.input), readout->V_o, 1, sums);
    if (readout->C_o.mat.x) sa_weight_nt(rows.c, readout->C_o, 1, sums);
    return sums;
}

/* The state that the read-out sees. */
static const char *state_name(char name[SA_STATE_NAME], const sa_decoder *w) {
    const int last = w->sizes.layers;
    return w->sizes.sees_previous ? sa_explain_state(name, "s", last, "_{i-1}")
                                  : sa_explain_output(name, w, last);
}

static void write_sums(sa_explainer *out) {
    const sa_decoder *w = sa_explainer_decoder(out);
    char name[SA_STATE_NAME];
    sa_explainer_write(out, "U_o %s", state_name(name, w));
    if (w->readout.V_o.mat.x) sa_explainer_write(out, " + V_o E y_{i-1}");
    if (w->readout.C_o.mat.x)
        sa_explainer_write(out, " + C_o %s", sa_explain_fixed(w) ? "c" : "c_i");
    sa_explainer_write(out, " + b_o");
}

/* t_i, and t~_i that it is made of. */
static void explain_hidden(sa_explainer *out, const sa_readout_cache *cache, sa_decoder_rows rows,
                           bool maxout) {
    sa_explainer_write(out, maxout ? "t~_i = " : "t_i = tanh(");
    write_sums(out);
    if (maxout) {
        sa_explainer_cite(out, maxout_place);
        sa_explainer_vector(out, "t~", "t~_i", cache->sums);
        sa_mat winners = sa_explainer_alloc(out, 1, cache->t.cols);
        for (int k = 0; k < winners.cols; k++) /* units count from 1 */
            winners.x[k] = 2 * k + (cache->sums.x[2 * k] >= cache->sums.x[2 * k + 1] ? 1 : 2);
        sa_explainer_write(out, "t_i = the greater of each two neighbors in t~_i");
        sa_explainer_cite(out, maxout_place);
        sa_explainer_integers(out, "winners", "unit of t~_i", winners);
    } else {
        sa_explainer_write(out, ")");
        sa_explainer_cite(out, "Luong et al. 2015, equation 5");
        sa_explainer_vector(out, "t~", "inside tanh", sums_of(out, rows));
    }
    sa_explainer_vector(out, "t", "t_i", cache->t);
}

/* ---- The words ------------------------------------------------------------------------------- */

/* The gate, what it copies, and the mixture of that with p(y_i). */
static void explain_copying(sa_explainer *out, const sa_readout_cache *cache) {
    const sa_mixture *mixture = &out->model->pass.decoder.readout.mixtures[out->i - 1];
    const double gate = sa_gate_probability(*cache->gate.x);
    const char *place = "See et al. 2017, section 2.2";
    const sa_decoder *w = sa_explainer_decoder(out);
    char name[SA_STATE_NAME];
    sa_explainer_write(out, "p_gen = sigma(w_h' c_i + w_s' %s + w_x' E y_{i-1} + b)",
                       state_name(name, w));
    sa_explainer_cite(out, place);
    sa_explainer_number(out, "p_gen", "p_gen", gate);
    sa_explainer_number(out, "copied", "sum of alpha_ij, x_j = y_i",
                        mixture->in_source ? mixture->alpha : 0);
    if (mixture->rest > 0)
        sa_explainer_number(out, "rest", "what all alpha_ij lack", mixture->rest);
    sa_explainer_write(out, mixture->rest > 0
                                ? "P(y_i) = (p_gen + (1 - p_gen) rest) p(y_i) + (1 - p_gen) sum"
                                : "P(y_i) = p_gen p(y_i) + (1 - p_gen) sum");
    sa_explainer_cite(out, place);
    sa_explainer_number(out, "P", "P(y_i)", exp(out->model->pass.log_p[out->i - 1]));
}

static void explain_words(sa_explainer *out, const sa_readout_cache *cache, const char *place) {
    const sa_readout *readout = &sa_explainer_decoder(out)->readout;
    const sa_pass *pass = &out->model->pass;
    const int word = out->job->target.ids[out->i - 1], K = readout->W_o.mat.rows;
    sa_mat logits = sa_explainer_linear(out, readout->W_o, readout->b_y, cache->t);
    sa_mat powers = sa_explainer_alloc(out, 1, K), p = sa_explainer_alloc(out, 1, K);
    double shift, total = 0;
    const double sum = sa_explainer_exp(logits, powers, &shift);
    sa_copy_mat(logits, p), sa_softmax(p);
    for (int i = 0; i < out->i; i++) total += pass->log_p[i];
    sa_explainer_write(out, "p(y_i) = softmax(W_o t_i + b_y)");
    sa_explainer_cite(out, place);
    sa_explainer_column(out, "logits", "W_o t_i + b_y", logits, SA_ROWS_VOCABULARY, word);
    sa_explainer_column(out, "exp_logits", shift != 0 ? "exp(..-max)" : "exp(..)", powers,
                        SA_ROWS_VOCABULARY, word);
    sa_explainer_column(out, "p", "p(y_i)", p, SA_ROWS_VOCABULARY, word);
    sa_explainer_number(out, "sum_words", "sum of exp", sum);
    if (cache->gate.cols) explain_copying(out, cache);
    sa_explainer_number(out, "log_p", cache->gate.cols ? "log P(y_i)" : "log p(y_i)",
                        pass->log_p[out->i - 1]);
    sa_explainer_number(out, "total", cache->gate.cols ? "log P(y_1..i)" : "log p(y_1..i)", total);
}

void sa_explain_readout(sa_explainer *out, sa_decoder_rows rows) {
    const sa_readout_cache cache =
        sa_readout_slice(&out->model->pass.decoder.readout, out->i - 1, 1);
    const sa_output *output = sa_explainer_decoder(out)->readout.output;
    const bool maxout = output == &sa_output_maxout;
    sa_require(maxout || output == &sa_output_tanh);
    sa_explainer_section(out, "The read-out");
    explain_hidden(out, &cache, rows, maxout);
    explain_words(out, &cache, maxout ? maxout_place : "Luong et al. 2015, equation 6");
}
