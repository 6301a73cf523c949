/* window: local attention (Luong et al. 2015, section 3.2). Each query sees only the positions j
 * (from 1) with |j - p_i| <= D around a center p_i.
 *
 *   sliding  p_i = i, in self-attention only: D is half of the window of Beltagy et al. 2020,
 *            section 3.1 (a causal query sees itself and the D words before it: Jiang et al. 2023)
 *
 *   local-m  p_i = i                              (beyond the end of the source: its last position)
 *   local-p  p_i = S sigma(v_p' tanh(W_p s_i))    equation 9
 *            alpha_ij exp(-(j - p_i)^2 / (2 (D/2)^2))   equation 10: rows sum to less than 1
 *
 * The softmax is taken over the window, before the Gaussian. */
#include "attention/parts.h"

typedef struct window { /* weights, or their gradients */
    int D;
    sa_weight W_p; /* [n_a x n] for a predicted center, like the next */
    sa_mat v_p;    /* [1 x n_a] */
} window;

_Static_assert(sizeof(window) <= SA_PART_BYTES, "the largest part");

/* ---- The row of a query ---------------------------------------------------------------------- */

/* The center p_i, S before the window and, with a predicted center, sigma(..) and tanh(..). */
enum { CENTER, SEEN, SHARE, HIDDEN };

static sa_mat hidden_of(sa_mat row) {
    return sa_cols(row, HIDDEN, row.cols - HIDDEN);
}

/* ---- What the query sees --------------------------------------------------------------------- */

/* Returns the words at most D from p; the whole sentence if p is NaN, as in a model that has
 * diverged. */
static sa_span around(sa_real p, int D, int S) {
    const int first = (int)fmax(ceil((double)p - D), 1), last = (int)fmin(floor((double)p + D), S);
    return (sa_span){first - 1, last - first + 1};
}

/* Sees the words around the center of query l. */
static void see(const sa_attention *w, int part, const sa_head *head, int l, sa_real center,
                sa_span *seen) {
    const window *own = sa_part_own(w, part);
    const sa_mat row = sa_rows(head->rows.part[part], l, 1);
    sa_head query = {.index = -1, .i = head->i + l, .q = sa_rows(head->q, l, 1)};
    const char *formula = "p_i = min(i, S)";
    query.memory = head->memory;
    row.x[CENTER] = center, row.x[SEEN] = (sa_real)seen->count;
    *seen = around(center, own->D, seen->count);
    if (own->v_p.cols) {
        sa_part_trace(w, part, &query, "p_i = S sigma(v_p' tanh(W_p s))", SA_SHAPE_VECTOR,
                      "tanh(W_p s)", "tanh(..)", hidden_of(row));
        sa_part_trace(w, part, &query, NULL, SA_SHAPE_VECTOR, "v_p", "v_p", own->v_p);
        sa_part_trace_number(w, part, &query, formula = NULL, "share", "sigma(..)", row.x[SHARE]);
    }
    sa_part_trace_number(w, part, &query, formula, "p_i", "p_i", center);
    sa_part_trace_number(w, part, &query, NULL, "D", "D", (sa_real)own->D);
}

static void given_span(const sa_attention *w, int part, const sa_head *head, int l, sa_span *seen) {
    const int i = head->i + l, S = seen->count;
    see(w, part, head, l, (sa_real)(i < S ? i : S), seen);
}

static void predicted_span(const sa_attention *w, int part, const sa_head *head, int l,
                           sa_span *seen) {
    const sa_real share = sa_row(head->rows.part[part], l)[SHARE];
    see(w, part, head, l, (sa_real)seen->count * share, seen);
}

/* ---- A predicted center ---------------------------------------------------------------------- */

/* Equation 9 (Luong et al. 2015): p_i = S sigma(v_p' tanh(W_p s_i)) */
static void center_forward(const sa_attention *w, int part, sa_mat s, sa_attention_rows rows) {
    const window *own = sa_part_own(w, part);
    const sa_mat hidden = hidden_of(rows.part[part]), share = sa_cols(rows.part[part], SHARE, 1);
    sa_linear_forward(own->W_p, (sa_mat){0}, s, hidden);
    sa_tanh(hidden);
    sa_gemm_nt(hidden, own->v_p, 0, share);
    sa_sigmoid(share);
}

