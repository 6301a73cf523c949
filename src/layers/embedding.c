#include "layers/embedding.h"
#include "tensor/vec.h"

#include <string.h>

void sa_embedding_forward(sa_mat E, const int32_t *ids, sa_mat y) {
    for (int i = 0; i < y.rows; i++) {
        sa_require(ids[i] >= 0 && ids[i] < E.rows);
        memcpy(sa_row(y, i), sa_row(E, ids[i]), sizeof(sa_real) * (size_t)y.cols);
    }
}

void sa_embedding_backward(const int32_t *ids, sa_mat dy, sa_mat dE) {
    for (int i = 0; i < dy.rows; i++) sa_axpy(1, sa_row(dy, i), sa_row(dE, ids[i]), dy.cols);
}
