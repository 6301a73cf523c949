/* The diagonal prior of fast_align (Dyer, Chahuneau and Smith 2013): Model 2 with one parameter.
 * The score of a source word falls with its distance from the diagonal, as it does with ALiBi:
 *
 *   p(a_i = j) = (1 - p_0) e^{lambda h(i, j)} / Z_i,   h(i, j) = -|i/m - j/n|
 *   p(a_i = null) = p_0
 *
 * Here i = 1..m is a target and j = 1..n a source position, as in the paper. */
#include "aligner/aligner_kind.h"

#include <math.h>

static double distance(int i, int m, int j, int n) {
    return fabs((double)i / m - (double)j / n);
}

/* Returns sum_{k<K} e^{lambda (h - k/n)}, a geometric series, and sets its derivative with respect
 * to lambda. */
static double half(double lambda, double h, int K, int n, double *derivative) {
    if (K == 0) return *derivative = 0;
    const double r = exp(-lambda / n), last = pow(r, K - 1), first = exp(lambda * h);
    const double terms = (1 - last * r) / (1 - r);
    const double steps = r * (1 - K * last + (K - 1) * last * r) / ((1 - r) * (1 - r));
    *derivative = first * (h * terms - steps / n);
    return first * terms;
}

double sa_aligner_diagonal_normalizer(double lambda, int i, int m, int n, double *derivative) {
    const int low = (int)((int64_t)i * n / m); /* the last word before the diagonal */
    double up, down;
    const double Z = half(lambda, -distance(i, m, low + 1, n), n - low, n, &up) +
                     half(lambda, -distance(i, m, low, n), low, n, &down);
    *derivative = (up + down) / Z;
    return Z;
}

static void prior(const sa_aligner_model *model, int I, int J, double *table) {
    const double lambda = model->tension;
    double slope;
    for (int i = 1; i <= J; i++, table += I + 1) {
        const double Z = I ? sa_aligner_diagonal_normalizer(lambda, i, J, I, &slope) : 1;
        for (int j = 1; j <= I; j++)
            table[j - 1] = (1 - model->null) * exp(-lambda * distance(i, J, j, I)) / Z;
        table[I] = I ? model->null : 1;
    }
}

/* Returns the derivative of the expected log-likelihood, which falls with lambda:
 * sum_i sum_{j>0} c(i, j) (h(i, j) - d log Z_i / d lambda) */
static double derivative(const sa_aligner_model *model, double lambda) {
    double sum = 0, slope = 0;
    for (size_t s = 0; s < model->shape_count; s++) {
        const int I = (int)(model->shapes[s] >> 32), J = (int)(uint32_t)model->shapes[s];
        const double *count = model->counts + model->table[s];
        for (int i = 1; I && i <= J; i++, count += I + 1) {
            sa_aligner_diagonal_normalizer(lambda, i, J, I, &slope);
            for (int j = 1; j <= I; j++) sum -= count[j - 1] * (distance(i, J, j, I) + slope);
        }
    }
    return sum;
}

/* Finds the lambda with the largest likelihood within the bounds of fast_align, by bisection. */
static void maximize(sa_aligner_model *model) {
    double low = 0.1, high = 14;
    for (int k = 0; k < 30; k++) {
        model->tension = (low + high) / 2;
        *(derivative(model, model->tension) > 0 ? &low : &high) = model->tension;
    }
    sa_aligner_fill_tables(model);
}

const sa_aligner_kind sa_aligner_diagonal = {
    .title = "the diagonal prior",
    .null = 0.15,
    .alpha = 0.01,
    .prior = prior,
    .tables = true,
    .maximize = maximize,
};
