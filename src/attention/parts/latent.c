/* latent: multi-head latent attention (MLA; DeepSeek-AI 2024, section 2.1), without its rotated
 * keys. Keys and values of all heads are made from one vector of few numbers, and only it is kept:
 *
 *   c_j = W_dkv h_j        k_j = W_uk c_j, v_j = W_uv c_j
 *
 * A head never computes them, as their product with the query and their sum need c alone:
 *
 *   q_i' k_j = (W_uk' q_i)' c_j        sum_j alpha_ij v_j = W_uv sum_j alpha_ij c_j
 *
 * With c_j = h_j the first is s' W h, Luong's general score (2015). In the memory the keys are c.
 */
#include "attention/parts.h"

typedef struct latent { /* weights, or their gradients; W_dkv and W_uv are U_a and W_v */
    sa_weight W_uk;     /* [H n' x d_c], of all heads, one below the other */
} latent;

/* Returns the rows of a head. */
static sa_weight of_head(const sa_attention *w, sa_weight W, int k) {
    const int rows = W.mat.rows / w->heads;
    return sa_weight_rows(W, k * rows, rows);
}

static sa_part_widths widths(const sa_attention *w, int part, int queries, int steps) {
    const int both = 2 * w->heads * w->key_width;
    return (sa_part_widths){.row = both, .gradient = both};
}

/* Returns W_uk' q_i of the head's queries, and sum_j alpha_ij c_j, or their gradients. */
static sa_mat query_of(const sa_attention *w, int part, const sa_head *head) {
    return sa_cols(sa_part_row(w, part, head), 0, w->key_width);
}

static sa_mat sum_of(const sa_attention *w, int part, const sa_head *head) {
    return sa_cols(sa_part_row(w, part, head), w->key_width, w->key_width);
}

/* Returns q_i of the head, or its gradient. */
static sa_mat plain_query(const sa_attention *w, const sa_head *head) {
    return sa_head_slice(head->rows.q, w->heads, head->index);
}

/* The score divides by sqrt(d_c) what is to be divided by sqrt(n'). */
static sa_real scale_of(const sa_attention *w, sa_mat q) {
    return sa_sqrt((sa_real)w->key_width / (sa_real)q.cols);
}

/* W_uk' q_i takes the place of q_i, c_j that of k_j and v_j. */
static void keys_forward(const sa_attention *w, int part, sa_head *head) {
    const latent *own = sa_part_own(w, part);
    const sa_mat q = plain_query(w, head);
    head->q = query_of(w, part, head), head->c = sum_of(w, part, head), head->v = head->k;
    sa_weight_nn(q, of_head(w, own->W_uk, head->index), 0, head->q);
    sa_part_trace(w, part, head, w->part[part].kind->formula, SA_SHAPE_VECTOR, "W_uk'q",
                  "W_uk' q_i", head->q);
    sa_scale(scale_of(w, q), head->q);
    if (!head->gradient) return;
    head->gradient->q = query_of(w, part, head->gradient);
    head->gradient->v = head->gradient->k;
}

static void keys_backward(const sa_attention *w, int part, sa_head *head, sa_head *d) {
    const latent *own = sa_part_own(w, part), *d_own = sa_part_own(d->dw, part);
    const sa_mat q = plain_query(w, head), dq = query_of(w, part, d);
    sa_scale(scale_of(w, q), dq);
    sa_weight_tn(q, dq, of_head(w, d_own->W_uk, head->index));
    sa_weight_nt(dq, of_head(w, own->W_uk, head->index), 1, plain_query(w, d));
}

/* o_i = W_uv sum_j alpha_ij c_j */
static void output_forward(const sa_attention *w, int part, sa_head *head) {
    const sa_mat o = sa_head_slice(head->rows.head_outputs, w->heads, head->index);
    sa_part_trace(w, part, head, NULL, SA_SHAPE_VECTOR, "sum c", "sum alpha c", head->c);
    sa_part_trace(w, part, head, "o_i = W_uv sum_j alpha_ij c_j", SA_SHAPE_VECTOR, NULL, NULL, o);
    sa_weight_nt(head->c, of_head(w, w->W_v, head->index), 0, o);
    head->c = o;
}

static void output_backward(const sa_attention *w, int part, sa_head *head, sa_head *d) {
    const sa_mat sum = sum_of(w, part, d);
    sa_weight_tn(d->c, head->c, of_head(w, d->dw->W_v, head->index));
    sa_weight_nn(d->c, of_head(w, w->W_v, head->index), 0, sum);
    d->c = sum;
}

/* ---- The part -------------------------------------------------------------------------------- */

static bool chosen(const sa_attention_sizes *sizes) {
    return sizes->settings.latent > 0;
}

static void bind(sa_binder *binder, const char *prefix, const sa_attention_sizes *sizes,
                 const sa_attention *w, void *own) {
    ((latent *)own)->W_uk =
        sa_bind_matrix(binder, prefix, "W_uk", w->query_width, w->key_width, SA_INIT_INPUT);
}

static const char *refuse(const sa_attention_sizes *sizes) {
    const sa_part *positions = sizes->positions ? sizes->positions->kind->part : NULL;
    if (sizes->score != &sa_scores[SA_ATTENTION_SCALED_DOT])
        return "{latent:} takes the product of query and key apart: it needs "
               "{attention:scaled-dot}";
    if (!sizes->transformer && sizes->heads == 1)
        return "{latent:} makes values, and a recurrent model with one head has only annotations: "
               "it needs several {heads}";
    if (sizes->kv_heads) return "{latent:} serves all heads at once, without {kv_heads:}";
    if (sizes->settings.head_projection == SA_HEAD_PROJECTION_SPLIT)
        return "{head_projection:} gives each head its own share of a word, but {latent:} is one "
               "vector for all heads";
    if (positions == &sa_rotation_part || positions == &sa_relative_vectors_part)
        return "{positions:} changes each key by its position, but {latent:} makes no keys";
    if (sizes->normalizer->part == &sa_null_key_part ||
        sizes->normalizer->part == &sa_selective_part)
        return "{normalizer:} compares other keys, but {latent:} makes none";
    if (sizes->settings.smeared_keys) return "{smeared_keys} mixes keys, but {latent:} makes none";
    return sizes->settings.exclusive
               ? "{exclusive} compares with a word's own value, but {latent:} makes none"
               : NULL;
}

const sa_part sa_latent_part = {
    .name = "latent",
    .formula = "q_i' k_j = (W_uk' q_i)' c_j, which is the general score (Luong et al. 2015) where "
               "c_j = h_j",
    .citation = "DeepSeek-AI 2024, section 2.1",
    .chosen = chosen,
    .refuse = refuse,
    .bind = bind,
    .widths = widths,
    .forward = {[SA_PLACE_KEYS] = keys_forward, [SA_PLACE_OUTPUT] = output_forward},
    .backward = {[SA_PLACE_KEYS] = keys_backward, [SA_PLACE_OUTPUT] = output_backward},
};
