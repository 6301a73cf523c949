#include "attention/multihead.h"
#include "attention/earlier_weights.h"
#include "attention/head_weights.h"
#include "tensor/gradient_fault.h"
#include "tensor/vec.h"

#include <string.h>

sa_attention_scratch sa_attention_scratch_layout(sa_arena *arena, const sa_attention *w,
                                                 int queries, int steps, bool training) {
    const int own = sa_attention_has_own_keys(w) ? w->key_width / w->kv_heads : 0;
    const int K = w->location.F.rows;
    return (sa_attention_scratch){
        .keys = sa_mat_alloc(arena, steps, w->key_width),
        .own_keys = sa_mat_alloc(arena, steps, own),
        .d_own_keys = sa_mat_alloc(arena, training ? steps : 0, own),
        .f = sa_mat_alloc(arena, steps, K),
        .df = sa_mat_alloc(arena, training ? steps : 0, K),
        .dalpha = sa_mat_alloc(arena, training ? queries : 0, steps),
        .soft = sa_mat_alloc(arena, queries, steps),
        .null_scores = sa_mat_alloc(arena, w->k_0.cols ? queries : 0, 1),
        .spans = sa_arena_alloc(arena, (size_t)queries, sizeof(sa_span)),
    };
}

/* ---- What a query may see -------------------------------------------------------------------- */

/* How many of S positions the score reaches: the location score ends at S_max. */
static int visible(const sa_attention *w, int S) {
    const int max_positions = w->query_width / w->heads;
    return w->score->query == SA_QUERY_POSITIONS && max_positions < S ? max_positions : S;
}

sa_real sa_attention_center(const sa_attention *w, int i, sa_attention_rows rows, int l, int S) {
    S = visible(w, S);
    if (w->window == SA_WINDOW_LOCAL_P) return (sa_real)S * *sa_row(rows.relative_center, l);
    return (sa_real)(i < S ? i : S);
}

/* The keys that exist for query l of the block. */
static int keys_of(const sa_query_block *block, int l, int S) {
    return block->causal && block->i + l < S ? block->i + l : S;
}

static sa_span span_of(const sa_attention *w, const sa_query_block *block, int l,
                       sa_attention_rows rows, int S) {
    const int keys = keys_of(block, l, S), seen = visible(w, keys);
    if (w->window == SA_WINDOW_NONE) return (sa_span){0, seen};
    return sa_window_span(sa_attention_center(w, block->i + l, rows, block->row + l, keys),
                          w->window_size, seen);
}

/* NULL: every query sees everything. */
static const sa_span *spans_of(const sa_attention *w, const sa_query_block *block,
                               sa_attention_rows rows, int S, sa_span *spans) {
    bool whole = true;
    for (int l = 0; l < block->count; l++) {
        spans[l] = span_of(w, block, l, rows, S);
        whole = whole && spans[l].count == S;
    }
    return whole ? NULL : spans;
}

/* ---- One head -------------------------------------------------------------------------------- */

/* The weights of head k in the block's rows. */
static sa_mat block_weights(const sa_attention *w, const sa_query_block *block, sa_mat alpha, int k,
                            int S) {
    return sa_cols(sa_head_part(sa_rows(alpha, block->row, block->count), w->heads, k), 0, S);
}

/* Map m of head k in the block's rows. */
static sa_mat block_map(const sa_attention *w, const sa_query_block *block, sa_mat maps, int k,
                        int m, int S) {
    const sa_mat head = sa_head_part(sa_rows(maps, block->row, block->count), w->heads, k);
    return sa_cols(sa_head_part(head, w->score->maps, m), 0, S);
}

/* The output of head k before its norm. */
static sa_mat block_sums(const sa_attention *w, const sa_query_block *block, sa_mat sums, int k) {
    return sa_head_part(sa_rows(sums, block->row, block->count), w->heads, k);
}

bool sa_attention_lacks(const sa_attention *w) {
    return w->normalizer->null_key || w->window == SA_WINDOW_LOCAL_P;
}

/* Equation 10 (Luong et al. 2015) for every query of the block. */
static void gauss_forward(const sa_attention *w, const sa_query_block *block,
                          sa_attention_rows rows, sa_mat alpha) {
    for (int l = 0; l < block->count; l++) {
        const int S = keys_of(block, l, alpha.cols);
        sa_window_gauss_forward(sa_attention_center(w, block->i + l, rows, block->row + l, S),
                                w->window_size, sa_cols(sa_rows(alpha, l, 1), 0, visible(w, S)));
    }
}

