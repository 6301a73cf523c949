/* monotonic: attention that reads the source once, from left to right (Raffel et al. 2017, "Online
 * and linear-time attention by enforcing monotonic alignments", sections 2.3 to 2.5). For each
 * target word it starts from the source word that the previous target word selected, and selects
 * word j with probability p_ij or moves on to the next.
 *
 *   e_ij = g v_a' / |v_a| tanh(W_a s + U_a h_j + b_a) + r
 *   p_ij = sigma(e_ij + noise)                       noise from N(0, 1), in training
 *   q_ij = (1 - p_i,j-1) q_i,j-1 + alpha_i-1,j       the probability of coming to word j
 *   alpha_ij = p_ij q_ij                             alpha_0 = (1, 0, .., 0)
 *
 * Training needs these expected weights; they sum to at most 1, because the end of the source may
 * come before a word is selected. Decoding is hard: p_ij is 1 if e_ij > 0, and else 0. Then the
 * same equations give a row with a single 1, or an empty one. */
#include "attention/parts.h"

/* ---- The score ------------------------------------------------------------------------------- */

/* The parameters of the score, one after the other in a row. */
typedef struct monotonic {
    sa_mat v, b; /* [1 x n_a] */
    sa_real *g, *r;
} monotonic;

static monotonic parts_of(sa_mat own) {
    const int n = (own.cols - 2) / 2;
    return (monotonic){sa_cols(own, 0, n), sa_cols(own, n, n), own.x + 2 * n, own.x + 2 * n + 1};
}

/* Binds the parameters. g starts as 1 / sqrt(n_a), r below 0, so that training starts with reading
 * far. The score has a single head. */
sa_mat sa_monotonic_bind(sa_binder *binder, const char *prefix, int size, int heads,
                         int max_positions) {
    sa_mat own = sa_bind_vector(binder, prefix, "v_a", size, SA_INIT_INPUT);
    sa_bind_vector(binder, prefix, "b_a", size, SA_INIT_ZERO);
    sa_bind_constant(binder, prefix, "g", 1, 1 / sqrt(size));
    sa_bind_constant(binder, prefix, "r", 1, -1);
    own.cols = own.ld = 2 * size + 2;
    return own;
}

/* Computes t_j = tanh(q + k_j + b). */
static void perceptron(sa_mat b, const sa_real *q, sa_mat k, sa_mat t) {
    for (int j = 0; j < k.rows; j++)
        for (int l = 0; l < k.cols; l++) sa_row(t, j)[l] = sa_row(k, j)[l] + q[l] + b.x[l];
    sa_tanh(t);
}

/* Section 2.4: e_ij = g v' / |v| tanh(q_i + k_j + b) + r */
void sa_monotonic_score_forward(sa_mat own, sa_mat q, sa_mat k, sa_mat e, sa_mat scratch) {
    const monotonic w = parts_of(own);
    const sa_real by = *w.g / sa_length(w.v.x, w.v.cols);
    for (int i = 0; i < q.rows; i++) {
        perceptron(w.b, sa_row(q, i), k, scratch);
        for (int j = 0; j < k.rows; j++)
            sa_row(e, i)[j] = by * sa_dot(w.v.x, sa_row(scratch, j), k.cols) + *w.r;
    }
}

/* With u = sum_ij de_ij t_ij and v^ = v / |v|: dg = v^'u, dv = g (u - v^ v^'u) / |v| */
void sa_monotonic_score_backward(sa_mat own, sa_mat q, sa_mat k, sa_mat de, sa_mat dq, sa_mat dk,
                                 sa_mat d_own, sa_mat scratch) {
    const monotonic w = parts_of(own), dw = parts_of(d_own);
    const sa_real size = sa_length(w.v.x, w.v.cols), by = *w.g / size;
    for (int i = 0; i < q.rows; i++) {
        perceptron(w.b, sa_row(q, i), k, scratch);
        for (int j = 0; j < k.rows; j++) {
            const sa_real d = sa_row(de, i)[j];
            sa_real *t = sa_row(scratch, j), along = sa_dot(w.v.x, t, k.cols) / size;
            *dw.g += d * along;
            *dw.r += d;
            for (int l = 0; l < k.cols; l++) {
                const sa_real da = d * by * w.v.x[l] * (1 - t[l] * t[l]);
                dw.v.x[l] += d * by * (t[l] - along * w.v.x[l] / size);
                dw.b.x[l] += da, sa_row(dq, i)[l] += da, sa_row(dk, j)[l] += da;
            }
        }
    }
}

/* ---- The weights ----------------------------------------------------------------------------- */

static sa_part_widths widths(const sa_attention *w, int part, int queries, int steps) {
    const int words = w->heads * steps;
    return (sa_part_widths){.row = words, .noise = words, .scratch = 2 * steps};
}

/* Returns the probabilities p of the head's query, [1 x S]. */
static sa_mat selection(const sa_attention *w, int part, const sa_head *head) {
    return sa_cols(sa_part_row(w, part, head), 0, head->k.rows);
}

static sa_real not_denormal(sa_real x) {
    return x < (sa_real)1e-25 ? 0 : x;
}

