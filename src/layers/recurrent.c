/* recurrent: computes the products of a recurrent layer, normalized or not, and their gradients.
 * cells.c has the equations of a step.
 *
 * With layer normalization (Ba et al. 2016, supplementary material; Nematus) every product is
 * normalized before it is added: LN(W x) + LN(U s_prev) + LN(C c) + b, and the state of an LSTM is
 * o . tanh(LN(m)). Each product has its own gain and bias. The mean and variance are taken over all
 * blocks of the gates together, in an LSTM including the candidate's; the candidate of a GRU has
 * its own. */
#include "layers/recurrent.h"

/* ---- One product, normalized or not ---------------------------------------------------------- */

static bool normalized(const sa_recurrent *w, sa_product product) {
    return w->norm[product].g.cols;
}

/* Returns how many products before this one are normalized: their columns come first. */
static int normalized_before(const sa_recurrent *w, sa_product product) {
    int count = 0;
    for (int k = 0; k < (int)product; k++) count += normalized(w, k);
    return count;
}

/* Finds group i (of at most two) of the blocks that are normalized together, in a product for the
 * blocks from `at` on: [z r | s~], but [u | z r]. */
static void norm_group(const sa_cell *cell, int at, int i, int *first, int *count) {
    const int rest = cell->gated_blocks - cell->grouped_blocks,
              front = at < cell->first_gate ? rest : cell->grouped_blocks;
    *first = i ? front : 0;
    *count = i ? cell->gated_blocks - front : front;
}

/* Returns the width of the normalized values of a row, with a factor for each of two groups. */
static int norm_cache_width(const sa_recurrent *w) {
    return w->cell->gated_blocks * w->n + 2;
}

int sa_recurrent_cache_width(const sa_recurrent *w) {
    if (!w->cell) return 0;
    const int norms = normalized_before(w, SA_PRODUCTS) * norm_cache_width(w),
              width = w->cell->cache * w->n + norms;
    return w->norm_m.g.cols ? width + w->n + 1 : width;
}

int sa_recurrent_da_width(const sa_recurrent *w) {
    if (!w->cell) return 0;
    return (w->cell->blocks + normalized_before(w, SA_PRODUCTS) * w->cell->gated_blocks) * w->n;
}

/* Returns the gradient of the normalized product itself; it follows the gradient of the
 * pre-activations. */
static sa_mat dproduct(const sa_recurrent *w, sa_product product, int first, int count, sa_mat da) {
    const int n = w->n, gated_blocks = w->cell->gated_blocks;
    const int at = w->cell->blocks + normalized_before(w, product) * gated_blocks;
    return sa_cols(da, (at + first) * n, count * n);
}

/* A group of blocks of a product: its gain and bias, and where they keep what the backward pass
 * needs. */
typedef struct group {
    int first, count; /* blocks; count 0: the product has no such group */
    sa_layernorm w;
    sa_layernorm_cache cache;
} group;

static group group_at(const sa_recurrent *w, sa_product product, int i, int first, int count,
                      sa_mat cache) {
    const int n = w->n, width = norm_cache_width(w);
    const int at = w->cell->cache * n + normalized_before(w, product) * width;
    const sa_layernorm *norm = &w->norm[product];
    return (group){
        first,
        count,
        {sa_cols(norm->g, first * n, count * n), sa_cols(norm->b, first * n, count * n)},
        {sa_cols(cache, at + first * n, count * n), sa_cols(cache, at + width - 2 + i, 1)}};
}

/* Returns group i (of at most two) of the product. */
static group group_of(const sa_factor *by, int i, sa_mat cache) {
    int first, count;
    norm_group(by->w->cell, by->at, i, &first, &count);
    if (first < by->first || first + count > by->first + by->count) count = 0;
    return count ? group_at(by->w, by->product, i, first, count, cache) : (group){0};
}

/* Returns the gated blocks, from block `at` on. */
static sa_mat gated_columns(const sa_recurrent *w, int at, sa_mat gates) {
    const int n = w->n;
    return sa_cols(gates, at * n, w->cell->gated_blocks * n);
}

/* Supplementary material (Ba et al. 2016): a += W x, or a += LN(W x)
 *
 *   x [R x in] -> a [R x blocks n]; cache [R x ..] */
void sa_product_forward(sa_factor by, sa_mat x, sa_mat a, sa_mat cache) {
    const sa_recurrent *w = by.w;
    const int n = w->n;
    sa_mat to = sa_cols(a, (by.at + by.first) * n, by.count * n);
    if (!normalized(w, by.product)) {
        sa_weight_nt(x, by.W, 1, to);
        return;
    }
    sa_weight_nt(x, by.W, 0, group_at(w, by.product, 0, by.first, by.count, cache).cache.normal);
    for (int i = 0; i < 2; i++) {
        const group own = group_of(&by, i, cache);
        if (!own.count) continue;
        sa_layernorm_forward(&own.w, own.cache.normal, &own.cache, 1,
                             sa_cols(a, (by.at + own.first) * n, own.count * n));
    }
}