/* dalpha becomes the derivative by the weights before the Gaussian, which are written to soft; the
 * centers' are added to d.relative_center. */
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

/* ---- All heads of one block of queries ------------------------------------------------------- */

static int words_of(const sa_memory *memory, int b) {
    return memory->first[b + 1] - memory->first[b];
}

/* The block's rows of q, or of its derivative back. */
static void rotate_queries(const sa_attention *w, const sa_query_block *block, bool back,
                           sa_mat q) {
    const bool whole = w->score->query == SA_QUERY_IDENTITY; /* one query for all heads */
    sa_positions_rotate(&w->positions, whole ? 1 : w->heads * sa_attention_maps(w), block->i - 1,
                        back, sa_rows(q, block->row, block->count));
}

sa_span sa_attention_scores(const sa_attention *w, const sa_memory *memory, int b, int i,
                            bool causal, sa_attention_rows rows, int l, int k, int map, sa_mat e,
                            sa_attention_scratch scratch) {
    const sa_query_block block = {l, 1, b, i, causal};
    const sa_head_slice head = sa_slice_head(w, memory, &block, rows.q, rows.head_outputs, k),
                        at = sa_slice_map(w, &head, map);
    sa_head_scores_forward(w, k, &block, rows, &at, e, scratch);
    return span_of(w, &block, 0, rows, e.cols);
}

/* The weights of head k before windows: one map, or the difference of two. */
static void weights_forward(const sa_attention *w, const sa_query_block *block,
                            const sa_span *spans, const sa_override *override,
                            sa_attention_rows rows, int k, const sa_head_slice *head, sa_mat alpha,
                            sa_attention_scratch scratch) {
    sa_mat map[2];
    for (int m = 0; m < sa_attention_maps(w); m++) {
        const sa_head_slice at = sa_slice_map(w, head, m);
        map[m] = w->score->maps ? block_map(w, block, rows.maps, k, m, alpha.cols) : alpha;
        sa_head_scores_forward(w, k, block, rows, &at, map[m], scratch);
        if (w->k_0.cols) sa_head_null_forward(w, &at, map[m], scratch);
        sa_head_weights_forward(w, k, block->row, spans, override, rows, map[m]);
    }
    if (w->score->maps)
        sa_difference_forward(sa_lambda_forward(&w->differential), map[0], map[1], alpha);
}

/* From rows.q, which is rotated, and the centers: alpha^k and o^k of every head k. */
static void heads_forward(const sa_attention *w, const sa_memory *memory,
                          const sa_query_block *block, const sa_override *override,
                          sa_attention_rows rows, sa_mat o, sa_attention_scratch scratch) {
    const int S = words_of(memory, block->sentence);
    const sa_span *spans = spans_of(w, block, rows, S, scratch.spans);
    rotate_queries(w, block, false, rows.q);
    sa_zero(sa_rows(rows.coverage_loss, block->row, block->count));
    sa_zero(sa_rows(rows.draws, block->row, block->count));
    for (int k = 0; k < w->heads; k++) {
        const sa_head_slice at = sa_slice_head(w, memory, block, rows.q, o, k);
        const sa_mat alpha = block_weights(w, block, rows.alpha, k, S);
        if (w->score->carry)
            w->score->carry(at.v_a, sa_state_score(w, rows.previous_state, block->row, k), at.q,
                            sa_state_score(w, rows.state, block->row, k));
        weights_forward(w, block, spans, override, rows, k, &at, alpha, scratch);
        if (w->window == SA_WINDOW_LOCAL_P) gauss_forward(w, block, rows, alpha);
        for (int l = 0; override && l < block->count; l++)
            sa_override_apply(override, block->sentence, block->i + l, sa_rows(alpha, l, 1),
                              sa_cols(sa_rows(scratch.soft, 0, 1), 0, S));
        const sa_mat sum = w->score->maps ? block_sums(w, block, rows.sums, k) : at.o;
        sa_attention_sum_forward(alpha, at.v, sum);
        sa_positions_values_forward(&w->positions, block->i - 1, alpha, sum);
        if (w->score->maps) sa_head_norm_forward(&w->differential, sum, at.o);
        sa_earlier_weights_forward(w, memory, block->sentence, rows, block->row, k, alpha);
    }
}

