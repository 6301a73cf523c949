/* explain_attention: from the query to the context. The score is that of its row in compat.c: its
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
    [SA_KEY_MAPPED] = "U_a h_j", [SA_KEY_STATE] = "W_a h_j", [SA_KEY_RAW] = NULL};

/* ---- Heads ----------------------------------------------------------------------------------- */

/* The columns that belong to head k (from 0) when all heads' lie side by side. */
static sa_mat part(sa_mat all, int heads, int k) {
    const int width = all.cols / heads;
    return sa_cols(all, k * width, width);
}

static void set_head(sa_page *page, const sa_attention *w, int k) {
    page->line.head = w->heads > 1 ? k + 1 : 0;
}

void sa_explain_memory(sa_page *page) {
    const sa_attention *w = &page->run->w.decoder.attention;
    const sa_memory *memory = &page->run->pass.decoder.source.memory;
    const char *key = key_letters[w->compat->key];
    for (int k = 0; k < w->heads; k++) {
        set_head(page, w, k);
        if (key) sa_page_matrix(page, "k", key, part(memory->keys, w->heads, k), SA_ABOUT_SOURCE);
        if (w->heads > 1)
            sa_page_matrix(page, "v", "W_v h_j", part(memory->values, w->heads, k),
                           SA_ABOUT_SOURCE);
    }
    page->line.head = 0;
}

/* ---- The window ------------------------------------------------------------------------------ */

/* One step's attention while it is told. */
typedef struct telling {
    sa_page *page;
    const sa_attention *w;
    sa_attention_rows rows; /* one */
    int S;
    const char *letter; /* the query's */
    double centre;      /* p_i */
    sa_span span;
} telling;

static void explain_centre(telling *all) {
    sa_page *page = all->page;
    const sa_attention *w = all->w;
    if (w->window == SA_WINDOW_PREDICTIVE) {
        sa_page_write(page, "p_i = S sigma(v_p' tanh(W_p %s))", all->letter);
        sa_page_cite(page, "Luong et al. 2015, equation 9");
        sa_page_vector(page, "tanh(W_p s)", "tanh(..)", all->rows.hidden);
        sa_page_vector(page, "v_p", "v_p", w->v_p);
        sa_page_number(page, "share", "sigma(..)", *all->rows.share.x);
    } else {
        sa_page_write(page, "p_i = min(i, S)");
        sa_page_cite(page, window_place);
    }
    sa_page_number(page, "p_i", "p_i", all->centre);
}

/* The positions that the softmax is over. */
static void find_span(telling *all) {
    const sa_attention *w = all->w;
    const int places = w->query_width / w->heads;
    const int seen = w->compat->query == SA_QUERY_PLACES && places < all->S ? places : all->S;
    all->span = (sa_span){0, seen};
    if (w->window == SA_WINDOW_NONE) return;
    all->centre = sa_attention_centre(w, all->page->i, all->rows, 0, all->S);
    all->span = sa_window_span(all->centre, w->reach, seen);
}

/* ---- The score ------------------------------------------------------------------------------- */

typedef struct head {
    sa_mat v_a, q, k;
} head;

