#include "attention/hard.h"
#include "tensor/gradient_fault.h"
#include "tensor/vec.h"

#include <math.h>

void sa_draws_take(bool drawn, sa_rng *rng, sa_mat u) {
    for (int i = 0; i < u.rows; i++)
        for (int k = 0; k < u.cols; k++) sa_row(u, i)[k] = drawn ? (sa_real)sa_rng_uniform(rng) : 1;
}

double sa_hard_baseline(double before, double log_p) {
    return 0.9 * before + 0.1 * log_p;
}

static void softmax_forward(sa_real alpha, sa_mat z) {
    (void)alpha;
    sa_softmax(z);
}

static int most_probable(sa_mat p) {
    int s = 0;
    for (int j = 1; j < p.cols; j++)
        if (p.x[j] > p.x[s]) s = j;
    return s;
}

/* The first word up to which the probabilities sum to more than u; p may sum to less than 1 by
 * rounding. */
static int draw(double u, sa_mat p) {
    int s = most_probable(p);
    double sum = 0;
    for (int j = 0; j < p.cols; j++) {
        sum += (double)p.x[j];
        if (sum > u && p.x[j] > 0) return j;
    }
    return s;
}

static double log_of(sa_real p) {
    return log(p > (sa_real)1e-30 ? (double)p : 1e-30);
}

static double entropy(sa_mat p) {
    double H = 0;
    for (int j = 0; j < p.cols; j++) H -= (double)p.x[j] * log_of(p.x[j]);
    return H;
}

/* Section 4.1 of Xu et al. 2015: s ~ Multinoulli(p) */
static void hard_draw(bool hard, sa_real u, sa_mat p, sa_mat alpha, sa_real *draws) {
    sa_copy_mat(p, alpha);
    draws[1] += (sa_real)entropy(p);
    if (!hard && u >= 1) return;
    const int s = hard ? most_probable(p) : draw((double)u, p);
    sa_zero(alpha);
    alpha.x[s] = 1;
    draws[0] += (sa_real)log_of(p.x[s]);
}

/* d log p_s / de_j = 1[j = s] - p_j, which is alpha_j - p_j; dH / de_j = -p_j (log p_j + H) */
static void hard_draw_backward(sa_mat p, sa_mat alpha, const sa_real *ddraws, sa_mat dalpha) {
    const double H = entropy(p);
    const sa_real estimate = sa_gradient_intact("hard.estimate") ? ddraws[0] : 0,
                  spread = sa_gradient_intact("hard.entropy") ? ddraws[1] : 0;
    for (int j = 0; j < p.cols; j++)
        dalpha.x[j] =
            estimate * (alpha.x[j] - p.x[j]) - spread * p.x[j] * (sa_real)(log_of(p.x[j]) + H);
}

const sa_normalizer sa_hard_normalizer = {
    .name = "hard",
    .formula = "alpha_j = 1 at s, drawn with p_j = exp(e_j) / sum_k exp(e_k)",
    .citation = "Xu et al. 2015, section 4.1",
    .sparse = true,
    .forward = softmax_forward,
    .draw = hard_draw,
    .draw_backward = hard_draw_backward,
};
