#include "attention/similarity.h"
#include "tensor/gradient_fault.h"
#include "tensor/vec.h"

/* ---- A Gaussian kernel ----------------------------------------------------------------------- */

/* h^2 = sqrt(n'), n' of one head: with keys of equal lengths training starts as with scaled-dot. */
sa_mat sa_gaussian_bind(sa_binder *binder, const char *part, int size, int heads,
                        int max_positions) {
    (void)max_positions;
    return sa_bind_constant(binder, part, "log_h", heads, log((double)size / heads) / 4);
}

/* 1 / h^2 */
static sa_real precision(sa_mat log_h) {
    return (sa_real)exp(-2 * (double)log_h.x[0]);
}

static sa_real distance(const sa_real *a, const sa_real *b, int size) {
    sa_real sum = 0;
    for (int l = 0; l < size; l++) sum += (a[l] - b[l]) * (a[l] - b[l]);
    return sum;
}

/* Nadaraya 1964 and Watson 1964: e_ij = -|q_i - k_j|^2 / (2 h^2) */
void sa_gaussian_forward(sa_mat own, sa_mat q, sa_mat k, sa_mat e, sa_mat scratch) {
    (void)scratch;
    const sa_real half = precision(own) / 2;
    for (int i = 0; i < q.rows; i++)
        for (int j = 0; j < k.rows; j++)
            sa_row(e, i)[j] = -half * distance(sa_row(q, i), sa_row(k, j), q.cols);
}

/* dq_i += de_ij (k_j - q_i) / h^2, dk_j its negative, dlog h += de_ij |q_i - k_j|^2 / h^2 */
void sa_gaussian_backward(sa_mat own, sa_mat q, sa_mat k, sa_mat de, sa_mat dq, sa_mat dk,
                          sa_mat down, sa_mat scratch) {
    (void)scratch;
    const sa_real sharp = precision(own);
    for (int i = 0; i < q.rows; i++)
        for (int j = 0; j < k.rows; j++) {
            const sa_real d = sa_row(de, i)[j] * sharp;
            const sa_real *qi = sa_row(q, i), *kj = sa_row(k, j);
            for (int l = 0; l < q.cols; l++) {
                const sa_real gap = d * (kj[l] - qi[l]);
                if (sa_gradient_intact("gaussian.query")) sa_row(dq, i)[l] += gap;
                if (sa_gradient_intact("gaussian.key")) sa_row(dk, j)[l] -= gap;
            }
            if (sa_gradient_intact("gaussian.width")) down.x[0] += d * distance(qi, kj, q.cols);
        }
}

/* ---- Cosines --------------------------------------------------------------------------------- */

/* Vectors this short have no direction to speak of: their gradients stay finite. */
static sa_real length(const sa_real *x, int size) {
    const sa_real length = sa_sqrt(sa_dot(x, x, size));
    return length > (sa_real)1e-8 ? length : (sa_real)1e-8;
}

/* x / |x| */
static void direction(const sa_real *x, sa_real *unit, int size) {
    const sa_real by = length(x, size);
    for (int l = 0; l < size; l++) unit[l] = x[l] / by;
}

/* e_ij = sharpness q_i'k^_j / |q_i|, k^_j = k_j / |k_j| */
static void cosines_forward(sa_real sharpness, sa_mat q, sa_mat k, sa_mat e, sa_mat scratch) {
    for (int j = 0; j < k.rows; j++) direction(sa_row(k, j), sa_row(scratch, j), k.cols);
    for (int i = 0; i < q.rows; i++) {
        const sa_real by = sharpness / length(sa_row(q, i), q.cols);
        for (int j = 0; j < k.rows; j++)
            sa_row(e, i)[j] = by * sa_dot(sa_row(q, i), sa_row(scratch, j), q.cols);
    }
}

