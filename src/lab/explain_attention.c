/* explain_attention: from the query to the context. The score is that of its row in score.c: its
 * formula, and its function for the numbers. */
#include "lab/explain.h"
#include "tensor/vec.h"

#include <stdio.h>

static const char softmax_place[] = "Bahdanau et al. 2015, equation 6";
static const char sum_place[] = "Bahdanau et al. 2015, equation 5";
static const char heads_place[] = "Vaswani et al. 2017, section 3.2.2";
static const char window_place[] = "Luong et al. 2015, section 3.2";

/* What a head's part of the keys is called; NULL: it needs no line of its own. */
static const char *const key_letters[] = {
    [SA_KEY_PROJECTED] = "U_a h_j", [SA_KEY_STATE_SIZED] = "W_a h_j", [SA_KEY_IDENTITY] = NULL};

/* ---- Heads ----------------------------------------------------------------------------------- */

/* The columns that belong to head k (from 0) when all heads' lie side by side. */
static sa_mat part(sa_mat all, int heads, int k) {
    const int width = all.cols / heads;
    return sa_cols(all, k * width, width);
}

static void set_head(sa_lab_explanation *out, const sa_attention *w, int k) {
    out->line.head = w->heads > 1 ? k + 1 : 0;
}

void sa_explain_memory(sa_lab_explanation *out) {
    const sa_attention *w = &out->run->w.decoder.attention;
    const sa_memory *memory = &out->run->pass.decoder.source.memory;
    const char *key = key_letters[w->score->key];
    for (int k = 0; k < w->heads; k++) {
        set_head(out, w, k);
        if (key)
            sa_lab_explanation_matrix(out, "k", key, part(memory->keys, w->heads, k),
                                      SA_ROWS_SOURCE);
        if (w->heads > 1)
            sa_lab_explanation_matrix(out, "v", "W_v h_j", part(memory->values, w->heads, k),
                                      SA_ROWS_SOURCE);
    }
    out->line.head = 0;
}

/* ---- The window ------------------------------------------------------------------------------ */

/* One step's attention while it is told. */
typedef struct explainer {
    sa_lab_explanation *out;
    const sa_attention *w;
    sa_attention_rows rows; /* one */
    int S;
    const char *letter; /* the query's */
    double center;      /* p_i */
    sa_span span;
} explainer;

static void explain_center(explainer *all) {
    sa_lab_explanation *out = all->out;
    const sa_attention *w = all->w;
    if (w->window == SA_WINDOW_LOCAL_P) {
        sa_lab_explanation_write(out, "p_i = S sigma(v_p' tanh(W_p %s))", all->letter);
        sa_lab_explanation_cite(out, "Luong et al. 2015, equation 9");
        sa_lab_explanation_vector(out, "tanh(W_p s)", "tanh(..)", all->rows.hidden);
        sa_lab_explanation_vector(out, "v_p", "v_p", w->v_p);
        sa_lab_explanation_number(out, "share", "sigma(..)", *all->rows.relative_center.x);
    } else {
        sa_lab_explanation_write(out, "p_i = min(i, S)");
        sa_lab_explanation_cite(out, window_place);
    }
    sa_lab_explanation_number(out, "p_i", "p_i", all->center);
}

/* The positions that the softmax is over. */
static void find_span(explainer *all) {
    const sa_attention *w = all->w;
    const int max_positions = w->query_width / w->heads;
    const int seen =
        w->score->query == SA_QUERY_POSITIONS && max_positions < all->S ? max_positions : all->S;
    all->span = (sa_span){0, seen};
    if (w->window == SA_WINDOW_NONE) return;
    all->center = sa_attention_center(w, all->out->i, all->rows, 0, all->S);
    all->span = sa_window_span(all->center, w->window_size, seen);
}

/* ---- The score ------------------------------------------------------------------------------- */

typedef struct head {
    sa_mat v_a, q, k;
} head;

static head head_of(const explainer *all, int k) {
    const sa_attention *w = all->w;
    const bool whole = w->score->query == SA_QUERY_IDENTITY;
    return (head){part(w->v_a, w->heads, k), whole ? all->rows.q : part(all->rows.q, w->heads, k),
                  part(all->out->run->pass.decoder.source.memory.keys, w->heads, k)};
}

/* Whether every score is the sum of its terms, divided. */
static bool adds_up(sa_mat terms, sa_mat e, double divisor) {
    for (int j = 0; j < terms.rows; j++) {
        double sum = 0, size = 0;
        for (int d = 0; d < terms.cols; d++)
            sum += sa_row(terms, j)[d], size += fabs(sa_row(terms, j)[d]);
        if (!(fabs(sum / divisor - e.x[j]) <= 1e-9 * size)) return false;
    }
    return terms.cols > 0;
}

/* What each unit adds to the scores: the score of query and keys that have this unit alone. No
 * columns when the score is not the sum of such terms, or that divided by the root of their number.
 */
static sa_mat terms_of(const explainer *all, head at, sa_mat e, double *divisor) {
    const int S = all->S, units = at.k.cols == at.q.cols ? at.k.cols : 0;
    sa_mat terms = sa_lab_explanation_take(all->out, S, units),
           own = sa_lab_explanation_take(all->out, 1, S);
    const sa_mat scratch = sa_lab_explanation_take(all->out, S, 1);
    for (int d = 0; d < units; d++) {
        const sa_mat v_a = at.v_a.cols ? sa_cols(at.v_a, d, 1) : at.v_a;
        all->w->score->forward(v_a, sa_cols(at.q, d, 1), sa_cols(at.k, d, 1), own, scratch);
        for (int j = 0; j < S; j++) sa_row(terms, j)[d] = own.x[j];
    }
    *divisor = 1;
    if (adds_up(terms, e, *divisor)) return terms;
    *divisor = sqrt(units);
    return adds_up(terms, e, *divisor) ? terms : sa_cols(terms, 0, 0);
}