void sa_product_backward(sa_factor by, sa_mat cache, sa_mat da, sa_real beta, sa_mat dx,
                         sa_recurrent *dw) {
    const sa_recurrent *w = by.w;
    const int n = w->n;
    sa_mat dp = sa_cols(da, (by.at + by.first) * n, by.count * n);
    if (normalized(w, by.product)) { /* a += LN(p) */
        sa_copy_mat(dp, dproduct(w, by.product, by.first, by.count, da));
        dp = dproduct(w, by.product, by.first, by.count, da);
        for (int i = 0; i < 2; i++) {
            const group own = group_of(&by, i, cache);
            if (!own.count) continue;
            sa_layernorm dnorm = group_at(dw, by.product, i, own.first, own.count, cache).w;
            sa_layernorm_backward(&own.w, &own.cache,
                                  dproduct(w, by.product, own.first, own.count, da), &dnorm);
        }
    }
    sa_weight_nn(dp, by.W, beta, dx); /* p = W x */
}

void sa_product_weights_backward(sa_factor by, sa_mat x, sa_mat da) {
    const sa_recurrent *dw = by.w;
    const int n = dw->n;
    const sa_mat dp = normalized(dw, by.product)
                          ? dproduct(dw, by.product, by.first, by.count, da)
                          : sa_cols(da, (by.at + by.first) * n, by.count * n);
    sa_weight_tn(dp, x, by.W);
}

/* ---- The three products ---------------------------------------------------------------------- */

sa_factor sa_W_of(const sa_recurrent *w) {
    return (sa_factor){w, SA_BY_W, w->W, w->cell->first_gate, 0, w->cell->gated_blocks};
}

sa_factor sa_C_of(const sa_recurrent *w) {
    return (sa_factor){w, SA_BY_C, w->C, w->context_block, 0, w->cell->gated_blocks};
}

sa_factor sa_U_of(const sa_recurrent *w, int first, int count) {
    const int n = w->n;
    return (sa_factor){w, SA_BY_U, sa_weight_rows(w->U, first * n, count * n), 0, first, count};
}

/* a = W x + b    x [R x in] -> gates [R x blocks n] */
void sa_recurrent_input_forward(const sa_recurrent *w, sa_mat x, sa_mat gates, sa_mat cache) {
    const int first_gate = w->cell->first_gate;
    if (w->W.mat.x && w->bias_block == first_gate && !normalized(w, SA_BY_W)) {
        sa_linear_forward(w->W, w->b, x, gated_columns(w, first_gate, gates));
        sa_zero(sa_cols(gates, 0, first_gate * w->n));
    } else {
        sa_zero(gates);
        if (w->W.mat.x) sa_product_forward(sa_W_of(w), x, gates, cache);
        const sa_mat a = gated_columns(w, w->bias_block, gates);
        for (int i = 0; i < a.rows; i++) sa_axpy(1, w->b.x, sa_row(a, i), a.cols);
    }
}

/* ---- The memory of an LSTM --------------------------------------------------------------------
 */

/* Returns the last columns of the cache. */
static sa_layernorm_cache memory_cache(const sa_recurrent *w, sa_mat cache) {
    const int n = w->n, at = sa_recurrent_cache_width(w) - n - 1;
    return (sa_layernorm_cache){sa_cols(cache, at, n), sa_cols(cache, at + n, 1)};
}

/* m = LN(m)    [L x n] */
void sa_norm_m_forward(const sa_recurrent *w, sa_mat m, sa_mat cache) {
    if (!w->norm_m.g.cols) return;
    const sa_layernorm_cache norm_stats = memory_cache(w, cache);
    sa_layernorm_forward(&w->norm_m, m, &norm_stats, 0, m);
}

void sa_norm_m_backward(const sa_recurrent *w, sa_mat cache, sa_mat dm, sa_recurrent *dw) {
    if (!w->norm_m.g.cols) return;
    const sa_layernorm_cache norm_stats = memory_cache(w, cache);
    sa_layernorm_backward(&w->norm_m, &norm_stats, dm, &dw->norm_m);
}

/* ---- A layer in a model ---------------------------------------------------------------------- */

/* rows.gates [L x blocks n] hold W x + C c + b; state [L x n] */
void sa_recurrent_step_forward(const sa_recurrent *w, sa_recurrent_rows rows, sa_state state) {
    sa_state_dropout_forward(rows.dropout.mask, rows.previous);
    w->cell->forward(w, rows.previous, rows.gates, rows.cache, state);
}

void sa_recurrent_step_backward(const sa_recurrent *w, sa_recurrent_rows rows, sa_state dstate,
                                sa_mat da, sa_state dprevious, sa_mat scratch, sa_recurrent *dw) {
    w->cell->backward(w, rows.previous, rows.gates, rows.cache, dstate, da, dprevious, scratch, dw);
    sa_state_dropout_backward(rows.dropout.mask, dprevious);
}

void sa_recurrent_weights_backward(const sa_recurrent *w, sa_recurrent_rows rows, sa_mat x,
                                   sa_mat c, sa_mat da, sa_recurrent *dw) {
    w->cell->weights_backward(rows.previous, rows.cache, da, dw);
    if (dw->W.mat.x) sa_product_weights_backward(sa_W_of(dw), x, da); /* W x + b */
    sa_sum_rows(gated_columns(dw, dw->bias_block, da), dw->b.x);
    if (w->C.mat.x) sa_product_weights_backward(sa_C_of(dw), c, da);
}

sa_recurrent_rows sa_recurrent_rows_slice(sa_recurrent_rows all, int first, int count) {
    sa_slice_mats(&all, sizeof all, all.gates.rows, first, count);
    return all;
}
