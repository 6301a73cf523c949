#include "lab/bandwidth.h"
#include "softalign/lab.h"

#include <math.h>

enum { GRID = 64, SECTIONS = 40 };

/* Returns |v_i - f_h(k_i)|^2. */
static double error_of_pair(const sa_bandwidth_data *data, double h, int i) {
    const int others = data->e.rows - 1;
    const sa_mat alpha = {data->alpha.x, 1, others, others};
    for (int j = 0; j < others; j++)
        alpha.x[j] = (sa_real)((double)sa_row(data->e, i)[j < i ? j : j + 1] / h / h);
    data->normalizer->forward(data->exponent, alpha);
    double sum = 0;
    for (int l = 0; l < data->v.cols; l++) {
        double f = 0;
        for (int j = 0; j < others; j++)
            f += (double)(alpha.x[j] * sa_row(data->v, j < i ? j : j + 1)[l]);
        sum += ((double)sa_row(data->v, i)[l] - f) * ((double)sa_row(data->v, i)[l] - f);
    }
    return sum;
}

/* Returns E(h). */
static double left_out(const sa_bandwidth_data *data, double log_h) {
    double sum = 0;
    for (int i = 0; i < data->e.rows; i++) sum += error_of_pair(data, exp(log_h), i);
    return sum / data->e.rows;
}

/* Sets the range of log h: from a tenth of the least distance between two keys to ten times the
 * greatest; for equal keys, where any h is the same, as if their distance were 1. */
static void range_of(const sa_bandwidth_data *data, double *from, double *to) {
    double least = INFINITY, most = 0; /* |k_i - k_j|^2 */
    for (int i = 0; i < data->e.rows; i++)
        for (int j = 0; j < i; j++) {
            const double distance = -2 * (double)sa_row(data->e, i)[j];
            if (distance > 0) least = fmin(least, distance);
            most = fmax(most, distance);
        }
    if (most == 0) least = most = 1;
    *from = log(fmin(fmax(sqrt(least) / 10, SA_BANDWIDTH_MIN), SA_BANDWIDTH_MAX));
    *to = log(fmin(fmax(sqrt(most) * 10, SA_BANDWIDTH_MIN), SA_BANDWIDTH_MAX));
}

/* Takes the lowest point of a grid in log h, then searches around it by golden section: E may have
 * several valleys. */
double sa_bandwidth_best(const sa_bandwidth_data *data, double *least) {
    double from, to, best;
    range_of(data, &from, &to);
    const double step = (to - from) / GRID, golden = (sqrt(5) - 1) / 2;
    best = to, *least = left_out(data, to);
    for (int i = GRID - 1; i >= 0; i--) {
        const double E = left_out(data, from + i * step);
        if (E < *least) *least = E, best = from + i * step;
    }
    double low = fmax(best - step, from), high = fmin(best + step, to);
    for (int i = 0; i < SECTIONS; i++) {
        const double left = high - golden * (high - low), right = low + golden * (high - low);
        const double E_left = left_out(data, left), E_right = left_out(data, right);
        if (fmin(E_left, E_right) < *least)
            *least = fmin(E_left, E_right), best = E_left < E_right ? left : right;
        if (E_left < E_right)
            high = right;
        else
            low = left;
    }
    return exp(best);
}
