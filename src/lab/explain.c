/* explain: the forward pass of one pair, step by step. The decoder's row (model/decoders.c) says in
 * which order a step computes what. */
#include "lab/explain_parts.h"
#include "tensor/vec.h"

#include <string.h>

/* ---- The state ------------------------------------------------------------------------------- */

static void explain_first_cell(sa_explainer *out, sa_decoder_rows rows) {
    const sa_decoder *w = sa_explainer_decoder(out);
    const bool second = w->sizes.kind->second;
    sa_explain_cell(out,
                    &(sa_cell_step){
                        .title = second ? "The state between" : "The new state",
                        .w = &w->cell,
                        .x = rows.input,
                        .c = rows.c,
                        .input = w->sizes.input_feeding ? "[E y_{i-1} ; t_{i-1}]" : "E y_{i-1}",
                        .context = sa_explain_fixed(w) ? "c" : "c_i",
                        .previous = rows.previous,
                        .state = second ? rows.middle : rows.s,
                        .before = "s_{i-1}",
                        .memory = "m_{i-1}",
                        .prime = second ? "'" : "",
                        .gates = rows.gates,
                        .cell_cache = rows.cell_cache,
                        .citation = w->sizes.kind->citation,
                    });
}

static void explain_second_cell(sa_explainer *out, sa_decoder_rows rows) {
    const sa_decoder *w = sa_explainer_decoder(out);
    sa_explain_cell(out, &(sa_cell_step){
                             .title = "The new state",
                             .w = &w->second,
                             .c = rows.c,
                             .context = "c_i",
                             .previous = rows.middle,
                             .state = rows.s,
                             .before = "s'_i",
                             .memory = "m'_i",
                             .prime = "",
                             .gates = rows.second_gates,
                             .cell_cache = rows.second_cell_cache,
                             .citation = w->sizes.kind->citation,
                         });
}

static void explain_upper_layer(sa_explainer *out, sa_decoder_rows rows, int number) {
    const sa_decoder *w = sa_explainer_decoder(out);
    const sa_upper_layer_rows layer = sa_upper_layer(rows.upper, number - 2, 1);
    char title[48], input[SA_STATE_NAME], before[SA_STATE_NAME], memory[SA_STATE_NAME],
        prime[SA_STATE_NAME], y[SA_STATE_NAME];
    snprintf(title, sizeof title, "The new state of layer %d", number);
    sa_explain_cell(out, &(sa_cell_step){
                             .title = title,
                             .w = &w->upper.layer[number - 2],
                             .x = layer.x,
                             .c = rows.c,
                             .input = sa_explain_output(input, w, number - 1),
                             .context = sa_explain_fixed(w) ? "c" : "c_i",
                             .previous = layer.previous,
                             .state = layer.s,
                             .before = sa_explain_state(before, "s", number, "_{i-1}"),
                             .memory = sa_explain_state(memory, "m", number, "_{i-1}"),
                             .prime = sa_explain_state(prime, "", number, ""),
                             .gates = layer.gates,
                             .cell_cache = layer.cell_cache,
                             .citation = "Sutskever et al. 2014, section 3.4",
                         });
    if (!sa_upper_adds(&w->upper, number - 2)) return;
    sa_explainer_write(out, "y%s_i = s%s_i + %s", prime, prime, input);
    sa_explainer_cite(out, "Wu et al. 2016, section 3.1");
    sa_explainer_vector(out, sa_explain_state(y, "y", number, ""),
                        sa_explain_output(before, w, number), layer.y);
}

/* ---- The step -------------------------------------------------------------------------------- */

static void explain_step(sa_explainer *out, int i) {
    const sa_decoder *w = sa_explainer_decoder(out);
    const sa_decoder_kind *kind = w->sizes.kind;
    char query[SA_STATE_NAME];
    const sa_decoder_rows rows = sa_decoder_rows_slice(out->model->pass.decoder.rows, i - 1, 1);
    out->line.part = SA_EXPLAIN_STEP;
    out->i = i;
    sa_explain_previous_state(out, rows);
    if (kind->query_state == SA_QUERY_STATE_PREVIOUS) sa_explain_attention(out, rows, "s_{i-1}");
    explain_first_cell(out, rows);
    if (kind->query_state == SA_QUERY_STATE_MIDDLE) sa_explain_attention(out, rows, "s'_i");
    if (kind->second) explain_second_cell(out, rows);
    for (int layer = 2; layer <= w->sizes.layers; layer++) explain_upper_layer(out, rows, layer);
    if (kind->query_state == SA_QUERY_STATE_CURRENT)
        sa_explain_attention(out, rows, sa_explain_output(query, w, w->sizes.layers));
    sa_explain_readout(out, rows);
}

/* ---- The weights ----------------------------------------------------------------------------- */

/* Those of a decoder step: all but the embeddings and the encoder. */
static void explain_weights(sa_explainer *out) {
    const sa_params *plan = &out->model->plan;
    static const char *const parts[] = {"decoder.", "attention.", "readout.", "copy."};
    out->line.part = SA_EXPLAIN_WEIGHTS;
    sa_explainer_section(out, "The weights");
    for (int i = 0; i < plan->count; i++) {
        const sa_param *param = &plan->item[i];
        const sa_mat x = sa_param_mat(param, out->model->values);
        bool wanted = false;
        for (size_t k = 0; k < sizeof parts / sizeof *parts; k++)
            wanted = wanted || strncmp(param->name, parts[k], strlen(parts[k])) == 0;
        if (!wanted) continue;
        const bool words = strcmp(param->name, "readout.W_o") == 0;
        if (strcmp(param->name, "readout.b_y") == 0)
            sa_explainer_column(out, param->name, param->name, x, SA_ROWS_VOCABULARY, -1);
        else if (param->rows)
            sa_explainer_matrix(out, param->name, param->name, x,
                                words ? SA_ROWS_VOCABULARY : SA_ROWS_UNNAMED);
        else
            sa_explainer_vector(out, param->name, param->name, x);
    }
}

/* ---- The job --------------------------------------------------------------------------------- */

static bool explain(const sa_lab_explain_job *job, const sa_lab_model *model, sa_error *error) {
    sa_explainer out;
    if (!sa_explainer_open(&out, job, model, error)) return false;
    if (!model->w.family->recurrent) {
        sa_explain_layer(&out, job->layer - 1, job->step - 1);
        return sa_explainer_close(&out, error);
    }
    sa_explain_source(&out);
    for (int i = 1; i <= job->target.len; i++)
        if (!job->step || job->step == i) explain_step(&out, i);
    if (job->weights) explain_weights(&out);
    return sa_explainer_close(&out, error);
}

bool sa_lab_explain(const sa_lab_explain_job *job, sa_error *error) {
    const sa_lab_pairs pairs = {&job->source, &job->target, 1, job->source_words,
                                job->target_words};
    sa_lab_model model = {0};
    bool good = sa_lab_model_open(&model, job->settings, &pairs, error);
    if (good) {
        model.regularizer.dropout = (sa_dropout){0};
        sa_lab_model_load(&model, job->values);
        sa_seq2seq_set_hard(&model.w, true); /* as it decodes */
        good = isfinite(sa_lab_model_loss(&model, false)) ? explain(job, &model, error)
                                                          : sa_fail(error, SA_DIVERGED, "%s", "");
    }
    sa_lab_model_close(&model);
    return good;
}
