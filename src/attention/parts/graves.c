/* graves: a window of Gaussians that moves over the source (Graves 2013, section 5.1). Its weights
 * need no normalizer, and its centers move on with every target word.
 *
 *   log a, log b and log (kappa_k - kappa_k before) = W_a s + b_a,  k = 1 .. 3
 *   alpha_ij = sum_k a_k exp(-b_k (kappa_k - j)^2)                   kappa_0 = 0 */
#include "attention/parts.h"

enum { K = 3 }; /* Gaussians of a head */

sa_mat sa_graves_bind(sa_binder *binder, const char *prefix, int size, int heads,
                      int max_positions) {
    return sa_bind_vector(binder, prefix, "b_a", heads * 3 * K,
                          SA_INIT_ZERO); /* kappa = 1, 2, .. */
}

/* ---- The window ------------------------------------------------------------------------------ */

typedef struct component {
    double a, b, away, e; /* away: kappa - j, e: a exp(-b away^2) */
} component;

/* Returns component c of the query q at position j (from 0). */
static component component_of(const sa_real *b_a, const sa_real *q, int c, int j) {
    component one = {.a = exp((double)(q[c] + b_a[c])),
                     .b = exp((double)(q[K + c] + b_a[K + c])),
                     .away = (double)q[2 * K + c] - (j + 1)};
    one.e = one.a * exp(-one.b * one.away * one.away);
    return one;
}

/* phi(i, j) = sum_k a_k exp(-b_k (kappa_k - j)^2) */
void sa_graves_forward(sa_mat b_a, sa_mat q, sa_mat k, sa_mat e, sa_mat scratch) {
    for (int i = 0; i < e.rows; i++)
        for (int j = 0; j < e.cols; j++) {
            double phi = 0;
            for (int c = 0; c < K; c++) phi += component_of(b_a.x, sa_row(q, i), c, j).e;
            sa_row(e, i)[j] = (sa_real)phi;
        }
}

void sa_graves_backward(sa_mat b_a, sa_mat q, sa_mat k, sa_mat de, sa_mat dq, sa_mat dk,
                        sa_mat db_a, sa_mat scratch) {
    for (int i = 0; i < de.rows; i++)
        for (int c = 0; c < K; c++) {
            double da = 0, db = 0, dkappa = 0; /* da, db: with respect to log a and log b */
            for (int j = 0; j < de.cols; j++) {
                const component one = component_of(b_a.x, sa_row(q, i), c, j);
                const double g = sa_row(de, i)[j] * one.e;
                da += g, db -= g * one.b * one.away * one.away;
                dkappa -= 2 * g * one.b * one.away;
            }
            sa_row(dq, i)[c] += (sa_real)da, sa_row(dq, i)[K + c] += (sa_real)db;
            db_a.x[c] += (sa_real)da, db_a.x[K + c] += (sa_real)db;
            sa_row(dq, i)[2 * K + c] += (sa_real)dkappa;
        }
}

/* ---- Its centers ----------------------------------------------------------------------------- */

static sa_part_widths widths(const sa_attention *w, int part, int queries, int steps) {
    return (sa_part_widths){.row = w->query_width};
}

/* Computes kappa_i = kappa_{i-1} + exp(step): replaces the steps in q by the centers. */
static void keys_forward(const sa_attention *w, int part, sa_head *head) {
    const sa_mat q = sa_part_row(w, part, head);
    const sa_mat previous = sa_part_carry(w, part, head->rows.previous_carry, head->index, 0),
                 carry = sa_part_carry(w, part, head->rows.carry, head->index, 0);
    sa_copy_mat(head->q, q);
    head->q = q;
    for (int c = 0; c < K; c++) {
        const double step = (double)(q.x[2 * K + c] + head->v_a.x[2 * K + c]);
        q.x[2 * K + c] = carry.x[c] = previous.x[c] + (sa_real)exp(step);
    }
    sa_part_trace(w, part, head, w->part[part].kind->formula, SA_SHAPE_VECTOR, "kappa", "kappa_i",
                  carry);
}

static void keys_backward(const sa_attention *w, int part, sa_head *head, sa_head *d) {
    const sa_mat previous = sa_part_carry(w, part, head->rows.previous_carry, head->index, 0),
                 carry = sa_part_carry(w, part, head->rows.carry, head->index, 0),
                 dcarry = sa_part_carry(w, part, d->rows.carry, head->index, 0),
                 dprevious = sa_part_carry(w, part, d->rows.previous_carry, head->index, 0);
    for (int c = 0; c < K; c++) {
        const sa_real dkappa = d->q.x[2 * K + c] + dcarry.x[c];
        dprevious.x[c] += dkappa;                                  /* kappa_{i-1} */
        d->q.x[2 * K + c] = dkappa * (carry.x[c] - previous.x[c]); /* exp(step) */
        d->v_a.x[2 * K + c] += d->q.x[2 * K + c];
    }
}

const sa_part sa_graves_part = {
    .name = "Graves' window",
    .formula = "kappa_i = kappa_{i-1} + exp(step_i)",
    .citation = "Graves 2013, section 5.1",
    .normalizer = &sa_no_normalizer,
    .widths = widths,
    .carry = K,
    .forward = {[SA_PLACE_KEYS] = keys_forward},
    .backward = {[SA_PLACE_KEYS] = keys_backward},
    .rare = SA_RARE(.any_sum = "the score makes the weights, which may have any sum",
                    .ordered = "the score depends on positions, not words"),
};
