/* hard: attends to one source word, drawn at random (Xu et al. 2015, "Show, attend and tell",
 * section 4.1). The weights of soft attention are the probabilities p_i of the words.
 *
 *   p_i = softmax(e_i),  s_i ~ p_i              alpha_i: 1 at s_i; c_i = h of that word
 *
 * The choice of a word has no derivative. The gradient of the expected log p(y | s) is estimated
 * from the draw (REINFORCE, Williams 1992): for each sentence, the scores get the gradient of
 *
 *   lambda_r (log p(y | s) - b) sum_i log p_i(s_i) + lambda_e sum_i H(p_i)
 *
 * where the factor with the baseline b is a constant, H is the entropy, and b, the running mean of
 * log p(y | s) over the previous batches, makes the estimate less noisy without changing its mean.
 * In half of the sentences the draws are replaced by their expectation, alpha_i = p_i, as if it,
 * too, were constant: there the first term is 0. Decoding takes the most probable word. */
#include "attention/parts.h"

/* The row of a query: log p(s) and the entropy of p, each summed over heads, and p of all heads. */
enum { SUMS = 2 };

static sa_mat samples(sa_mat row) {
    return sa_cols(row, 0, SUMS);
}

static sa_mat probabilities(const sa_attention *w, int part, const sa_head *head) {
    const sa_mat row = head->rows.part[part], all = sa_cols(row, SUMS, row.cols - SUMS);
    return sa_cols(sa_head_slice(all, w->heads, head->index), 0, head->k.rows);
}

/* ---- Draws ----------------------------------------------------------------------------------- */

/* Returns the first word up to which the probabilities sum to more than u; because of rounding, p
 * may sum to less than 1. */
static int draw(double u, sa_mat p) {
    double sum = 0;
    for (int j = 0; j < p.cols; j++) {
        sum += (double)p.x[j];
        if (sum > u && p.x[j] > 0) return j;
    }
    return sa_largest_at(p.x, p.cols);
}

static double log_of(sa_real p) {
    return log(p > (sa_real)1e-30 ? (double)p : 1e-30);
}

static double entropy(sa_mat p) {
    double H = 0;
    for (int j = 0; j < p.cols; j++) H -= (double)p.x[j] * log_of(p.x[j]);
    return H;
}

/* ---- Weights --------------------------------------------------------------------------------- */

static void query_forward(const sa_attention *w, int part, sa_head *head) {
    sa_zero(samples(head->rows.part[part]));
}

/* Draws s ~ Multinoulli(p). */
static void weights_forward(const sa_attention *w, int part, sa_head *head) {
    const sa_mat p = probabilities(w, part, head);
    const double u = head->rows.noise.cols ? (double)head->rows.noise.x[head->index] : 1;
    sa_real *sums = head->rows.part[part].x;
    sa_copy_mat(head->alpha, p);
    sa_part_trace(w, part, head, "alpha_ij = 1 for the largest p_ij, else 0: decoding selects",
                  SA_SHAPE_COLUMN, "probability", "p_ij", p);
    sums[1] += (sa_real)entropy(p);
    if (!w->decoding && u >= 1) return;
    const int s = w->decoding ? sa_largest_at(p.x, p.cols) : draw(u, p);
    sa_zero(head->alpha);
    head->alpha.x[s] = 1;
    sums[0] += (sa_real)log_of(p.x[s]);
}

/* d log p_s / de_j = 1[j = s] - p_j, which is alpha_j - p_j; dH / de_j = -p_j (log p_j + H) */
static void weights_backward(const sa_attention *w, int part, sa_head *head, sa_head *d) {
    const sa_mat p = probabilities(w, part, head);
    const sa_real *dsums = d->rows.part[part].x;
    const double H = entropy(p);
    for (int j = 0; j < p.cols; j++)
        d->alpha.x[j] = dsums[0] * (head->alpha.x[j] - p.x[j]) -
                        dsums[1] * p.x[j] * (sa_real)(log_of(p.x[j]) + H);
}

static const sa_normalizer by_draw = {
    .name = "hard",
    .formula = "alpha_j = 1 at a word drawn with p_j = exp(e_j) / sum_k exp(e_k)",
    .citation = "Xu et al. 2015, section 4.1",
    .sparse = true,
    .forward = sa_softmax_forward,
    .backward = sa_keep_scores_backward, /* weights_backward has made de */
};

/* ---- What decides a draw --------------------------------------------------------------------- */

static void kinks(const sa_attention *w, int part, const sa_head *head, sa_kinks *found) {
    const sa_mat p = probabilities(w, part, head);
    double sum = 0;
    for (int j = 0; j < p.cols - 1 && head->rows.noise.cols; j++) {
        sum += (double)p.x[j];
        sa_kinks_add(found, sum - (double)head->rows.noise.x[head->index], SA_KINK_MARGIN);
    }
}

static sa_part_widths widths(const sa_attention *w, int part, int queries, int steps) {
    return (sa_part_widths){.row = SUMS + w->heads * steps, .gradient = SUMS, .noise = w->heads};
}

/* Draws numbers u: uniform or, in half of the sentences, 1, which stands for the expectation
 * instead of a draw. */
static void draw_noise(const sa_attention *w, int part, double amount, sa_rng *rng,
                       const sa_batch_side *side, sa_mat u) {
    for (int b = 0; b < side->sentences && u.cols; b++) {
        const bool drawn = amount > 0 && sa_rng_uniform(rng) < 0.5 * amount; /* section 4.1 */
        for (int t = 0; t < side->len[b]; t++)
            for (int k = 0; k < u.cols; k++)
                sa_row(u, side->start[t] + b)[k] = drawn ? (sa_real)sa_rng_uniform(rng) : 1;
    }
}

static const char *refuse(const sa_attention_sizes *sizes) {
    const sa_settings *settings = &sizes->settings;
    if (sizes->transformer)
        return "{attention:} draws one source word for each target word, but in a Transformer "
               "every layer attends, and to target words, too: it needs {model:recurrent}";
    return settings->window != SA_WINDOW_LOCAL_P ? NULL
                                                 : "{attention:} has weights of 0 and 1: the "
                                                   "Gaussian of {window:} would learn nothing "
                                                   "from them";
}

const sa_part sa_hard_part = {
    .name = "hard draw",
    .formula = "alpha_j = 1 at a word drawn with p_j = exp(e_j) / sum_k exp(e_k)",
    .citation = "Xu et al. 2015, section 4.1",
    .refuse = refuse,
    .normalizer = &by_draw,
    .widths = widths,
    .forward = {[SA_PLACE_QUERY] = query_forward, [SA_PLACE_WEIGHTS] = weights_forward},
    .backward = {[SA_PLACE_WEIGHTS] = weights_backward},
    .rare = SA_RARE(.draw_noise = draw_noise, .samples = samples, .kinks = kinks),
};
