/* selective: each word may mask earlier words for all later words (Leviathan et al. 2024), by the
 * positive scores that it gives them in the first head:
 *
 *   F_ij = sum_l max(0, e^1_lj), l = j + 1 .. i - 1        alpha_i = softmax(e_i - F_i)
 *
 * in every head of causal self-attention; j > 1, so that the first word is never hidden. Elsewhere,
 * it is simply the softmax. */
#include "attention/parts.h"

/* ---- The first head's queries of all words, for steps that have only the last one ------------ */

static sa_part_widths widths(const sa_attention *w, int part, int queries, int steps) {
    return (sa_part_widths){.memory = w->query_width / w->heads, .scratch = steps * steps};
}

/* q^1_l = W_a x_l, the first head's rows of W_a */
static void memory_forward(const sa_attention *w, int part, sa_memory *memory) {
    const sa_mat q = memory->part[part];
    sa_weight_nt(memory->annotations, sa_weight_rows(w->W_a, 0, q.cols), 0, q);
}

static void memory_backward(const sa_attention *w, int part, const sa_memory *memory, sa_memory *d,
                            sa_attention *dw) {
    const sa_mat dq = d->part[part];
    sa_weight_tn(dq, memory->annotations, sa_weight_rows(dw->W_a, 0, dq.cols));
    sa_weight_nn(dq, sa_weight_rows(w->W_a, 0, dq.cols), 1, d->annotations);
}

/* ---- What is hidden -------------------------------------------------------------------------- */

/* Returns the first head of all queries of the sentence, or its gradient; alpha: the scratch. */
static sa_head first_head(const sa_attention *w, int part, const sa_head *head) {
    sa_head one = *head;
    one.v_a = sa_head_slice(w->v_a, w->heads, 0);
    one.q = sa_part_memory(part, head);
    const int S = one.q.rows, first = head->memory->first[head->sentence];
    one.k = sa_head_slice(sa_rows(head->memory->keys, first, S), w->kv_heads, 0);
    one.alpha = (sa_mat){sa_part_scratch(w, part, head).x, S, S, S};
    return one;
}

/* Returns max(0, e^1_lj) if word l hides word j (from 0); otherwise 0. */
static sa_real hides(sa_real e, int l, int j) {
    return j > 0 && j < l && e > 0 ? e : 0;
}

/* e_ij -= F_ij */
static void scores_forward(const sa_attention *w, int part, sa_head *head) {
    const sa_head one = first_head(w, part, head);
    const int S = one.alpha.cols;
    sa_score_forward(w, &one);
    for (int j = 0; j < S; j++) {
        sa_real F = 0;
        for (int i = 0; i < S; i++) {
            if (i >= head->i - 1 && i < head->i - 1 + head->alpha.rows)
                sa_row(head->alpha, i - head->i + 1)[j] -= F;
            F += hides(sa_row(one.alpha, i)[j], i, j);
        }
    }
}

/* Adds to de^1_lj the dF_ij of all i > l if word l hides word j; dF_ij = -de_ij */
static void scores_backward(const sa_attention *w, int part, sa_head *head, sa_head *d) {
    const sa_head one = first_head(w, part, head), done = first_head(d->dw, part, d);
    const int S = one.alpha.cols;
    sa_score_forward(w, &one);
    for (int j = 0; j < S; j++) {
        sa_real dF = 0;
        for (int l = S - 1; l >= 0; l--) {
            sa_real *e = &sa_row(one.alpha, l)[j];
            *e = hides(*e, l, j) > 0 ? dF : 0;
            if (l >= head->i - 1 && l < head->i - 1 + d->alpha.rows)
                dF -= sa_row(d->alpha, l - head->i + 1)[j];
        }
    }
    sa_score_backward(w, &one, &done);
}

/* ---- What is shown, and what does not go with it --------------------------------------------- */

static void kinks(const sa_attention *w, int part, const sa_head *head, sa_kinks *found) {
    if (head->index) return;
    const sa_head one = first_head(w, part, head);
    sa_score_forward(w, &one);
    for (int j = 1; j < head->i - 1; j++)
        sa_kinks_add(found, (double)sa_row(one.alpha, head->i - 1)[j], SA_KINK_MARGIN);
}

static bool chosen(const sa_attention_sizes *sizes) {
    return sizes->normalizer->part == &sa_selective_part && sizes->positions &&
           sizes->positions->causal;
}

const sa_part sa_selective_part = {
    .name = "first head",
    .formula = "F_ij = sum_l max(0, e^1_lj), l from j + 1 to i - 1, j > 1, is subtracted from e_ij",
    .citation = "Leviathan et al. 2024",
    .chosen = chosen,
    .widths = widths,
    .memory = {memory_forward, memory_backward},
    .forward = {[SA_PLACE_SCORES] = scores_forward},
    .backward = {[SA_PLACE_SCORES] = scores_backward},
    .bias = {"hidden", "-F_ij"},
    .rare = SA_RARE(.kinks = kinks),
};
