#include "attention/head_scores.h"
#include "attention/earlier_weights.h"
#include "tensor/gradient_fault.h"
#include "tensor/vec.h"

/* ---- Slices ---------------------------------------------------------------------------------- */

sa_mat sa_kv_head_part(const sa_attention *w, sa_mat all, int k) {
    return sa_head_part(all, w->kv_heads, k * w->kv_heads / w->heads);
}

static sa_mat sentence(sa_mat all, const int *first, int b) {
    return sa_rows(all, first[b], first[b + 1] - first[b]);
}

sa_head_slice sa_slice_head(const sa_attention *w, const sa_memory *memory,
                            const sa_query_block *block, sa_mat q, sa_mat o, int k) {
    const int H = w->heads, b = block->sentence;
    q = sa_rows(q, block->row, block->count);
    o = sa_rows(o, block->row, block->count);
    return (sa_head_slice){.v_a = sa_head_part(w->v_a, H, k),
                           .k_0 = sa_head_part(w->k_0, H, k),
                           .q = w->score->query == SA_QUERY_IDENTITY ? q : sa_head_part(q, H, k),
                           .k = sa_kv_head_part(w, sentence(memory->keys, memory->first, b), k),
                           .v = sa_kv_head_part(w, sentence(memory->values, memory->first, b), k),
                           .o = sa_head_part(o, H, k),
                           .positions = w->positions};
}

sa_head_slice sa_slice_map(const sa_attention *w, const sa_head_slice *head, int map) {
    const int maps = sa_attention_maps(w);
    sa_head_slice half = *head;
    half.k_0 = sa_head_part(head->k_0, maps, map);
    half.q = sa_head_part(head->q, maps, map);
    half.k = sa_head_part(head->k, maps, map);
    half.positions.a_K = sa_head_part(head->positions.a_K, maps, map);
    return half;
}

/* ---- The null key ---------------------------------------------------------------------------- */

/* What the score's functions may overwrite for that many keys. */
static sa_mat key_scratch(sa_attention_scratch scratch, sa_mat k) {
    return sa_cols(sa_rows(scratch.keys, 0, k.rows), 0, k.cols);
}

void sa_head_null_forward(const sa_attention *w, const sa_head_slice *at, sa_mat e,
                          sa_attention_scratch scratch) {
    const sa_mat e_0 = sa_rows(scratch.null_scores, 0, e.rows);
    w->score->forward(at->v_a, at->q, at->k_0, e_0, key_scratch(scratch, at->k_0));
    for (int i = 0; i < e.rows; i++)
        for (int j = 0; j < e.cols; j++) sa_row(e, i)[j] -= *sa_row(e_0, i);
}

/* de_i0 = -sum_j de_ij */
void sa_head_null_backward(const sa_attention *w, const sa_head_slice *at, sa_mat de,
                           const sa_head_slice *to, sa_attention_scratch scratch) {
    const sa_mat de_0 = sa_rows(scratch.null_scores, 0, de.rows);
    for (int i = 0; i < de.rows; i++) *sa_row(de_0, i) = -sa_sum(sa_row(de, i), de.cols);
    if (sa_gradient_intact("null-key.score"))
        w->score->backward(at->v_a, at->q, at->k_0, de_0, to->q, to->k_0, to->v_a,
                           key_scratch(scratch, at->k_0));
}

/* ---- Scores ---------------------------------------------------------------------------------- */

bool sa_attention_has_own_keys(const sa_attention *w) {
    return w->w_c.cols || w->location.F.cols || w->positions.a_K.rows;
}

sa_mat sa_head_keys(const sa_attention *w, const sa_query_block *block, int l,
                    sa_attention_rows rows, int k, const sa_head_slice *at,
                    sa_attention_scratch scratch) {
    if (!sa_attention_has_own_keys(w)) return at->k;
    const sa_mat own = sa_cols(sa_rows(scratch.own_keys, 0, at->k.rows), 0, at->k.cols);
    if (w->positions.a_K.rows) {
        sa_positions_keys_forward(&at->positions, block->i - 1 + l, at->k, own);
    } else {
        sa_copy_mat(at->k, own);
        sa_earlier_keys_forward(w, rows, block->row, k, sa_rows(scratch.f, 0, own.rows), own);
    }
    return own;
}

/* How many queries read the same keys. */
static int queries_at_once(const sa_attention *w, const sa_query_block *block) {
    return w->positions.a_K.rows ? 1 : block->count;
}

void sa_head_scores_forward(const sa_attention *w, int k, const sa_query_block *block,
                            sa_attention_rows rows, const sa_head_slice *at, sa_mat e,
                            sa_attention_scratch scratch) {
    const int Q = queries_at_once(w, block);
    for (int l = 0; l < block->count; l += Q) {
        const sa_mat keys = sa_head_keys(w, block, l, rows, k, at, scratch);
        w->score->forward(at->v_a, sa_rows(at->q, l, Q), keys, sa_rows(e, l, Q),
                          key_scratch(scratch, keys));
    }
    sa_positions_bias(&at->positions, k, block->i - 1, e);
}

void sa_head_scores_backward(const sa_attention *w, int k, const sa_query_block *block,
                             sa_attention_rows rows, const sa_head_slice *at, sa_mat de,
                             sa_head_slice *to, sa_attention_rows d, sa_attention *dw,
                             sa_attention_scratch scratch) {
    const int Q = queries_at_once(w, block);
    const bool own = sa_attention_has_own_keys(w);
    sa_positions_bias_backward(k, block->i - 1, de, &to->positions);
    for (int l = 0; l < block->count; l += Q) {
        const sa_mat keys = sa_head_keys(w, block, l, rows, k, at, scratch);
        const sa_mat dkeys =
            own ? sa_cols(sa_rows(scratch.d_own_keys, 0, keys.rows), 0, keys.cols) : to->k;
        if (own) sa_zero(dkeys);
        w->score->backward(at->v_a, sa_rows(at->q, l, Q), keys, sa_rows(de, l, Q),
                           sa_rows(to->q, l, Q), dkeys, to->v_a, key_scratch(scratch, keys));
        if (w->positions.a_K.rows) {
            sa_positions_keys_backward(block->i - 1 + l, dkeys, to->k, &to->positions);
        } else if (own) {
            sa_earlier_keys_backward(w, rows, block->row, k, sa_rows(scratch.f, 0, keys.rows),
                                     dkeys, sa_rows(scratch.df, 0, keys.rows), d, dw);
            sa_add(dkeys, to->k);
        }
    }
}
