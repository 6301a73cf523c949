/* loss: the cross-entropy of the next word, with label smoothing and copying, and its gradient. */
#include "layers/loss.h"
#include "layers/basic.h"
#include "tensor/dispatch.h"

/* Bounds alpha from below, so that the logarithm of a weight of 0 is finite. */
#define LEAST 1e-30

/* ---- Copying: the gate ----------------------------------------------------------------------- */

void sa_copy_gate_bind(sa_binder *binder, int context, int n, int m, sa_copy_gate *w) {
    *w = (sa_copy_gate){0};
    if (context) w->w_h = sa_bind_matrix(binder, "copy", "w_h", 1, context, SA_INIT_INPUT);
    w->w_s = sa_bind_matrix(binder, "copy", "w_s", 1, n, SA_INIT_INPUT);
    if (m) w->w_x = sa_bind_matrix(binder, "copy", "w_x", 1, m, SA_INIT_INPUT);
    w->b = sa_bind_vector(binder, "copy", "b", 1, SA_INIT_ZERO);
}

/* Section 2.2 (See et al. 2017), equation 8: z = w_h' c_i + w_s' s_i + w_x' E y_{i-1} + b
 *
 *   c [R x A], s [R x n], x [R x m] -> z [R x 1] */
void sa_copy_gate_forward(const sa_copy_gate *w, sa_mat c, sa_mat s, sa_mat x, sa_mat z) {
    if (!w->b.cols) return;
    sa_linear_forward(w->w_s, w->b, s, z);
    if (w->w_h.mat.x) sa_weight_nt(c, w->w_h, 1, z);
    if (w->w_x.mat.x) sa_weight_nt(x, w->w_x, 1, z);
}

void sa_copy_gate_backward(const sa_copy_gate *w, sa_mat dz, sa_mat dc, sa_mat ds, sa_mat dx) {
    if (!w->b.cols) return;
    sa_weight_nn(dz, w->w_s, 1, ds);
    if (w->w_h.mat.x) sa_weight_nn(dz, w->w_h, 1, dc);
    if (w->w_x.mat.x) sa_weight_nn(dz, w->w_x, 1, dx);
}

void sa_copy_gate_weights_backward(sa_mat c, sa_mat s, sa_mat x, sa_mat dz, sa_copy_gate *dw) {
    const sa_mat none = {0};
    if (!dw->b.cols) return;
    sa_linear_backward((sa_weight){0}, s, dz, none, dw->w_s, dw->b);
    if (dw->w_h.mat.x) sa_weight_tn(dz, c, dw->w_h);
    if (dw->w_x.mat.x) sa_weight_tn(dz, x, dw->w_x);
}

double sa_copy_gate_probability(double z) {
    return exp(sa_log_sigmoid(z));
}

/* ---- Copying: the mixture -------------------------------------------------------------------- */

static double log_add_exp(double a, double b) {
    const double most = fmax(a, b);
    return most == -INFINITY ? most : most + log1p(exp(fmin(a, b) - most));
}

/* Section 2.2 (See et al. 2017), equation 9: P(w) = p_gen p(w) + (1 - p_gen) sum alpha */
double sa_mixture_forward(sa_mixture *mixture, double log_p) {
    const double log_gen = sa_log_sigmoid(mixture->z), log_copy = sa_log_sigmoid(-mixture->z);
    const double rest = mixture->rest, alpha = fmax(mixture->alpha, LEAST);
    const double log_g = rest > 0 ? log_add_exp(log_gen, log_copy + log(rest)) : log_gen;
    const double generated = mixture->known ? log_g + log_p : -INFINITY;
    const double copied = mixture->in_source ? log_copy + log(alpha) : -INFINITY;
    const double log_P = log_add_exp(generated, copied);
    mixture->log_ratio = mixture->known ? log_p - log_P : -INFINITY;
    mixture->generated = exp(generated - log_P);
    mixture->copied = exp(copied - log_P);
    return log_P;
}

/* dP/dz = p_gen (1 - p_gen) ((1 - rest) p(w) - alpha)
 * dP/dalpha = 1 - p_gen, dP/drest = (1 - p_gen) p(w) */
