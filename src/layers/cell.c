#include "layers/cell.h"
#include "layers/gru.h"
#include "layers/linear.h"
#include "layers/lstm.h"
#include "layers/rnn.h"
#include "tensor/gradient_fault.h"

#include <stdio.h>
#include <string.h>

/* The gated unit with the reset gate after U keeps U s' apart, so that the gate can multiply it:
 * one block more, in front. */
#define BEFORE .blocks = 3, .reach = 3, .joint = 2, .suffix = {"_z", "_r", ""}, .kept = 1
#define AFTER .blocks = 4, .reach = 3, .outer = 1, .joint = 2, .suffix = {"", "_z", "_r", ""}

enum { GRU, LSTM, RNN, KINDS };

const sa_cell sa_cells[] = {
    {"gru", "s = (1-z) . s' + z . tanh(W x + U [r . s'])", "Bahdanau et al. 2015, A.1.1", BEFORE,
     .forward = sa_gru_before_new_forward, .backward = sa_gru_before_new_backward,
     .weights_backward = sa_gru_before_weights_backward},
    {"gru", "s = z . s' + (1-z) . tanh(W x + U [r . s'])", "Cho et al. 2014, section 2.3", BEFORE,
     .forward = sa_gru_before_old_forward, .backward = sa_gru_before_old_backward,
     .weights_backward = sa_gru_before_weights_backward},
    {"gru", "s = (1-z) . s' + z . tanh(W x + r . (U s'))", "reset after U, as in cuDNN", AFTER,
     .forward = sa_gru_after_new_forward, .backward = sa_gru_after_new_backward,
     .weights_backward = sa_gru_after_weights_backward},
    {"gru", "s = z . s' + (1-z) . tanh(W x + r . (U s'))", "dl4mt, Nematus, Marian", AFTER,
     .forward = sa_gru_after_old_forward, .backward = sa_gru_after_old_backward,
     .weights_backward = sa_gru_after_weights_backward},
    {"lstm", "m = f . m' + i . g, s = o . tanh(m)", "Hochreiter and Schmidhuber 1997; Gers 2000",
     .blocks = 4, .reach = 4, .joint = 4, .suffix = {"_i", "_f", "_o", ""}, .memory = 1, .kept = 1,
     .forward = sa_lstm_forward, .backward = sa_lstm_backward,
     .weights_backward = sa_lstm_weights_backward},
    {"rnn", "s = tanh(W x + U s')", "Elman 1990", .blocks = 1, .reach = 1, .joint = 1,
     .suffix = {""}, .forward = sa_rnn_forward, .backward = sa_rnn_backward,
     .weights_backward = sa_rnn_weights_backward},
    {.name = NULL},
};

const char *sa_cell_name(size_t row) {
    static const char *const names[] = {[GRU] = "gru", [LSTM] = "lstm", [RNN] = "rnn"};
    return row < KINDS ? names[row] : NULL;
}

const sa_cell *sa_cell_find(int kind, bool keeps_old, bool reset_after) {
    if (kind == GRU) return &sa_cells[2 * reset_after + keeps_old];
    const sa_cell *row = sa_cells;
    while (strcmp(row->name, sa_cell_name((size_t)kind)) != 0) row++;
    return row;
}

/* ---- Weights --------------------------------------------------------------------------------- */

/* "W" for the blocks from `at` on: W_z, W_r and W under each other. Rows 0 binds vectors, of names
 * with `more` behind: "W_z.norm.g". */
static sa_mat bind_blocks(sa_binder *binder, const char *part, const char *letter, const char *more,
                          const sa_cell *cell, int at, int rows, int cols, sa_start start) {
    char names[4][16];
    const char *list[4];
    for (int i = 0; i < cell->reach; i++) {
        snprintf(names[i], sizeof names[i], "%s%s%s", letter, cell->suffix[at + i], more);
        list[i] = names[i];
    }
    return rows ? sa_bind_stack(binder, part, list, cell->reach, rows, cols, start)
                : sa_bind_vectors(binder, part, list, cell->reach, cols, start);
}

static void bind_norm(sa_binder *binder, const char *part, const char *letter, const sa_cell *cell,
                      int at, int n, sa_layernorm *w) {
    w->g = bind_blocks(binder, part, letter, ".norm.g", cell, at, 0, n, SA_START_ONE);
    w->b = bind_blocks(binder, part, letter, ".norm.b", cell, at, 0, n, SA_START_ZERO);
}