static head head_of(const telling *all, int k) {
    const sa_attention *w = all->w;
    const bool whole = w->compat->query == SA_QUERY_STATE;
    return (head){part(w->v_a, w->heads, k), whole ? all->rows.q : part(all->rows.q, w->heads, k),
                  part(all->page->run->pass.decoder.source.memory.keys, w->heads, k)};
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
static sa_mat terms_of(const telling *all, head at, sa_mat e, double *divisor) {
    const int S = all->S, units = at.k.cols == at.q.cols ? at.k.cols : 0;
    sa_mat terms = sa_page_take(all->page, S, units), own = sa_page_take(all->page, 1, S);
    const sa_mat scratch = sa_page_take(all->page, S, 1);
    for (int d = 0; d < units; d++) {
        const sa_mat v_a = at.v_a.cols ? sa_cols(at.v_a, d, 1) : at.v_a;
        all->w->compat->forward(v_a, sa_cols(at.q, d, 1), sa_cols(at.k, d, 1), own, scratch);
        for (int j = 0; j < S; j++) sa_row(terms, j)[d] = own.x[j];
    }
    *divisor = 1;
    if (adds_up(terms, e, *divisor)) return terms;
    *divisor = sqrt(units);
    return adds_up(terms, e, *divisor) ? terms : sa_cols(terms, 0, 0);
}

static void explain_score(telling *all, head at, sa_mat e) {
    const sa_compat *compat = all->w->compat;
    const sa_page_letter letters[] = {{"s", all->letter}, {"e_j", "e_ij"}, {"e", "e_i"}, {0}};
    sa_page *page = all->page;
    char label[64];
    double divisor;
    compat->forward(at.v_a, at.q, at.k, e, sa_page_take(page, all->S, at.k.cols));
    sa_page_fill(page, compat->formula, letters);
    sa_page_cite(page, compat->citation);
    if (compat->query == SA_QUERY_MAPPED) {
        snprintf(label, sizeof label, "W_a %s", all->letter);
        sa_page_vector(page, "q", label, at.q);
    }
    if (compat->vector) sa_page_vector(page, "v_a", "v_a", at.v_a);
    const sa_mat terms = terms_of(all, at, e, &divisor);
    sa_page_sums(page, "e", "e_ij", e, terms, divisor);
}

/* ---- The weights ----------------------------------------------------------------------------- */

/* A row for all words, blank outside the window. */
static sa_mat blank(const telling *all) {
    sa_mat row = sa_page_take(all->page, 1, all->S);
    for (int j = 0; j < all->S; j++) row.x[j] = (sa_real)NAN;
    return row;
}

static void explain_gauss(telling *all, sa_mat powers, double sum) {
    sa_page *page = all->page;
    const int D = all->w->reach, first = all->span.first, behind = first + all->span.count;
    sa_mat soft = blank(all), gauss = blank(all);
    for (int j = first; j < behind; j++) {
        const double away = j + 1 - all->centre;
        soft.x[j] = powers.x[j] / sum;
        gauss.x[j] = exp(-away * away / (0.5 * D * D));
    }
    sa_page_column(page, "softmax", "softmax", soft, SA_ABOUT_SOURCE, -1);
    sa_page_write(page, "alpha_ij = softmax_j(e_ij) exp(-(j - p_i)^2 / (2 (D/2)^2)), D = %d", D);
    sa_page_cite(page, "Luong et al. 2015, equation 10");
    sa_page_column(page, "gauss", "exp(-..)", gauss, SA_ABOUT_SOURCE, -1);
}

static void explain_weights(telling *all, sa_mat e, sa_mat alpha) {
    sa_page *page = all->page;
    const bool gauss = all->w->window == SA_WINDOW_PREDICTIVE;
    const int first = all->span.first, count = all->span.count;
    sa_mat powers = blank(all);
    double shift;
    const double sum = sa_page_exp(sa_cols(e, first, count), sa_cols(powers, first, count), &shift);
    sa_page_write(page, "%s = exp(e_ij%s) / sum_k exp(e_ik%s)",
                  gauss ? "softmax_j(e_ij)" : "alpha_ij", shift != 0 ? " - max" : "",
                  shift != 0 ? " - max" : "");
    if (all->w->window != SA_WINDOW_NONE)
        sa_page_write(page, ", over |j - p_i| <= %d", all->w->reach);
    else if (count < all->S)
        sa_page_write(page, ", over j <= %d", count);
    sa_page_cite(page, softmax_place);
    sa_page_column(page, "exp", shift != 0 ? "exp(e_ij-max)" : "exp(e_ij)", powers, SA_ABOUT_SOURCE,
                   -1);
    if (gauss) explain_gauss(all, powers, sum);
    sa_page_column(page, "alpha", "alpha_ij", alpha, SA_ABOUT_SOURCE, -1);
    sa_page_number(page, "sum", "sum of exp", sum);
}

/* ---- The step -------------------------------------------------------------------------------- */

void sa_explain_attention(sa_page *page, sa_decoder_rows rows, const char *letter) {
    const sa_attention *w = &page->run->w.decoder.attention;
    telling all = {.page = page, .w = w, .rows = rows.attention, .letter = letter};
    all.S = page->run->batch.source.steps;
    sa_page_section(page, "Attention");
    find_span(&all);
    if (w->window != SA_WINDOW_NONE) explain_centre(&all);
    for (int k = 0; k < w->heads; k++) {
        sa_mat e = sa_page_take(page, 1, all.S);
        set_head(page, w, k);
        explain_score(&all, head_of(&all, k), e);
        explain_weights(&all, e, sa_attention_head(all.rows.alpha, 0, w->heads, k, all.S));
        if (w->heads == 1) continue;
        sa_page_write(page, "o_i = sum_j alpha_ij (W_v h_j)");
        sa_page_cite(page, heads_place);
        sa_page_vector(page, "o", "o_i", part(all.rows.joined, w->heads, k));
    }
    page->line.head = 0;
    if (w->heads > 1)
        sa_page_write(page, "c_i = W_c [o_i of head 1 ; .. ; o_i of head %d]", w->heads);
    else
        sa_page_write(page, "c_i = sum_j alpha_ij h_j");
    sa_page_cite(page, w->heads > 1 ? heads_place : sum_place);
    sa_page_vector(page, "c", "c_i", rows.c);
}
