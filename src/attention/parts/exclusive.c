/* exclusive: exclusive self-attention (XSA; Zhai 2026) takes out of what a word has gathered the
 * component along its own value, which the word knows already:
 *
 *   c_i = y_i - p_i v_i, y_i = sum_j alpha_ij v_j, p_i = y_i' v_i / (v_i' v_i + 1e-6)
 *
 * So c_i = sum_j alpha'_ij v_j with alpha'_ii = alpha_ii - p_i, the weights that are shown. The
 * word itself serves as a sink: weight on it changes nothing but the sum of the others. */
#include "attention/parts.h"

/* Returns the width of [p ; y] of all heads. */
static sa_part_widths widths(const sa_attention *w, int part, int queries, int steps) {
    return (sa_part_widths){.row = w->heads + w->output_width};
}

/* Returns the row of v that is the value of query l itself. */
static sa_real *own_value(const sa_head *head, sa_mat v, int l) {
    return sa_row(v, head->i + l - 1);
}

/* Subtracts p_i from alpha_ii, or adds it. */
static void lower_own(sa_mat p, sa_real sign, sa_head *head) {
    for (int l = 0; l < p.rows; l++)
        sa_row(head->alpha, l)[head->i + l - 1] -= sign * *sa_row(p, l);
}

/* y [Q x d_v] -> c [Q x d_v]; alpha [Q x S] -> alpha' */
static void output_forward(const sa_attention *w, int part, sa_head *head) {
    const sa_mat row = sa_part_row(w, part, head), p = sa_cols(row, 0, 1),
                 y = sa_cols(row, 1, head->c.cols);
    sa_copy_mat(head->c, y);
    for (int l = 0; l < y.rows; l++) {
        const sa_real *v = own_value(head, head->v, l);
        *sa_row(p, l) = sa_dot(sa_row(y, l), v, y.cols) / (sa_dot(v, v, y.cols) + (sa_real)1e-6);
        sa_axpy(-*sa_row(p, l), v, sa_row(head->c, l), y.cols);
    }
    lower_own(p, 1, head);
    sa_part_trace(w, part, head, w->part[part].kind->formula, SA_SHAPE_VECTOR, "own", "p_i", p);
}

/* Turns dc into dy, with b = dc' v, N = v' v + 1e-6:
 *
 *   dy = dc - b/N v        dv += -p dc - b/N y + 2 p b/N v
 *
 * and alpha' into alpha, from which the rest of the backward pass starts. */
static void output_backward(const sa_attention *w, int part, sa_head *head, sa_head *d) {
    const sa_mat row = sa_part_row(w, part, head);
    const int size = d->c.cols;
    for (int l = 0; l < d->c.rows; l++) {
        const sa_real *v = own_value(head, head->v, l), p = *sa_row(row, l),
                      *y = sa_row(row, l) + 1;
        sa_real *dc = sa_row(d->c, l), *dv = own_value(head, d->v, l);
        const sa_real share = sa_dot(dc, v, size) / (sa_dot(v, v, size) + (sa_real)1e-6);
        sa_axpy(-p, dc, dv, size);
        sa_axpy(-share, y, dv, size);
        sa_axpy(2 * p * share, v, dv, size);
        sa_axpy(-share, v, dc, size); /* dy */
    }
    lower_own(sa_cols(row, 0, 1), -1, head);
}

/* Shows alpha' again, once nothing needs alpha any more. */
static void keys_backward(const sa_attention *w, int part, sa_head *head, sa_head *d) {
    lower_own(sa_cols(sa_part_row(w, part, head), 0, 1), 1, head);
}

/* ---- The part -------------------------------------------------------------------------------- */

static bool chosen(const sa_attention_sizes *sizes) {
    return sizes->settings.exclusive && (!sizes->transformer || sizes->site != SA_SITE_CROSS);
}

static const char *refuse(const sa_attention_sizes *sizes) {
    return sizes->transformer ? NULL
                              : "{exclusive} compares what a word has gathered with its own value, "
                                "and only self-attention has one: it needs {model:transformer}";
}

const sa_part sa_exclusive_part = {
    .name = "exclusive",
    .formula = "c_i = y_i - p_i v_i, y_i = sum_j alpha_ij v_j, p_i = y_i' v_i / (v_i' v_i + 1e-6)",
    .citation = "Zhai 2026",
    .chosen = chosen,
    .refuse = refuse,
    .widths = widths,
    .forward = {[SA_PLACE_OUTPUT] = output_forward},
    .backward = {[SA_PLACE_OUTPUT] = output_backward, [SA_PLACE_KEYS] = keys_backward},
    .rare = SA_RARE(.any_sum = "the weight on the word itself is lowered, and may be negative"),
};
