/* forgetting: a bias of self-attention by what is forgotten between two words (Lin et al. 2025).
 * Each word and head has a gate, and the gates between two words multiply:
 *
 *   f_l = sigma(w_f' x_l + b_f)        b_ij = sum_l log f_l, l = j + 1 .. i
 *
 * A constant f is ALiBi of slope -log f. If a word also sees the words after it, l = i + 1 .. j for
 * those. */
#include "attention/parts.h"

typedef struct forgetting { /* weights, or their gradients */
    sa_weight W_f;          /* [H x m] */
    sa_mat b_f;             /* [1 x H] */
} forgetting;

/* ---- Gates: log f of every word -------------------------------------------------------------- */

static sa_part_widths widths(const sa_attention *w, int part, int queries, int steps) {
    return (sa_part_widths){.memory = w->heads};
}

static void memory_forward(const sa_attention *w, int part, sa_memory *memory) {
    const forgetting *own = sa_part_own(w, part);
    const sa_mat log_f = memory->part[part];
    sa_linear_forward(own->W_f, own->b_f, memory->annotations, log_f);
    for (int l = 0; l < log_f.rows; l++)
        for (int k = 0; k < log_f.cols; k++)
            sa_row(log_f, l)[k] = (sa_real)sa_log_sigmoid((double)sa_row(log_f, l)[k]);
}

/* du_l = (1 - f_l) dlog f_l */
static void memory_backward(const sa_attention *w, int part, const sa_memory *memory, sa_memory *d,
                            sa_attention *dw) {
    const forgetting *own = sa_part_own(w, part), *d_own = sa_part_own(dw, part);
    const sa_mat log_f = memory->part[part], du = d->part[part];
    for (int l = 0; l < du.rows; l++)
        for (int k = 0; k < du.cols; k++)
            sa_row(du, l)[k] *= (sa_real)-expm1((double)sa_row(log_f, l)[k]);
    sa_linear_backward(own->W_f, memory->annotations, du, d->annotations, d_own->W_f, d_own->b_f);
}

/* ---- Biases ---------------------------------------------------------------------------------- */

/* Adds b_ij to e_ij, from the query's word to both sides. */
static void scores_forward(const sa_attention *w, int part, sa_head *head) {
    const sa_mat log_f = sa_cols(sa_part_memory(part, head), head->index, 1);
    for (int l = 0; l < head->alpha.rows; l++) {
        const int i = head->i - 1 + l;
        sa_real *e = sa_row(head->alpha, l), bias = 0;
        for (int j = i - 1; j >= 0; j--) e[j] += bias += *sa_row(log_f, j + 1);
        bias = 0;
        for (int j = i + 1; j < head->alpha.cols; j++) e[j] += bias += *sa_row(log_f, j);
    }
}

/* Adds to dlog f_l the sum of de_ij with l between i and j. */
static void scores_backward(const sa_attention *w, int part, sa_head *head, sa_head *d) {
    const sa_mat dlog_f = sa_cols(sa_part_memory(part, d), d->index, 1);
    for (int l = 0; l < d->alpha.rows; l++) {
        const int i = head->i - 1 + l;
        const sa_real *de = sa_row(d->alpha, l);
        sa_real sum = 0;
        for (int j = 0; j < i; j++) *sa_row(dlog_f, j + 1) += sum += de[j];
        sum = 0;
        for (int j = d->alpha.cols - 1; j > i; j--) *sa_row(dlog_f, j) += sum += de[j];
    }
}

/* ---- The part -------------------------------------------------------------------------------- */

static void bind(sa_binder *binder, const char *prefix, const sa_attention_sizes *sizes,
                 const sa_attention *w, void *own) {
    forgetting *gates = own;
    gates->W_f =
        sa_bind_matrix(binder, prefix, "W_f", w->heads, sizes->annotation_width, SA_INIT_INPUT);
    gates->b_f = sa_bind_constant(binder, prefix, "b_f", w->heads, 3); /* f = 0.95 */
}

const sa_part sa_forgetting_part = {
    .name = "forgetting",
    .formula = "b_ij = sum_l log f_l, l from j + 1 to i, is added to e_ij, f_l = sigma(W_f x_l + "
               "b_f)",
    .citation = "Lin et al. 2025",
    .bind = bind,
    .widths = widths,
    .memory = {memory_forward, memory_backward},
    .forward = {[SA_PLACE_SCORES] = scores_forward},
    .backward = {[SA_PLACE_SCORES] = scores_backward},
    .bias = {"b", "b_ij"},
};