/* One map of head k, from its weights and the derivative by them, which is overwritten. */
static void map_backward(const sa_attention *w, const sa_query_block *block, const sa_span *spans,
                         sa_attention_rows rows, sa_attention_rows d, int k, int m,
                         const sa_head_slice *head, sa_mat alpha, sa_mat dalpha,
                         const sa_head_slice *dhead, sa_attention *dw,
                         sa_attention_scratch scratch) {
    const sa_head_slice at = sa_slice_map(w, head, m);
    sa_head_slice to = sa_slice_map(w, dhead, m);
    sa_head_weights_backward(w, k, block->row, spans, rows, alpha, dalpha, d, dw);
    if (w->k_0.cols) sa_head_null_backward(w, &at, dalpha, &to, scratch);
    sa_head_scores_backward(w, k, block, rows, &at, dalpha, &to, d, dw, scratch);
}

/* From d_o and d.state: d.q, d.relative_center, d.previous_state, what dmemory has besides
 * annotations, and what dw has for the core are added to. */
static void heads_backward(const sa_attention *w, const sa_memory *memory,
                           const sa_query_block *block, sa_attention_rows rows, sa_mat d_o,
                           sa_attention_rows d, sa_memory *dmemory, sa_attention *dw,
                           sa_attention_scratch scratch) {
    const int S = words_of(memory, block->sentence);
    const sa_span *spans = spans_of(w, block, rows, S, scratch.spans);
    const sa_mat dalpha = sa_cols(sa_rows(scratch.dalpha, 0, block->count), 0, S);
    const sa_mat soft = sa_cols(sa_rows(scratch.soft, 0, block->count), 0, S);
    sa_real dlambda = 0;
    for (int k = 0; k < w->heads; k++) {
        const sa_head_slice at = sa_slice_head(w, memory, block, rows.q, d_o, k),
                            to = sa_slice_head(dw, dmemory, block, d.q, d_o, k);
        sa_mat alpha = block_weights(w, block, rows.alpha, k, S);
        if (w->score->maps)
            sa_head_norm_backward(&w->differential, block_sums(w, block, rows.sums, k), to.o,
                                  &dw->differential);
        sa_attention_sum_backward(alpha, at.v, to.o, dalpha, to.v);
        sa_positions_values_backward(&w->positions, block->i - 1, alpha, to.o, dalpha,
                                     &dw->positions);
        if (d.alpha.cols) sa_add(block_weights(w, block, d.alpha, k, S), dalpha);
        sa_earlier_weights_backward(w, memory, block->sentence, rows, block->row, k, alpha, d,
                                    dmemory, dalpha);
        if (w->window == SA_WINDOW_LOCAL_P) {
            gauss_backward(w, block, rows, alpha, dalpha, soft, d);
            alpha = soft;
        }
        if (w->score->maps) {
            const sa_mat A2 = block_map(w, block, rows.maps, k, 1, S);
            alpha = block_map(w, block, rows.maps, k, 0, S);
            dlambda +=
                sa_difference_backward(sa_lambda_forward(&w->differential), A2, dalpha, soft);
            map_backward(w, block, spans, rows, d, k, 1, &at, A2, soft, &to, dw, scratch);
        }
        map_backward(w, block, spans, rows, d, k, 0, &at, alpha, dalpha, &to, dw, scratch);
        if (w->score->carry)
            w->score->carry_backward(sa_state_score(w, rows.previous_state, block->row, k),
                                     sa_state_score(w, rows.state, block->row, k),
                                     sa_state_score(w, d.state, block->row, k), to.q,
                                     sa_state_score(w, d.previous_state, block->row, k), to.v_a);
    }
    if (w->score->maps) sa_lambda_backward(&w->differential, dlambda, &dw->differential);
    if (sa_gradient_intact("rope.query")) rotate_queries(w, block, true, d.q);
}

/* ---- One query per sentence ------------------------------------------------------------------ */

void sa_attention_score_forward(const sa_attention *w, const sa_memory *memory, int b, int i,
                                const sa_override *override, sa_attention_rows rows, int l,
                                sa_mat o, sa_attention_scratch scratch) {
    const sa_query_block block = {l, 1, b, i, false};
    heads_forward(w, memory, &block, override, rows, o, scratch);
}