void sa_mixture_backward(sa_mixture *mixture, double scale) {
    const double gen = sa_copy_gate_probability(mixture->z),
                 copy = sa_copy_gate_probability(-mixture->z);
    const double gen_p =
                     exp(sa_log_sigmoid(mixture->z) + mixture->log_ratio), /* p_gen p(w) / P(w) */
        copy_p = exp(sa_log_sigmoid(-mixture->z) + mixture->log_ratio);
    mixture->dz = -scale * (copy * (1 - mixture->rest) * gen_p - gen * mixture->copied);
    mixture->dalpha = -scale * mixture->copied / fmax(mixture->alpha, LEAST);
    mixture->drest = mixture->rest > 0 ? -scale * copy_p : 0;
}

/* ---- The loss -------------------------------------------------------------------------------- */

static bool has(sa_mat columns, int first, int32_t id) {
    return id >= first && id < first + columns.cols;
}

void sa_loss_read(sa_mat logits, sa_mat b, int first, const int32_t *ids, double smoothing,
                  sa_loss_row *rows, sa_real *max) {
    const sa_real *shift = b.x + first;
    const double total = smoothing > 0 ? (double)sa_sum(shift, logits.cols) : 0;
    for (int i = 0; i < logits.rows; i++) {
        sa_real *row = sa_row(logits, i);
        const int y = ids[i] - first;
        if (!first) rows[i] = (sa_loss_row){.softmax = SA_SOFTMAX_NONE};
        if (has(logits, first, ids[i])) rows[i].reference = row[y] + shift[y];
        if (smoothing > 0) rows[i].total += (double)sa_sum(row, logits.cols) + total;
        max[i] = sa_softmax_read(row, shift, logits.cols, &rows[i].softmax);
    }
}

/* Section 5.4 (Vaswani et al. 2017)    rows, log_p, objective [count] */
void sa_loss_forward(const sa_loss_row *rows, int count, int words, double smoothing,
                     sa_real *log_p, sa_real *objective) {
    for (int i = 0; i < count; i++) {
        const sa_real log_sum_exp = rows[i].softmax.max + (sa_real)log((double)rows[i].softmax.sum);
        objective[i] = log_p[i] =
            rows[i].reference - log_sum_exp; /* log p(y) = logit_y - log sum exp */
        if (smoothing > 0)
            objective[i] = (sa_real)((1 - smoothing) * (double)log_p[i] +
                                     smoothing * (rows[i].total / words - (double)log_sum_exp));
    }
}

void sa_loss_probabilities(const sa_loss_row *rows, const sa_real *max, sa_real scale, sa_mat x) {
    for (int i = 0; i < x.rows; i++)
        sa_softmax_write(rows[i].softmax, max[i], scale, sa_row(x, i), x.cols);
}

SA_DISPATCHED static void subtract(sa_real less, sa_real *x, int size) {
    for (int k = 0; k < size; k++) x[k] -= less;
}

void sa_loss_backward(sa_mat p, int words, int first, const int32_t *ids, double smoothing,
                      sa_real scale, const sa_mixture *mixtures) {
    const sa_real smooth = scale * (sa_real)(smoothing / words);
    for (int i = 0; i < p.rows; i++) {
        sa_real *row = sa_row(p, i);
        double target = 1 - smoothing;
        if (mixtures) {
            target *= mixtures[i].generated;
            sa_scale((sa_real)(target + smoothing), sa_rows(p, i, 1));
        }
        if (has(p, first, ids[i])) row[ids[i] - first] -= scale * (sa_real)target;
        if (smoothing > 0) subtract(smooth, row, p.cols);
    }
}

void sa_loss_mix(sa_mixture *mixtures, int count, double smoothing, sa_real *log_p,
                 sa_real *objective) {
    for (int i = 0; i < count; i++) {
        const sa_real log_P = (sa_real)sa_mixture_forward(&mixtures[i], (double)log_p[i]);
        objective[i] += (sa_real)(1 - smoothing) * (log_P - log_p[i]);
        log_p[i] = log_P;
    }
}