/* The norms of `norm`, by what is multiplied. */
typedef enum product { OF_INPUT, OF_STATE, OF_CONTEXT, PRODUCTS } product;

static void bind_norms(sa_binder *binder, const char *part, sa_recurrent_sizes sizes,
                       sa_recurrent *w) {
    const sa_cell *cell = w->cell;
    if (sizes.in) bind_norm(binder, part, "W", cell, cell->outer, sizes.n, &w->norm[OF_INPUT]);
    bind_norm(binder, part, "U", cell, 0, sizes.n, &w->norm[OF_STATE]);
    if (sizes.context)
        bind_norm(binder, part, "C", cell, w->context_at, sizes.n, &w->norm[OF_CONTEXT]);
    if (!cell->memory) return;
    w->norm_m.g = sa_bind_vector(binder, part, "m.norm.g", sizes.n, SA_START_ONE);
    w->norm_m.b = sa_bind_vector(binder, part, "m.norm.b", sizes.n, SA_START_ZERO);
}

void sa_recurrent_bind(sa_binder *binder, const char *part, const sa_cell *cell,
                       sa_recurrent_sizes sizes, sa_recurrent *w) {
    const int n = sizes.n, outer = cell->outer;
    *w = (sa_recurrent){.cell = cell,
                        .bias_at = sizes.inner_bias ? 0 : outer,
                        .context_at = sizes.inner_context ? 0 : outer};
    if (sizes.in)
        w->W = bind_blocks(binder, part, "W", "", cell, outer, n, sizes.in, SA_START_INPUT);
    w->U = bind_blocks(binder, part, "U", "", cell, 0, n, n, SA_START_RECURRENT);
    w->b = bind_blocks(binder, part, "b", "", cell, w->bias_at, 0, n, SA_START_ZERO);
    if (sizes.context)
        w->C = bind_blocks(binder, part, "C", "", cell, w->context_at, n, sizes.context,
                           SA_START_INPUT);
    if (sizes.normed) bind_norms(binder, part, sizes, w);
}

sa_recurrent_panels sa_recurrent_panels_layout(sa_arena *arena, const sa_recurrent *w, int rows,
                                               bool input) {
    return (sa_recurrent_panels){.W = sa_panels_layout(arena, w->W, input ? rows : 0),
                                 .U = sa_panels_layout(arena, w->U, rows),
                                 .C = sa_panels_layout(arena, w->C, rows)};
}

sa_recurrent sa_recurrent_in_panels(const sa_recurrent *w, sa_recurrent_panels room,
                                    sa_laying *lay) {
    sa_recurrent laid = *w;
    laid.W = lay(w->W, room.W);
    laid.U = lay(w->U, room.U);
    laid.C = lay(w->C, room.C);
    return laid;
}

/* ---- One product, normalised or not -----------------------------------------------------------
 */

static bool normed(const sa_recurrent *w, product of) {
    return w->norm[of].g.cols;
}

bool sa_recurrent_normed(const sa_recurrent *w) {
    return normed(w, OF_STATE);
}

/* The blocks that belong to number i of the (at most two) that are normalised together, of a
 * product that reaches the blocks from `at` on: [z r | s~], but [u | z r]. */
static void joint_blocks(const sa_cell *cell, int at, int i, int *first, int *count) {
    const int rest = cell->reach - cell->joint, front = at < cell->outer ? rest : cell->joint;
    *first = i ? front : 0;
    *count = i ? cell->reach - front : front;
}

void sa_recurrent_joint(const sa_recurrent *w, int block, int *first, int *count) {
    for (int i = 0; i < 2; i++) {
        joint_blocks(w->cell, 0, i, first, count);
        if (block < *first + *count) return;
    }
}

/* A normalisation leaves a row of its numbers and two factors. */
static int kept_of(const sa_recurrent *w) {
    return w->cell->reach * w->U.cols + 2;
}

int sa_recurrent_kept(const sa_recurrent *w) {
    if (!w->cell) return 0;
    int width = w->cell->kept * w->U.cols;
    for (int of = 0; of < PRODUCTS; of++)
        if (normed(w, of)) width += kept_of(w);
    return w->norm_m.g.cols ? width + w->U.cols + 1 : width;
}

int sa_recurrent_da(const sa_recurrent *w) {
    if (!w->cell) return 0;
    int blocks = w->cell->blocks;
    for (int of = 0; of < PRODUCTS; of++)
        if (normed(w, of)) blocks += w->cell->reach;
    return blocks * w->U.cols;
}

