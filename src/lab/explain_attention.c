/* explain_attention: from the query to the context. The formula of the score, and the function that
 * computes it, come from its row (attention/score.c). */
#include "lab/explain_parts.h"
#include "tensor/vec.h"

#include <stdio.h>
#include <string.h>

static const char sum_place[] = "Bahdanau et al. 2015, equation 5";
static const char heads_place[] = "Vaswani et al. 2017, section 3.2.2";

/* What a head's part of the keys is called; NULL: the keys are the annotations. */
static const char *const key_letters[] = {
    [SA_KEY_PROJECTED] = "U_a h_j", [SA_KEY_STATE_SIZED] = "W_a h_j", [SA_KEY_IDENTITY] = NULL};

/* ---- Heads ----------------------------------------------------------------------------------- */

static void set_head(sa_explainer *out, const sa_attention *w, int k) {
    out->line.head = w->heads > 1 ? k + 1 : 0;
}

void sa_explain_memory(sa_explainer *out) {
    const sa_attention *w = &out->model->w.decoder.attention;
    const sa_memory *memory = &out->model->pass.decoder.source.memory;
    const char *key = key_letters[w->score->key];
    for (int k = 0; k < w->heads; k++) {
        set_head(out, w, k);
        if (key)
            sa_explainer_matrix(out, "k", key, sa_kv_head_part(w, memory->keys, k), SA_ROWS_SOURCE);
        if (w->heads > 1)
            sa_explainer_matrix(out, "v", "W_v h_j", sa_kv_head_part(w, memory->values, k),
                                SA_ROWS_SOURCE);
    }
    out->line.head = 0;
}

/* ---- One step -------------------------------------------------------------------------------- */

/* The attention of one step. */
typedef struct attention_view {
    sa_explainer *out;
    const sa_attention *w;
    sa_attention_rows rows; /* one */
    int S;
    const char *letter; /* the query's */
    double center;      /* p_i */
    sa_span span;       /* what the query sees; set by explain_score, as is the next */
    double e_0;         /* the null key's score, if there is a null key */
} attention_view;

/* ---- The score ------------------------------------------------------------------------------- */

typedef struct score_inputs {
    sa_mat v_a, q, k;
} score_inputs;

/* The keys are those that the score reads. */
static score_inputs inputs_of_head(const attention_view *view, int k) {
    const sa_attention *w = view->w;
    const bool whole = w->score->query == SA_QUERY_IDENTITY;
    const sa_decoder_cache *pass = &view->out->model->pass.decoder;
    const sa_query_block block = {0, 1, 0, view->out->i, false};
    const sa_head_slice head =
        sa_slice_head(w, &pass->source.memory, &block, view->rows.q, view->rows.head_outputs, k);
    const sa_mat keys = sa_head_keys(w, &block, 0, view->rows, k, &head, pass->scratch);
    return (score_inputs){sa_head_part(w->v_a, w->heads, k),
                          whole ? view->rows.q : sa_head_part(view->rows.q, w->heads, k), keys};
}

/* Whether every score is the sum of its terms divided by `divisor`. */
static bool adds_up(sa_mat terms, sa_mat e, double divisor) {
    for (int j = 0; j < terms.rows; j++) {
        double sum = 0, size = 0;
        for (int d = 0; d < terms.cols; d++)
            sum += sa_row(terms, j)[d], size += fabs(sa_row(terms, j)[d]);
        if (!(fabs(sum / divisor - e.x[j]) <= 1e-9 * size)) return false;
    }
    return terms.cols > 0;
}

/* What each unit adds to the scores: the score of a query and keys of this unit alone [S x units].
 * No columns if the score is neither the sum of such terms nor that divided by the square root of
 * their number. */
static sa_mat terms_of(const attention_view *view, score_inputs in, sa_mat e, double *divisor) {
    const int S = view->S, units = in.k.cols == in.q.cols ? in.k.cols : 0;
    sa_mat terms = sa_explainer_alloc(view->out, S, units),
           own = sa_explainer_alloc(view->out, 1, S);
    const sa_mat scratch = sa_explainer_alloc(view->out, S, 1);
    for (int d = 0; d < units; d++) {
        const sa_mat v_a = in.v_a.cols == units ? sa_cols(in.v_a, d, 1) : in.v_a;
        view->w->score->forward(v_a, sa_cols(in.q, d, 1), sa_cols(in.k, d, 1), own, scratch);
        for (int j = 0; j < S; j++) sa_row(terms, j)[d] = own.x[j];
    }
    *divisor = 1;
    if (adds_up(terms, e, *divisor)) return terms;
    *divisor = sqrt(units);
    return adds_up(terms, e, *divisor) ? terms : sa_cols(terms, 0, 0);
}

