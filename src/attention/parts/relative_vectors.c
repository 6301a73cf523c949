/* relative_vectors: adds learned vectors for distances to the keys and values of self-attention
 * (Shaw et al. 2018, section 3), with c = j - i clipped to k words on both sides:
 *
 *   e_ij = f(q_i, k_j + a^K_c)      c_i = sum_j alpha_ij (v_j + a^V_c)
 *
 * So every query has its own keys; their scores replace the ones computed before. */
#include "attention/parts.h"

#include <string.h>

typedef struct relative_vectors { /* weights, or their gradients */
    sa_mat a_K, a_V;              /* [distances x d], [distances x dv] for one layer */
    int farthest;                 /* k */
    bool causal;
} relative_vectors;

/* Returns the row for the key `distance` words after the query: clip(distance, k) + k. In causal
 * attention, the last row is for distance 0. */
static sa_real *row_of(const relative_vectors *w, sa_mat vectors, int distance) {
    const int k = w->farthest, last = w->causal ? 0 : k;
    return sa_row(vectors, (distance < -k ? -k : distance > last ? last : distance) + k);
}

/* ---- Keys ------------------------------------------------------------------------------------ */

/* Returns query l alone, with its own keys. Equation 4: x_j W_K + a^K_ij */
static sa_head query_of(const relative_vectors *own, const sa_head *head, int l) {
    sa_head one = *head;
    one.i += l;
    one.q = sa_rows(head->q, l, 1);
    one.alpha = sa_rows(head->alpha, l, 1);
    one.k = sa_corner(head->scratch->own_keys, head->k.rows, head->k.cols);
    sa_copy_mat(head->k, one.k);
    for (int j = 0; j < one.k.rows; j++)
        sa_axpy(1, row_of(own, own->a_K, j - (one.i - 1)) + head->unit, sa_row(one.k, j),
                one.k.cols);
    return one;
}

static sa_part_widths widths(const sa_attention *w, int part, int queries, int steps) {
    const relative_vectors *own = sa_part_own(w, part);
    const int most = own->a_K.cols > own->a_V.cols ? own->a_K.cols : own->a_V.cols;
    return (sa_part_widths){.scratch = steps * most};
}

/* Returns the vectors of all keys for the first query. */
static sa_mat vectors_of(const relative_vectors *own, sa_mat vectors, const sa_head *head,
                         sa_real *x) {
    const sa_mat all = {x, head->v.rows, vectors.cols, vectors.cols};
    for (int j = 0; j < all.rows; j++)
        memcpy(sa_row(all, j), row_of(own, vectors, j - (head->i - 1)),
               sizeof *x * (size_t)all.cols);
    return all;
}

/* Traces the vectors of a query. */
static void trace_vectors(const sa_attention *w, int part, const sa_head *one) {
    const relative_vectors *own = sa_part_own(w, part);
    sa_real *scratch = sa_part_scratch(w, part, one).x;
    sa_part_trace(w, part, one, "e_ij = f(q_i, k_j + a^K_c), c = j - i from -farthest to farthest",
                  SA_SHAPE_MATRIX, "a_K", "a^K_c", vectors_of(own, own->a_K, one, scratch));
    sa_part_trace(w, part, one, NULL, SA_SHAPE_MATRIX, "a_V", "a^V_c",
                  vectors_of(own, own->a_V, one, scratch));
    sa_part_trace_number(w, part, one, NULL, "farthest", "farthest", (sa_real)own->farthest);
}

static void scores_forward(const sa_attention *w, int part, sa_head *head) {
    for (int l = 0; l < head->q.rows; l++) {
        const sa_head one = query_of(sa_part_own(w, part), head, l);
        if (sa_is_traced()) trace_vectors(w, part, &one);
        sa_score_forward(w, &one);
    }
}