/* Whether the weights and output of a row depend on its sentence and query alone. */
static bool follows_from_query(const sa_attention *w, const sa_override *override,
                               sa_attention_rows rows) {
    return !override && !w->score->maps && !sa_attention_draws(w) && !rows.previous_state.cols;
}

/* An earlier row of the same sentence with the same query (hypotheses of a beam that continue the
 * same one), or l. */
static int same_query(const int *which, sa_mat s, int l) {
    const size_t size = sizeof(sa_real) * (size_t)s.cols;
    for (int k = l - 1; k >= 0 && which[k] == which[l]; k--)
        if (memcmp(sa_row(s, k), sa_row(s, l), size) == 0) return k;
    return l;
}

/* A.1.2 (Bahdanau et al. 2015); Section 3.2.2 (Vaswani et al. 2017) */
void sa_attention_step_forward(const sa_attention *w, const sa_memory *memory, const int *which,
                               int i, sa_mat s, const sa_override *override, sa_attention_rows rows,
                               sa_mat c, sa_attention_scratch scratch) {
    const sa_mat o = sa_attention_head_output(w, rows, c);
    const bool shared = which && follows_from_query(w, override, rows);
    sa_attention_project_query(w, s, rows);
    for (int l = 0; l < s.rows; l++) {
        const int same = shared ? same_query(which, s, l) : l;
        if (same < l) {
            sa_copy_mat(sa_rows(rows.alpha, same, 1), sa_rows(rows.alpha, l, 1));
            sa_copy_mat(sa_rows(o, same, 1), sa_rows(o, l, 1));
            continue;
        }
        sa_attention_score_forward(w, memory, which ? which[l] : l, i, override, rows, l, o,
                                   scratch);
    }
    sa_attention_project_output(w, rows, c);
}

void sa_attention_step_backward(const sa_attention *w, const sa_memory *memory, int i,
                                sa_attention_rows rows, sa_mat dc, sa_attention_rows d,
                                sa_memory *dmemory, sa_mat ds, sa_attention *dw,
                                sa_attention_scratch scratch) {
    const sa_mat d_o = sa_attention_project_output_backward(w, dc, d);
    sa_zero(d.q), sa_zero(d.relative_center), sa_zero(d.previous_state);
    for (int l = 0; l < dc.rows; l++) {
        const sa_query_block block = {l, 1, l, i, false};
        heads_backward(w, memory, &block, rows, d_o, d, dmemory, dw, scratch);
    }
    sa_attention_project_query_backward(w, rows, d, ds);
}

/* ---- All queries of all sentences ------------------------------------------------------------ */

static sa_query_block sentence_block(const sa_queries *queries, int b) {
    const int first = queries->first[b];
    return (sa_query_block){first, queries->first[b + 1] - first, b, 1, queries->causal};
}

/* Section 3.2.2 (Vaswani et al. 2017): MultiHead(Q, K, V) */
void sa_attention_all_forward(const sa_attention *w, const sa_memory *memory,
                              const sa_queries *queries, sa_mat s, const sa_override *override,
                              sa_attention_rows rows, sa_mat c, sa_attention_scratch scratch) {
    const sa_mat o = sa_attention_head_output(w, rows, c);
    sa_attention_project_query(w, s, rows);
    for (int b = 0; b < queries->sentences; b++) {
        const sa_query_block block = sentence_block(queries, b);
        heads_forward(w, memory, &block, override, rows, o, scratch);
    }
    sa_attention_project_output(w, rows, c);
}

void sa_attention_all_backward(const sa_attention *w, const sa_memory *memory,
                               const sa_queries *queries, sa_mat s, sa_attention_rows rows,
                               sa_mat dc, sa_attention_rows d, sa_memory *dmemory, sa_mat ds,
                               sa_attention *dw, sa_attention_scratch scratch) {
    const sa_mat d_o = sa_attention_project_output_backward(w, dc, d);
    sa_zero(d.q), sa_zero(d.relative_center);
    for (int b = 0; b < queries->sentences; b++) {
        const sa_query_block block = sentence_block(queries, b);
        heads_backward(w, memory, &block, rows, d_o, d, dmemory, dw, scratch);
    }
    sa_attention_project_query_backward(w, rows, d, ds);
    sa_attention_projections_backward(s, rows, dc, d, dw);
}