/* Section 2.3, as a recursion: z becomes alpha_i. */
static void weights_forward(const sa_attention *w, int part, sa_head *head) {
    const sa_mat z = head->alpha, p = selection(w, part, head),
                 previous = sa_earlier_weights(w, head, head),
                 traced = sa_part_scratch(w, part, head), sigma = sa_cols(traced, 0, z.cols),
                 reached = sa_cols(traced, z.cols, z.cols);
    if (head->rows.noise.cols)
        sa_add(sa_cols(sa_head_slice(head->rows.noise, w->heads, head->index), 0, z.cols), z);
    sa_real q = 0;
    for (int j = 0; j < z.cols; j++) {
        p.x[j] = w->decoding ? z.x[j] > 0 : sa_sigma(z.x[j]);
        q += previous.x[j];
        if (sa_is_traced()) sigma.x[j] = sa_sigma(z.x[j]), reached.x[j] = q;
        z.x[j] = not_denormal(p.x[j] * q);
        q = not_denormal((1 - p.x[j]) * q);
    }
    sa_part_trace(w, part, head, NULL, SA_SHAPE_COLUMN, "previous", "alpha_i-1,j", previous);
    sa_part_trace(w, part, head, NULL, SA_SHAPE_COLUMN, "sigma", "sigma(e_ij)", sigma);
    sa_part_trace(w, part, head, "p_ij = 1 if e_ij > 0, else 0: decoding selects", SA_SHAPE_COLUMN,
                  "selected", "p_ij", p);
    sa_part_trace(w, part, head, NULL, SA_SHAPE_COLUMN, "reached", "q_ij", reached);
    sa_trace_head(w, head, "pi(e)", z);
}

/* Runs from the last word to the first, with dq_i,S+1 = 0:
 *
 *   dp_ij = q_ij (dalpha_ij - dq_i,j+1),  de_ij = p_ij (1 - p_ij) dp_ij
 *   dq_ij = p_ij dalpha_ij + (1 - p_ij) dq_i,j+1,  dalpha_i-1,j += dq_ij
 *
 * dalpha becomes de; p (1 - p) q = (1 - p) alpha. */
static void weights_backward(const sa_attention *w, int part, sa_head *head, sa_head *d) {
    const sa_mat p = selection(w, part, head), dalpha = d->alpha,
                 dprevious = sa_earlier_weights(w, head, d);
    sa_real dq = 0;
    for (int j = p.cols - 1; j >= 0; j--) {
        const sa_real stop = dalpha.x[j], go = dq;
        dalpha.x[j] = (1 - p.x[j]) * head->alpha.x[j] * (stop - go);
        dq = p.x[j] * stop + (1 - p.x[j]) * go;
        dprevious.x[j] += dq;
    }
}

static const sa_normalizer by_selection = {
    .name = "monotonic",
    .formula = "alpha_j = p_j q_j, p_j = sigma(e_j), q_j = (1 - p_{j-1}) q_{j-1} + alpha_{i-1,j}",
    .citation = "Raffel et al. 2017, section 2.3",
    .sparse = true,
    .null_key = true,
    .forward = sa_keep_scores,
    .backward = sa_keep_scores_backward,
};

static void draw_noise(const sa_attention *w, int part, double amount, sa_rng *rng,
                       const sa_batch_side *side, sa_mat noise) {
    const double deviation = amount * *(const double *)sa_part_own(w, part);
    if (deviation <= 0) sa_zero(noise);
    for (int i = 0; deviation > 0 && i < noise.rows; i++)
        for (int k = 0; k < noise.cols; k++)
            sa_row(noise, i)[k] = (sa_real)(deviation * sa_rng_normal(rng));
}

static void bind(sa_binder *binder, const char *prefix, const sa_attention_sizes *sizes,
                 const sa_attention *w, void *own) {
    *(double *)own = sizes->settings.monotonic_noise;
}

static const char *refuse(const sa_attention_sizes *sizes) {
    const sa_settings *settings = &sizes->settings;
    if (sizes->heads > 1)
        return "{attention:} reads the source once, from left to right: {:heads} heads would read "
               "at different words";
    if (settings->window != SA_WINDOW_NONE)
        return "{attention:} continues from the word it has read, which may lie outside {window:}";
    return settings->coverage == SA_COVERAGE_NONE ? NULL
                                                  : "{attention:} never goes back to a word that "
                                                    "is covered: {coverage:} would tell it "
                                                    "nothing";
}

const sa_part sa_monotonic_part = {
    .name = "monotonic selection",
    .formula = "alpha_j = p_j q_j, p_j = sigma(e_j), q_j = (1 - p_{j-1}) q_{j-1} + alpha_{i-1,j}",
    .citation = "Raffel et al. 2017, section 2.3",
    .with = &sa_earlier_weights_part,
    .refuse = refuse,
    .bind = bind,
    .normalizer = &by_selection,
    .widths = widths,
    .forward = {[SA_PLACE_WEIGHTS] = weights_forward},
    .backward = {[SA_PLACE_WEIGHTS] = weights_backward},
    .rare = SA_RARE(
            .lacks =
                "at most 1: the rest is the probability of reading to the end without selecting a "
                "word",
            .ordered = "words are read from left to right", .draw_noise = draw_noise),
};
