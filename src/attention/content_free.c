#include "attention/content_free.h"
#include "tensor/gradient_fault.h"
#include "tensor/vec.h"

#include <math.h>

static int least(int a, int b) {
    return a < b ? a : b;
}

/* Equation 8 of Luong et al. 2015: e = W_a s, its first S numbers. The query's span leaves out
 * positions beyond S_max. */
void sa_location_forward(sa_mat v_a, sa_mat q, sa_mat k, sa_mat e, sa_mat scratch) {
    (void)v_a, (void)k, (void)scratch;
    const int visible = least(q.cols, e.cols);
    sa_copy_mat(sa_cols(q, 0, visible), sa_cols(e, 0, visible));
    sa_zero(sa_cols(e, visible, e.cols - visible));
}

void sa_location_backward(sa_mat v_a, sa_mat q, sa_mat k, sa_mat de, sa_mat dq, sa_mat dk,
                          sa_mat dv_a, sa_mat scratch) {
    (void)v_a, (void)k, (void)dk, (void)dv_a, (void)scratch;
    const int visible = least(q.cols, de.cols);
    if (sa_gradient_intact("location.query")) /* e_ij = q_ij */
        sa_add(sa_cols(de, 0, visible), sa_cols(dq, 0, visible));
}

void sa_uniform_forward(sa_mat v_a, sa_mat q, sa_mat k, sa_mat e, sa_mat scratch) {
    (void)v_a, (void)q, (void)k, (void)scratch;
    sa_zero(e);
}

void sa_uniform_backward(sa_mat v_a, sa_mat q, sa_mat k, sa_mat de, sa_mat dq, sa_mat dk,
                         sa_mat dv_a, sa_mat scratch) {
    (void)v_a, (void)q, (void)k, (void)de, (void)dq, (void)dk, (void)dv_a, (void)scratch;
}

/* ---- Graves' window -------------------------------------------------------------------------- */

enum { K = SA_GRAVES_COMPONENTS };

sa_mat sa_graves_bind(sa_binder *binder, const char *part, int size, int heads, int max_positions) {
    (void)size, (void)max_positions;
    return sa_bind_vector(binder, part, "b_a", heads * 3 * K, SA_INIT_ZERO); /* kappa = 1, 2, .. */
}

typedef struct component {
    double a, b, away, e; /* away: kappa - j, e: a exp(-b away^2) */
} component;

/* Component c of the query q at position j (from 0). */
static component component_of(const sa_real *b_a, const sa_real *q, int c, int j) {
    component one = {.a = exp((double)(q[c] + b_a[c])),
                     .b = exp((double)(q[K + c] + b_a[K + c])),
                     .away = (double)q[2 * K + c] - (j + 1)};
    one.e = one.a * exp(-one.b * one.away * one.away);
    return one;
}

/* phi(i, j) = sum_k a_k exp(-b_k (kappa_k - j)^2) */
void sa_graves_forward(sa_mat v_a, sa_mat q, sa_mat k, sa_mat e, sa_mat scratch) {
    (void)k, (void)scratch;
    for (int i = 0; i < e.rows; i++)
        for (int j = 0; j < e.cols; j++) {
            double phi = 0;
            for (int c = 0; c < K; c++) phi += component_of(v_a.x, sa_row(q, i), c, j).e;
            sa_row(e, i)[j] = (sa_real)phi;
        }
}

void sa_graves_backward(sa_mat v_a, sa_mat q, sa_mat k, sa_mat de, sa_mat dq, sa_mat dk,
                        sa_mat dv_a, sa_mat scratch) {
    (void)k, (void)dk, (void)scratch;
    const double height = sa_gradient_intact("graves.height"),
                 width = sa_gradient_intact("graves.width"),
                 center = sa_gradient_intact("graves.center");
    for (int i = 0; i < de.rows; i++)
        for (int c = 0; c < K; c++) {
            double da = 0, db = 0, dkappa = 0;
            for (int j = 0; j < de.cols; j++) {
                const component one = component_of(v_a.x, sa_row(q, i), c, j);
                const double g = sa_row(de, i)[j] * one.e;
                da += height * g, db -= width * g * one.b * one.away * one.away;
                dkappa -= center * 2 * g * one.b * one.away;
            }
            sa_row(dq, i)[c] += (sa_real)da, sa_row(dq, i)[K + c] += (sa_real)db;
            dv_a.x[c] += (sa_real)da, dv_a.x[K + c] += (sa_real)db;
            sa_row(dq, i)[2 * K + c] += (sa_real)dkappa;
        }
}

/* kappa_i = kappa_{i-1} + exp(step), from kappa_0 = 0 */
void sa_graves_carry(sa_mat v_a, sa_mat previous, sa_mat q, sa_mat state) {
    for (int c = 0; c < K; c++) {
        const double step = (double)(q.x[2 * K + c] + v_a.x[2 * K + c]);
        q.x[2 * K + c] = state.x[c] = previous.x[c] + (sa_real)exp(step);
    }
}

void sa_graves_carry_backward(sa_mat previous, sa_mat state, sa_mat dstate, sa_mat dq,
                              sa_mat dprevious, sa_mat dv_a) {
    const bool step = sa_gradient_intact("graves.step"), carry = sa_gradient_intact("graves.carry");
    for (int c = 0; c < K; c++) {
        const sa_real dkappa = dq.x[2 * K + c] + dstate.x[c];
        if (carry) dprevious.x[c] += dkappa;
        dq.x[2 * K + c] = step ? dkappa * (state.x[c] - previous.x[c]) : 0;
        dv_a.x[2 * K + c] += dq.x[2 * K + c];
    }
}
