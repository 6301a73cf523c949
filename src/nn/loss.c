#include "nn/loss.h"
#include "math/term.h"
#include "math/vec.h"

void sa_loss_forward(sa_mat logits, sa_mat b, const int32_t *ids, sa_real scale, sa_real *log_p) {
    for (int i = 0; i < logits.rows; i++) {
        sa_real *row = sa_row(logits, i);
        const sa_real right = row[ids[i]] + b.x[ids[i]];
        log_p[i] = right - sa_softmax_row(row, b.x, scale, logits.cols);
    }
}

void sa_loss_backward(sa_mat p, const int32_t *ids, sa_real scale) {
    for (int i = 0; i < p.rows; i++)
        if (sa_term("loss.target")) sa_row(p, i)[ids[i]] -= scale;
}
