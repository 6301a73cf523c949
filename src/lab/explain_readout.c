/* explain_readout: from the state to the probabilities of the next word. */
#include "lab/explain.h"
#include "tensor/blas.h"
#include "tensor/vec.h"

/* ---- From t~ to t ---------------------------------------------------------------------------- */

static sa_mat sums_of(sa_page *page, sa_decoder_rows rows) {
    const sa_decoder *w = sa_page_decoder(page);
    const sa_readout *readout = &w->readout;
    sa_mat sums = sa_page_linear(page, readout->U_o, readout->b_o, sa_decoder_seen(w, rows));
    if (readout->V_o.x) sa_gemm_nt(sa_decoder_word(w, rows.input), readout->V_o, 1, sums);
    if (readout->C_o.x) sa_gemm_nt(rows.c, readout->C_o, 1, sums);
    return sums;
}

static void write_sums(sa_page *page) {
    const sa_decoder *w = sa_page_decoder(page);
    sa_page_write(page, "U_o %s", w->sizes.sees_previous ? "s_{i-1}" : "s_i");
    if (w->readout.V_o.x) sa_page_write(page, " + V_o E y_{i-1}");
    if (w->readout.C_o.x) sa_page_write(page, " + C_o %s", sa_explain_fixed(w) ? "c" : "c_i");
    sa_page_write(page, " + b_o");
}

static const char maxout_place[] = "Bahdanau et al. 2015, A.2.2";

static void explain_maxout(sa_page *page, const sa_readout_cache *cache, sa_decoder_rows rows) {
    sa_mat from = sa_page_take(page, 1, cache->t.cols);
    (void)rows;
    for (int k = 0; k < from.cols; k++) /* counted from 1 */
        from.x[k] = 2 * k + (cache->sums.x[2 * k] >= cache->sums.x[2 * k + 1] ? 1 : 2);
    sa_page_write(page, "t~_i = ");
    write_sums(page);
    sa_page_cite(page, maxout_place);
    sa_page_vector(page, "t~", "t~_i", cache->sums);
    sa_page_write(page, "t_i = the greater of each two neighbours in t~_i");
    sa_page_cite(page, maxout_place);
    sa_page_counts(page, "winners", "unit of t~_i", from);
}

static void explain_tanh(sa_page *page, const sa_readout_cache *cache, sa_decoder_rows rows) {
    (void)cache;
    sa_page_write(page, "t_i = tanh(");
    write_sums(page);
    sa_page_write(page, ")");
    sa_page_cite(page, "Luong et al. 2015, equation 5");
    sa_page_vector(page, "t~", "inside tanh", sums_of(page, rows));
}

/* The ways from t~ to t, and where the probabilities stand. */
static const struct {
    const sa_output *output;
    void (*explain)(sa_page *page, const sa_readout_cache *cache, sa_decoder_rows rows);
    const char *words;
} outputs[] = {
    {&sa_output_maxout, explain_maxout, maxout_place},
    {&sa_output_tanh, explain_tanh, "Luong et al. 2015, equation 6"},
};

/* ---- The words ------------------------------------------------------------------------------- */

static void explain_words(sa_page *page, const sa_readout_cache *cache, const char *place) {
    const sa_readout *readout = &sa_page_decoder(page)->readout;
    const sa_pass *pass = &page->run->pass;
    const int word = page->job->target.ids[page->i - 1], K = readout->W_o.rows;
    sa_mat logits = sa_page_linear(page, readout->W_o, readout->b_y, cache->t);
    sa_mat powers = sa_page_take(page, 1, K), p = sa_page_take(page, 1, K);
    double shift, total = 0;
    const double sum = sa_page_exp(logits, powers, &shift);
    sa_copy_mat(logits, p), sa_softmax(p);
    for (int i = 0; i < page->i; i++) total += pass->log_p[i];
    sa_page_write(page, "p(y_i) = softmax(W_o t_i + b_y)");
    sa_page_cite(page, place);
    sa_page_column(page, "logits", "W_o t_i + b_y", logits, SA_ABOUT_WORDS, word);
    sa_page_column(page, "exp_logits", shift != 0 ? "exp(..-max)" : "exp(..)", powers,
                   SA_ABOUT_WORDS, word);
    sa_page_column(page, "p", "p(y_i)", p, SA_ABOUT_WORDS, word);
    sa_page_number(page, "sum_words", "sum of exp", sum);
    sa_page_number(page, "log_p", "log p(y_i)", pass->log_p[page->i - 1]);
    sa_page_number(page, "total", "log p(y_1..i)", total);
}

void sa_explain_readout(sa_page *page, sa_decoder_rows rows) {
    const sa_readout_cache cache =
        sa_readout_slice(&page->run->pass.decoder.readout, page->i - 1, 1);
    size_t way = 0;
    while (outputs[way].output != sa_page_decoder(page)->readout.output)
        sa_require(++way < sizeof outputs / sizeof *outputs);
    sa_page_section(page, "The read-out");
    outputs[way].explain(page, &cache, rows);
    sa_page_vector(page, "t", "t_i", cache.t);
    explain_words(page, &cache, outputs[way].words);
}
