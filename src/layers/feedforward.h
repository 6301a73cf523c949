/* feedforward: the position-wise feed-forward network (Vaswani et al. 2017, section 3.3, equation
 * 2).
 *
 *   y = W_2 max(0, W_1 x + b_1) + b_2 */
#ifndef SA_LAYERS_FEEDFORWARD_H
#define SA_LAYERS_FEEDFORWARD_H

#include "layers/params.h"

typedef struct sa_feedforward { /* weights, or their gradients */
    sa_weight W_1, W_2;         /* [ffn x m], [m x ffn] */
    sa_mat b_1, b_2;            /* [1 x ffn], [1 x m] */
} sa_feedforward;

void sa_feedforward_bind(sa_binder *binder, const char *part, int m, int ffn, sa_feedforward *w);

/* x [R x m] -> y [R x m]; inner [R x ffn] receives max(0, W_1 x + b_1). */
void sa_feedforward_forward(const sa_feedforward *w, sa_mat x, sa_mat inner, sa_mat y);
/* dx and dw are added to; dinner [R x ffn] is overwritten. */
void sa_feedforward_backward(const sa_feedforward *w, sa_mat x, sa_mat inner, sa_mat dy,
                             sa_mat dinner, sa_mat dx, sa_feedforward *dw);

#endif
