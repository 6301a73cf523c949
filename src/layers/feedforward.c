#include "layers/feedforward.h"
#include "layers/linear.h"
#include "tensor/vec.h"

void sa_feedforward_bind(sa_binder *binder, const char *part, int m, int ffn, sa_feedforward *w) {
    w->W_1 = sa_bind_matrix(binder, part, "W_1", ffn, m, SA_INIT_INPUT);
    w->b_1 = sa_bind_vector(binder, part, "b_1", ffn, SA_INIT_ZERO);
    w->W_2 = sa_bind_matrix(binder, part, "W_2", m, ffn, SA_INIT_INPUT);
    w->b_2 = sa_bind_vector(binder, part, "b_2", m, SA_INIT_ZERO);
}

/* Equation 2 (Vaswani et al. 2017): FFN(x) = W_2 max(0, W_1 x + b_1) + b_2 */
void sa_feedforward_forward(const sa_feedforward *w, sa_mat x, sa_mat inner, sa_mat y) {
    sa_linear_forward(w->W_1, w->b_1, x, inner);
    for (int i = 0; i < inner.rows; i++) {
        sa_real *row = sa_row(inner, i);
        for (int k = 0; k < inner.cols; k++) row[k] = row[k] > 0 ? row[k] : 0;
    }
    sa_linear_forward(w->W_2, w->b_2, inner, y);
}

void sa_feedforward_backward(const sa_feedforward *w, sa_mat x, sa_mat inner, sa_mat dy,
                             sa_mat dinner, sa_mat dx, sa_feedforward *dw) {
    sa_zero(dinner);
    sa_linear_backward(w->W_2, inner, dy, dinner, dw->W_2, dw->b_2); /* y = W_2 inner + b_2 */
    for (int i = 0; i < inner.rows; i++) {                           /* inner = max(0, ..) */
        const sa_real *row = sa_row(inner, i);
        sa_real *d = sa_row(dinner, i);
        for (int k = 0; k < inner.cols; k++) d[k] = row[k] > 0 ? d[k] : 0;
    }
    sa_linear_backward(w->W_1, x, dinner, dx, dw->W_1, dw->b_1); /* W_1 x + b_1 */
}
