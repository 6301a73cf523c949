#include "lab/bandwidth.h"
#include "softalign/lab.h"

#include <math.h>
#include <string.h>

enum { GRID = 64, SECTIONS = 40 };

/* Solves C r = r in place by elimination. The next pivot is the number with the largest remaining
 * share of its variance; r is 0 where nothing remains but rounding. A variance below 1e-188 times
 * the square of the distance to cover counts as rounding, too. */
static void solve(sa_mat C, sa_real *r, sa_real *variance) {
    const int d = C.cols;
    for (int i = 0; i < d; i++) variance[i] = sa_row(C, i)[i] + (sa_real)1e-188 * r[i] * r[i];
    for (;;) {
        sa_real share = (sa_real)1e-12;
        int p = -1;
        for (int i = 0; i < d; i++)
            if (variance[i] > 0 && sa_row(C, i)[i] > share * variance[i])
                share = sa_row(C, i)[i] / variance[i], p = i;
        if (p < 0) break;
        for (int i = 0; i < d; i++) {
            const sa_real f = i == p ? 0 : sa_row(C, i)[p] / sa_row(C, p)[p];
            for (int l = 0; l < d; l++) sa_row(C, i)[l] -= f * sa_row(C, p)[l];
            r[i] -= f * r[p];
        }
        variance[p] = -1;
    }
    for (int i = 0; i < d; i++) r[i] = variance[i] < 0 ? r[i] / sa_row(C, i)[i] : 0;
}

/* Counts keys from the one with the largest weight: the others may have far less than its rounding.
 */
void sa_local_line(const sa_real *q, sa_mat k, sa_real *alpha, sa_mat scratch) {
    const int d = k.cols;
    const sa_mat C = sa_rows(scratch, 0, d);
    sa_real *m = sa_row(scratch, d), *r = sa_row(scratch, d + 1);
    const sa_real *at = sa_row(k, 0);
    for (int j = 0, top = 0; j < k.rows; j++)
        if (alpha[j] > alpha[top]) top = j, at = sa_row(k, j);
    sa_zero(scratch);
    for (int j = 0; j < k.rows; j++)
        for (int l = 0; l < d; l++) m[l] += alpha[j] * (sa_row(k, j)[l] - at[l]);
    for (int j = 0; j < k.rows; j++)
        for (int i = 0; i < d; i++)
            for (int l = 0; l < d; l++)
                sa_row(C, i)[l] +=
                    alpha[j] * (sa_row(k, j)[i] - at[i] - m[i]) * (sa_row(k, j)[l] - at[l] - m[l]);
    for (int l = 0; l < d; l++) r[l] = m[l] + at[l] - q[l];
    solve(C, r, sa_row(scratch, d + 2));
    for (int j = 0; j < k.rows; j++) {
        sa_real s = 0;
        for (int l = 0; l < d; l++) s += r[l] * (sa_row(k, j)[l] - at[l] - m[l]);
        alpha[j] *= 1 - s;
    }
}

/* Returns |v_i - f_h(k_i)|^2. */
static double error_of_pair(const sa_bandwidth_data *data, double h, int i) {
    const int S = data->e.rows;
    sa_real *alpha = data->alpha.x;
    for (int j = 0; j < S - 1; j++)
        alpha[j] = (sa_real)((double)sa_row(data->e, i)[j < i ? j : j + 1] / h / h);
    data->normalizer->forward(data->exponent, (sa_mat){alpha, 1, S - 1, S - 1});
    memmove(alpha + i + 1, alpha + i, (size_t)(S - 1 - i) * sizeof *alpha);
    alpha[i] = 0;
    if (data->k.rows) sa_local_line(sa_row(data->k, i), data->k, alpha, data->line);
    double sum = 0;
    for (int l = 0; l < data->v.cols; l++) {
        double f = 0;
        for (int j = 0; j < S; j++) f += (double)(alpha[j] * sa_row(data->v, j)[l]);
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
