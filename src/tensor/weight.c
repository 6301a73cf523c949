#include "tensor/weight.h"
#include "base/memory.h"
#include "tensor/bf16.h"
#include "tensor/blas.h"
#include "tensor/distinct.h"

#include <stdlib.h>

static bool rounds(int precision) {
#ifdef SA_DOUBLE
    (void)precision;
    return false;
#else
    return precision == SA_PRECISION_BF16;
#endif
}

/* ---- Products -------------------------------------------------------------------------------- */

static void multiply(sa_mat x, sa_weight W, sa_real beta, sa_mat y) {
    if (rounds(W.precision)) {
        sa_bf16_nt(x, W.mat, W.forward, beta, y);
        return;
    }
    if (!W.forward.panels) {
        sa_gemm_nt(x, W.mat, beta, y);
        return;
    }
    sa_require(x.cols == W.mat.cols && x.rows == y.rows && W.mat.rows == y.cols);
    sa_packed_multiply(x, W.forward, beta, y);
}

/* Of equal rows of x, at most SA_DISTINCT_ROWS, only one is multiplied, if that saves a quarter of
 * the work and there is memory. (Not in bf16, whose products add to y block by block.) */
static void multiply_distinct(sa_mat x, sa_weight W, sa_real beta, sa_mat y) {
    int same[SA_DISTINCT_ROWS], first[SA_DISTINCT_ROWS];
    const int count = sa_distinct_rows(x, same, first);
    const size_t size = sizeof(sa_real) * ((size_t)x.cols + (size_t)y.cols);
    void *numbers = NULL;
    if (4 * count > 3 * x.rows || !sa_resize(&numbers, (size_t)count, size, NULL)) {
        multiply(x, W, beta, y);
        return;
    }
    const sa_mat own = {numbers, count, x.cols, x.cols},
                 product = {own.x + (size_t)count * (size_t)x.cols, count, y.cols, y.cols};
    sa_gather_rows(x, first, own);
    multiply(own, W, 0, product);
    (beta != 0 ? sa_add_gathered : sa_gather_rows)(product, same, y);
    free(numbers);
}

void sa_weight_nt(sa_mat x, sa_weight W, sa_real beta, sa_mat y) {
    if (x.rows < 2 || !W.repeats || !W.forward.panels || rounds(W.precision)) {
        multiply(x, W, beta, y);
        return;
    }
    for (int at = 0; at < x.rows; at += SA_DISTINCT_ROWS) {
        const int rest = x.rows - at, count = rest < SA_DISTINCT_ROWS ? rest : SA_DISTINCT_ROWS;
        multiply_distinct(sa_rows(x, at, count), W, beta, sa_rows(y, at, count));
    }
}

void sa_weight_nn(sa_mat dy, sa_weight W, sa_real beta, sa_mat dx) {
    if (rounds(W.precision)) {
        sa_bf16_nn(dy, W.mat, W.backward, beta, dx);
        return;
    }
    if (!W.backward.panels) {
        sa_gemm_nn(dy, W.mat, beta, dx);
        return;
    }
    sa_require(dy.cols == W.mat.rows && dy.rows == dx.rows && W.mat.cols == dx.cols);
    sa_packed_multiply(dy, W.backward, beta, dx);
}

void sa_weight_tn(sa_mat dy, sa_mat x, sa_weight dW) {
    if (rounds(dW.precision))
        sa_bf16_tn(dy, x, dW.room, 1, dW.mat);
    else
        sa_gemm_tn(dy, x, 1, dW.mat);
}

size_t sa_weight_room(int precision, int cols) {
    return rounds(precision) ? sa_bf16_room(cols) : 0;
}

sa_weight sa_weight_rows(sa_weight W, int first, int count) {
    if (W.forward.panels) W.forward.offset += first;
    if (rounds(W.precision))
        W.backward = sa_bf16_rows(W.backward, W.mat.rows, first, count);
    else if (W.backward.panels)
        W.backward.panels += (ptrdiff_t)first * SA_PACKED_WIDTH;
    W.mat = sa_rows(W.mat, first, count);
    return W;
}

/* ---- Packing --------------------------------------------------------------------------------- */

static sa_packed pack(sa_weight W, sa_mat buffer, bool transposed, int part, int parts) {
    if (!buffer.x || !W.mat.x) return (sa_packed){0};
    return rounds(W.precision) ? sa_bf16_pack(W.mat, buffer, transposed, part, parts)
                               : sa_packed_of(W.mat, buffer, transposed);
}

sa_weight sa_weight_pack_forward(sa_weight W, sa_mat buffer) {
    if (buffer.x) W.forward = pack(W, buffer, true, 0, 1);
    return W;
}

sa_weight sa_weight_pack_backward(sa_weight W, sa_mat buffer) {
    if (buffer.x) W.backward = pack(W, buffer, false, 0, 1);
    return W;
}

sa_mat sa_weight_pack_layout(sa_arena *arena, sa_weight W, int rows) {
    if (W.forward.panels || rows == 0) return (sa_mat){0};
    return rounds(W.precision) ? sa_bf16_layout(arena, W.mat)
                               : sa_packed_layout(arena, W.mat, rows);
}

sa_weight sa_weight_pack(sa_weight W, sa_packing packing, sa_arena *arena) {
    const sa_mat none = {0}, forward = sa_weight_pack_layout(arena, W, packing.rows),
                 backward = packing.backward ? sa_weight_pack_layout(arena, W, packing.rows) : none;
    W.forward = pack(W, forward, true, packing.part, packing.parts);
    W.backward = pack(W, backward, false, packing.part, packing.parts);
    W.repeats = packing.repeats;
    return W;
}
