#include "layers/linear.h"
#include "tensor/vec.h"

#include <string.h>

void sa_linear_forward(sa_weight W, sa_mat b, sa_mat x, sa_mat y) {
    if (b.x) /* start from the bias, so that the product adds to it */
        for (int i = 0; i < y.rows; i++)
            memcpy(sa_row(y, i), b.x, sizeof(sa_real) * (size_t)y.cols);
    sa_weight_nt(x, W, b.x ? 1 : 0, y);
}

void sa_linear_backward(sa_weight W, sa_mat x, sa_mat dy, sa_mat dx, sa_weight dW, sa_mat db) {
    if (db.x) sa_sum_rows(dy, db.x);
    sa_weight_tn(dy, x, dW);
    if (dx.x) sa_weight_nn(dy, W, 1, dx);
}

void sa_embedding_forward(sa_mat E, const int32_t *ids, sa_mat y) {
    for (int i = 0; i < y.rows; i++) {
        sa_require(ids[i] >= 0 && ids[i] < E.rows);
        memcpy(sa_row(y, i), sa_row(E, ids[i]), sizeof(sa_real) * (size_t)y.cols);
    }
}

void sa_embedding_backward(const int32_t *ids, sa_mat dy, sa_mat dE) {
    for (int i = 0; i < dy.rows; i++) sa_axpy(1, sa_row(dy, i), sa_row(dE, ids[i]), dy.cols);
}

const int32_t *sa_embedding_inputs(sa_arena *arena, const sa_batch_side *side) {
    int32_t *inputs = sa_arena_alloc(arena, (size_t)side->words, sizeof *inputs);
    if (!arena->base) return inputs;
    for (int t = 0; t < side->steps; t++)
        for (int b = 0; b < side->active[t]; b++)
            inputs[side->start[t] + b] = t ? side->ids[side->start[t - 1] + b] : SA_BOS;
    return inputs;
}

void sa_maxout_forward(sa_mat pairs, sa_mat t) {
    for (int i = 0; i < t.rows; i++) {
        const sa_real *a = sa_row(pairs, i);
        sa_real *max = sa_row(t, i);
        for (int k = 0; k < t.cols; k++)
            max[k] = a[2 * k] >= a[2 * k + 1] ? a[2 * k] : a[2 * k + 1];
    }
}

void sa_maxout_backward(sa_mat pairs, sa_mat dt, sa_mat dpairs) {
    for (int i = 0; i < dt.rows; i++) {
        const sa_real *a = sa_row(pairs, i), *d = sa_row(dt, i);
        sa_real *da = sa_row(dpairs, i);
        for (int k = 0; k < dt.cols; k++) {
            bool first = a[2 * k] >= a[2 * k + 1];
            da[2 * k] = first ? d[k] : 0;
            da[2 * k + 1] = first ? 0 : d[k];
        }
    }
}
