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

typedef struct gate_story {
    const char *letter; /* NULL: the new state itself */
    const char *squash; /* NULL: none */
    int block;          /* of the cell's */
    int meets;
} gate_story;

/* In an update P and S are the state before and after, Q and M the memory. */
typedef struct story {
    void (*forward)(const sa_recurrent *w, sa_state previous, sa_mat gates, sa_mat kept,
                    sa_state state);
    gate_story gates[4]; /* in the order of the equations; ends without a squash and a letter */
    const char *memory, *update;
} story;

enum { LETTERS = 12, SIZE = 48 };

static const char new_share[] = "S = (1 - z) . P + z . s~",
                  old_share[] = "S = z . P + (1 - z) . s~";

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

static const story stories[] = {
    {sa_gru_before_new_forward, BEFORE, NULL, new_share},
    {sa_gru_before_old_forward, BEFORE, NULL, old_share},
    {sa_gru_after_new_forward, AFTER, NULL, new_share},
    {sa_gru_after_old_forward, AFTER, NULL, old_share},
    {sa_lstm_forward,
     {GATE("i", 0), GATE("f", 1), GATE("o", 2), {"g", "tanh", 3, STATE}},
     "M = f . Q + i . g",
     "S = o . tanh(M)"},
    {sa_rnn_forward, {{NULL, "tanh", 0, STATE}}, NULL, NULL},
};

static const story *story_of(const sa_cell *cell) {
    for (size_t i = 0; i < sizeof stories / sizeof *stories; i++)
        if (stories[i].forward == cell->forward) return &stories[i];
    return NULL;
}

/* ---- Letters --------------------------------------------------------------------------------- */

/* One cell's step while it is told. */
typedef struct telling {
    sa_page *page;
    const sa_cell_step *step;
    const story *story;
    char name[LETTERS][SIZE];
    sa_page_letter letters[LETTERS + 1];
    int count;
} telling;

/* Whatever `from` is called here: "z" becomes "z'_i". */
static void name(telling *all, const char *from, const char *letter, const char *prime,
                 const char *index) {
    char *to = all->name[all->count];
    snprintf(to, SIZE, "%s%s%s", letter, prime, index);
    all->letters[all->count++] = (sa_page_letter){from, to};
    all->letters[all->count] = (sa_page_letter){NULL, NULL};
}

static const char *called(const telling *all, const char *from) {
    const sa_page_letter *letter = all->letters;
    while (strcmp(letter->from, from) != 0) letter++;
    return letter->to;
}

static void name_all(telling *all) {
    const sa_cell_step *step = all->step;
    name(all, "P", step->before, "", "");
    name(all, "Q", step->memory, "", "");
    name(all, "S", "s", step->prime, "_i");
    name(all, "M", "m", step->prime, "_i");
    for (int g = 0; g < 4 && all->story && all->story->gates[g].letter; g++)
        name(all, all->story->gates[g].letter, all->story->gates[g].letter, step->prime, "_i");
}

/* "z'", the key of what is called "z'_i". */
static const char *key(const telling *all, const char *letter, char *out, size_t room) {
    snprintf(out, room, "%s%s", letter, all->step->prime);
    return out;
}

/* The decoder's place and the cell's: "Bahdanau et al. 2015, A.2.2, A.1.1". */
static void cite(telling *all, char *out, size_t room) {
    const char *one = all->step->citation, *other = all->step->w->cell->citation;
    const size_t authors = strcspn(one, ",;");
    const bool same = strcspn(other, ",;") == authors && strncmp(one, other, authors) == 0;
    const bool place = one[authors] == ',';
    snprintf(out, room, "%s%s%s", one, !same ? "; " : "",
             !same   ? other
             : place ? other + authors
                     : "");
}

/* ---- A gate ---------------------------------------------------------------------------------- */

static bool reaches(const sa_recurrent *w, int at, int block) {
    return at <= block && block < at + w->cell->reach;
}

/* " + U_z s_{i-1}", or " + LN(U_z s_{i-1})" */
static void write_product(sa_page *page, const char *plus, bool normed, const char *letter,
                          const char *suffix, const char *x) {
    sa_page_write(page, "%s%s%s%s %s%s", plus, normed ? "LN(" : "", letter, suffix, x,
                  normed ? ")" : "");
}

/* "W_z E y_{i-1} + U_z s_{i-1} + C_z c_i + b_z" */
static void write_terms(const telling *all, const gate_story *gate) {
    const sa_cell_step *step = all->step;
    const sa_recurrent *w = step->w;
    const char *suffix = w->cell->suffix[gate->block], *plus = "";
    const bool normed = sa_recurrent_normed(w);
    sa_page *page = all->page;
    if (w->W.cols && reaches(w, w->cell->outer, gate->block)) {
        write_product(page, plus, normed, "W", suffix, step->input);
        plus = " + ";
    }
    char reset[SIZE];
    if (gate->meets == RESET)
        snprintf(reset, sizeof reset, "[%s . %s]", called(all, "r"), step->before);
    if (gate->meets != NOTHING)
        write_product(page, plus, normed, "U", suffix, gate->meets == RESET ? reset : step->before);
    if (gate->meets != NOTHING) plus = " + ";
    if (w->C.cols && reaches(w, w->context_at, gate->block)) {
        write_product(page, plus, normed, "C", suffix, step->context);
        plus = " + ";
    }
    if (reaches(w, w->bias_at, gate->block)) {
        sa_page_write(page, "%sb%s", plus, suffix);
        plus = " + ";
    }
    if (gate->meets == NOTHING)
        sa_page_write(page, "%s%s . %s", plus, called(all, "r"), called(all, "u"));
}

