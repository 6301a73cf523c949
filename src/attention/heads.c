/* heads: the attention of a whole model. It makes queries from decoder states, keys and values from
 * annotations, lets every head attend (attention.c), and makes contexts from the heads' outputs:
 * for one query per sentence in a step of a decoder, or for all queries of a Transformer.
 *
 *   one head   q_i = W_a s_i, k_j = U_a h_j, v_j = h_j       Bahdanau et al. 2015
 *   H heads    o^k_i = sum_j alpha^k_ij (W_v h_j)^k,
 *              c_i = W_c [o^1_i ; .. ; o^H_i]                Vaswani et al. 2017, section 3.2.2
 *   G < H      head k (from 0) reads keys and values number floor(k G / H) of G
 *                                                            Shazeer 2019; Ainslie et al. 2023
 *
 * In a Transformer W_a is the paper's W_q, U_a its W_k and W_c its W_o, and model files call them
 * so; they exist even with a single head. */
#include "attention/heads.h"
#include "attention/parts.h"

#include <string.h>

static bool repeats_query(const sa_attention *w, const int *which, sa_mat s, int l,
                          sa_attention_rows rows, sa_mat o);
static sa_mat project_output_backward(const sa_attention *w, sa_mat dc, sa_attention_rows d);
static void project_weights_backward(sa_mat dy, sa_mat x, sa_weight dW);
static void project_query_backward(const sa_attention *w, const sa_attention_pass *pass, sa_mat ds);
static void heads_backward(const sa_attention *w, const sa_attention_pass *pass,
                           sa_query_block block, sa_mat d_o, sa_attention *dw);

/* ---- Any number of queries ------------------------------------------------------------------- */

/* A.1.2 (Bahdanau et al. 2015); Section 3.2.2 (Vaswani et al. 2017): MultiHead(Q, K, V)
 *
 *   s [R x n] -> rows.q [R x query_width], rows.alpha [R x H S], c [R x A] */
void sa_attention_forward(const sa_attention *w, const sa_memory *memory, const sa_queries *queries,
                          sa_mat s, sa_attention_rows rows, sa_mat c,
                          const sa_attention_scratch *scratch) {
    const sa_mat o = sa_attention_head_output(w, rows, c);
    sa_attention_project_query(w, s, rows);     /* q = W_a s */
    for (int b = 0; b < queries->blocks; b++) { /* e, alpha, o */
        if (repeats_query(w, queries->which, s, b, rows, o)) continue;
        sa_heads_forward(w, memory, sa_queries_of(queries, memory, b), rows, o, scratch);
    }
    sa_attention_project_output(w, rows, c); /* c = W_c [o^1 ; .. ; o^H] */
    sa_trace("c", c);
}

void sa_attention_backward(const sa_attention *w, const sa_attention_pass *pass,
                           const sa_queries *queries, sa_mat dc, sa_mat ds, sa_attention *dw) {
    const sa_mat d_o = project_output_backward(w, dc, pass->d); /* c = W_c [o^1 ; .. ; o^H] */
    sa_attention_rows_zero(w, pass->d);
    for (int b = 0; b < queries->blocks; b++) /* e, alpha, o */
        heads_backward(w, pass, sa_queries_of(queries, pass->memory, b), d_o, dw);
    project_query_backward(w, pass, ds); /* q = W_a s */
}

/* dW_a += dq' s, dW_c += dc' o, of any number of steps at once */
void sa_attention_projections_backward(sa_mat s, sa_attention_rows rows, sa_mat dc,
                                       sa_attention_rows d, sa_attention *dw) {
    if (dw->score->query != SA_QUERY_IDENTITY) project_weights_backward(d.q, s, dw->W_a);
    if (dw->output_width) project_weights_backward(dc, rows.head_outputs, dw->W_c);
    for (int p = 0; p < dw->parts; p++)
        if (dw->part[p].kind->project.weights_backward)
            dw->part[p].kind->project.weights_backward(p, s, rows, d, dw);
}

