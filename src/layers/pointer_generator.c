#include "layers/pointer_generator.h"
#include "layers/linear.h"

#include <math.h>

/* Bounds alpha from below, so that the logarithm of a weight of 0 is finite. */
#define LEAST 1e-30

static double log_sigmoid(double z) {
    return z < 0 ? z - log1p(exp(z)) : -log1p(exp(-z));
}

/* ---- The gate -------------------------------------------------------------------------------- */

void sa_gate_bind(sa_binder *binder, int context, int n, int m, sa_gate *w) {
    *w = (sa_gate){0};
    if (context) w->w_h = sa_bind_matrix(binder, "copy", "w_h", 1, context, SA_INIT_INPUT);
    w->w_s = sa_bind_matrix(binder, "copy", "w_s", 1, n, SA_INIT_INPUT);
    if (m) w->w_x = sa_bind_matrix(binder, "copy", "w_x", 1, m, SA_INIT_INPUT);
    w->b = sa_bind_vector(binder, "copy", "b", 1, SA_INIT_ZERO);
}

/* Section 2.2 (See et al. 2017), equation 8: z = w_h' c_i + w_s' s_i + w_x' E y_{i-1} + b */
void sa_gate_forward(const sa_gate *w, sa_mat c, sa_mat s, sa_mat x, sa_mat z) {
    if (!w->b.cols) return;
    sa_linear_forward(w->w_s, w->b, s, z);
    if (w->w_h.mat.x) sa_weight_nt(c, w->w_h, 1, z);
    if (w->w_x.mat.x) sa_weight_nt(x, w->w_x, 1, z);
}

void sa_gate_backward(const sa_gate *w, sa_mat dz, sa_mat dc, sa_mat ds, sa_mat dx) {
    if (!w->b.cols) return;
    sa_weight_nn(dz, w->w_s, 1, ds);
    if (w->w_h.mat.x) sa_weight_nn(dz, w->w_h, 1, dc);
    if (w->w_x.mat.x) sa_weight_nn(dz, w->w_x, 1, dx);
}

void sa_gate_weights_backward(sa_mat c, sa_mat s, sa_mat x, sa_mat dz, sa_gate *dw) {
    const sa_mat none = {0};
    if (!dw->b.cols) return;
    sa_linear_backward((sa_weight){0}, s, dz, none, dw->w_s, dw->b);
    if (dw->w_h.mat.x) sa_weight_tn(dz, c, dw->w_h);
    if (dw->w_x.mat.x) sa_weight_tn(dz, x, dw->w_x);
}

double sa_gate_probability(double z) {
    return exp(log_sigmoid(z));
}

/* ---- The mixture ----------------------------------------------------------------------------- */

static double log_add_exp(double a, double b) {
    const double most = fmax(a, b);
    return most == -INFINITY ? most : most + log1p(exp(fmin(a, b) - most));
}

/* Section 2.2 (See et al. 2017), equation 9: P(w) = p_gen p(w) + (1 - p_gen) sum alpha */
double sa_mixture_forward(sa_mixture *mixture, double log_p) {
    const double log_gen = log_sigmoid(mixture->z), log_copy = log_sigmoid(-mixture->z);
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
    const double gen = sa_gate_probability(mixture->z), copy = sa_gate_probability(-mixture->z);
    const double gen_p = exp(log_sigmoid(mixture->z) + mixture->log_ratio), /* p_gen p(w) / P(w) */
        copy_p = exp(log_sigmoid(-mixture->z) + mixture->log_ratio);
    mixture->dz = -scale * (copy * (1 - mixture->rest) * gen_p - gen * mixture->copied);
    mixture->dalpha = -scale * mixture->copied / fmax(mixture->alpha, LEAST);
    mixture->drest = mixture->rest > 0 ? -scale * copy_p : 0;
}