/* How many products before this one are normalised: their numbers stand in front of its own. */
static int normed_before(const sa_recurrent *w, product of) {
    int count = 0;
    for (int k = 0; k < (int)of; k++) count += normed(w, k);
    return count;
}

/* The derivatives by a normalised product itself, behind those by the pre-activations. */
static sa_mat dproduct(const sa_recurrent *w, product of, int first, int count, sa_mat da) {
    const int n = w->U.cols, reach = w->cell->reach;
    const int at = w->cell->blocks + normed_before(w, of) * reach;
    return sa_cols(da, (at + first) * n, count * n);
}

/* One of the normalisations of a product: its weights, or their gradients, and its cache. */
static sa_layernorm norm_part(const sa_layernorm *w, int first, int count) {
    return (sa_layernorm){sa_cols(w->g, first, count), sa_cols(w->b, first, count)};
}

static sa_layernorm_cache norm_cache(const sa_recurrent *w, product of, int i, int first, int count,
                                     sa_mat kept) {
    const int n = w->U.cols, room = kept_of(w);
    const int at = w->cell->kept * n + normed_before(w, of) * room;
    return (sa_layernorm_cache){sa_cols(kept, at + first, count),
                                sa_cols(kept, at + room - 2 + i, 1)};
}

/* The blocks from `at` on that a contribution reaches. */
static sa_mat reached(const sa_recurrent *w, int at, sa_mat gates) {
    const int n = w->U.cols;
    return sa_cols(gates, at * n, w->cell->reach * n);
}

/* What a product is made of: its matrix, the first block that it reaches, and of the blocks that it
 * could reach those that are meant. */
typedef struct factor {
    product of;
    sa_mat W;
    int at, first, count;
} factor;

/* Supplementary material (Ba et al. 2016): a += W x, or a += LN(W x) */
static void product_forward(const sa_recurrent *w, factor by, sa_mat x, sa_mat a, sa_mat kept) {
    const int n = w->U.cols;
    sa_mat to = sa_cols(a, (by.at + by.first) * n, by.count * n);
    if (!normed(w, by.of)) {
        sa_gemm_nt(x, by.W, 1, to);
        return;
    }
    sa_gemm_nt(x, by.W, 0, norm_cache(w, by.of, 0, by.first * n, by.count * n, kept).normal);
    for (int i = 0; i < 2; i++) {
        int first, count;
        joint_blocks(w->cell, by.at, i, &first, &count);
        if (!count || first < by.first || first + count > by.first + by.count) continue;
        const sa_layernorm norm = norm_part(&w->norm[by.of], first * n, count * n);
        const sa_layernorm_cache cache = norm_cache(w, by.of, i, first * n, count * n, kept);
        sa_layernorm_add_forward(&norm, cache.normal, &cache,
                                 sa_cols(a, (by.at + first) * n, count * n));
    }
}

static void product_backward(const sa_recurrent *w, factor by, sa_mat kept, sa_mat da, sa_real beta,
                             sa_mat dx, sa_recurrent *dw) {
    const int n = w->U.cols;
    sa_mat dp = sa_cols(da, (by.at + by.first) * n, by.count * n);
    if (normed(w, by.of)) { /* a += LN(p) */
        sa_copy_mat(dp, dproduct(w, by.of, by.first, by.count, da));
        dp = dproduct(w, by.of, by.first, by.count, da);
        for (int i = 0; i < 2 && sa_term("cell.norm"); i++) {
            int first, count;
            joint_blocks(w->cell, by.at, i, &first, &count);
            if (!count || first < by.first || first + count > by.first + by.count) continue;
            const sa_layernorm norm = norm_part(&w->norm[by.of], first * n, count * n);
            const sa_layernorm_cache cache = norm_cache(w, by.of, i, first * n, count * n, kept);
            sa_layernorm dnorm = norm_part(&dw->norm[by.of], first * n, count * n);
            sa_layernorm_backward(&norm, &cache, dproduct(w, by.of, first, count, da), &dnorm);
        }
    }
    sa_gemm_nn(dp, by.W, beta, dx); /* p = W x */
}

/* by.W: the gradient */
static void product_weights_backward(factor by, sa_mat x, sa_mat da, const sa_recurrent *dw) {
    const int n = dw->U.cols;
    const sa_mat dp = normed(dw, by.of) ? dproduct(dw, by.of, by.first, by.count, da)
                                        : sa_cols(da, (by.at + by.first) * n, by.count * n);
    sa_gemm_tn(dp, x, 1, by.W);
}