sa_query_block sa_queries_of(const sa_queries *queries, const sa_memory *memory, int b) {
    const int sentence = queries->which ? queries->which[b] : b;
    if (!queries->first) return (sa_query_block){b, 1, sentence, queries->i, 0};
    const int first = queries->first[b], count = queries->first[b + 1] - first;
    if (!queries->causal) return (sa_query_block){first, count, sentence, 1, 0};
    const int words = memory->first[sentence + 1] - memory->first[sentence];
    const int prefix = queries->prefix ? queries->prefix[b] : 1;
    return (sa_query_block){first, count, sentence, words - count + 1, prefix};
}

/* ---- Projections -----------------------------------------------------------------------------
 * y = W x: one product, or with split projections one for each head, of its slice of x and its rows
 * of W. */

static sa_weight slice_of(sa_weight W, int slices, int k) {
    const int rows = W.mat.rows / slices;
    return sa_weight_rows(W, k * rows, rows);
}

/* y_i = W x_i    x [R x in], y [R x out] */
static void project(sa_weight W, sa_mat x, sa_mat y) {
    const int slices = x.cols / W.mat.cols;
    for (int k = 0; k < slices; k++)
        sa_weight_nt(sa_head_slice(x, slices, k), slice_of(W, slices, k), 0,
                     sa_head_slice(y, slices, k));
}

/* dx += dy W    dy [R x out], W [out x in], dx [R x in] */
static void project_backward(sa_weight W, sa_mat dy, sa_mat dx) {
    const int slices = dx.cols / W.mat.cols;
    for (int k = 0; k < slices; k++)
        sa_weight_nn(sa_head_slice(dy, slices, k), slice_of(W, slices, k), 1,
                     sa_head_slice(dx, slices, k));
}

/* dW += dy' x    dy [R x out], x [R x in] */
static void project_weights_backward(sa_mat dy, sa_mat x, sa_weight dW) {
    const int slices = x.cols / dW.mat.cols;
    for (int k = 0; k < slices; k++)
        sa_weight_tn(sa_head_slice(dy, slices, k), sa_head_slice(x, slices, k),
                     slice_of(dW, slices, k));
}

/* q_i = W_a s_i    s [R x n] -> rows.q [R x query_width] */
void sa_attention_project_query(const sa_attention *w, sa_mat s, sa_attention_rows rows) {
    if (w->score->query == SA_QUERY_IDENTITY)
        sa_copy_mat(s, rows.q);
    else
        project(w->W_a, s, rows.q);
    for (int p = 0; p < w->parts; p++)
        if (w->part[p].kind->project.forward) w->part[p].kind->project.forward(w, p, s, rows);
}

static void project_query_backward(const sa_attention *w, const sa_attention_pass *pass,
                                   sa_mat ds) {
    for (int p = w->parts - 1; p >= 0; p--)
        if (w->part[p].kind->project.backward)
            w->part[p].kind->project.backward(w, p, pass->rows, pass->d, ds);
    if (w->score->query == SA_QUERY_IDENTITY)
        sa_add(pass->d.q, ds);
    else
        project_backward(w->W_a, pass->d.q, ds);
}

/* c_i = W_c [o^1_i ; .. ; o^H_i]    rows.head_outputs [R x output_width] -> c [R x A] */
void sa_attention_project_output(const sa_attention *w, sa_attention_rows rows, sa_mat c) {
    if (w->output_width) project(w->W_c, rows.head_outputs, c);
}

/* Returns the gradient of the heads' outputs. */
static sa_mat project_output_backward(const sa_attention *w, sa_mat dc, sa_attention_rows d) {
    if (!w->output_width) return dc;
    sa_zero(d.head_outputs);
    project_backward(w->W_c, dc, d.head_outputs);
    return d.head_outputs;
}

sa_mat sa_attention_head_output(const sa_attention *w, sa_attention_rows rows, sa_mat c) {
    return w->output_width ? rows.head_outputs : c;
}

/* ---- Keys and values ------------------------------------------------------------------------- */

