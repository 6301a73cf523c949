/* explain_cell: one step of a recurrent cell, gate by gate, as its row (layers/cell_rows.c) lists
 * them. Which weights a gate has follows from how they are bound. */
#include "lab/explainer.h"

#include <stdio.h>
#include <string.h>

enum { GATES = 4, STATE = GATES, MEMORY, LETTERS };

typedef struct cell_view {
    sa_explainer *out;
    const sa_cell_step *step;
    const sa_recurrent *w;
    const char *letter[LETTERS];           /* of the gates, s and m; NULL: there are fewer gates */
    char name[LETTERS][SA_NAME];           /* what they are called in this step: "z'_i", ... */
    char before[SA_NAME], memory[SA_NAME]; /* ... and s and m before: "s_{i-1}" */
    char citation[128];
} cell_view;

/* ---- Letters --------------------------------------------------------------------------------- */

/* The citation has decoder and cell: "Bahdanau et al. 2015, A.2.2, A.1.1". */
static cell_view name_all(sa_explainer *out, const sa_cell_step *step) {
    const sa_cell *cell = step->w->cell;
    cell_view view = {out, step, step->w, .letter = {[STATE] = "s", [MEMORY] = "m"}};
    const size_t authors = strcspn(step->citation, ",;");
    const bool same = strcspn(cell->citation, ",;") == authors &&
                      strncmp(step->citation, cell->citation, authors) == 0;
    snprintf(view.citation, sizeof view.citation, "%s%s%s", step->citation, same ? "" : "; ",
             cell->citation + (same ? authors : 0));
    snprintf(view.before, SA_NAME, "s%s", step->before);
    snprintf(view.memory, SA_NAME, "m%s", step->before);
    for (int g = 0; g < GATES; g++) view.letter[g] = cell->gates[g].letter;
    for (int g = 0; g < LETTERS; g++)
        if (view.letter[g]) snprintf(view.name[g], SA_NAME, "%s%s_i", view.letter[g], step->prime);
    return view;
}

/* "r'_i", of a gate. */
static const char *name_of(const cell_view *view, const char *letter) {
    int g = 0;
    while (strcmp(view->letter[g], letter) != 0) g++;
    return view->name[g];
}

/* An equation of the row; memory: what m is in it. */
static void write_update(const cell_view *view, const char *text, const char *memory) {
    sa_explainer_symbol symbols[LETTERS + 4] = {{"s_before", view->before},
                                                {"m_before", view->memory},
                                                {"x", view->step->input},
                                                {"m", memory}};
    for (int g = 0, to = 4; g < MEMORY; g++)
        if (view->letter[g]) symbols[to++] = (sa_explainer_symbol){view->letter[g], view->name[g]};
    sa_explainer_substitute(view->out, view->citation, text, symbols);
}

/* A value whose key is its letter: "z'". */
static void show(const cell_view *view, const char *letter, const char *letters, sa_mat x) {
    char key[SA_NAME];
    snprintf(key, sizeof key, "%s%s", letter, view->step->prime);
    sa_explainer_vector(view->out, key, letters, x);
}

static sa_mat block_of(const cell_view *view, sa_mat gates, int block) {
    return sa_cols(gates, block * view->w->n, view->w->n);
}

/* ---- A gate ---------------------------------------------------------------------------------- */

/* "W_z E y_{i-1} + U_z s_{i-1} + C_z c_i + b_z" */
static void write_terms(const cell_view *view, const sa_gate_equation *gate) {
    const sa_cell_step *step = view->step;
    const sa_recurrent *w = view->w;
    char reset[2 * SA_NAME];
    snprintf(reset, sizeof reset, "%s", view->before);
    if (gate->reads == SA_READS_RESET)
        snprintf(reset, sizeof reset, "[%s . %s]", name_of(view, "r"), view->before);
    const struct {
        const char *letter, *x;
        bool there;
        int first; /* of the blocks that it fills */
    } terms[] = {{"W", step->input, w->W.mat.cols > 0, w->cell->first_gate},
                 {"U", reset, gate->reads != SA_READS_PRODUCT, 0},
                 {"C", step->context, w->C.mat.cols > 0, w->context_block},
                 {"b", NULL, true, w->bias_block}};
    const char *plus = "", *suffix = w->cell->suffix[gate->block];
    const bool normalized = sa_recurrent_normalized(w);
    for (size_t k = 0; k < sizeof terms / sizeof *terms; k++) {
        const int filled = gate->block - terms[k].first;
        if (!terms[k].there || filled < 0 || filled >= w->cell->gated_blocks) continue;
        sa_explainer_write(view->out, NULL, "%s", plus);
        if (terms[k].x)
            sa_explainer_write(view->out, NULL, normalized ? "LN(%s%s %s)" : "%s%s %s",
                               terms[k].letter, suffix, terms[k].x);
        else
            sa_explainer_write(view->out, NULL, "%s%s", terms[k].letter, suffix);
        plus = " + ";
    }
    if (gate->reads == SA_READS_PRODUCT)
        sa_explainer_write(view->out, NULL, "%s%s . %s", plus, name_of(view, "r"),
                           name_of(view, "u"));
}

