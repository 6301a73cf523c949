#include "layers/divergence.h"
#include "tensor/dispatch.h"
#include "tensor/gradient_fault.h"
#include "tensor/vec.h"

#include <math.h>

int sa_divergence_block_end(const sa_divergence *divergence, int first, int rows) {
    int end = first;
    for (int i = first, open = first; i < rows && i - first < divergence->logits.rows; i++) {
        if (divergence->twin[i] > open) open = divergence->twin[i];
        if (i >= open) end = i + 1;
    }
    sa_require(end > first);
    return end;
}

static int twin_of(const sa_divergence *divergence, int first, int i) {
    return divergence->twin[first + i] - first;
}

SA_DISPATCHED static void difference(const sa_real *ours, const sa_real *theirs, sa_real *d,
                                     int size) {
    for (int k = 0; k < size; k++) d[k] = ours[k] - theirs[k];
}

void sa_divergence_difference(const sa_divergence *divergence, int first, sa_mat z, sa_mat d) {
    for (int i = 0; i < z.rows; i++)
        difference(sa_row(z, i), sa_row(z, twin_of(divergence, first, i)), sa_row(d, i), z.cols);
}

void sa_divergence_read(const sa_divergence *divergence, sa_mat e, const sa_real *max, sa_mat d,
                        bool begins) {
    for (int i = 0; i < e.rows; i++) {
        sa_softmax_sums *sums = &divergence->sums[i];
        if (begins) *sums = SA_SOFTMAX_NONE;
        if (sums->sum != 0) sums->sum *= (sa_real)exp((double)(sums->max - max[i]));
        sums->max = max[i];
        sums->sum += sa_dot(sa_row(e, i), sa_row(d, i), e.cols);
    }
}

/* L_KL = 1/2 sum_k (p_k - q_k) d_k, a half of it for each of the two rows. To the other one, with
 * -d, sum_k q_k d_k is the negative of its mean. */
void sa_divergence_forward(const sa_divergence *divergence, int first, int count,
                           const sa_loss_row *loss, sa_real *objective) {
    sa_softmax_sums *sums = divergence->sums;
    for (int i = 0; i < count; i++) sums[i].sum /= loss[i].softmax.sum;
    for (int i = 0; i < count; i++)
        objective[i] -= (sa_real)divergence->weight / 4 *
                        (sums[i].sum + sums[twin_of(divergence, first, i)].sum);
}

SA_DISPATCHED static void derivative(const sa_real *p, const sa_real *q, sa_real half,
                                     sa_real apart, sa_real mean, sa_real *d, int size) {
    for (int k = 0; k < size; k++) d[k] = half * (apart * (p[k] - q[k]) + p[k] * (d[k] - mean));
}

void sa_divergence_backward(const sa_divergence *divergence, int first, sa_mat scaled_p, sa_mat d) {
    const sa_real half = (sa_real)divergence->weight / 2;
    const sa_real apart = sa_gradient_intact("divergence.difference");
    for (int i = 0; i < scaled_p.rows; i++) {
        const sa_real mean = sa_gradient_intact("divergence.mean") ? divergence->sums[i].sum : 0;
        derivative(sa_row(scaled_p, i), sa_row(scaled_p, twin_of(divergence, first, i)), half,
                   apart, mean, sa_row(d, i), scaled_p.cols); /* dL_KL / dz */
    }
}
