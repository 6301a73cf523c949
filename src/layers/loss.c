#include "layers/loss.h"
#include "tensor/dispatch.h"

sa_loss_row *sa_loss_layout(sa_arena *arena, int rows) {
    return sa_arena_alloc(arena, (size_t)rows, sizeof(sa_loss_row));
}

static bool has(sa_mat part, int first, int32_t id) {
    return id >= first && id < first + part.cols;
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

/* Section 5.4 (Vaswani et al. 2017) */
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
