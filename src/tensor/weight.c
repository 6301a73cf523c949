#include "tensor/weight.h"
#include "tensor/blas.h"

void sa_weight_nt(sa_mat x, sa_weight W, sa_real beta, sa_mat y) {
    if (!W.packed.panels || !W.packed.transposed) {
        sa_gemm_nt(x, W.mat, beta, y);
        return;
    }
    sa_require(x.cols == W.mat.cols && x.rows == y.rows && W.mat.rows == y.cols);
    sa_packed_multiply(x, W.packed, beta, y);
}

void sa_weight_nn(sa_mat dy, sa_weight W, sa_real beta, sa_mat dx) {
    if (!W.packed.panels || W.packed.transposed) {
        sa_gemm_nn(dy, W.mat, beta, dx);
        return;
    }
    sa_require(dy.cols == W.mat.rows && dy.rows == dx.rows && W.mat.cols == dx.cols);
    sa_packed_multiply(dy, W.packed, beta, dx);
}

sa_weight sa_weight_rows(sa_weight W, int first, int count) {
    W.mat = sa_rows(W.mat, first, count);
    if (W.packed.panels && W.packed.transposed) W.packed.offset += first;
    if (W.packed.panels && !W.packed.transposed)
        W.packed.panels += (ptrdiff_t)first * SA_PACKED_WIDTH;
    return W;
}

static sa_weight pack(sa_weight W, sa_mat buffer, bool transposed) {
    if (buffer.x && W.mat.x) W.packed = sa_packed_of(W.mat, buffer, transposed);
    return W;
}

sa_weight sa_weight_pack_forward(sa_weight W, sa_mat buffer) {
    return pack(W, buffer, true);
}

sa_weight sa_weight_pack_backward(sa_weight W, sa_mat buffer) {
    return pack(W, buffer, false);
}

sa_mat sa_weight_pack_layout(sa_arena *arena, sa_weight W, int rows) {
    return W.packed.panels ? (sa_mat){0} : sa_packed_layout(arena, W.mat, rows);
}
