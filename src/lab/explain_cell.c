/* explain_cell: one step of a recurrent cell, gate by gate. Which weights meet what follows from
 * how they are bound (layers/cell.c); the table says the rest of each form. */
#include "lab/explain.h"
#include "layers/gru.h"
#include "layers/lstm.h"
#include "layers/rnn.h"
#include "tensor/vec.h"

#include <stdio.h>
#include <string.h>

/* What U meets in a gate. */
enum { STATE, RESET, NOTHING }; /* s'; r . s'; nothing, since r . u is added instead */

typedef struct gate_equation {
    const char *letter;     /* NULL: the new state itself */
    const char *activation; /* NULL: none */
    int block;              /* of the cell's */
    int operand;
} gate_equation;

/* In an update P and S are the state before and after, Q and M the memory. */
typedef struct cell_equations {
    void (*forward)(const sa_recurrent *w, sa_state previous, sa_mat gates, sa_mat cell_cache,
                    sa_state state);
    gate_equation gates[4]; /* in the order of the equations; ends without a squash and a letter */
    const char *memory, *update;
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
    {sa_gru_before_new_forward, BEFORE, NULL, new_update},
    {sa_gru_before_old_forward, BEFORE, NULL, old_update},
    {sa_gru_after_new_forward, AFTER, NULL, new_update},
    {sa_gru_after_old_forward, AFTER, NULL, old_update},
    {sa_lstm_forward,
     {GATE("i", 0), GATE("f", 1), GATE("o", 2), {"g", "tanh", 3, STATE}},
     "M = f . Q + i . g",
     "S = o . tanh(M)"},
    {sa_rnn_forward, {{NULL, "tanh", 0, STATE}}, NULL, NULL},
};

static const cell_equations *equations_of(const sa_cell *cell) {
    for (size_t i = 0; i < sizeof all_equations / sizeof *all_equations; i++)
        if (all_equations[i].forward == cell->forward) return &all_equations[i];
    return NULL;
}

/* ---- Letters --------------------------------------------------------------------------------- */

/* One cell's step while it is told. */
typedef struct explainer {
    sa_lab_explanation *out;
    const sa_cell_step *step;
    const cell_equations *cell_equations;
    char name[LETTERS][SIZE];
    sa_lab_explanation_symbol letters[LETTERS + 1];
    int count;
} explainer;

/* Whatever `from` is called here: "z" becomes "z'_i". */
static void name(explainer *all, const char *from, const char *letter, const char *prime,
                 const char *index) {
    char *to = all->name[all->count];
    snprintf(to, SIZE, "%s%s%s", letter, prime, index);
    all->letters[all->count++] = (sa_lab_explanation_symbol){from, to};
    all->letters[all->count] = (sa_lab_explanation_symbol){NULL, NULL};
}

static const char *called(const explainer *all, const char *from) {
    const sa_lab_explanation_symbol *letter = all->letters;
    while (strcmp(letter->from, from) != 0) letter++;
    return letter->to;
}

static void name_all(explainer *all) {
    const sa_cell_step *step = all->step;
    name(all, "P", step->before, "", "");
    name(all, "Q", step->memory, "", "");
    name(all, "S", "s", step->prime, "_i");
    name(all, "M", "m", step->prime, "_i");
    for (int g = 0; g < 4 && all->cell_equations && all->cell_equations->gates[g].letter; g++)
        name(all, all->cell_equations->gates[g].letter, all->cell_equations->gates[g].letter,
             step->prime, "_i");
}

/* "z'", the key of what is called "z'_i". */
static const char *key(const explainer *all, const char *letter, char *out, size_t capacity) {
    snprintf(out, capacity, "%s%s", letter, all->step->prime);
    return out;
}