/* Turns the gradient of the shares into the gradient of v_p' hidden; fills the gradient of W_p s;
 * accumulates into ds. */
static void center_backward(const sa_attention *w, int part, sa_attention_rows rows,
                            sa_attention_rows d, sa_mat ds) {
    const window *own = sa_part_own(w, part);
    const sa_mat hidden = hidden_of(rows.part[part]), dhidden = hidden_of(d.part[part]);
    for (int i = 0; i < hidden.rows; i++) {
        const sa_real share = sa_row(rows.part[part], i)[SHARE], *t = sa_row(hidden, i);
        sa_real *dshare = sa_row(d.part[part], i) + SHARE, *dt = sa_row(dhidden, i);
        *dshare = *dshare * share * (1 - share); /* sigma */
        for (int k = 0; k < hidden.cols; k++) dt[k] = *dshare * own->v_p.x[k] * (1 - t[k] * t[k]);
    }
    sa_weight_nn(dhidden, own->W_p, 1, ds); /* W_p s_i */
}

static void center_weights_backward(int part, sa_mat s, sa_attention_rows rows, sa_attention_rows d,
                                    sa_attention *dw) {
    const window *d_own = sa_part_own(dw, part);
    sa_gemm_tn(sa_cols(d.part[part], SHARE, 1), hidden_of(rows.part[part]), 1, d_own->v_p);
    sa_weight_tn(hidden_of(d.part[part]), s, d_own->W_p);
}

/* ---- The Gaussian ---------------------------------------------------------------------------- */

/* Returns 1 / (D/2)^2. */
static sa_real sharpness(int D) {
    return 4 / ((sa_real)D * (sa_real)D);
}

static sa_real gauss(sa_real away, int D) {
    return (sa_real)exp((double)(-away * away / 2 * sharpness(D)));
}

/* Equation 10: alpha_ij exp(-(j - p_i)^2 / (2 (D/2)^2)) */
static void gauss_forward(const sa_attention *w, int part, sa_head *head) {
    const int D = ((const window *)sa_part_own(w, part))->D;
    const sa_mat g = sa_corner(head->scratch->soft, head->alpha.rows, head->alpha.cols);
    const bool two = sa_part_find(w, &sa_two_maps_part) >= 0;
    const char *name = w->normalizer->name;
    sa_part_trace(w, part, head, NULL, SA_SHAPE_COLUMN, two ? "A" : name, two ? "A_ij" : name,
                  head->alpha);
    for (int i = 0; i < head->alpha.rows; i++) {
        const sa_real p = sa_row(head->rows.part[part], i)[CENTER];
        const sa_span span = around(p, D, (int)sa_row(head->rows.part[part], i)[SEEN]);
        for (int j = 0; sa_is_traced() && j < g.cols; j++) sa_row(g, i)[j] = (sa_real)NAN;
        for (int j = span.first; j < span.first + span.count; j++) {
            sa_row(g, i)[j] = gauss((sa_real)(j + 1) - p, D);
            sa_row(head->alpha, i)[j] *= sa_row(g, i)[j];
        }
    }
    sa_part_trace(w, part, head, "alpha_ij = pi_j exp(-(j - p_i)^2 / (2 (D/2)^2))", SA_SHAPE_COLUMN,
                  "gauss", "exp(-..)", g);
}

/* Turns dalpha into the gradient of the weights before the Gaussian, which it writes to soft
 * inside the window; returns the gradient of the center. */
static sa_real soften(sa_real p, int D, sa_mat alpha, sa_mat dalpha, sa_mat soft) {
    const sa_span span = around(p, D, alpha.cols);
    sa_real dp = 0;
    for (int j = span.first; j < span.first + span.count; j++) {
        const sa_real away = (sa_real)(j + 1) - p, g = gauss(away, D);
        soft.x[j] = alpha.x[j] / g; /* g >= exp(-2) inside the window */
        dp += dalpha.x[j] * alpha.x[j] * away * sharpness(D);
        dalpha.x[j] *= g;
    }
    return dp;
}

