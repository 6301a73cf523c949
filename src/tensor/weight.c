/* weight: products with weights, from packed or rounded copies where they exist. */
#include "tensor/weight.h"
#include "base/memory.h"
#include "tensor/bf16.h"
#include "tensor/packed.h"
#include "tensor/vec.h"

#include <softalign/lab.h>
#include <stdlib.h>
#include <string.h>

static bool rounds(int precision) {
#ifdef SA_DOUBLE
    return false;
#else
    return precision == SA_PRECISION_BF16;
#endif
}

/* ---- Copies ---------------------------------------------------------------------------------- */

/* Returns memory for a copy in either order, for products of `rows` rows; it is empty if a copy
 * would not pay. */
static sa_mat copy_layout(sa_arena *arena, sa_weight W, int rows) {
    return rounds(W.as.precision) ? sa_bf16_layout(arena, W.mat)
                                  : sa_packed_layout(arena, W.mat, rows);
}

static sa_packed copy(sa_weight W, bool transposed, sa_mat buffer, int job, int jobs) {
    if (!buffer.x || !W.mat.x) return (sa_packed){0};
    return rounds(W.as.precision) ? sa_bf16_pack(W.mat, buffer, transposed, job, jobs)
                                  : sa_packed_of(W.mat, buffer, transposed);
}

sa_weight sa_weight_stored(sa_weight W, sa_store *store) {
    const int jobs = store->jobs ? store->jobs : 1;
    if (store->use == SA_STORE_GRADIENTS) {
        const int size = rounds(W.as.precision) ? (int)sa_bf16_room(W.mat.cols) : 0;
        if (size > store->packing.cols) store->packing.cols = size;
        W.as.packing = &store->packing;
        return W;
    }
    if (store->use == SA_STORE_TRAINING && !rounds(W.as.precision)) return W;
    const sa_mat forward = copy_layout(&store->memory, W, store->rows);
    W.as.forward = copy(W, true, forward, store->job, jobs);
    W.as.repeats = store->use == SA_STORE_INFERENCE;
    if (store->use == SA_STORE_TRAINING)
        W.as.backward =
            copy(W, false, copy_layout(&store->memory, W, store->rows), store->job, jobs);
    return W;
}

bool sa_store_open(sa_store *store, sa_error *error) {
    const int packing = store->packing.cols;
    const size_t size = store->memory.used + (size_t)packing * sizeof(sa_real);
    if (!sa_arena_init(&store->memory, size, error)) return false;
    if (packing) store->packing = sa_mat_alloc(&store->memory, 1, packing);
    return true;
}

void sa_store_release(sa_store *store) {
    sa_arena_release(&store->memory);
}

sa_weight sa_weight_rows(sa_weight W, int first, int count) {
    W.as.before += first;
    W.as.after += W.mat.rows - first - count;
    W.mat = sa_rows(W.mat, first, count);
    return W;
}

/* ---- Loops of steps -------------------------------------------------------------------------- */

enum { COPIES = 64 }; /* most copies for one loop */

/* The copies of the loop that this thread runs. */
static _Thread_local struct loop {
    sa_arena memory;
    int count;
    struct loop_copy {
        const sa_real *of;
        bool transposed;
        sa_packed packed;
    } copy[COPIES];
} loop;

void sa_steps_add(sa_steps *steps, sa_weight *W) {
    sa_arena counting = {.used = steps->size};
    if (W->as.forward.panels || !W->mat.rows) return;
    copy_layout(&counting, *W, INT32_MAX);
    W->as.in_steps = counting.used > steps->size;
    steps->size = counting.used;
    steps->least_rows = rounds(W->as.precision) ? 1 : SA_PACKED_LEAST;
}

sa_arena sa_steps_layout(sa_arena *arena, sa_steps steps, int rows) {
    const size_t size = rows < steps.least_rows ? 0 : steps.size;
    return (sa_arena){.base = sa_arena_alloc(arena, size, 1), .size = size};
}

