/* explain_source: what a step starts from: the annotations, the previous word and state. */
#include "lab/explain_parts.h"
#include "tensor/vec.h"

/* ---- The source ------------------------------------------------------------------------------ */

static void write_annotations(sa_explainer *out) {
    const sa_encoder_sizes *sizes = &out->model->sizes.encoder;
    static const char *const formulas[] = {[SA_ENCODER_BI] = "[forward_j ; backward_j]",
                                           [SA_ENCODER_UNI] = "forward_j",
                                           [SA_ENCODER_NONE] = "E x_j"};
    static const char *const places[] = {[SA_ENCODER_BI] = "Bahdanau et al. 2015, A.2.1",
                                         [SA_ENCODER_UNI] = "Cho et al. 2014, section 2.2"};
    sa_explainer_write(out, "h_j = %s", formulas[sizes->kind]);
    if (sizes->kind == SA_ENCODER_NONE) {
        if (sizes->positions) sa_explainer_write(out, " + position j");
        sa_explainer_cite(out, sizes->positions ? "Vaswani et al. 2017, section 3.5" : NULL);
        return;
    }
    if (sizes->layers > 1) sa_explainer_write(out, " of layer %d", sizes->layers);
    sa_explainer_cite(out, places[sizes->kind]);
}

/* The summary of the source that a decoder gets: model/source.h. */
static const char *summary_letters(int initial, const sa_encoder_sizes *sizes) {
    const bool both = sizes->kind == SA_ENCODER_BI;
    if (initial == SA_INITIAL_CONTEXT) return "c";
    if (initial == SA_INITIAL_MEAN || sizes->kind == SA_ENCODER_NONE) return "mean_j h_j";
    if (initial == SA_INITIAL_BACKWARD && both) return "backward_1";
    return initial == SA_INITIAL_LAST && both ? "[forward_S ; backward_1]" : "forward_S";
}

void sa_explain_source(sa_explainer *out) {
    const sa_decoder *w = sa_explainer_decoder(out);
    const sa_source *source = &out->model->pass.decoder.source;
    out->line.part = SA_EXPLAIN_SOURCE;
    sa_explainer_section(out, "The source");
    write_annotations(out);
    sa_explainer_matrix(out, "h", "h_j", out->model->pass.encoder.annotations, SA_ROWS_SOURCE);
    if (w->attention.heads) sa_explain_memory(out);
    if (!sa_explain_fixed(w)) return;
    const char *context_input = summary_letters(SA_INITIAL_LAST, &w->source.sizes.encoder);
    sa_explainer_write(out, "c = tanh(V %s + b_V)", context_input);
    sa_explainer_cite(out, "Cho et al. 2014, section 2.2");
    sa_explainer_vector(out, "summary", context_input, source->context_input);
    sa_explainer_vector(
        out, "a_c", "inside tanh",
        sa_explainer_linear(out, w->source.V, w->source.b_V, source->context_input));
    sa_explainer_vector(out, "c", "c", source->c);
}

/* ---- Before a step --------------------------------------------------------------------------- */

/* s_0, from the summary of the source. */
static void explain_initial(sa_explainer *out) {
    static const char *const places[] = {
        [SA_INITIAL_BACKWARD] = "Bahdanau et al. 2015, A.2.2",
        [SA_INITIAL_LAST] = NULL,
        [SA_INITIAL_MEAN] = "dl4mt; Nematus (Sennrich et al. 2017)",
        [SA_INITIAL_COPY] = "Sutskever et al. 2014; Luong et al. 2015",
        [SA_INITIAL_CONTEXT] = "Cho et al. 2014, section 2.2"};
    const sa_decoder *w = sa_explainer_decoder(out);
    const sa_source *source = &out->model->pass.decoder.source;
    const int initial = w->source.sizes.initial;
    const char *letters = summary_letters(initial, &w->source.sizes.encoder);
    sa_explainer_write(out, w->source.W_s[0].mat.cols ? "s_0 = tanh(W_s %s + b_s)" : "s_0 = %s",
                       letters);
    if (w->sizes.layers > 1)
        sa_explainer_write(out, w->source.W_s[0].mat.cols
                                    ? ", with W_s and b_s of each layer"
                                    : ", of the encoder's layer of the same number");
    sa_explainer_cite(out, places[initial]);
    if (!w->source.W_s[0].mat.cols) return;
    const sa_mat summary = initial == SA_INITIAL_CONTEXT ? source->c : source->encoder_summary;
    if (initial != SA_INITIAL_CONTEXT) sa_explainer_vector(out, "summary", letters, summary);
    sa_explainer_vector(out, "a_s_0", "inside tanh",
                        sa_explainer_linear(out, w->source.W_s[0], w->source.b_s[0], summary));
}

void sa_explain_previous_state(sa_explainer *out, sa_decoder_rows rows) {
    const sa_decoder *w = sa_explainer_decoder(out);
    const int m = w->sizes.m;
    sa_explainer_section(out, "The word and the state before");
    sa_explainer_vector(out, "x", "E y_{i-1}", sa_decoder_word_input(w, rows.input));
    if (w->sizes.input_feeding)
        sa_explainer_vector(out, "t_previous", out->i > 1 ? "t_{i-1}" : "t_0",
                            sa_cols(rows.input, m, rows.input.cols - m));
    if (out->i == 1) explain_initial(out);
    for (int layer = 1; layer <= w->sizes.layers; layer++) {
        const sa_state previous = sa_decoder_previous(rows, layer - 1);
        const char *index = out->i > 1 ? "_{i-1}" : "_0";
        char key[SA_STATE_NAME], name[SA_STATE_NAME];
        sa_explainer_vector(out, sa_explain_state(key, "s", layer, "_previous"),
                            sa_explain_state(name, "s", layer, index), previous.s);
        if (previous.m.cols)
            sa_explainer_vector(out, sa_explain_state(key, "m", layer, "_previous"),
                                sa_explain_state(name, "m", layer, index), previous.m);
    }
}