/* The score's own parameters under the names of their tensors: "v_a", "log_h". */
static void explain_own(const attention_view *view, sa_mat own) {
    const sa_lab_model *model = view->out->model;
    const ptrdiff_t first = own.x - model->values, end = first + own.cols;
    for (int i = 0; own.cols && i < model->plan.count; i++) {
        const sa_param *param = &model->plan.item[i];
        const ptrdiff_t start = (ptrdiff_t)param->offset, from = start > first ? start - first : 0,
                        behind = start + (ptrdiff_t)sa_param_size(param),
                        to = (behind < end ? behind : end) - first;
        if (from >= to) continue;
        const char *name = strrchr(param->name, '.') + 1;
        sa_explainer_vector(view->out, from ? name : "v_a", name,
                            sa_cols(own, (int)from, (int)(to - from)));
    }
}

double sa_explain_null_score(sa_explainer *out, const sa_attention *w, int k, sa_mat q) {
    if (!w->k_0.cols) return 0;
    const sa_mat k_0 = sa_head_part(w->k_0, w->heads, k), e_0 = sa_explainer_alloc(out, 1, 1);
    w->score->forward(sa_head_part(w->v_a, w->heads, k), q, k_0, e_0,
                      sa_explainer_alloc(out, 1, k_0.cols));
    sa_explainer_write(out, "e_i0: the score of the null key k_0 in the place of k_j");
    sa_explainer_cite(out, w->normalizer->citation);
    sa_explainer_vector(out, "k_0", "k_0", k_0);
    sa_explainer_number(out, "e_0", "e_i0", *e_0.x);
    return *e_0.x;
}

static void explain_coverage(attention_view *view, int k) {
    const sa_attention *w = view->w;
    sa_explainer *out = view->out;
    sa_explainer_write(out, "C_ij = sum of the weights of the words before%s",
                       w->U_f.cols ? " / Phi_j" : "");
    sa_explainer_cite(out,
                      w->U_f.cols ? "Tu et al. 2016, section 3.1" : "See et al. 2017, section 2.3");
    sa_explainer_column(out, "C", "C_{i-1,j}",
                        sa_state_coverage(w, view->rows.previous_state, 0, k, view->S),
                        SA_ROWS_SOURCE, -1);
    sa_mat Phi = sa_explainer_alloc(out, 1, view->S);
    for (int j = 0; w->U_f.cols && j < view->S; j++)
        Phi.x[j] = *sa_row(out->model->pass.decoder.source.memory.fertility, j);
    if (w->U_f.cols) sa_explainer_column(out, "Phi", "Phi_j", Phi, SA_ROWS_SOURCE, -1);
}

/* The keys of this head have just been made: its f are in the scratch. */
static void explain_location(attention_view *view, int k) {
    const sa_attention *w = view->w;
    const sa_location_aware own = sa_location_aware_head(w->location, w->heads, k);
    sa_explainer *out = view->out;
    sa_explainer_write(out, "f_ij = sum_o F_o alpha_{i-1,j-o}, o = -%d .. %d", own.F.cols / 2,
                       own.F.cols / 2);
    sa_explainer_cite(out, "Chorowski et al. 2015, equation 8");
    sa_explainer_column(out, "previous", "alpha_i-1,j",
                        sa_state_weights(w, view->rows.previous_state, 0, k, view->S),
                        SA_ROWS_SOURCE, -1);
    sa_explainer_matrix(out, "F", "F", own.F, SA_ROWS_UNNAMED);
    sa_explainer_matrix(out, "filtered", "f_ij",
                        sa_rows(out->model->pass.decoder.scratch.f, 0, view->S), SA_ROWS_SOURCE);
    sa_explainer_vector(out, "b_a", "b_a", own.b_a);
}

/* What goes from step to step. */
static void explain_state(attention_view *view, int k) {
    const sa_attention *w = view->w;
    if (w->score->state)
        sa_explainer_vector(view->out, "kappa", "kappa_i",
                            sa_state_score(w, view->rows.state, 0, k));
    if (w->w_c.cols) explain_coverage(view, k);
    if (w->location.F.cols) explain_location(view, k);
}

static void explain_score(attention_view *view, int k, sa_mat e) {
    const sa_attention *w = view->w;
    const sa_score *score = w->score;
    const score_inputs in = inputs_of_head(view, k);
    const sa_explainer_symbol symbols[] = {
        {"s", view->letter}, {"e_j", "e_ij"}, {"e", "e_i"}, {"f_j", "f_ij"}, {0}};
    const sa_decoder_cache *pass = &view->out->model->pass.decoder;
    sa_explainer *out = view->out;
    char label[64];
    double divisor;
    view->span = sa_attention_scores(w, &pass->source.memory, 0, out->i, false, view->rows, 0, k, 0,
                                     e, pass->scratch);
    sa_explainer_substitute(out, score->formula, symbols);
    sa_explainer_cite(out, score->citation);
    if (score->query == SA_QUERY_PROJECTED) {
        snprintf(label, sizeof label, "W_a %s", view->letter);
        sa_explainer_vector(out, "q", label, in.q);
    }
    explain_own(view, in.v_a);
    explain_state(view, k);
    const sa_mat terms = terms_of(view, in, e, &divisor);
    sa_explainer_sums(out, "e", "e_ij", e, terms, divisor);
    view->e_0 = sa_explain_null_score(out, w, k, in.q);
}