static sa_mat block_of(sa_mat gates, int block, int n) {
    return sa_cols(gates, block * n, n);
}

/* What stands in the gate's brackets, by the functions that the step itself goes through. */
static sa_mat inside(const telling *all, const gate_story *gate) {
    const sa_cell_step *step = all->step;
    const sa_recurrent *w = step->w;
    const int n = w->U.cols;
    sa_mat a = sa_page_take(all->page, 1, step->gates.cols), own = block_of(a, gate->block, n);
    sa_mat kept = sa_page_take(all->page, 1, step->kept.cols);
    sa_recurrent_input_forward(w, step->x, a, kept);
    if (w->C.cols) sa_recurrent_context_forward(w, step->c, a, kept);
    if (gate->meets != NOTHING) {
        const sa_mat met = gate->meets == RESET ? block_of(step->kept, 0, n) : step->previous.s;
        int first, count;
        sa_recurrent_joint(w, gate->block, &first, &count);
        sa_recurrent_state_forward(w, first, count, met, a, kept);
    } else { /* r . u: blocks 2 and 0 */
        const sa_mat r = block_of(step->gates, 2, n), u = block_of(step->gates, 0, n);
        for (int k = 0; k < n; k++) own.x[k] += r.x[k] * u.x[k];
    }
    return own;
}

static void explain_gate(telling *all, const gate_story *gate, const char *citation) {
    const sa_cell_step *step = all->step;
    const char *state = gate->letter ? gate->letter : "S";
    char text[SIZE], label[SIZE];
    sa_page *page = all->page;
    sa_page_write(page, "%s = %s%s", called(all, state), gate->squash ? gate->squash : "",
                  gate->squash ? "(" : "");
    write_terms(all, gate);
    if (gate->squash) sa_page_write(page, ")");
    sa_page_cite(page, citation);
    if (gate->meets == RESET) {
        snprintf(label, sizeof label, "%s . %s", called(all, "r"), step->before);
        sa_page_vector(page, key(all, "r.s", text, sizeof text), label,
                       block_of(step->kept, 0, step->w->U.cols));
    }
    if (gate->squash) {
        snprintf(text, sizeof text, "a_%s%s", gate->letter ? gate->letter : "s", step->prime);
        snprintf(label, sizeof label, "inside %s", gate->squash);
        sa_page_vector(page, text, label, inside(all, gate));
    }
    if (gate->letter)
        sa_page_vector(page, key(all, gate->letter, text, sizeof text), called(all, gate->letter),
                       block_of(step->gates, gate->block, step->w->U.cols));
}

/* ---- The state ------------------------------------------------------------------------------- */

/* kept is tanh(m), or tanh(LN(m)), wherever there is a memory cell. */
static void explain_memory(telling *all, const char *citation) {
    char text[SIZE], label[SIZE];
    sa_page_fill(all->page, all->story->memory, all->letters);
    sa_page_cite(all->page, citation);
    sa_page_vector(all->page, key(all, "m", text, sizeof text), called(all, "M"),
                   all->step->state.m);
    const bool normed = sa_recurrent_normed(all->step->w);
    sa_page_fill(all->page, normed ? "S = o . tanh(LN(M))" : all->story->update, all->letters);
    sa_page_cite(all->page, citation);
    snprintf(label, sizeof label, normed ? "tanh(LN(%s))" : "tanh(%s)", called(all, "M"));
    sa_page_vector(all->page, key(all, "tanh(m)", text, sizeof text), label,
                   block_of(all->step->kept, 0, all->step->w->U.cols));
}

void sa_explain_cell(sa_page *page, const sa_cell_step *step) {
    const sa_cell *cell = step->w->cell;
    telling all = {.page = page, .step = step, .story = story_of(cell)};
    char text[SIZE], citation[128];
    sa_page_section(page, step->title);
    name_all(&all);
    cite(&all, citation, sizeof citation);
    if (all.story) {
        for (int g = 0; g < 4 && (all.story->gates[g].squash || all.story->gates[g].letter); g++)
            explain_gate(&all, &all.story->gates[g], citation);
        if (all.story->memory)
            explain_memory(&all, citation);
        else if (all.story->update)
            sa_page_fill(page, all.story->update, all.letters);
    } else { /* a cell without a story of its own */
        const sa_page_letter letters[] = {{"s", called(&all, "S")}, {"x", step->input}, {0}};
        sa_page_fill(page, cell->formula, letters);
    }
    sa_page_cite(page, citation);
    sa_page_vector(page, key(&all, "s", text, sizeof text), called(&all, "S"), step->state.s);
}