/* Returns the matrix that projects the annotations to keys: U_a or W_a; NULL: keys are the
 * annotations. */
static const sa_weight *key_weight(const sa_attention *w) {
    return w->score->key == SA_KEY_STATE_SIZED ? &w->W_a
           : sa_key_projected(w->score)        ? &w->U_a
                                               : NULL;
}

/* k_j = U_a h_j, W_a h_j or h_j itself; v_j = W_v h_j or h_j itself
 *
 *   annotations h [N x A] -> keys [N x key_width], values [N x value_width] */
void sa_memory_forward(const sa_attention *w, sa_memory *memory) {
    const sa_mat h = memory->annotations;
    const sa_weight *W_k = key_weight(w);
    if (W_k) project(*W_k, h, memory->keys);
    if (w->value_width) project(w->W_v, h, memory->values);
    for (int p = 0; p < w->parts; p++)
        if (w->part[p].kind->memory.forward) w->part[p].kind->memory.forward(w, p, memory);
}

void sa_memory_backward(const sa_attention *w, const sa_memory *memory, sa_memory *d,
                        sa_attention *dw) {
    const sa_mat h = memory->annotations, dh = d->annotations;
    const sa_weight *W_k = key_weight(w);
    for (int p = w->parts - 1; p >= 0; p--)
        if (w->part[p].kind->memory.backward) w->part[p].kind->memory.backward(w, p, memory, d, dw);
    if (w->value_width) { /* v_j = W_v h_j */
        project_weights_backward(d->values, h, dw->W_v);
        project_backward(w->W_v, d->values, dh);
    }
    if (W_k) { /* k_j = U_a h_j */
        project_weights_backward(d->keys, h, *key_weight(dw));
        project_backward(*W_k, d->keys, dh);
    }
}

void sa_memory_zero(const sa_attention *w, sa_memory *d) {
    if (d->keys.x != d->annotations.x) sa_zero(d->keys);
    if (d->values.x != d->annotations.x) sa_zero(d->values);
    for (int p = 0; p < w->parts; p++) sa_zero(d->part[p]);
}

/* ---- All heads of one block of queries ------------------------------------------------------- */

static sa_head block_of(const sa_attention *w, const sa_memory *memory, sa_query_block block,
                        sa_attention_rows rows, sa_mat o, const sa_attention_scratch *scratch);
static sa_head head_of(const sa_attention *w, const sa_head *all, int k);

/* Attends with every head.    rows.q [R x query_width] -> rows.alpha [R x H S], o [R x ..] */
void sa_heads_forward(const sa_attention *w, const sa_memory *memory, sa_query_block block,
                      sa_attention_rows rows, sa_mat o, const sa_attention_scratch *scratch) {
    sa_head all = block_of(w, memory, block, rows, o, scratch);
    all.spans = sa_attention_spans(w, &all, scratch->spans);
    sa_parts_forward(w, SA_PLACE_QUERY, &all);
    for (int k = 0; k < w->heads; k++) {
        sa_head head = head_of(w, &all, k);
        sa_attend_forward(w, &head);
    }
}

/* Starts from d_o and d.carry; accumulates into d.q, d.previous_carry, the keys and values of
 * dmemory (without W_v the values are its annotations: dh_j), and the score's and parts' weights in
 * dw. */
static void heads_backward(const sa_attention *w, const sa_attention_pass *pass,
                           sa_query_block block, sa_mat d_o, sa_attention *dw) {
    const sa_attention_scratch *scratch = pass->scratch;
    sa_head all = block_of(w, pass->memory, block, pass->rows, d_o, scratch),
            dall = block_of(dw, pass->dmemory, block, pass->d, d_o, scratch);
    dall.dw = dw;
    all.c = (sa_mat){0}; /* it would be d_o; no backward function reads c */
    all.spans = sa_attention_spans(w, &all, scratch->spans);
    for (int k = 0; k < w->heads; k++) {
        sa_head head = head_of(w, &all, k), d = head_of(w, &dall, k);
        const sa_mat dkeys = d.k;
        if (!d.alpha.cols) { /* no loss on the weights has filled it */
            d.alpha = sa_corner(scratch->dalpha, head.alpha.rows, head.alpha.cols);
            sa_zero(d.alpha);
        }
        head.gradient = &d;
        sa_attend_backward(w, &head, &d);
        if (d.k.x != dkeys.x) sa_add(d.k, dkeys); /* a part used its own keys */
    }
    sa_parts_backward(w, SA_PLACE_QUERY, &all, &dall);
}

