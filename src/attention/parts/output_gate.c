/* output_gate: multiplies the output of a head by a gate, computed from what its query is made from
 * (Qiu et al. 2025), so that a head with nothing to add need not attend to a meaningless word:
 *
 *   g_i = sigma(W_g s_i)        o_i = g_i sum_j alpha_ij v_j
 *
 * with one g_i for each head, or one for each unit of its output. */
#include "attention/parts.h"
#include "layers/basic.h"

typedef struct output_gate { /* weights, or their gradients */
    sa_weight W_g;           /* [H or width x n] */
    int width;               /* width of the outputs of all heads */
} output_gate;

/* Returns the width of a query's gates and of what they multiply, which follows them. */
static sa_part_widths widths(const sa_attention *w, int part, int queries, int steps) {
    const output_gate *own = sa_part_own(w, part);
    const int gates = own->W_g.mat.rows;
    return (sa_part_widths){.row = gates + own->width, .gradient = gates};
}

static sa_mat gates_of(const sa_attention *w, int part, sa_attention_rows rows) {
    return sa_cols(rows.part[part], 0, ((const output_gate *)sa_part_own(w, part))->W_g.mat.rows);
}

static sa_mat gated_of(const sa_attention *w, int part, const sa_head *head) {
    const output_gate *own = sa_part_own(w, part);
    return sa_head_slice(sa_cols(head->rows.part[part], own->W_g.mat.rows, own->width), w->heads,
                         head->index);
}

/* g_i = sigma(W_g s_i) */
static void project_forward(const sa_attention *w, int part, sa_mat s, sa_attention_rows rows) {
    const sa_mat g = gates_of(w, part, rows);
    sa_linear_forward(((const output_gate *)sa_part_own(w, part))->W_g, (sa_mat){0}, s, g);
    sa_sigmoid(g);
}

static void project_backward(const sa_attention *w, int part, sa_attention_rows rows,
                             sa_attention_rows d, sa_mat ds) {
    const sa_mat g = gates_of(w, part, rows), du = gates_of(w, part, d);
    for (int i = 0; i < g.rows; i++) /* sigma */
        for (int l = 0; l < g.cols; l++)
            sa_row(du, i)[l] *= sa_row(g, i)[l] * (1 - sa_row(g, i)[l]);
    sa_weight_nn(du, ((const output_gate *)sa_part_own(w, part))->W_g, 1, ds); /* W_g s_i */
}

static void project_weights_backward(int part, sa_mat s, sa_attention_rows rows,
                                     sa_attention_rows d, sa_attention *dw) {
    sa_weight_tn(gates_of(dw, part, d), s, ((const output_gate *)sa_part_own(dw, part))->W_g);
}

/* o_i = g_i sum_j alpha_ij v_j */
static void output_forward(const sa_attention *w, int part, sa_head *head) {
    const sa_mat g = sa_head_slice(gates_of(w, part, head->rows), w->heads, head->index),
                 x = gated_of(w, part, head);
    sa_part_trace(w, part, head, w->part[part].kind->formula, SA_SHAPE_VECTOR, "gate", "g_i", g);
    sa_copy_mat(head->c, x);
    for (int i = 0; i < x.rows; i++)
        for (int l = 0; l < x.cols; l++) sa_row(head->c, i)[l] *= sa_row(g, i)[g.cols > 1 ? l : 0];
}

/* Turns do into the gradient of the sum, in place. */
static void output_backward(const sa_attention *w, int part, sa_head *head, sa_head *d) {
    const sa_mat g = sa_head_slice(gates_of(w, part, head->rows), w->heads, head->index),
                 x = gated_of(w, part, head),
                 dg = sa_head_slice(gates_of(w, part, d->rows), w->heads, head->index);
    for (int i = 0; i < x.rows; i++)
        for (int l = 0; l < x.cols; l++) {
            const int own = g.cols > 1 ? l : 0;
            sa_row(dg, i)[own] += sa_row(d->c, i)[l] * sa_row(x, i)[l];
            sa_row(d->c, i)[l] *= sa_row(g, i)[own];
        }
}

/* ---- The part -------------------------------------------------------------------------------- */

static bool chosen(const sa_attention_sizes *sizes) {
    return sizes->settings.attention_gate != SA_GATE_NONE;
}

static void bind(sa_binder *binder, const char *prefix, const sa_attention_sizes *sizes,
                 const sa_attention *w, void *own) {
    const int width = w->output_width ? w->output_width : sizes->annotation_width;
    const bool headwise = sizes->settings.attention_gate == SA_GATE_HEADWISE;
    *(output_gate *)own =
        (output_gate){.W_g = sa_bind_matrix(binder, prefix, "W_g", headwise ? w->heads : width,
                                            sizes->state_width, SA_INIT_ALIGN),
                      .width = width};
}

const sa_part sa_output_gate_part = {
    .name = "gate",
    .formula = "o_i = g_i sum_j alpha_ij v_j, g_i = sigma(W_g s)",
    .citation = "Qiu et al. 2025",
    .chosen = chosen,
    .bind = bind,
    .widths = widths,
    .project = {.forward = project_forward,
                .backward = project_backward,
                .weights_backward = project_weights_backward},
    .forward = {[SA_PLACE_OUTPUT] = output_forward},
    .backward = {[SA_PLACE_OUTPUT] = output_backward},
};
