#include "layers/divergence.h"
#include "tensor/gradient_fault.h"
#include "tensor/vec.h"

int sa_divergence_block_end(const sa_divergence *divergence, int first, int rows) {
    int end = first;
    for (int i = first, open = first; i < rows && i - first < divergence->logits.rows; i++) {
        if (divergence->twin[i] > open) open = divergence->twin[i];
        if (i >= open) end = i + 1;
    }
    sa_require(end > first);
    return end;
}

void sa_divergence_difference(const sa_divergence *divergence, int first, sa_mat z, sa_mat d) {
    for (int i = 0; i < z.rows; i++) {
        const sa_real *ours = sa_row(z, i),
                      *theirs = sa_row(z, divergence->twin[first + i] - first);
        sa_real *difference = sa_row(d, i);
        for (int k = 0; k < z.cols; k++) difference[k] = ours[k] - theirs[k];
    }
}

/* L_KL = 1/2 sum_k (p_k - q_k) d_k, a half of it for each of the two rows */
void sa_divergence_forward(const sa_divergence *divergence, int first, sa_mat scaled_p,
                           sa_real scale, sa_mat d, sa_real *objective) {
    const sa_real each = (sa_real)divergence->weight / 4 / scale;
    for (int i = 0; i < scaled_p.rows; i++) {
        const sa_real *p = sa_row(scaled_p, i);
        const sa_real *q = sa_row(scaled_p, divergence->twin[first + i] - first);
        const int K = scaled_p.cols;
        objective[i] -= each * (sa_dot(p, sa_row(d, i), K) - sa_dot(q, sa_row(d, i), K));
    }
}

void sa_divergence_backward(const sa_divergence *divergence, int first, sa_mat scaled_p,
                            sa_real scale, sa_mat d) {
    const sa_real half = (sa_real)divergence->weight / 2;
    const sa_real apart = sa_gradient_intact("divergence.difference");
    for (int i = 0; i < scaled_p.rows; i++) {
        const sa_real *p = sa_row(scaled_p, i);
        const sa_real *q = sa_row(scaled_p, divergence->twin[first + i] - first);
        sa_real *di = sa_row(d, i);
        const sa_real mean =
            sa_gradient_intact("divergence.mean") ? sa_dot(p, di, scaled_p.cols) / scale : 0;
        for (int k = 0; k < scaled_p.cols; k++) /* dL_KL / dz */
            di[k] = half * (apart * (p[k] - q[k]) + p[k] * (di[k] - mean));
    }
}
