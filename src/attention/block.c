#include "attention/block.h"
#include "tensor/vec.h"

/* ---- One head of one sentence ---------------------------------------------------------------- */

/* The columns that belong to head k when all heads' lie side by side. */
static sa_mat part(sa_mat all, int heads, int k) {
    const int width = all.cols / heads;
    return sa_cols(all, k * width, width);
}

sa_mat sa_attention_head(sa_mat alpha, int row, int heads, int k, int S) {
    return sa_cols(part(sa_rows(alpha, row, 1), heads, k), 0, S);
}

static sa_mat sentence(sa_mat all, const int *first, int b) {
    return sa_rows(all, first[b], first[b + 1] - first[b]);
}

typedef struct head {
    sa_mat v_a, q, k, v, o;
} head;

/* Head number k's columns of everything (or of its derivatives). A query that is the state itself
 * serves all heads alike. */
static head head_of(const sa_attention *w, int k, sa_mat q, sa_mat keys, sa_mat values, sa_mat o) {
    const int H = w->heads;
    return (head){part(w->v_a, H, k), w->score->query == SA_QUERY_IDENTITY ? q : part(q, H, k),
                  part(keys, H, k), part(values, H, k), part(o, H, k)};
}

/* ---- What a query may see -------------------------------------------------------------------- */

/* How many of S positions can be seen at all: the location score ends at S_max. */
static int visible(const sa_attention *w, int S) {
    const int max_positions = w->query_width / w->heads;
    return w->score->query == SA_QUERY_POSITIONS && max_positions < S ? max_positions : S;
}

sa_real sa_attention_center(const sa_attention *w, int i, sa_attention_rows rows, int l, int S) {
    S = visible(w, S);
    if (w->window == SA_WINDOW_LOCAL_P) return (sa_real)S * *sa_row(rows.relative_center, l);
    return (sa_real)(i < S ? i : S);
}

static sa_span span_of(const sa_attention *w, int i, sa_attention_rows rows, int l, int S) {
    if (w->window == SA_WINDOW_NONE) return (sa_span){0, visible(w, S)};
    return sa_window_span(sa_attention_center(w, i, rows, l, S), w->window_size, visible(w, S));
}

/* The keys there are for query l of the block. */
static int keys_of(const sa_query_block *block, int l, int S) {
    return block->causal && block->i + l < S ? block->i + l : S;
}

/* NULL: all of them see everything. */
static const sa_span *spans_of(const sa_attention *w, const sa_query_block *block,
                               sa_attention_rows rows, int S, sa_span *spans) {
    bool whole = true;
    for (int l = 0; l < block->count; l++) {
        spans[l] = span_of(w, block->i + l, rows, block->row + l, keys_of(block, l, S));
        whole = whole && spans[l].count == S;
    }
    return whole ? NULL : spans;
}

/* ---- One block of queries -------------------------------------------------------------------- */

/* The weights of head k in the block's rows. */
static sa_mat block_weights(const sa_attention *w, const sa_query_block *block, sa_mat alpha, int k,
                            int S) {
    return sa_cols(part(sa_rows(alpha, block->row, block->count), w->heads, k), 0, S);
}

/* What a predictive window does to the weights of each query. */
static void gauss_forward(const sa_attention *w, const sa_query_block *block,
                          sa_attention_rows rows, sa_mat alpha) {
    for (int l = 0; l < block->count; l++) {
        const int S = keys_of(block, l, alpha.cols);
        sa_window_gauss_forward(sa_attention_center(w, block->i + l, rows, block->row + l, S),
                                w->window_size, sa_cols(sa_rows(alpha, l, 1), 0, visible(w, S)));
    }
}

/* dalpha becomes the derivative by the weights before the Gaussian, which are written to soft;
 * those by the centres are added to d.share. */