/* ---- The weights ----------------------------------------------------------------------------- */

static sa_mat blank(const attention_view *view) {
    return sa_explain_blank(view->out, view->S);
}

static sa_mat seen(const attention_view *view, sa_mat row) {
    return sa_cols(row, view->span.first, view->span.count);
}

/* Whether the weights are powers / sum. */
static bool are_shares(sa_mat weights, sa_mat powers, double sum) {
    for (int j = 0; j < weights.cols; j++)
        if (!(fabs(weights.x[j] * sum - powers.x[j]) <= 1e-9 * sum)) return false;
    return true;
}

static void write_span(attention_view *view) {
    sa_explain_span(view->out, view->w, view->S);
}

/* The null key in the sum: exp(e_i0), which is 1 where it is not learned. */
static const char *null_share(const attention_view *view, double shift) {
    if (!view->w->normalizer->null_key) return "";
    if (view->w->k_0.cols) return shift != 0 ? "exp(e_i0 - max) + " : "exp(e_i0) + ";
    return shift != 0 ? "exp(-max) + " : "1 + ";
}

/* The weights before the Gaussian as shares of exp(e). */
static void explain_shares(attention_view *view, sa_mat powers, double shift) {
    sa_explainer *out = view->out;
    char weight[SA_WEIGHT_NAME];
    const char *less = shift != 0 ? " - max" : "", *null = null_share(view, shift);
    const bool drawn = view->w->normalizer->draw && view->w->window != SA_WINDOW_LOCAL_P;
    sa_explainer_write(out, "%s", drawn ? "p_ij" : sa_explain_weight(weight, view->w));
    sa_explainer_write(out, " = exp(e_ij%s) / ", less);
    sa_explainer_write(out, *null ? "(%ssum_k exp(e_ik%s))" : "%ssum_k exp(e_ik%s)", null, less);
    write_span(view);
    sa_explainer_cite(out, view->w->normalizer->citation);
    sa_explainer_column(out, "exp", shift != 0 ? "exp(e_ij-max)" : "exp(e_ij)", powers,
                        SA_ROWS_SOURCE, -1);
}

/* By the formula of the normalizer's row, and its alpha and distances from the kinks if it has
 * them. */
static void explain_formula(attention_view *view, int k, sa_mat e) {
    char weight[SA_WEIGHT_NAME];
    const sa_explainer_symbol symbols[] = {
        {"alpha_j", sa_explain_weight(weight, view->w)}, {"e_j", "e_ij"}, {"e_k", "e_ik"}, {0}};
    const sa_normalizer *normalizer = view->w->normalizer;
    const sa_real exponent = sa_attention_exponent(view->w, k);
    sa_explainer *out = view->out;
    sa_explainer_substitute(out, normalizer->formula, symbols);
    write_span(view);
    sa_explainer_cite(out, normalizer->citation);
    if (normalizer->exponent) sa_explainer_number(out, "a", "a", exponent);
    if (!normalizer->kinks) return;
    sa_mat above = blank(view);
    sa_copy_mat(seen(view, e), seen(view, above));
    normalizer->kinks(exponent, seen(view, above));
    sa_explainer_column(out, "above", "above 0", above, SA_ROWS_SOURCE, -1);
}

static void explain_gauss(attention_view *view, sa_mat normalized) {
    char weight[SA_WEIGHT_NAME];
    const char *name = view->w->normalizer->name;
    sa_explainer_column(view->out, name, name, normalized, SA_ROWS_SOURCE, -1);
    sa_explain_gauss(view->out, view->w, view->center, view->span, view->S,
                     sa_explain_weight(weight, view->w));
}