/* ---- Slices ---------------------------------------------------------------------------------- */

sa_mat sa_head_slice(sa_mat all, int heads, int k) {
    const int width = all.cols / heads;
    return sa_cols(all, k * width, width);
}

sa_mat sa_kv_head_slice(const sa_attention *w, sa_mat all, int k) {
    return sa_head_slice(all, w->kv_heads, k * w->kv_heads / w->heads);
}

sa_mat sa_attention_head(sa_mat alpha, int row, int heads, int k, int S) {
    return sa_cols(sa_head_slice(sa_rows(alpha, row, 1), heads, k), 0, S);
}

/* Returns all heads of a block side by side, or their gradients. */
static sa_head block_of(const sa_attention *w, const sa_memory *memory, sa_query_block block,
                        sa_attention_rows rows, sa_mat o, const sa_attention_scratch *scratch) {
    const int b = block.sentence;
    sa_head all = {.i = block.i,
                   .sentence = b,
                   .prefix = block.prefix,
                   .v_a = w->v_a,
                   .k = sa_sentence_rows(memory->keys, memory->first, b),
                   .v = sa_sentence_rows(memory->values, memory->first, b),
                   .c = sa_rows(o, block.row, block.count),
                   .rows = sa_attention_rows_slice(rows, block.row, block.count),
                   .exponent = &w->exponent,
                   .memory = memory,
                   .scratch = scratch};
    all.q = all.rows.q;
    return all;
}

/* Returns the columns of head k. A query that is the state itself serves all heads; gradients of
 * the weights may be missing. */
static sa_head head_of(const sa_attention *w, const sa_head *all, int k) {
    const int H = w->heads;
    sa_head head = *all;
    head.index = k;
    head.v_a = sa_head_slice(all->v_a, H, k);
    head.q = w->score->query == SA_QUERY_IDENTITY ? all->q : sa_head_slice(all->q, H, k);
    head.k = sa_kv_head_slice(w, all->k, k);
    head.v = sa_kv_head_slice(w, all->v, k);
    head.c = sa_head_slice(all->c, H, k);
    if (all->rows.alpha.cols)
        head.alpha = sa_cols(sa_head_slice(all->rows.alpha, H, k), 0, all->v.rows);
    return head;
}

sa_head sa_head_view(const sa_attention *w, const sa_memory *memory, sa_query_block block,
                     sa_attention_rows rows, const sa_attention_scratch *scratch, int k) {
    sa_head all = block_of(w, memory, block, rows, rows.q, scratch);
    all.c = (sa_mat){0};
    all.spans = sa_attention_spans(w, &all, scratch->spans);
    return head_of(w, &all, k);
}

/* Copies the weights and output of an earlier row to row l if it has the same sentence and the same
 * query (hypotheses of a beam that continue the same one): without parts, they depend on nothing
 * else. Returns whether there is such a row. */
static bool repeats_query(const sa_attention *w, const int *which, sa_mat s, int l,
                          sa_attention_rows rows, sa_mat o) {
    for (int k = l - 1; which && !w->parts && k >= 0 && which[k] == which[l]; k--) {
        if (memcmp(sa_row(s, k), sa_row(s, l), sizeof *s.x * (size_t)s.cols) != 0) continue;
        sa_copy_mat(sa_rows(rows.alpha, k, 1), sa_rows(rows.alpha, l, 1));
        sa_copy_mat(sa_rows(o, k, 1), sa_rows(o, l, 1));
        return true;
    }
    return false;
}
