/* explain_cell: one step of a recurrent cell, gate by gate. Which weights a gate has follows from
 * how they are bound (layers/cell.c); the table has the rest of each cell's equations. */
#include "lab/explain_parts.h"
#include "layers/recurrent.h"
#include "tensor/vec.h"

#include <stdio.h>
#include <string.h>

/* What a gate multiplies U with: s'; r . s'; nothing, where r . u is added instead. */
enum { STATE, RESET, NOTHING };

typedef struct gate_equation {
    const char *letter;     /* NULL: the new state itself */
    const char *activation; /* NULL: none */
    int block;              /* of the cell's gates */
    int operand;
} gate_equation;

/* In an update P and S are the previous and the new state, Q and M the memory cells. */
typedef struct cell_equations {
    void (*forward)(const sa_recurrent *w, sa_state previous, sa_mat gates, sa_mat cell_cache,
                    sa_state state);
    gate_equation
        gates[4]; /* in the order of the equations; the last has neither letter nor activation */
    const char *memory, *update;
    bool keeps_old;
} cell_equations;

enum { LETTERS = 12, SIZE = 48 };

static const char new_update[] = "S = (1 - z) . P + z . s~",
                  old_update[] = "S = z . P + (1 - z) . s~";

#define GATE(letter, block)                                                                        \
    { letter, "sigma", block, STATE }
#define BEFORE                                                                                     \
    {                                                                                              \
        GATE("z", 0), GATE("r", 1), {                                                              \
            "s~", "tanh", 2, RESET                                                                 \
        }                                                                                          \
    }
#define AFTER                                                                                      \
    {                                                                                              \
        GATE("z", 1), GATE("r", 2), {"u", NULL, 0, STATE}, {                                       \
            "s~", "tanh", 3, NOTHING                                                               \
        }                                                                                          \
    }

static const cell_equations all_equations[] = {
    {sa_gru_before_forward, BEFORE, NULL, new_update},
    {sa_gru_before_forward, BEFORE, NULL, old_update, .keeps_old = true},
    {sa_gru_after_forward, AFTER, NULL, new_update},
    {sa_gru_after_forward, AFTER, NULL, old_update, .keeps_old = true},
    {sa_lstm_forward,
     {GATE("i", 0), GATE("f", 1), GATE("o", 2), {"g", "tanh", 3, STATE}},
     "M = f . Q + i . g",
     "S = o . tanh(M)"},
    {sa_rnn_forward, {{NULL, "tanh", 0, STATE}}, NULL, NULL},
};

static const cell_equations *equations_of(const sa_cell *cell) {
    for (size_t i = 0; i < sizeof all_equations / sizeof *all_equations; i++)
        if (all_equations[i].forward == cell->forward &&
            all_equations[i].keeps_old == cell->keeps_old)
            return &all_equations[i];
    return NULL;
}

/* ---- Letters --------------------------------------------------------------------------------- */

/* One step of a cell, and the names that its letters have there. */
typedef struct cell_view {
    sa_explainer *out;
    const sa_cell_step *step;
    const cell_equations *cell_equations;
    char name[LETTERS][SIZE];
    sa_explainer_symbol symbols[LETTERS + 1];
    int count;
} cell_view;

/* Names the symbol `from`: "z" becomes "z'_i". */
static void add_name(cell_view *view, const char *from, const char *letter, const char *prime,
                     const char *index) {
    char *to = view->name[view->count];
    snprintf(to, SIZE, "%s%s%s", letter, prime, index);
    view->symbols[view->count++] = (sa_explainer_symbol){from, to};
    view->symbols[view->count] = (sa_explainer_symbol){NULL, NULL};
}

static const char *name_of(const cell_view *view, const char *from) {
    const sa_explainer_symbol *symbol = view->symbols;
    while (strcmp(symbol->from, from) != 0) symbol++;
    return symbol->to;
}

