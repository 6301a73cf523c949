/* alignment_loss: the loss H_t on the weights alpha_t [1 x S] of one target word, and its gradient.
 */
#include "attention/alignment_loss.h"

#include <math.h>

/* Bounds alpha from below, so that the logarithm of a weight of 0 is finite. */
#define LEAST ((sa_real)1e-30)

static int mark_links(const sa_gold_alignment *gold, int t, bool possible, sa_mat A) {
    int count = 0;
    sa_zero(A);
    for (size_t k = 0; k < gold->count; k++) {
        const sa_link *link = &gold->links[k];
        if (link->target != t || link->source >= A.cols || link->possible != possible) continue;
        A.x[link->source] = 1;
        count++;
    }
    return count;
}

bool sa_alignment_loss_target(const sa_gold_alignment *gold, int t, sa_mat A) {
    const bool found = mark_links(gold, t, false, A) || mark_links(gold, t, true, A);
    if (found) sa_scale(1 / sa_sum(A.x, A.cols), A);
    return found;
}

static sa_real at_least(sa_real alpha) {
    return alpha > LEAST ? alpha : LEAST;
}

/* Returns H_t = - log rest, rest = 1 - sum_s alpha_ts, and sets A_ts to - alpha_ts / rest, with
 * which the backward function is the same. */
static sa_real null_loss(sa_mat alpha, sa_mat A) {
    sa_real rest = 1;
    for (int s = 0; s < A.cols; s++) rest -= alpha.x[s];
    rest = at_least(rest);
    for (int s = 0; s < A.cols; s++) A.x[s] = -at_least(alpha.x[s]) / rest;
    return -(sa_real)log((double)rest);
}

/* Returns log g, g = sum_s alpha_ts, and sets A_ts to A_ts - alpha_ts / g, with which the backward
 * function is the same. */
static sa_real share_loss(sa_mat alpha, sa_mat A) {
    const sa_real g = at_least(sa_sum(alpha.x, alpha.cols));
    sa_axpy(-1 / g, alpha.x, A.x, A.cols);
    return (sa_real)log((double)g);
}

/* Returns H_t = - sum_s A_ts log alpha_ts, or of a share - sum_s A_ts log (alpha_ts / g).
 * alpha, A [1 x S] */
sa_real sa_alignment_loss_forward(const sa_gold_alignment *gold, int t, bool no_word, bool share,
                                  sa_mat alpha, sa_mat A) {
    sa_real loss = 0;
    if (!sa_alignment_loss_target(gold, t, A)) return no_word ? null_loss(alpha, A) : 0;
    for (int s = 0; s < A.cols; s++)
        if (A.x[s] > 0) loss -= A.x[s] * (sa_real)log((double)at_least(alpha.x[s]));
    return share ? loss + share_loss(alpha, A) : loss;
}

/* Computes dalpha_ts = - scale A_ts / alpha_ts. */
void sa_alignment_loss_backward(sa_mat alpha, sa_real scale, sa_mat A) {
    for (int s = 0; s < A.cols; s++) A.x[s] *= -scale / at_least(alpha.x[s]);
}
