#include "attention/alignment_loss.h"
#include "tensor/gradient_fault.h"
#include "tensor/vec.h"

#include <math.h>

/* What a softmax in float can fall to before it is 0, whose logarithm is none. */
#define LEAST ((sa_real)1e-30)

static int shares_of(const sa_gold *gold, int t, bool possible, sa_mat A) {
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

bool sa_guide_row(const sa_gold *gold, int t, sa_mat A) {
    const bool found = shares_of(gold, t, false, A) || shares_of(gold, t, true, A);
    sa_real sum = 0;
    for (int s = 0; s < A.cols; s++) sum += A.x[s];
    if (found) sa_scale(1 / sum, A);
    return found;
}

static sa_real at_least(sa_real alpha) {
    return alpha > LEAST ? alpha : LEAST;
}

/* H_t = - sum_s A_ts log alpha_ts */
sa_real sa_guide_forward(const sa_gold *gold, int t, sa_mat alpha, sa_mat A) {
    sa_real loss = 0;
    if (!sa_guide_row(gold, t, A)) return 0;
    for (int s = 0; s < A.cols; s++)
        if (A.x[s] > 0) loss -= A.x[s] * (sa_real)log((double)at_least(alpha.x[s]));
    return loss;
}

/* dalpha_ts = - scale A_ts / alpha_ts */
void sa_guide_backward(sa_mat alpha, sa_real scale, sa_mat A) {
    if (!sa_term("guide.alpha")) scale = 0;
    for (int s = 0; s < A.cols; s++) A.x[s] *= -scale / at_least(alpha.x[s]);
}