static void name_all(cell_view *view) {
    const sa_cell_step *step = view->step;
    add_name(view, "P", step->before, "", "");
    add_name(view, "Q", step->memory, "", "");
    add_name(view, "S", "s", step->prime, "_i");
    add_name(view, "M", "m", step->prime, "_i");
    for (int g = 0; g < 4 && view->cell_equations && view->cell_equations->gates[g].letter; g++)
        add_name(view, view->cell_equations->gates[g].letter, view->cell_equations->gates[g].letter,
                 step->prime, "_i");
}

/* "z'", the key of "z'_i". */
static const char *key(const cell_view *view, const char *letter, char *out, size_t capacity) {
    snprintf(out, capacity, "%s%s", letter, view->step->prime);
    return out;
}

/* The citations of decoder and cell: "Bahdanau et al. 2015, A.2.2, A.1.1". */
static void cite(cell_view *view, char *out, size_t capacity) {
    const char *one = view->step->citation, *other = view->step->w->cell->citation;
    const size_t authors = strcspn(one, ",;");
    const bool same = strcspn(other, ",;") == authors && strncmp(one, other, authors) == 0;
    const bool place = one[authors] == ',';
    snprintf(out, capacity, "%s%s%s", one, !same ? "; " : "",
             !same   ? other
             : place ? other + authors
                     : "");
}

/* ---- A gate ---------------------------------------------------------------------------------- */

static bool is_gated(const sa_recurrent *w, int at, int block) {
    return at <= block && block < at + w->cell->gated_blocks;
}

/* " + U_z s_{i-1}", or " + LN(U_z s_{i-1})" */
static void write_product(sa_explainer *out, const char *plus, bool normalized, const char *letter,
                          const char *suffix, const char *x) {
    sa_explainer_write(out, "%s%s%s%s %s%s", plus, normalized ? "LN(" : "", letter, suffix, x,
                       normalized ? ")" : "");
}

/* "W_z E y_{i-1} + U_z s_{i-1} + C_z c_i + b_z" */
static void write_terms(const cell_view *view, const gate_equation *gate) {
    const sa_cell_step *step = view->step;
    const sa_recurrent *w = step->w;
    const char *suffix = w->cell->suffix[gate->block], *plus = "";
    const bool normalized = sa_recurrent_normalized(w);
    sa_explainer *out = view->out;
    if (w->W.mat.cols && is_gated(w, w->cell->first_gate, gate->block)) {
        write_product(out, plus, normalized, "W", suffix, step->input);
        plus = " + ";
    }
    char reset[SIZE];
    if (gate->operand == RESET)
        snprintf(reset, sizeof reset, "[%s . %s]", name_of(view, "r"), step->before);
    if (gate->operand != NOTHING)
        write_product(out, plus, normalized, "U", suffix,
                      gate->operand == RESET ? reset : step->before);
    if (gate->operand != NOTHING) plus = " + ";
    if (w->C.mat.cols && is_gated(w, w->context_block, gate->block)) {
        write_product(out, plus, normalized, "C", suffix, step->context);
        plus = " + ";
    }
    if (is_gated(w, w->bias_block, gate->block)) {
        sa_explainer_write(out, "%sb%s", plus, suffix);
        plus = " + ";
    }
    if (gate->operand == NOTHING)
        sa_explainer_write(out, "%s%s . %s", plus, name_of(view, "r"), name_of(view, "u"));
}

static sa_mat block_of(sa_mat gates, int block, int n) {
    return sa_cols(gates, block * n, n);
}

/* The gate before its activation, computed by the functions of the forward pass. */
static sa_mat preactivation(const cell_view *view, const gate_equation *gate) {
    const sa_cell_step *step = view->step;
    const sa_recurrent *w = step->w;
    const int n = w->n;
    sa_mat a = sa_explainer_alloc(view->out, 1, step->gates.cols),
           own = block_of(a, gate->block, n);
    sa_mat cell_cache = sa_explainer_alloc(view->out, 1, step->cell_cache.cols);
    sa_recurrent_input_forward(w, step->x, a, cell_cache);
    if (w->C.mat.cols) sa_recurrent_context_forward(w, step->c, a, cell_cache);
    if (gate->operand != NOTHING) {
        const sa_mat operand =
            gate->operand == RESET ? block_of(step->cell_cache, 0, n) : step->previous.s;
        int first, count;
        sa_recurrent_norm_group(w, gate->block, &first, &count);
        sa_recurrent_state_forward(w, first, count, operand, a, cell_cache);
    } else { /* r . u: blocks 2 and 0 */
        const sa_mat r = block_of(step->gates, 2, n), u = block_of(step->gates, 0, n);
        for (int k = 0; k < n; k++) own.x[k] += r.x[k] * u.x[k];
    }
    return own;
}

