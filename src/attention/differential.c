#include "attention/differential.h"
#include "tensor/gradient_fault.h"
#include "tensor/vec.h"

double sa_lambda_init(int layer) {
    return 0.8 - 0.6 * exp(-0.3 * (layer - 1));
}

void sa_differential_bind(sa_binder *binder, const char *part, int d, int value, int layer,
                          sa_differential *w) {
    static const char *const names[] = {"lambda_q1", "lambda_k1", "lambda_q2", "lambda_k2"};
    for (int i = 0; i < 4; i++) { /* equal, so that lambda is lambda_init at first */
        const sa_mat vector = sa_bind_constant(binder, part, names[i], d, 0.1);
        if (!i) w->lambda = (sa_mat){vector.x, 4, d, d};
    }
    w->g = sa_bind_constant(binder, part, "head_norm", value, 1);
    w->init = (sa_real)sa_lambda_init(layer);
}

/* ---- Lambda ---------------------------------------------------------------------------------- */

/* exp(lambda_q' lambda_k) of rows i and i + 1 */
static sa_real exp_product(const sa_differential *w, int i) {
    const sa_mat both = sa_rows(w->lambda, i, 2);
    return (sa_real)exp((double)sa_dot(sa_row(both, 0), sa_row(both, 1), both.cols));
}

/* Equation 2: lambda = exp(lambda_q1' lambda_k1) - exp(lambda_q2' lambda_k2) + lambda_init */
sa_real sa_lambda_forward(const sa_differential *w) {
    return exp_product(w, 0) - exp_product(w, 2) + w->init;
}

void sa_lambda_backward(const sa_differential *w, sa_real dlambda, sa_differential *dw) {
    if (!sa_gradient_intact("differential.lambda")) return;
    for (int i = 0; i < 4; i += 2) {
        const sa_real dproduct = (i ? -dlambda : dlambda) * exp_product(w, i);
        sa_axpy(dproduct, sa_row(w->lambda, i + 1), sa_row(dw->lambda, i), w->lambda.cols);
        sa_axpy(dproduct, sa_row(w->lambda, i), sa_row(dw->lambda, i + 1), w->lambda.cols);
    }
}

/* ---- The difference -------------------------------------------------------------------------- */

/* Equation 1: A1 - lambda A2 */
void sa_difference_forward(sa_real lambda, sa_mat A1, sa_mat A2, sa_mat alpha) {
    for (int i = 0; i < alpha.rows; i++)
        for (int j = 0; j < alpha.cols; j++)
            sa_row(alpha, i)[j] = sa_row(A1, i)[j] - lambda * sa_row(A2, i)[j];
}

sa_real sa_difference_backward(sa_real lambda, sa_mat A2, sa_mat dalpha, sa_mat dA2) {
    sa_real dlambda = 0;
    if (!sa_gradient_intact("differential.second")) lambda = 0;
    for (int i = 0; i < dalpha.rows; i++)
        for (int j = 0; j < dalpha.cols; j++) {
            dlambda -= sa_row(dalpha, i)[j] * sa_row(A2, i)[j];
            sa_row(dA2, i)[j] = -lambda * sa_row(dalpha, i)[j];
        }
    return dlambda;
}

/* ---- The norm -------------------------------------------------------------------------------- */

static sa_real inverse_size(const sa_real *x, int size) {
    static const sa_real epsilon = (sa_real)1e-5;
    return 1 / sa_sqrt(sa_dot(x, x, size) / (sa_real)size + epsilon);
}

/* Equation 3: (1 - lambda_init) LN(head_i), LN being the RMSNorm of Zhang and Sennrich 2019 */
void sa_head_norm_forward(const sa_differential *w, sa_mat x, sa_mat o) {
    for (int i = 0; i < x.rows; i++) {
        const sa_real scale = (1 - w->init) * inverse_size(sa_row(x, i), x.cols);
        for (int k = 0; k < x.cols; k++) sa_row(o, i)[k] = scale * w->g.x[k] * sa_row(x, i)[k];
    }
}

void sa_head_norm_backward(const sa_differential *w, sa_mat x, sa_mat d, sa_differential *dw) {
    const bool through = sa_gradient_intact("differential.norm"),
               gain = sa_gradient_intact("differential.gain");
    for (int i = 0; i < x.rows; i++) {
        const sa_real inverse = inverse_size(sa_row(x, i), x.cols), keep = 1 - w->init;
        sa_real *own = sa_row(d, i), along = 0;
        for (int k = 0; k < x.cols; k++) {
            const sa_real normal = inverse * sa_row(x, i)[k];
            if (gain) dw->g.x[k] += keep * own[k] * normal;
            own[k] *= keep * w->g.x[k];
            along += own[k] * normal;
        }
        if (!through) along = 0;
        for (int k = 0; k < x.cols; k++)
            own[k] = inverse * (own[k] - along / (sa_real)x.cols * inverse * sa_row(x, i)[k]);
    }
}
