/* explain_source: what a step starts from: the source, the word before and the state before. */
#include "lab/explain.h"
#include "tensor/vec.h"

/* ---- The source ------------------------------------------------------------------------------ */

static void write_annotations(sa_page *page) {
    const sa_encoder_sizes *sizes = &page->run->sizes.encoder;
    static const char *const made[] = {[SA_ENCODER_BI] = "[forward_j ; backward_j]",
                                       [SA_ENCODER_UNI] = "forward_j",
                                       [SA_ENCODER_NONE] = "E x_j"};
    static const char *const places[] = {[SA_ENCODER_BI] = "Bahdanau et al. 2015, A.2.1",
                                         [SA_ENCODER_UNI] = "Cho et al. 2014, section 2.2"};
    sa_page_write(page, "h_j = %s", made[sizes->kind]);
    if (sizes->kind == SA_ENCODER_NONE) {
        if (sizes->positions) sa_page_write(page, " + position j");
        sa_page_cite(page, sizes->positions ? "Vaswani et al. 2017, section 3.5" : NULL);
        return;
    }
    if (sizes->layers > 1) sa_page_write(page, " of layer %d", sizes->layers);
    sa_page_cite(page, places[sizes->kind]);
}

/* What a decoder is told of the whole source: model/initial_state.c. */
static const char *summary_letters(int initial, const sa_encoder_sizes *sizes) {
    const bool both = sizes->kind == SA_ENCODER_BI;
    if (initial == SA_INITIAL_CONTEXT) return "c";
    if (initial == SA_INITIAL_MEAN || sizes->kind == SA_ENCODER_NONE) return "mean_j h_j";
    if (initial == SA_INITIAL_BACKWARD && both) return "backward_1";
    return initial == SA_INITIAL_LAST && both ? "[forward_S ; backward_1]" : "forward_S";
}

void sa_explain_source(sa_page *page) {
    const sa_decoder *w = sa_page_decoder(page);
    const sa_source *source = &page->run->pass.decoder.source;
    page->line.part = SA_EXPLAINED_SOURCE;
    sa_page_section(page, "The source");
    write_annotations(page);
    sa_page_matrix(page, "h", "h_j", page->run->pass.encoder.annotations, SA_ABOUT_SOURCE);
    if (w->attention.heads) sa_explain_memory(page);
    if (!sa_explain_fixed(w)) return;
    const char *told = summary_letters(SA_INITIAL_LAST, &w->sizes.encoder);
    sa_page_write(page, "c = tanh(V %s + b_V)", told);
    sa_page_cite(page, "Cho et al. 2014, section 2.2");
    sa_page_vector(page, "summary", told, source->told);
    sa_page_vector(page, "a_c", "inside tanh", sa_page_linear(page, w->V, w->b_V, source->told));
    sa_page_vector(page, "c", "c", source->c);
}

/* ---- Before a step --------------------------------------------------------------------------- */

/* s_0, made of the source. */
static void explain_initial(sa_page *page) {
    static const char *const places[] = {
        [SA_INITIAL_BACKWARD] = "Bahdanau et al. 2015, A.2.2",
        [SA_INITIAL_LAST] = NULL,
        [SA_INITIAL_MEAN] = "dl4mt; Nematus (Sennrich et al. 2017)",
        [SA_INITIAL_COPY] = "Sutskever et al. 2014; Luong et al. 2015",
        [SA_INITIAL_CONTEXT] = "Cho et al. 2014, section 2.2"};
    const sa_decoder *w = sa_page_decoder(page);
    const sa_source *source = &page->run->pass.decoder.source;
    const int initial = w->sizes.initial;
    const char *letters = summary_letters(initial, &w->sizes.encoder);
    sa_page_write(page, w->W_s.cols ? "s_0 = tanh(W_s %s + b_s)" : "s_0 = %s", letters);
    sa_page_cite(page, places[initial]);
    if (!w->W_s.cols) return;
    const sa_mat summary = initial == SA_INITIAL_CONTEXT ? source->c : source->summary;
    if (initial != SA_INITIAL_CONTEXT) sa_page_vector(page, "summary", letters, summary);
    sa_page_vector(page, "a_s_0", "inside tanh", sa_page_linear(page, w->W_s, w->b_s, summary));
}

void sa_explain_before(sa_page *page, sa_decoder_rows rows) {
    const sa_decoder *w = sa_page_decoder(page);
    const int m = w->sizes.m;
    sa_page_section(page, "The word and the state before");
    sa_page_vector(page, "x", "E y_{i-1}", sa_decoder_word(w, rows.input));
    if (w->sizes.feeding)
        sa_page_vector(page, "t_previous", page->i > 1 ? "t_{i-1}" : "t_0",
                       sa_cols(rows.input, m, rows.input.cols - m));
    if (page->i == 1) explain_initial(page);
    sa_page_vector(page, "s_previous", page->i > 1 ? "s_{i-1}" : "s_0", rows.previous.s);
    if (rows.previous.m.cols)
        sa_page_vector(page, "m_previous", page->i > 1 ? "m_{i-1}" : "m_0", rows.previous.m);
}