/* The decoder's place and the cell's: "Bahdanau et al. 2015, A.2.2, A.1.1". */
static void cite(explainer *all, char *out, size_t capacity) {
    const char *one = all->step->citation, *other = all->step->w->cell->citation;
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
static void write_product(sa_lab_explanation *out, const char *plus, bool normalized,
                          const char *letter, const char *suffix, const char *x) {
    sa_lab_explanation_write(out, "%s%s%s%s %s%s", plus, normalized ? "LN(" : "", letter, suffix, x,
                             normalized ? ")" : "");
}

/* "W_z E y_{i-1} + U_z s_{i-1} + C_z c_i + b_z" */
static void write_terms(const explainer *all, const gate_equation *gate) {
    const sa_cell_step *step = all->step;
    const sa_recurrent *w = step->w;
    const char *suffix = w->cell->suffix[gate->block], *plus = "";
    const bool normalized = sa_recurrent_normalized(w);
    sa_lab_explanation *out = all->out;
    if (w->W.mat.cols && is_gated(w, w->cell->first_gate, gate->block)) {
        write_product(out, plus, normalized, "W", suffix, step->input);
        plus = " + ";
    }
    char reset[SIZE];
    if (gate->operand == RESET)
        snprintf(reset, sizeof reset, "[%s . %s]", called(all, "r"), step->before);
    if (gate->operand != NOTHING)
        write_product(out, plus, normalized, "U", suffix,
                      gate->operand == RESET ? reset : step->before);
    if (gate->operand != NOTHING) plus = " + ";
    if (w->C.mat.cols && is_gated(w, w->context_block, gate->block)) {
        write_product(out, plus, normalized, "C", suffix, step->context);
        plus = " + ";
    }
    if (is_gated(w, w->bias_block, gate->block)) {
        sa_lab_explanation_write(out, "%sb%s", plus, suffix);
        plus = " + ";
    }
    if (gate->operand == NOTHING)
        sa_lab_explanation_write(out, "%s%s . %s", plus, called(all, "r"), called(all, "u"));
}

static sa_mat block_of(sa_mat gates, int block, int n) {
    return sa_cols(gates, block * n, n);
}

/* What stands in the gate's brackets, by the functions that the step itself goes through. */
static sa_mat inside(const explainer *all, const gate_equation *gate) {
    const sa_cell_step *step = all->step;
    const sa_recurrent *w = step->w;
    const int n = w->n;
    sa_mat a = sa_lab_explanation_take(all->out, 1, step->gates.cols),
           own = block_of(a, gate->block, n);
    sa_mat cell_cache = sa_lab_explanation_take(all->out, 1, step->cell_cache.cols);
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

static void explain_gate(explainer *all, const gate_equation *gate, const char *citation) {
    const sa_cell_step *step = all->step;
    const char *state = gate->letter ? gate->letter : "S";
    char text[SIZE], label[SIZE];
    sa_lab_explanation *out = all->out;
    sa_lab_explanation_write(out, "%s = %s%s", called(all, state),
                             gate->activation ? gate->activation : "", gate->activation ? "(" : "");
    write_terms(all, gate);
    if (gate->activation) sa_lab_explanation_write(out, ")");
    sa_lab_explanation_cite(out, citation);
    if (gate->operand == RESET) {
        snprintf(label, sizeof label, "%s . %s", called(all, "r"), step->before);
        sa_lab_explanation_vector(out, key(all, "r.s", text, sizeof text), label,
                                  block_of(step->cell_cache, 0, step->w->n));
    }
    if (gate->activation) {
        snprintf(text, sizeof text, "a_%s%s", gate->letter ? gate->letter : "s", step->prime);
        snprintf(label, sizeof label, "inside %s", gate->activation);
        sa_lab_explanation_vector(out, text, label, inside(all, gate));
    }
    if (gate->letter)
        sa_lab_explanation_vector(out, key(all, gate->letter, text, sizeof text),
                                  called(all, gate->letter),
                                  block_of(step->gates, gate->block, step->w->n));
}

/* ---- The state ------------------------------------------------------------------------------- */

/* kept is tanh(m), or tanh(LN(m)), wherever there is a memory cell. */
static void explain_memory(explainer *all, const char *citation) {
    char text[SIZE], label[SIZE];
    sa_lab_explanation_substitute(all->out, all->cell_equations->memory, all->letters);
    sa_lab_explanation_cite(all->out, citation);
    sa_lab_explanation_vector(all->out, key(all, "m", text, sizeof text), called(all, "M"),
                              all->step->state.m);
    const bool normalized = sa_recurrent_normalized(all->step->w);
    sa_lab_explanation_substitute(
        all->out, normalized ? "S = o . tanh(LN(M))" : all->cell_equations->update, all->letters);
    sa_lab_explanation_cite(all->out, citation);
    snprintf(label, sizeof label, normalized ? "tanh(LN(%s))" : "tanh(%s)", called(all, "M"));
    sa_lab_explanation_vector(all->out, key(all, "tanh(m)", text, sizeof text), label,
                              block_of(all->step->cell_cache, 0, all->step->w->n));
}

void sa_explain_cell(sa_lab_explanation *out, const sa_cell_step *step) {
    const sa_cell *cell = step->w->cell;
    explainer all = {.out = out, .step = step, .cell_equations = equations_of(cell)};
    char text[SIZE], citation[128];
    sa_lab_explanation_section(out, step->title);
    name_all(&all);
    cite(&all, citation, sizeof citation);
    if (all.cell_equations) {
        for (int g = 0; g < 4 && (all.cell_equations->gates[g].activation ||
                                  all.cell_equations->gates[g].letter);
             g++)
            explain_gate(&all, &all.cell_equations->gates[g], citation);
        if (all.cell_equations->memory)
            explain_memory(&all, citation);
        else if (all.cell_equations->update)
            sa_lab_explanation_substitute(out, all.cell_equations->update, all.letters);
    } else { /* a cell without a story of its own */
        const sa_lab_explanation_symbol letters[] = {
            {"s", called(&all, "S")}, {"x", step->input}, {0}};
        sa_lab_explanation_substitute(out, cell->formula, letters);
    }
    sa_lab_explanation_cite(out, citation);
    sa_lab_explanation_vector(out, key(&all, "s", text, sizeof text), called(&all, "S"),
                              step->state.s);
}