static void gauss_backward(const sa_attention *w, int part, sa_head *head, sa_head *d) {
    const int D = ((const window *)sa_part_own(w, part))->D;
    const sa_mat soft = sa_corner(head->scratch->soft, head->alpha.rows, head->alpha.cols);
    sa_zero(soft);
    for (int i = 0; i < soft.rows; i++) {
        const sa_real *row = sa_row(head->rows.part[part], i);
        const int seen = (int)row[SEEN];
        const sa_real dp = soften(row[CENTER], D, sa_cols(sa_rows(head->alpha, i, 1), 0, seen),
                                  sa_cols(sa_rows(d->alpha, i, 1), 0, seen),
                                  sa_cols(sa_rows(soft, i, 1), 0, seen));
        sa_row(d->rows.part[part], i)[SHARE] += dp * row[SEEN];
    }
    head->alpha = soft;
}

/* Adds the kinks: the edges of a window; a center moves the faster, the longer S is. */
static void kinks(const sa_attention *w, int part, const sa_head *head, sa_kinks *found) {
    const window *own = sa_part_own(w, part);
    for (int i = 0; i < head->alpha.rows; i++) {
        const sa_real *row = sa_row(head->rows.part[part], i);
        const double p = (double)row[CENTER];
        const sa_span span = around(row[CENTER], own->D, (int)row[SEEN]);
        found->pattern = sa_hash_mix(found->pattern ^ (uint64_t)(span.first * 65536 + span.count));
        found->nearest = fmin(found->nearest, fabs(p - round(p)) / (1e-3 * (double)row[SEEN]));
    }
}

static const char ordered[] = "the window depends on positions, not words";

/* ---- The part -------------------------------------------------------------------------------- */

static bool has_window(const sa_attention_sizes *sizes) {
    const int kind = sizes->settings.window;
    return kind == SA_WINDOW_LOCAL_M || kind == SA_WINDOW_LOCAL_P ||
           (kind == SA_WINDOW_SLIDING && sizes->site != SA_SITE_CROSS);
}

static bool is_predicted(const sa_attention_sizes *sizes) {
    return sizes->settings.window == SA_WINDOW_LOCAL_P;
}

static bool is_given(const sa_attention_sizes *sizes) {
    return has_window(sizes) && !is_predicted(sizes);
}

static void bind(sa_binder *binder, const char *prefix, const sa_attention_sizes *sizes,
                 const sa_attention *w, void *own) {
    window *W = own;
    W->D = sizes->settings.window_size;
    if (!is_predicted(sizes)) return;
    W->W_p = sa_bind_matrix(binder, prefix, "W_p", sizes->size, sizes->state_width, SA_INIT_INPUT);
    W->v_p = sa_bind_vector(binder, prefix, "v_p", sizes->size, SA_INIT_ALIGN_LAST);
}

static sa_part_widths widths(const sa_attention *w, int part, int queries, int steps) {
    const int width = HIDDEN + ((const window *)sa_part_own(w, part))->v_p.cols;
    return (sa_part_widths){.row = width, .gradient = width};
}

const sa_part sa_window_part = {
    .name = "window",
    .formula = "|j - p_i| <= D",
    .citation = "Luong et al. 2015, section 3.2",
    .chosen = is_given,
    .bind = bind,
    .widths = widths,
    .span = given_span,
    .rare = SA_RARE(.ordered = ordered),
};

const sa_part sa_predicted_window_part = {
    .name = "predicted window",
    .formula = "|j - p_i| <= D",
    .citation = "Luong et al. 2015, equations 9 and 10",
    .chosen = is_predicted,
    .bind = bind,
    .widths = widths,
    .project = {.forward = center_forward,
                .backward = center_backward,
                .weights_backward = center_weights_backward},
    .span = predicted_span,
    .forward = {[SA_PLACE_WEIGHTS] = gauss_forward},
    .backward = {[SA_PLACE_WEIGHTS] = gauss_backward},
    .rare = SA_RARE(.lacks = "at most 1: the Gaussian of the window makes the sum smaller",
                    .ordered = ordered, .kinks = kinks),
};
