#include "layers/loss.h"
#include "tensor/gradient_fault.h"
#include "tensor/vec.h"

/* The mean of x + b. */
static double mean_of(const sa_real *x, const sa_real *b, int size) {
    double sum = 0;
    for (int k = 0; k < size; k++) sum += (double)(x[k] + b[k]);
    return sum / size;
}

/* Section 5.4 (Vaswani et al. 2017) */
void sa_loss_forward(sa_mat logits, sa_mat b, const int32_t *ids, double smoothing, sa_real scale,
                     sa_real *log_p, sa_real *objective) {
    for (int i = 0; i < logits.rows; i++) {
        sa_real *row = sa_row(logits, i);
        const sa_real reference = row[ids[i]] + b.x[ids[i]];
        const double mean = smoothing > 0 ? mean_of(row, b.x, logits.cols) : 0;
        const sa_real log_sum_exp = sa_softmax_row(row, b.x, scale, logits.cols);
        objective[i] = log_p[i] = reference - log_sum_exp; /* log p(y) = logit_y - log sum exp */
        if (smoothing > 0)
            objective[i] = (sa_real)((1 - smoothing) * (double)log_p[i] +
                                     smoothing * (mean - (double)log_sum_exp));
    }
}

void sa_loss_backward(sa_mat p, const int32_t *ids, double smoothing, sa_real scale,
                      const sa_mixture *mixtures) {
    const bool smoothed = smoothing > 0 && sa_gradient_intact("loss.smoothing");
    const bool mixed = mixtures && sa_gradient_intact("copy.generated");
    const sa_real smooth = scale * (sa_real)(smoothing / p.cols);
    for (int i = 0; i < p.rows; i++) {
        sa_real *row = sa_row(p, i);
        double target = 1 - smoothing;
        if (mixed) {
            target *= mixtures[i].generated;
            sa_scale((sa_real)(target + smoothing), sa_rows(p, i, 1));
        }
        if (sa_gradient_intact("loss.target")) row[ids[i]] -= scale * (sa_real)target;
        for (int k = 0; smoothed && k < p.cols; k++) row[k] -= smooth;
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