/* Of weights that depend on those of the step before, as decoding makes them. */
static void explain_selection(attention_view *view, int k, sa_mat e, sa_mat alpha) {
    static const sa_explainer_symbol symbols[] = {{"alpha_j", "alpha_ij"},
                                                  {"p_j", "p_ij"},
                                                  {"q_j", "q_ij"},
                                                  {"e_j", "e_ij"},
                                                  {"p_{j-1}", "p_i,j-1"},
                                                  {"q_{j-1}", "q_i,j-1"},
                                                  {0}};
    sa_explainer *out = view->out;
    const int H = view->w->heads, S = view->S;
    const sa_mat p = sa_attention_head(view->rows.selection, 0, H, k, S),
                 previous = sa_state_weights(view->w, view->rows.previous_state, 0, k, S);
    sa_mat sigma = blank(view), q = blank(view);
    for (int j = 0; j < S; j++) {
        sigma.x[j] = 1 / (1 + exp(-e.x[j]));
        q.x[j] = previous.x[j] + (j ? (1 - p.x[j - 1]) * q.x[j - 1] : 0);
    }
    sa_explainer_substitute(out, view->w->normalizer->formula, symbols);
    sa_explainer_cite(out, view->w->normalizer->citation);
    sa_explainer_column(out, "previous", "alpha_i-1,j", previous, SA_ROWS_SOURCE, -1);
    sa_explainer_column(out, "sigma", "sigma(e_ij)", sigma, SA_ROWS_SOURCE, -1);
    sa_explainer_write(out, "p_ij = 1 if e_ij > 0, else 0: decoding selects");
    sa_explainer_cite(out, view->w->score->citation);
    sa_explainer_column(out, "selected", "p_ij", p, SA_ROWS_SOURCE, -1);
    sa_explainer_column(out, "reached", "q_ij", q, SA_ROWS_SOURCE, -1);
    sa_explainer_column(out, "alpha", "alpha_ij", alpha, SA_ROWS_SOURCE, -1);
    sa_explainer_number(out, "unselected", "no word", 1 - sa_sum(alpha.x, S));
}

static void explain_weights(attention_view *view, int k, sa_mat e) {
    sa_explainer *out = view->out;
    const sa_attention *w = view->w;
    const sa_mat alpha = sa_attention_head(view->rows.alpha, 0, w->heads, k, view->S);
    if (w->normalizer->step_forward) {
        explain_selection(view, k, e, alpha);
        return;
    }
    sa_mat powers = blank(view);
    double shift, sum = sa_explainer_exp(seen(view, e), seen(view, powers), &shift);
    if (w->normalizer->null_key) sum += exp(view->e_0 - shift);
    const sa_mat normalized = sa_explain_normalized(out, w, k, e, view->e_0, view->span);
    const bool shares = are_shares(seen(view, normalized), seen(view, powers), sum);
    for (int j = 0; shares && j < view->S; j++) normalized.x[j] = powers.x[j] / sum;
    if (shares)
        explain_shares(view, powers, shift);
    else
        explain_formula(view, k, e);
    if (w->window == SA_WINDOW_LOCAL_P) explain_gauss(view, normalized);
    if (w->normalizer->draw) {
        sa_explainer_column(out, "probability", "p_ij", normalized, SA_ROWS_SOURCE, -1);
        sa_explainer_write(out, "alpha_ij = 1 for the largest p_ij, else 0: decoding selects");
        sa_explainer_cite(out, w->score->citation);
    }
    sa_explainer_column(out, "alpha", "alpha_ij", alpha, SA_ROWS_SOURCE, -1);
    const bool null = w->normalizer->null_key;
    if (shares) sa_explainer_number(out, "sum", null ? "sum + null" : "sum of exp", sum);
    if (!null) return;
    sa_explainer_number(out, "null", "null key",
                        1 - sa_sum(seen(view, normalized).x, view->span.count));
}

/* ---- The step -------------------------------------------------------------------------------- */

void sa_explain_attention(sa_explainer *out, sa_decoder_rows rows, const char *letter) {
    const sa_attention *w = &out->model->w.decoder.attention;
    attention_view view = {.out = out, .w = w, .rows = rows.attention, .letter = letter};
    view.S = out->model->batch.source.steps;
    sa_explainer_section(out, "Attention");
    if (w->window != SA_WINDOW_NONE)
        view.center = sa_explain_center(out, w, out->i, view.rows, view.S, letter);
    for (int k = 0; k < w->heads; k++) {
        sa_mat e = sa_explainer_alloc(out, 1, view.S);
        set_head(out, w, k);
        explain_score(&view, k, e);
        explain_weights(&view, k, e);
        if (w->heads == 1) continue;
        sa_explainer_write(out, "o_i = sum_j alpha_ij (W_v h_j)");
        sa_explainer_cite(out, heads_place);
        sa_explainer_vector(out, "o", "o_i", sa_head_part(view.rows.head_outputs, w->heads, k));
    }
    out->line.head = 0;
    if (w->heads > 1)
        sa_explainer_write(out, "c_i = W_c [o_i of head 1 ; .. ; o_i of head %d]", w->heads);
    else
        sa_explainer_write(out, "c_i = sum_j alpha_ij h_j");
    sa_explainer_cite(out, w->heads > 1 ? heads_place : sum_place);
    sa_explainer_vector(out, "c", "c_i", rows.c);
}