static void gauss_backward(const sa_attention *w, const sa_query_block *block,
                           sa_attention_rows rows, sa_mat alpha, sa_mat dalpha, sa_mat soft,
                           sa_attention_rows d) {
    sa_zero(soft);
    for (int l = 0; l < block->count; l++) {
        const int S = keys_of(block, l, alpha.cols), seen = visible(w, S);
        const sa_real dp = sa_window_gauss_backward(
            sa_attention_center(w, block->i + l, rows, block->row + l, S), w->window_size,
            sa_cols(sa_rows(alpha, l, 1), 0, seen), sa_cols(sa_rows(dalpha, l, 1), 0, seen),
            sa_cols(sa_rows(soft, l, 1), 0, seen));
        *sa_row(d.relative_center, block->row + l) += dp * (sa_real)seen;
    }
}

/* alpha^k and o^k of all heads. */
void sa_query_block_forward(const sa_attention *w, const sa_memory *memory,
                            const sa_query_block *block, const sa_override *override,
                            sa_attention_rows rows, sa_mat o, sa_attention_scratch scratch) {
    const int b = block->sentence;
    sa_mat keys = sentence(memory->keys, memory->first, b);
    sa_mat values = sentence(memory->values, memory->first, b);
    sa_mat q = sa_rows(rows.q, block->row, block->count);
    const int S = values.rows;
    const sa_span *spans = spans_of(w, block, rows, S, scratch.spans);
    for (int k = 0; k < w->heads; k++) {
        head at = head_of(w, k, q, keys, values, sa_rows(o, block->row, block->count));
        sa_mat alpha = block_weights(w, block, rows.alpha, k, S);
        sa_attention_weights_forward(w->score, at.v_a, at.q, at.k, spans, alpha,
                                     sa_cols(sa_rows(scratch.keys, 0, S), 0, at.k.cols));
        if (w->window == SA_WINDOW_LOCAL_P) gauss_forward(w, block, rows, alpha);
        for (int l = 0; override && l < block->count; l++)
            sa_override_apply(override, b, block->i + l, sa_rows(alpha, l, 1),
                              sa_cols(sa_rows(scratch.soft, 0, 1), 0, S));
        sa_attention_sum_forward(alpha, at.v, at.o);
    }
}

void sa_query_block_backward(const sa_attention *w, const sa_memory *memory,
                             const sa_query_block *block, sa_attention_rows rows, sa_mat d_o,
                             sa_attention_rows d, sa_memory *dmemory, sa_attention *dw,
                             sa_attention_scratch scratch) {
    const int *first = memory->first, b = block->sentence;
    sa_mat keys = sentence(memory->keys, first, b), values = sentence(memory->values, first, b);
    sa_mat dkeys = sentence(dmemory->keys, first, b), dvalues = sentence(dmemory->values, first, b);
    sa_mat q = sa_rows(rows.q, block->row, block->count),
           dq = sa_rows(d.q, block->row, block->count);
    sa_mat dhead_outputs = sa_rows(d_o, block->row, block->count);
    const int S = values.rows;
    const sa_span *spans = spans_of(w, block, rows, S, scratch.spans);
    for (int k = 0; k < w->heads; k++) {
        head at = head_of(w, k, q, keys, values, dhead_outputs);
        head to = head_of(dw, k, dq, dkeys, dvalues, dhead_outputs);
        sa_mat alpha = block_weights(w, block, rows.alpha, k, S);
        sa_mat dalpha = sa_cols(sa_rows(scratch.dalpha, 0, block->count), 0, S);
        sa_mat soft = sa_cols(sa_rows(scratch.soft, 0, block->count), 0, S);
        sa_attention_sum_backward(alpha, at.v, at.o, dalpha, to.v);
        if (!k && d.alpha.cols) /* only the first head is guided */
            sa_add(sa_cols(sa_rows(d.alpha, block->row, block->count), 0, S), dalpha);
        if (w->window == SA_WINDOW_LOCAL_P) {
            gauss_backward(w, block, rows, alpha, dalpha, soft, d);
            alpha = soft;
        }
        sa_attention_weights_backward(w->score, at.v_a, at.q, at.k, spans, alpha, dalpha, to.q,
                                      to.k, to.v_a,
                                      sa_cols(sa_rows(scratch.keys, 0, S), 0, at.k.cols));
    }
}
