/* null_key: a learned key k_0 that is not a word (Xiao et al. 2023, section 3.1). Its score is
 * subtracted from all others, so that to the normalizer it is 0:
 *
 *   e_ij -= e_i0, e_i0 = f(q_i, k_0) */
#include "attention/parts.h"

typedef struct null_key { /* weights, or their gradients */
    sa_mat k_0;           /* [1 x n_a] for all heads */
} null_key;

static sa_part_widths widths(const sa_attention *w, int part, int queries, int steps) {
    return (sa_part_widths){.scratch = queries};
}

/* Returns the head with k_0 as its only key, and its scores in the scratch. */
static sa_head null_head(const sa_attention *w, int part, const sa_head *head) {
    const sa_mat k_0 =
        sa_head_slice(((const null_key *)sa_part_own(w, part))->k_0, w->heads, head->index);
    sa_head null = *head;
    null.k = sa_cols(k_0, head->unit, head->k.cols);
    null.alpha = (sa_mat){sa_part_scratch(w, part, head).x, head->alpha.rows, 1, 1};
    return null;
}

static void scores_forward(const sa_attention *w, int part, sa_head *head) {
    const sa_head null = null_head(w, part, head);
    sa_score_forward(w, &null);
    sa_part_trace(w, part, head, "e_i0: the score of the null key k_0 in the place of k_j",
                  SA_SHAPE_VECTOR, "k_0", "k_0", null.k);
    sa_part_trace(w, part, head, NULL, SA_SHAPE_NUMBER, "e_0", "e_i0", null.alpha);
    for (int i = 0; i < head->alpha.rows; i++)
        for (int j = 0; j < head->alpha.cols; j++)
            sa_row(head->alpha, i)[j] -= *sa_row(null.alpha, i);
}

/* de_i0 = -sum_j de_ij */
static void scores_backward(const sa_attention *w, int part, sa_head *head, sa_head *d) {
    const sa_head null = null_head(w, part, head);
    sa_head dnull = null_head(d->dw, part, d);
    dnull.alpha = null.alpha;
    for (int i = 0; i < d->alpha.rows; i++)
        *sa_row(dnull.alpha, i) = -sa_sum(sa_row(d->alpha, i), d->alpha.cols);
    sa_score_backward(w, &null, &dnull);
}

/* ---- The part -------------------------------------------------------------------------------- */

static void bind(sa_binder *binder, const char *prefix, const sa_attention_sizes *sizes,
                 const sa_attention *w, void *own) {
    ((null_key *)own)->k_0 =
        sa_bind_vector(binder, prefix, "k_0", w->key_width / w->kv_heads * w->heads, SA_INIT_ALIGN);
}

static const char *refuse(const sa_attention_sizes *sizes) {
    return sizes->score->key == SA_KEY_NONE ? "{normalizer:} learns a key, but {attention:} reads "
                                              "none: {normalizer:null} needs none"
                                            : NULL;
}

const sa_part sa_null_key_part = {
    .name = "null key",
    .formula = "e_ij - e_i0, e_i0 = f(q_i, k_0)",
    .citation = "Xiao et al. 2023, section 3.1",
    .refuse = refuse,
    .bind = bind,
    .widths = widths,
    .forward = {[SA_PLACE_SCORES] = scores_forward},
    .backward = {[SA_PLACE_SCORES] = scores_backward},
};