static void explain_score(explainer *all, head at, sa_mat e) {
    const sa_score *score = all->w->score;
    const sa_lab_explanation_symbol letters[] = {
        {"s", all->letter}, {"e_j", "e_ij"}, {"e", "e_i"}, {0}};
    sa_lab_explanation *out = all->out;
    char label[64];
    double divisor;
    score->forward(at.v_a, at.q, at.k, e, sa_lab_explanation_take(out, all->S, at.k.cols));
    sa_lab_explanation_substitute(out, score->formula, letters);
    sa_lab_explanation_cite(out, score->citation);
    if (score->query == SA_QUERY_PROJECTED) {
        snprintf(label, sizeof label, "W_a %s", all->letter);
        sa_lab_explanation_vector(out, "q", label, at.q);
    }
    if (score->vector) sa_lab_explanation_vector(out, "v_a", "v_a", at.v_a);
    const sa_mat terms = terms_of(all, at, e, &divisor);
    sa_lab_explanation_sums(out, "e", "e_ij", e, terms, divisor);
}

/* ---- The weights ----------------------------------------------------------------------------- */

/* A row for all words, blank outside the window. */
static sa_mat blank(const explainer *all) {
    sa_mat row = sa_lab_explanation_take(all->out, 1, all->S);
    for (int j = 0; j < all->S; j++) row.x[j] = (sa_real)NAN;
    return row;
}

static void explain_gauss(explainer *all, sa_mat powers, double sum) {
    sa_lab_explanation *out = all->out;
    const int D = all->w->window_size, first = all->span.first, behind = first + all->span.count;
    sa_mat soft = blank(all), gauss = blank(all);
    for (int j = first; j < behind; j++) {
        const double away = j + 1 - all->center;
        soft.x[j] = powers.x[j] / sum;
        gauss.x[j] = exp(-away * away / (0.5 * D * D));
    }
    sa_lab_explanation_column(out, "softmax", "softmax", soft, SA_ROWS_SOURCE, -1);
    sa_lab_explanation_write(
        out, "alpha_ij = softmax_j(e_ij) exp(-(j - p_i)^2 / (2 (D/2)^2)), D = %d", D);
    sa_lab_explanation_cite(out, "Luong et al. 2015, equation 10");
    sa_lab_explanation_column(out, "gauss", "exp(-..)", gauss, SA_ROWS_SOURCE, -1);
}

static void explain_weights(explainer *all, sa_mat e, sa_mat alpha) {
    sa_lab_explanation *out = all->out;
    const bool gauss = all->w->window == SA_WINDOW_LOCAL_P;
    const int first = all->span.first, count = all->span.count;
    sa_mat powers = blank(all);
    double shift;
    const double sum =
        sa_lab_explanation_exp(sa_cols(e, first, count), sa_cols(powers, first, count), &shift);
    sa_lab_explanation_write(out, "%s = exp(e_ij%s) / sum_k exp(e_ik%s)",
                             gauss ? "softmax_j(e_ij)" : "alpha_ij", shift != 0 ? " - max" : "",
                             shift != 0 ? " - max" : "");
    if (all->w->window != SA_WINDOW_NONE)
        sa_lab_explanation_write(out, ", over |j - p_i| <= %d", all->w->window_size);
    else if (count < all->S)
        sa_lab_explanation_write(out, ", over j <= %d", count);
    sa_lab_explanation_cite(out, softmax_place);
    sa_lab_explanation_column(out, "exp", shift != 0 ? "exp(e_ij-max)" : "exp(e_ij)", powers,
                              SA_ROWS_SOURCE, -1);
    if (gauss) explain_gauss(all, powers, sum);
    sa_lab_explanation_column(out, "alpha", "alpha_ij", alpha, SA_ROWS_SOURCE, -1);
    sa_lab_explanation_number(out, "sum", "sum of exp", sum);
}

/* ---- The step -------------------------------------------------------------------------------- */

void sa_explain_attention(sa_lab_explanation *out, sa_decoder_rows rows, const char *letter) {
    const sa_attention *w = &out->run->w.decoder.attention;
    explainer all = {.out = out, .w = w, .rows = rows.attention, .letter = letter};
    all.S = out->run->batch.source.steps;
    sa_lab_explanation_section(out, "Attention");
    find_span(&all);
    if (w->window != SA_WINDOW_NONE) explain_center(&all);
    for (int k = 0; k < w->heads; k++) {
        sa_mat e = sa_lab_explanation_take(out, 1, all.S);
        set_head(out, w, k);
        explain_score(&all, head_of(&all, k), e);
        explain_weights(&all, e, sa_attention_head(all.rows.alpha, 0, w->heads, k, all.S));
        if (w->heads == 1) continue;
        sa_lab_explanation_write(out, "o_i = sum_j alpha_ij (W_v h_j)");
        sa_lab_explanation_cite(out, heads_place);
        sa_lab_explanation_vector(out, "o", "o_i", part(all.rows.head_outputs, w->heads, k));
    }
    out->line.head = 0;
    if (w->heads > 1)
        sa_lab_explanation_write(out, "c_i = W_c [o_i of head 1 ; .. ; o_i of head %d]", w->heads);
    else
        sa_lab_explanation_write(out, "c_i = sum_j alpha_ij h_j");
    sa_lab_explanation_cite(out, w->heads > 1 ? heads_place : sum_place);
    sa_lab_explanation_vector(out, "c", "c_i", rows.c);
}
