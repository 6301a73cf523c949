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
