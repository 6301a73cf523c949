/* location_aware: gives the score one more input: the weights of the previous target word. They go
 * through K learned filters of width 2r + 1.
 *
 *   f_ij = sum_{o=-r}^{r} F_o alpha_{i-1,j-o}      F [K x 2r+1]; a weight outside the source is 0
 *   e_ij = f(q_i, k_j + W_f f_ij + b_a)            v_a' tanh(W_a s + U_a h_j + W_f f_ij + b_a)
 *
 * Chorowski et al. 2015 ("Attention-based models for speech recognition"), equations 8 and 9, which
 * call v_a, U_a, W_f and b_a w, V, U and b. Before the first target word alpha is (1, 0, .., 0). */
#include "attention/parts.h"

typedef struct location_aware { /* weights, or their gradients */
    sa_mat F;                   /* [K x 2r+1], which all heads share */
    sa_mat W_f, b_a;            /* [n_a x K], [1 x n_a] */
} location_aware;

/* Returns the slices of W_f and b_a of head k. */
static location_aware head_of(const sa_attention *w, int part, int k) {
    const location_aware *all = sa_part_own(w, part);
    const int size = all->b_a.cols / w->heads;
    return (location_aware){all->F, sa_rows(all->W_f, k * size, size),
                            sa_cols(all->b_a, k * size, size)};
}

/* ---- Filters --------------------------------------------------------------------------------- */

/* Return the first of the words j for which j - o is one of the S words, too, and their end. */
static int first_of(int o) {
    return o > 0 ? o : 0;
}

static int end_of(int o, int S) {
    return o < 0 ? S + o : S;
}

/* Equation 8: f_ij = sum_o F_o alpha_{i-1,j-o} */
static void filter_forward(sa_mat F, sa_mat alpha, sa_mat f) {
    const int r = F.cols / 2;
    sa_zero(f);
    for (int l = 0; l < F.rows; l++)
        for (int o = -r; o <= r; o++)
            for (int j = first_of(o); j < end_of(o, f.rows); j++)
                sa_row(f, j)[l] += sa_row(F, l)[o + r] * alpha.x[j - o];
}

static void filter_backward(sa_mat F, sa_mat alpha, sa_mat df, sa_mat dalpha, sa_mat dF) {
    const int r = F.cols / 2;
    for (int l = 0; l < F.rows; l++)
        for (int o = -r; o <= r; o++)
            for (int j = first_of(o); j < end_of(o, df.rows); j++) {
                const sa_real d = sa_row(df, j)[l];
                sa_row(dF, l)[o + r] += d * alpha.x[j - o];
                dalpha.x[j - o] += d * sa_row(F, l)[o + r];
            }
}

/* ---- Keys ------------------------------------------------------------------------------------ */

/* Returns room for f and df, [S x K] each. */
static sa_part_widths widths(const sa_attention *w, int part, int queries, int steps) {
    return (sa_part_widths){.scratch =
                                2 * steps * ((const location_aware *)sa_part_own(w, part))->F.rows};
}

static sa_mat filtered(const sa_attention *w, int part, const sa_head *head, bool gradient) {
    const int K = ((const location_aware *)sa_part_own(w, part))->F.rows, S = head->k.rows;
    const sa_mat both = sa_part_scratch(w, part, head);
    return (sa_mat){both.x + (gradient ? both.cols / 2 : 0), S, K, K};
}

/* Equation 9, as an addition to the score of Bahdanau et al.: k_j + W_f f_ij + b_a */
static void keys_forward(const sa_attention *w, int part, sa_head *head) {
    const location_aware own = head_of(w, part, head->index);
    const sa_mat f = filtered(w, part, head, false), k = sa_own_keys(head),
                 previous = sa_earlier_weights(w, head, head);
    filter_forward(own.F, previous, f);
    sa_part_trace(w, part, head, w->part[part].kind->formula, SA_SHAPE_COLUMN, "previous",
                  "alpha_i-1,j", previous);
    sa_part_trace(w, part, head, NULL, SA_SHAPE_TABLE, "F", "F", own.F);
    sa_part_trace(w, part, head, NULL, SA_SHAPE_MATRIX, "filtered", "f_ij", f);
    sa_part_trace(w, part, head, NULL, SA_SHAPE_VECTOR, "b_a", "b_a", own.b_a);
    sa_gemm_nt(f, own.W_f, 1, k);
    for (int j = 0; j < k.rows; j++) sa_axpy(1, own.b_a.x, sa_row(k, j), k.cols);
}

static void keys_backward(const sa_attention *w, int part, sa_head *head, sa_head *d) {
    const location_aware own = head_of(w, part, head->index),
                         d_own = head_of(d->dw, part, head->index);
    const sa_mat f = filtered(w, part, head, false), df = filtered(w, part, head, true);
    for (int j = 0; j < d->k.rows; j++) sa_axpy(1, sa_row(d->k, j), d_own.b_a.x, d->k.cols);
    sa_gemm_tn(d->k, f, 1, d_own.W_f);
    sa_gemm_nn(d->k, own.W_f, 0, df);
    filter_backward(own.F, sa_earlier_weights(w, head, head), df, sa_earlier_weights(w, head, d),
                    d_own.F);
}

/* ---- The part -------------------------------------------------------------------------------- */

static void bind(sa_binder *binder, const char *prefix, const sa_attention_sizes *sizes,
                 const sa_attention *w, void *own) {
    const int K = sizes->settings.location_filters, width = sizes->settings.location_width;
    location_aware *aware = own;
    aware->F = sa_bind_table(binder, prefix, "F", K, width, SA_INIT_INPUT);
    aware->W_f = sa_bind_table(binder, prefix, "W_f", sizes->size, K, SA_INIT_INPUT);
    aware->b_a = sa_bind_vector(binder, prefix, "b_a", sizes->size, SA_INIT_ZERO);
}

static const char *refuse(const sa_attention_sizes *sizes) {
    return sizes->settings.location_width % 2 == 0
               ? "{location_width:}: a filter reaches equally far to both sides of a word, so its "
                 "width is odd"
               : NULL;
}

const sa_part sa_location_aware_part = {
    .name = "location-aware filters",
    .formula = "f_j = sum_o F_o alpha_{i-1,j-o}",
    .citation = "Chorowski et al. 2015, equation 8",
    .with = &sa_earlier_weights_part,
    .refuse = refuse,
    .bind = bind,
    .widths = widths,
    .own_keys = true,
    .forward = {[SA_PLACE_KEYS] = keys_forward},
    .backward = {[SA_PLACE_KEYS] = keys_backward},
    .rare = SA_RARE(.ordered = "the score reads the weights of neighboring words"),
};
