#include "attention/monotonic.h"
#include "tensor/blas.h"
#include "tensor/gradient_fault.h"
#include "tensor/vec.h"

/* ---- The score ------------------------------------------------------------------------------- */

/* The parameters of the score, one after another in a row. */
typedef struct monotonic {
    sa_mat v, b; /* [1 x n'] */
    sa_real *g, *r;
} monotonic;

static monotonic parts_of(sa_mat own) {
    const int n = (own.cols - 2) / 2;
    return (monotonic){sa_cols(own, 0, n), sa_cols(own, n, n), own.x + 2 * n, own.x + 2 * n + 1};
}

/* g starts as 1 / sqrt(n'), r below 0: training starts with reading far. */
sa_mat sa_monotonic_bind(sa_binder *binder, const char *part, int size, int heads,
                         int max_positions) {
    (void)heads, (void)max_positions;
    sa_mat own = sa_bind_vector(binder, part, "v_a", size, SA_INIT_INPUT);
    sa_bind_vector(binder, part, "b_a", size, SA_INIT_ZERO);
    sa_bind_constant(binder, part, "g", 1, 1 / sqrt(size));
    sa_bind_constant(binder, part, "r", 1, -1);
    own.cols = own.ld = 2 * size + 2;
    return own;
}

static sa_real length(sa_mat v) {
    const sa_real length = sa_sqrt(sa_dot(v.x, v.x, v.cols));
    return length > (sa_real)1e-8 ? length : (sa_real)1e-8;
}

/* t_j = tanh(q + k_j + b) */
static void perceptron(sa_mat b, const sa_real *q, sa_mat k, sa_mat t) {
    for (int j = 0; j < k.rows; j++)
        for (int l = 0; l < k.cols; l++) sa_row(t, j)[l] = sa_row(k, j)[l] + q[l] + b.x[l];
    sa_tanh(t);
}

/* Section 2.4: e_ij = g v' / |v| tanh(q_i + k_j + b) + r */
void sa_monotonic_score_forward(sa_mat own, sa_mat q, sa_mat k, sa_mat e, sa_mat scratch) {
    const monotonic w = parts_of(own);
    const sa_real by = *w.g / length(w.v);
    for (int i = 0; i < q.rows; i++) {
        perceptron(w.b, sa_row(q, i), k, scratch);
        for (int j = 0; j < k.rows; j++)
            sa_row(e, i)[j] = by * sa_dot(w.v.x, sa_row(scratch, j), k.cols) + *w.r;
    }
}

/* With u = sum_ij de_ij t_ij and v^ = v / |v|: dg = v^'u, dv = g (u - v^ v^'u) / |v| */
void sa_monotonic_score_backward(sa_mat own, sa_mat q, sa_mat k, sa_mat de, sa_mat dq, sa_mat dk,
                                 sa_mat down, sa_mat scratch) {
    const monotonic w = parts_of(own), dw = parts_of(down);
    const sa_real size = length(w.v), by = *w.g / size;
    const bool turns = sa_gradient_intact("monotonic.length");
    for (int i = 0; i < q.rows; i++) {
        perceptron(w.b, sa_row(q, i), k, scratch);
        for (int j = 0; j < k.rows; j++) {
            const sa_real d = sa_row(de, i)[j];
            sa_real *t = sa_row(scratch, j), along = sa_dot(w.v.x, t, k.cols) / size;
            if (sa_gradient_intact("monotonic.gain")) *dw.g += d * along;
            if (sa_gradient_intact("monotonic.offset")) *dw.r += d;
            for (int l = 0; l < k.cols; l++) {
                const sa_real da = d * by * w.v.x[l] * (1 - t[l] * t[l]);
                dw.v.x[l] += d * by * (t[l] - (turns ? along * w.v.x[l] / size : 0));
                dw.b.x[l] += da, sa_row(dq, i)[l] += da, sa_row(dk, j)[l] += da;
            }
        }
    }
}

/* ---- The weights ----------------------------------------------------------------------------- */

static sa_real not_denormal(sa_real x) {
    return x < (sa_real)1e-25 ? 0 : x;
}

/* Section 2.3, as a recursion: z becomes alpha_i. */
static void monotonic_forward(bool hard, sa_mat previous, sa_mat noise, sa_mat p, sa_mat z) {
    if (noise.cols) sa_add(noise, z);
    sa_real q = 0;
    for (int j = 0; j < z.cols; j++) {
        p.x[j] = hard ? z.x[j] > 0 : (sa_real)(1 / (1 + exp(-(double)z.x[j])));
        q += previous.x[j];
        z.x[j] = not_denormal(p.x[j] * q);
        q = not_denormal((1 - p.x[j]) * q);
    }
}

/* From the last word to the first, dq_i,S+1 = 0:
 *
 *   dp_ij = q_ij (dalpha_ij - dq_i,j+1),  de_ij = p_ij (1 - p_ij) dp_ij
 *   dq_ij = p_ij dalpha_ij + (1 - p_ij) dq_i,j+1,  dalpha_i-1,j += dq_ij
 *
 * dalpha becomes de; p (1 - p) q = (1 - p) alpha. */
static void monotonic_backward(sa_mat p, sa_mat alpha, sa_mat dalpha, sa_mat dprevious) {
    sa_real dq = 0;
    for (int j = p.cols - 1; j >= 0; j--) {
        const sa_real stop = dalpha.x[j], go = sa_gradient_intact("monotonic.next") ? dq : 0;
        dalpha.x[j] = (1 - p.x[j]) * alpha.x[j] * (stop - go);
        dq = p.x[j] * stop + (1 - p.x[j]) * go;
        if (sa_gradient_intact("monotonic.previous")) dprevious.x[j] += dq;
    }
}

const sa_normalizer sa_monotonic_normalizer = {
    .name = "monotonic",
    .formula = "alpha_j = p_j q_j, p_j = sigma(e_j), q_j = (1 - p_{j-1}) q_{j-1} + alpha_{i-1,j}",
    .citation = "Raffel et al. 2017, section 2.3",
    .sparse = true,
    .null_key = true,
    .step_forward = monotonic_forward,
    .step_backward = monotonic_backward,
};