/* da += by (b^ - c a / |a|) / |a|: a turns towards b, but keeps its length. */
static void add_turn(sa_real by, const sa_real *a, sa_real of_a, const sa_real *b_unit, sa_real c,
                     sa_real *da, int size) {
    if (!sa_gradient_intact("cosine.length")) c = 0;
    for (int l = 0; l < size; l++) da[l] += by / of_a * (b_unit[l] - c * (a[l] / of_a));
}

/* With u^ = u / |u| and c = q^'k^: dq += sharpness de (k^ - c q^) / |q|, and dk with q and k
 * exchanged. Returns the derivative by the sharpness, sum de c. */
static sa_real cosines_backward(sa_real sharpness, sa_mat q, sa_mat k, sa_mat de, sa_mat dq,
                                sa_mat dk, sa_mat scratch) {
    const int d = q.cols;
    sa_real dsharpness = 0;
    for (int j = 0; j < k.rows; j++) {
        const sa_real *kj = sa_row(k, j), of_k = length(kj, d);
        sa_real *unit = sa_row(scratch, j);
        for (int i = 0; i < q.rows; i++) {
            const sa_real *qi = sa_row(q, i), of_q = length(qi, d);
            direction(kj, unit, d);
            const sa_real c = sa_dot(qi, unit, d) / of_q, by = sharpness * sa_row(de, i)[j];
            dsharpness += sa_row(de, i)[j] * c;
            if (sa_gradient_intact("cosine.query"))
                add_turn(by, qi, of_q, unit, c, sa_row(dq, i), d);
            direction(qi, unit, d);
            if (sa_gradient_intact("cosine.key")) add_turn(by, kj, of_k, unit, c, sa_row(dk, j), d);
        }
    }
    return sa_gradient_intact("cosine.sharpness") ? dsharpness : 0;
}

/* beta = log 2 */
sa_mat sa_cosine_bind(sa_binder *binder, const char *part, int size, int heads, int max_positions) {
    (void)size, (void)max_positions;
    return sa_bind_vector(binder, part, "b", heads, SA_INIT_ZERO);
}

/* Equations 5 and 6 of Graves et al. 2014: e_ij = beta cos(q_i, k_j), beta = log(1 + exp(b)) */
void sa_cosine_forward(sa_mat own, sa_mat q, sa_mat k, sa_mat e, sa_mat scratch) {
    const double b = own.x[0];
    cosines_forward((sa_real)(fmax(b, 0) + log1p(exp(-fabs(b)))), q, k, e, scratch);
}

void sa_cosine_backward(sa_mat own, sa_mat q, sa_mat k, sa_mat de, sa_mat dq, sa_mat dk,
                        sa_mat down, sa_mat scratch) {
    const double b = own.x[0], beta = fmax(b, 0) + log1p(exp(-fabs(b)));
    const sa_real dbeta = cosines_backward((sa_real)beta, q, k, de, dq, dk, scratch);
    down.x[0] += dbeta * (sa_real)(1 / (1 + exp(-b)));
}

/* Section 3 of Henry et al. 2020: g = log2(L^2 - L) for sentences of L words, here the longest */
sa_mat sa_qk_norm_bind(sa_binder *binder, const char *part, int size, int heads,
                       int max_positions) {
    (void)size;
    const double L = max_positions > 2 ? max_positions : 2;
    return sa_bind_constant(binder, part, "g", heads, log2(L * L - L));
}

/* e_ij = g cos(q_i, k_j) */
void sa_qk_norm_forward(sa_mat own, sa_mat q, sa_mat k, sa_mat e, sa_mat scratch) {
    cosines_forward(own.x[0], q, k, e, scratch);
}

void sa_qk_norm_backward(sa_mat own, sa_mat q, sa_mat k, sa_mat de, sa_mat dq, sa_mat dk,
                         sa_mat down, sa_mat scratch) {
    down.x[0] += cosines_backward(own.x[0], q, k, de, dq, dk, scratch);
}