/* The gate before its activation, computed by the functions of the forward pass. */
static sa_mat preactivation(const cell_view *view, const sa_gate_equation *gate) {
    const sa_cell_step *step = view->step;
    const sa_recurrent *w = view->w;
    const sa_mat a = sa_explainer_alloc(view->out, 1, step->gates.cols),
                 cache = sa_explainer_alloc(view->out, 1, step->cell_cache.cols),
                 own = block_of(view, a, gate->block);
    sa_recurrent_input_forward(w, step->x, a, cache);
    if (w->C.mat.cols) sa_recurrent_context_forward(w, step->c, a, cache);
    if (gate->reads == SA_READS_PRODUCT) {
        const sa_mat r = block_of(view, step->gates, 2), u = block_of(view, step->gates, 0);
        for (int k = 0; k < w->n; k++) own.x[k] += r.x[k] * u.x[k];
        return own;
    }
    int first, count;
    sa_recurrent_norm_group(w, gate->block, &first, &count);
    sa_recurrent_state_forward(w, first, count,
                               gate->reads == SA_READS_RESET ? block_of(view, step->cell_cache, 0)
                                                             : step->previous.s,
                               a, cache);
    return own;
}

static void explain_gate(const cell_view *view, int g) {
    const sa_cell_step *step = view->step;
    const sa_gate_equation *gate = &view->w->cell->gates[g];
    sa_explainer *out = view->out;
    char text[SA_NAME], label[2 * SA_NAME];
    sa_explainer_write(out, view->citation, "%s = ", view->name[g]);
    if (gate->activation) sa_explainer_write(out, NULL, "%s(", gate->activation);
    write_terms(view, gate);
    if (gate->activation) sa_explainer_write(out, NULL, ")");
    if (gate->reads == SA_READS_RESET) {
        snprintf(label, sizeof label, "%s . %s", name_of(view, "r"), view->before);
        show(view, "r.s", label, block_of(view, step->cell_cache, 0));
    }
    if (gate->activation) {
        snprintf(text, sizeof text, "a_%s", gate->letter);
        snprintf(label, sizeof label, "inside %s", gate->activation);
        show(view, text, label, preactivation(view, gate));
    }
    if (strcmp(gate->letter, "s") != 0)
        show(view, gate->letter, view->name[g], block_of(view, step->gates, gate->block));
}

/* ---- The state ------------------------------------------------------------------------------- */

void sa_explain_cell(sa_explainer *out, const sa_cell_step *step) {
    const sa_cell *cell = step->w->cell;
    const cell_view view = name_all(out, step);
    char seen[2 * SA_NAME], label[3 * SA_NAME];
    snprintf(seen, sizeof seen, sa_recurrent_normalized(step->w) ? "LN(%s)" : "%s",
             view.name[MEMORY]);
    snprintf(label, sizeof label, "tanh(%s)", seen);
    sa_explainer_section(out, step->title);
    for (int g = 0; g < GATES && cell->gates[g].letter; g++) explain_gate(&view, g);
    if (cell->memory_update) {
        write_update(&view, cell->memory_update, view.name[MEMORY]);
        show(&view, "m", view.name[MEMORY], step->state.m);
    }
    if (cell->update) write_update(&view, cell->update, seen);
    if (!cell->gates[0].letter) write_update(&view, cell->formula, seen);
    if (cell->memory_update) /* the cache has tanh(m), or tanh(LN(m)) */
        show(&view, "tanh(m)", label, block_of(&view, step->cell_cache, 0));
    show(&view, "s", view.name[STATE], step->state.s);
}