/* ---- The three products ------------------------------------------------------------------------
 */

static factor input(const sa_recurrent *w) {
    return (factor){OF_INPUT, w->W, w->cell->outer, 0, w->cell->reach};
}

static void add_to_rows(sa_mat b, sa_mat y) {
    for (int i = 0; i < y.rows; i++) sa_axpy(1, b.x, sa_row(y, i), y.cols);
}

void sa_recurrent_input_forward(const sa_recurrent *w, sa_mat x, sa_mat gates, sa_mat kept) {
    const int outer = w->cell->outer;
    if (w->W.x && w->bias_at == outer && !normed(w, OF_INPUT)) {
        sa_linear_forward(w->W, w->b, x, reached(w, outer, gates));
        sa_zero(sa_cols(gates, 0, outer * w->U.cols));
    } else {
        sa_zero(gates);
        if (w->W.x) product_forward(w, input(w), x, gates, kept);
        add_to_rows(w->b, reached(w, w->bias_at, gates));
    }
}

void sa_recurrent_input_backward(const sa_recurrent *w, sa_mat kept, sa_mat da, sa_mat dx,
                                 sa_recurrent *dw) {
    if (sa_term("cell.input")) product_backward(w, input(w), kept, da, 1, dx, dw);
}

void sa_recurrent_input_weights_backward(sa_mat x, sa_mat da, sa_recurrent *dw) {
    if (dw->W.x) product_weights_backward(input(dw), x, da, dw);
    if (sa_term("cell.bias")) sa_sum_rows(reached(dw, dw->bias_at, da), dw->b.x);
}

static factor context(const sa_recurrent *w) {
    return (factor){OF_CONTEXT, w->C, w->context_at, 0, w->cell->reach};
}

void sa_recurrent_context_forward(const sa_recurrent *w, sa_mat c, sa_mat gates, sa_mat kept) {
    product_forward(w, context(w), c, gates, kept);
}

void sa_recurrent_context_backward(const sa_recurrent *w, sa_mat kept, sa_mat da, sa_mat dc,
                                   sa_recurrent *dw) {
    if (sa_term("decoder.context")) product_backward(w, context(w), kept, da, 1, dc, dw);
}

void sa_recurrent_context_weights_backward(sa_mat c, sa_mat da, sa_recurrent *dw) {
    product_weights_backward(context(dw), c, da, dw);
}

static factor state(const sa_recurrent *w, int first, int count) {
    const int n = w->U.cols;
    return (factor){OF_STATE, sa_rows(w->U, first * n, count * n), 0, first, count};
}

void sa_recurrent_state_forward(const sa_recurrent *w, int first, int count, sa_mat s, sa_mat gates,
                                sa_mat kept) {
    product_forward(w, state(w, first, count), s, gates, kept);
}

void sa_recurrent_state_backward(const sa_recurrent *w, int first, int count, sa_mat kept,
                                 sa_mat da, sa_real beta, sa_mat ds, sa_recurrent *dw) {
    product_backward(w, state(w, first, count), kept, da, beta, ds, dw);
}

void sa_recurrent_state_weights_backward(int first, int count, sa_mat s, sa_mat da,
                                         sa_recurrent *dw) {
    product_weights_backward(state(dw, first, count), s, da, dw);
}

/* ---- An LSTM's memory --------------------------------------------------------------------------
 */

/* Behind all else that is kept. */
static sa_layernorm_cache memory_cache(const sa_recurrent *w, sa_mat kept) {
    const int n = w->U.cols, at = sa_recurrent_kept(w) - n - 1;
    return (sa_layernorm_cache){sa_cols(kept, at, n), sa_cols(kept, at + n, 1)};
}

void sa_recurrent_memory_forward(const sa_recurrent *w, sa_mat m, sa_mat kept) {
    if (!w->norm_m.g.cols) return;
    const sa_layernorm_cache cache = memory_cache(w, kept);
    sa_layernorm_forward(&w->norm_m, m, &cache, m);
}

void sa_recurrent_memory_backward(const sa_recurrent *w, sa_mat kept, sa_mat dm, sa_recurrent *dw) {
    if (!w->norm_m.g.cols || !sa_term("cell.norm-memory")) return;
    const sa_layernorm_cache cache = memory_cache(w, kept);
    sa_layernorm_backward(&w->norm_m, &cache, dm, &dw->norm_m);
}