static void explain_gate(cell_view *view, const gate_equation *gate, const char *citation) {
    const sa_cell_step *step = view->step;
    const char *state = gate->letter ? gate->letter : "S";
    char text[SIZE], label[SIZE];
    sa_explainer *out = view->out;
    sa_explainer_write(out, "%s = %s%s", name_of(view, state),
                       gate->activation ? gate->activation : "", gate->activation ? "(" : "");
    write_terms(view, gate);
    if (gate->activation) sa_explainer_write(out, ")");
    sa_explainer_cite(out, citation);
    if (gate->operand == RESET) {
        snprintf(label, sizeof label, "%s . %s", name_of(view, "r"), step->before);
        sa_explainer_vector(out, key(view, "r.s", text, sizeof text), label,
                            block_of(step->cell_cache, 0, step->w->n));
    }
    if (gate->activation) {
        snprintf(text, sizeof text, "a_%s%s", gate->letter ? gate->letter : "s", step->prime);
        snprintf(label, sizeof label, "inside %s", gate->activation);
        sa_explainer_vector(out, text, label, preactivation(view, gate));
    }
    if (gate->letter)
        sa_explainer_vector(out, key(view, gate->letter, text, sizeof text),
                            name_of(view, gate->letter),
                            block_of(step->gates, gate->block, step->w->n));
}

/* ---- The state ------------------------------------------------------------------------------- */

/* cell_cache holds tanh(m), or tanh(LN(m)). */
static void explain_memory(cell_view *view, const char *citation) {
    char text[SIZE], label[SIZE];
    sa_explainer_substitute(view->out, view->cell_equations->memory, view->symbols);
    sa_explainer_cite(view->out, citation);
    sa_explainer_vector(view->out, key(view, "m", text, sizeof text), name_of(view, "M"),
                        view->step->state.m);
    const bool normalized = sa_recurrent_normalized(view->step->w);
    sa_explainer_substitute(view->out,
                            normalized ? "S = o . tanh(LN(M))" : view->cell_equations->update,
                            view->symbols);
    sa_explainer_cite(view->out, citation);
    snprintf(label, sizeof label, normalized ? "tanh(LN(%s))" : "tanh(%s)", name_of(view, "M"));
    sa_explainer_vector(view->out, key(view, "tanh(m)", text, sizeof text), label,
                        block_of(view->step->cell_cache, 0, view->step->w->n));
}

void sa_explain_cell(sa_explainer *out, const sa_cell_step *step) {
    const sa_cell *cell = step->w->cell;
    cell_view view = {.out = out, .step = step, .cell_equations = equations_of(cell)};
    char text[SIZE], citation[128];
    sa_explainer_section(out, step->title);
    name_all(&view);
    cite(&view, citation, sizeof citation);
    if (view.cell_equations) {
        for (int g = 0; g < 4 && (view.cell_equations->gates[g].activation ||
                                  view.cell_equations->gates[g].letter);
             g++)
            explain_gate(&view, &view.cell_equations->gates[g], citation);
        if (view.cell_equations->memory)
            explain_memory(&view, citation);
        else if (view.cell_equations->update)
            sa_explainer_substitute(out, view.cell_equations->update, view.symbols);
    } else { /* a cell that is not in the table */
        const sa_explainer_symbol symbols[] = {{"s", name_of(&view, "S")}, {"x", step->input}, {0}};
        sa_explainer_substitute(out, cell->formula, symbols);
    }
    sa_explainer_cite(out, citation);
    sa_explainer_vector(out, key(&view, "s", text, sizeof text), name_of(&view, "S"),
                        step->state.s);
}
