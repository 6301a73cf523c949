/* explain: the pass of one pair, told step by step. The order of a step, and what takes part in it,
 * follow from the row of its decoder (model/decoders.c). */
#include "lab/explain.h"
#include "tensor/vec.h"

#include <string.h>

/* ---- The state ------------------------------------------------------------------------------- */

static void explain_first_cell(sa_page *page, sa_decoder_rows rows) {
    const sa_decoder *w = sa_page_decoder(page);
    const bool second = w->sizes.kind->second;
    sa_explain_cell(page, &(sa_cell_step){
                              .title = second ? "The state between" : "The new state",
                              .w = &w->cell,
                              .x = rows.input,
                              .c = rows.c,
                              .input = w->sizes.feeding ? "[E y_{i-1} ; t_{i-1}]" : "E y_{i-1}",
                              .context = sa_explain_fixed(w) ? "c" : "c_i",
                              .previous = rows.previous,
                              .state = second ? rows.middle : rows.s,
                              .before = "s_{i-1}",
                              .memory = "m_{i-1}",
                              .prime = second ? "'" : "",
                              .gates = rows.gates,
                              .kept = rows.kept,
                              .citation = w->sizes.kind->citation,
                          });
}

static void explain_second_cell(sa_page *page, sa_decoder_rows rows) {
    const sa_decoder *w = sa_page_decoder(page);
    sa_explain_cell(page, &(sa_cell_step){
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
                              .kept = rows.second_kept,
                              .citation = w->sizes.kind->citation,
                          });
}

/* ---- The step -------------------------------------------------------------------------------- */

static void explain_step(sa_page *page, int i) {
    const sa_decoder_kind *kind = sa_page_decoder(page)->sizes.kind;
    const sa_decoder_rows rows = sa_decoder_rows_slice(page->run->pass.decoder.rows, i - 1, 1);
    page->line.part = SA_EXPLAINED_STEP;
    page->i = i;
    sa_explain_before(page, rows);
    if (kind->asker == SA_ASKS_PREVIOUS) sa_explain_attention(page, rows, "s_{i-1}");
    explain_first_cell(page, rows);
    if (kind->asker == SA_ASKS_MIDDLE) sa_explain_attention(page, rows, "s'_i");
    if (kind->second) explain_second_cell(page, rows);
    if (kind->asker == SA_ASKS_CURRENT) sa_explain_attention(page, rows, "s_i");
    sa_explain_readout(page, rows);
}

/* ---- The weights ----------------------------------------------------------------------------- */

/* Those of a step: all but the embeddings and the encoder. */
static void explain_weights(sa_page *page) {
    const sa_params *plan = &page->run->plan;
    static const char *const parts[] = {"decoder.", "attention.", "readout."};
    page->line.part = SA_EXPLAINED_WEIGHTS;
    sa_page_section(page, "The weights");
    for (int i = 0; i < plan->count; i++) {
        const sa_param *param = &plan->item[i];
        const sa_mat x = sa_param_mat(param, page->run->values);
        bool wanted = false;
        for (size_t k = 0; k < sizeof parts / sizeof *parts; k++)
            wanted = wanted || strncmp(param->name, parts[k], strlen(parts[k])) == 0;
        if (!wanted) continue;
        const bool words = strcmp(param->name, "readout.W_o") == 0;
        if (strcmp(param->name, "readout.b_y") == 0)
            sa_page_column(page, param->name, param->name, x, SA_ABOUT_WORDS, -1);
        else if (param->rows)
            sa_page_matrix(page, param->name, param->name, x,
                           words ? SA_ABOUT_WORDS : SA_ABOUT_NOTHING);
        else
            sa_page_vector(page, param->name, param->name, x);
    }
}

/* ---- The door -------------------------------------------------------------------------------- */

static bool explain(const sa_lab_explaining *job, const sa_lab_run *run, sa_error *error) {
    sa_page page;
    if (!sa_page_open(&page, job, run, error)) return false;
    if (run->w.model == SA_MODEL_TRANSFORMER) {
        sa_explain_layer(&page, job->layer - 1, job->step - 1);
        return sa_page_close(&page, error);
    }
    sa_explain_source(&page);
    for (int i = 1; i <= job->target.len; i++)
        if (!job->step || job->step == i) explain_step(&page, i);
    if (job->weights) explain_weights(&page);
    return sa_page_close(&page, error);
}

bool sa_lab_explain(const sa_lab_explaining *job, sa_error *error) {
    const sa_lab_pairs pairs = {&job->source, &job->target, 1, job->source_words,
                                job->target_words};
    sa_lab_run run = {0};
    bool good = sa_lab_run_open(&run, job->settings, &pairs, error);
    if (good) {
        run.regularizer.dropout = (sa_dropout){0};
        sa_lab_run_load(&run, job->values);
        good = isfinite(sa_lab_run_loss(&run, NULL)) ? explain(job, &run, error)
                                                     : sa_fail(error, SA_DIVERGED, "%s", "");
    }
    sa_lab_run_close(&run);
    return good;
}
