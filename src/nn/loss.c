#include "nn/loss.h"
#include "math/term.h"
#include "math/vec.h"

void sa_loss_forward(sa_mat logits, const int32_t *ids, sa_real *log_p) {
    for (int i = 0; i < logits.rows; i++) {
        sa_real *row = sa_row(logits, i);
        sa_real right = row[ids[i]];
        log_p[i] = right - sa_softmax_row(row, logits.cols);
    }
}

void sa_loss_backward(sa_mat p, const int32_t *ids, sa_real scale) {
    for (int i = 0; i < p.rows; i++) {
        sa_real *row = sa_row(p, i);
        if (sa_term("loss.target")) row[ids[i]] -= 1;
        for (int k = 0; k < p.cols; k++) row[k] *= scale;
    }
}
