/* head_norm: normalizes the output of each head (Ye et al. 2024, equation 3):
 *
 *   o_i = (1 - lambda_init) RMSNorm(sum_j alpha_ij v_j)
 *
 * with the RMSNorm of Zhang and Sennrich 2019, whose gain the heads of a layer share. */
#include "attention/parts.h"

typedef struct head_norm { /* weights, or their gradients */
    sa_mat g;              /* [1 x dv] */
    sa_real keep;          /* 1 - lambda_init */
} head_norm;

double sa_lambda_init(int layer) {
    return 0.8 - 0.6 * exp(-0.3 * (layer - 1));
}

/* Returns the width of the input of the norm, for all heads. */
static sa_part_widths widths(const sa_attention *w, int part, int queries, int steps) {
    return (sa_part_widths){.row = w->output_width};
}

static sa_real inverse_size(const sa_real *x, int size) {
    static const sa_real epsilon = (sa_real)1e-5;
    return 1 / sa_sqrt(sa_dot(x, x, size) / (sa_real)size + epsilon);
}

static void output_forward(const sa_attention *w, int part, sa_head *head) {
    const head_norm *own = sa_part_own(w, part);
    const sa_mat x = sa_part_row(w, part, head);
    sa_copy_mat(head->c, x);
    for (int i = 0; i < x.rows; i++) {
        const sa_real scale = own->keep * inverse_size(sa_row(x, i), x.cols);
        for (int k = 0; k < x.cols; k++)
            sa_row(head->c, i)[k] = scale * own->g.x[k] * sa_row(x, i)[k];
    }
    sa_part_trace(w, part, head, w->part[part].kind->formula, 0, NULL, NULL, (sa_mat){0});
}

/* Turns do into dx, in place. */
static void output_backward(const sa_attention *w, int part, sa_head *head, sa_head *d) {
    const head_norm *own = sa_part_own(w, part);
    const sa_mat x = sa_part_row(w, part, head),
                 dg = ((const head_norm *)sa_part_own(d->dw, part))->g;
    for (int i = 0; i < x.rows; i++) {
        const sa_real inverse = inverse_size(sa_row(x, i), x.cols);
        sa_real *dx = sa_row(d->c, i), along = 0;
        for (int k = 0; k < x.cols; k++) {
            const sa_real normal = inverse * sa_row(x, i)[k];
            dg.x[k] += own->keep * dx[k] * normal;
            dx[k] *= own->keep * own->g.x[k];
            along += dx[k] * normal;
        }
        for (int k = 0; k < x.cols; k++)
            dx[k] = inverse * (dx[k] - along / (sa_real)x.cols * inverse * sa_row(x, i)[k]);
    }
}

/* Adds the size of x to the kinks: around 0 its direction changes abruptly. */
static void kinks(const sa_attention *w, int part, const sa_head *head, sa_kinks *found) {
    const sa_mat x = sa_part_row(w, part, head);
    for (int i = 0; i < x.rows; i++) {
        const double size = (double)sa_dot(sa_row(x, i), sa_row(x, i), x.cols);
        found->nearest = fmin(found->nearest, sqrt(size / x.cols) / 5e-2);
    }
}

/* ---- The part -------------------------------------------------------------------------------- */

static void bind(sa_binder *binder, const char *prefix, const sa_attention_sizes *sizes,
                 const sa_attention *w, void *own) {
    *(head_norm *)own =
        (head_norm){.g = sa_bind_constant(binder, prefix, "head_norm", sizes->value, 1),
                    .keep = 1 - (sa_real)sa_lambda_init(sizes->layer)};
}

const sa_part sa_head_norm_part = {
    .name = "head norm",
    .formula = "o_i = (1 - lambda_init) RMSNorm(sum_j alpha_ij v_j)",
    .citation = "Ye et al. 2024, equation 3",
    .bind = bind,
    .widths = widths,
    .forward = {[SA_PLACE_OUTPUT] = output_forward},
    .backward = {[SA_PLACE_OUTPUT] = output_backward},
    .rare = SA_RARE(.kinks = kinks),
};