void sa_steps_begin(sa_arena memory) {
    loop.memory = memory;
    loop.count = 0;
}

void sa_steps_end(void) {
    loop.memory.size = 0;
}

/* Returns the copy of a whole weight in the current loop. There is one, because forward and
 * backward passes are separate loops. */
static sa_packed loop_copy(sa_weight W, bool transposed) {
    if (!loop.memory.size) return (sa_packed){0};
    W.mat.x -= (ptrdiff_t)W.as.before * W.mat.ld;
    W.mat.rows += W.as.before + W.as.after;
    for (int i = 0; i < loop.count; i++)
        if (loop.copy[i].of == W.mat.x)
            return loop.copy[i].transposed == transposed ? loop.copy[i].packed : (sa_packed){0};
    sa_require(loop.count < COPIES);
    const sa_mat buffer = copy_layout(&loop.memory, W, INT32_MAX);
    const sa_packed packed = copy(W, transposed, buffer, 0, 1);
    loop.copy[loop.count++] = (struct loop_copy){W.mat.x, transposed, packed};
    return packed;
}

/* ---- Equal rows ------------------------------------------------------------------------------ */

/* Returns a hash of the bits of some values in the row. */
static unsigned hash_of(const sa_real *row, int size) {
    const int step = size > 16 ? size / 16 : 1;
    uint64_t hash = 0;
    for (int i = 0; i < size; i += step) {
        uint32_t bits;
        memcpy(&bits, row + i, sizeof bits);
        hash = (hash ^ bits) * 0x9e3779b97f4a7c15U;
        hash ^= hash >> 32;
    }
    return (unsigned)hash;
}

int sa_distinct_rows(sa_mat x, int same[SA_DISTINCT_ROWS], int first[SA_DISTINCT_ROWS]) {
    enum { PLACES = 2 * SA_DISTINCT_ROWS };
    short table[PLACES];
    int count = 0;
    sa_require(x.rows <= SA_DISTINCT_ROWS);
    memset(table, -1, sizeof table);
    for (int i = 0; i < x.rows; i++) {
        const sa_real *row = sa_row(x, i);
        unsigned at = hash_of(row, x.cols) % PLACES;
        while (table[at] >= 0 &&
               memcmp(sa_row(x, first[table[at]]), row, sizeof *row * (size_t)x.cols) != 0)
            at = (at + 1) % PLACES;
        if (table[at] < 0) {
            first[count] = i;
            table[at] = (short)count++;
        }
        same[i] = table[at];
    }
    return count;
}

void sa_gather_rows(sa_mat from, const int *index, sa_mat to) {
    sa_require(from.cols == to.cols);
    for (int i = 0; i < to.rows; i++)
        memcpy(sa_row(to, i), sa_row(from, index[i]), sizeof(sa_real) * (size_t)to.cols);
}

/* Adds row index[i] of `from` to row i of `to`. */
static void add_gathered(sa_mat from, const int *index, sa_mat to) {
    sa_require(from.cols == to.cols);
    for (int i = 0; i < to.rows; i++) sa_axpy(1, sa_row(from, index[i]), sa_row(to, i), to.cols);
}

/* ---- Products -------------------------------------------------------------------------------- */

/* Returns W, or its slice, in the order of x W' if `transposed`, else of dy W; not packed: there is
 * no such copy. */
static sa_packed copy_of(sa_weight W, bool transposed) {
    sa_packed packed = transposed ? W.as.forward : W.as.backward;
    if (W.as.in_steps) packed = loop_copy(W, transposed);
    if (!packed.panels) return packed;
    if (transposed)
        packed.offset += W.as.before;
    else if (packed.bf16)
        packed =
            sa_bf16_rows(packed, W.as.before + W.mat.rows + W.as.after, W.as.before, W.mat.rows);
    else
        packed.panels += (ptrdiff_t)W.as.before * SA_PACKED_WIDTH;
    return packed;
}