static void scores_backward(const sa_attention *w, int part, sa_head *head, sa_head *d) {
    const relative_vectors *d_own = sa_part_own(d->dw, part);
    for (int l = 0; l < head->q.rows; l++) {
        const sa_head one = query_of(sa_part_own(w, part), head, l);
        sa_head done = *d;
        done.q = sa_rows(d->q, l, 1);
        done.alpha = sa_rows(d->alpha, l, 1);
        done.k = sa_corner(d->scratch->d_own_keys, d->k.rows, d->k.cols);
        sa_zero(done.k);
        sa_score_backward(w, &one, &done);
        sa_add(done.k, d->k);
        for (int j = 0; j < done.k.rows; j++)
            sa_axpy(1, sa_row(done.k, j),
                    row_of(d_own, d_own->a_K, j - (head->i - 1 + l)) + head->unit, done.k.cols);
    }
    sa_zero(d->alpha); /* the scores that were replaced get nothing */
}

/* ---- Values ---------------------------------------------------------------------------------- */

/* Equation 3: alpha_ij (x_j W_V + a^V_ij), the second term */
static void output_forward(const sa_attention *w, int part, sa_head *head) {
    const relative_vectors *own = sa_part_own(w, part);
    for (int l = 0; l < head->alpha.rows; l++)
        for (int j = 0; j < head->alpha.cols; j++)
            sa_axpy(sa_row(head->alpha, l)[j], row_of(own, own->a_V, j - (head->i - 1 + l)),
                    sa_row(head->c, l), head->c.cols);
    sa_part_trace(w, part, head, "o_i = sum_j alpha_ij (v_j + a^V_c)", 0, NULL, NULL, (sa_mat){0});
}

static void output_backward(const sa_attention *w, int part, sa_head *head, sa_head *d) {
    const relative_vectors *own = sa_part_own(w, part);
    const relative_vectors *d_own = sa_part_own(d->dw, part);
    for (int l = 0; l < head->alpha.rows; l++)
        for (int j = 0; j < head->alpha.cols; j++) {
            const int distance = j - (head->i - 1 + l);
            const sa_real *dc = sa_row(d->c, l);
            sa_row(d->alpha, l)[j] += sa_dot(dc, row_of(own, own->a_V, distance), d->c.cols);
            sa_axpy(sa_row(head->alpha, l)[j], dc, row_of(d_own, d_own->a_V, distance), d->c.cols);
        }
}

/* ---- The part -------------------------------------------------------------------------------- */

static void bind(sa_binder *binder, const char *prefix, const sa_attention_sizes *sizes,
                 const sa_attention *w, void *own) {
    const bool causal = sizes->positions->causal;
    const int farthest = sizes->settings.shaw_distance, rows = (causal ? 1 : 2) * farthest + 1;
    *(relative_vectors *)own = (relative_vectors){
        .a_K =
            sa_bind_table(binder, prefix, "a_K", rows, w->key_width / w->kv_heads, SA_INIT_INPUT),
        .a_V =
            sa_bind_table(binder, prefix, "a_V", rows, w->value_width / w->kv_heads, SA_INIT_INPUT),
        .farthest = farthest,
        .causal = causal};
}

static const char *refuse(const sa_attention_sizes *sizes) {
    return sizes->score->key == SA_KEY_NONE
               ? "{positions:} adds vectors to keys, which {attention:} does not read"
               : NULL;
}

const sa_part sa_relative_vectors_part = {
    .name = "relative vectors",
    .formula = "e_ij = f(q_i, k_j + a^K_c), c_i = sum_j alpha_ij (v_j + a^V_c)",
    .citation = "Shaw et al. 2018, section 3",
    .refuse = refuse,
    .bind = bind,
    .own_keys = true,
    .widths = widths,
    .forward = {[SA_PLACE_SCORES] = scores_forward, [SA_PLACE_OUTPUT] = output_forward},
    .backward = {[SA_PLACE_SCORES] = scores_backward, [SA_PLACE_OUTPUT] = output_backward},
};