/* y = beta y + x W' if `transposed`, else x W */
static void multiply(sa_mat x, sa_weight W, bool transposed, sa_real beta, sa_mat y) {
    const sa_packed packed = copy_of(W, transposed);
    if (rounds(W.as.precision)) {
        sa_bf16_gemm(false, x, transposed, W.mat, packed, NULL, beta, y);
    } else if (packed.panels) {
        const sa_mat mat = W.mat;
        sa_require(x.rows == y.rows && x.cols == (transposed ? mat.cols : mat.rows) &&
                   y.cols == (transposed ? mat.rows : mat.cols));
        sa_packed_multiply(false, x, packed, beta, y);
    } else {
        sa_gemm(false, x, transposed, W.mat, beta, y);
    }
}

/* Multiplies only one of equal rows of x, at most SA_DISTINCT_ROWS, if that saves a quarter of the
 * work and there is memory. (Not in bf16, whose products add to y block by block.) */
static void multiply_distinct(sa_mat x, sa_weight W, sa_real beta, sa_mat y) {
    int same[SA_DISTINCT_ROWS], first[SA_DISTINCT_ROWS];
    const int count = sa_distinct_rows(x, same, first);
    const size_t size = sizeof(sa_real) * ((size_t)x.cols + (size_t)y.cols);
    void *numbers = NULL;
    if (4 * count > 3 * x.rows || !sa_resize(&numbers, (size_t)count, size, NULL)) {
        multiply(x, W, true, beta, y);
        return;
    }
    const sa_mat own = {numbers, count, x.cols, x.cols},
                 product = {own.x + (size_t)count * (size_t)x.cols, count, y.cols, y.cols};
    sa_gather_rows(x, first, own);
    multiply(own, W, true, 0, product);
    (beta != 0 ? add_gathered : sa_gather_rows)(product, same, y);
    free(numbers);
}

void sa_weight_nt(sa_mat x, sa_weight W, sa_real beta, sa_mat y) {
    if (x.rows < 2 || !W.as.repeats || !W.as.forward.panels || rounds(W.as.precision)) {
        multiply(x, W, true, beta, y);
        return;
    }
    for (int at = 0; at < x.rows; at += SA_DISTINCT_ROWS) {
        const int rest = x.rows - at, count = rest < SA_DISTINCT_ROWS ? rest : SA_DISTINCT_ROWS;
        multiply_distinct(sa_rows(x, at, count), W, beta, sa_rows(y, at, count));
    }
}

void sa_weight_nn(sa_mat dy, sa_weight W, sa_real beta, sa_mat dx) {
    multiply(dy, W, false, beta, dx);
}

void sa_weight_tn(sa_mat dy, sa_mat x, sa_weight dW) {
    if (rounds(dW.as.precision))
        sa_bf16_gemm(true, dy, false, x, (sa_packed){0}, dW.as.packing, 1, dW.mat);
    else
        sa_gemm_tn(dy, x, 1, dW.mat);
}

int sa_weight_most_rows(sa_weight W, int rows) {
    enum { FEW = 24 };
    return W.as.forward.panels && rows > FEW ? FEW : rows;
}

void sa_weight_nt_most(sa_mat x, sa_weight W, const sa_real *b, int stretch, sa_mat y,
                       sa_mat most) {
    const bool packed = W.as.forward.panels && !rounds(W.as.precision);
    if (!packed) sa_weight_nt(x, W, 0, y);
    for (int k = 0, at = 0; k < most.cols; k++, at += stretch) {
        const int count = y.cols - at < stretch ? y.cols - at : stretch;
        const sa_mat columns = sa_cols(y, at, count);
        if (packed) multiply(x, sa_weight_rows(W, at, count), true, 0, columns);
        for (int i = 0; i < x.rows; i++)
            sa_row(most, i)[k] = sa_add_and_max(sa_row(columns, i), b + at, count);
    }
}
