#include "tensor/bf16.h"
#include "tensor/denormal.h"
#include "tensor/dispatch.h"

#include <stdint.h>
#include <string.h>

bool sa_bf16_native(void) {
    return sa_packed_takes_pairs();
}

enum {
    DEPTH = SA_BF16_BLOCK,
    WIDTH = SA_PACKED_WIDTH,
    PAD = 16,
    ROUNDED = 147456 / sizeof(sa_real), /* places of the rows that share a panel: 144 or 288 */
};

/* ---- Rounding ---------------------------------------------------------------------------------
 * The kernels read numbers in one of two forms (sa_bf16_native): two in one place, the first in
 * the lower half; or each as a float of its own, the second of a pair before the first. Either way
 * a sum runs over places in their order. */

typedef uint32_t place __attribute__((may_alias));
typedef uint16_t half __attribute__((may_alias));

/* Places of `inner` numbers. */
static int places(int inner) {
    return sa_bf16_native() ? (inner + 1) / 2 : (inner + 1) / 2 * 2;
}

/* The float bf16(x), bit by bit. */
static inline uint32_t rounded(sa_real x) {
    const uint32_t sign = 0x80000000, infinite = 0x7f800000, quiet = 0x00400000;
    const float single = (float)x;
    uint32_t bits;
    memcpy(&bits, &single, sizeof bits);
    const uint32_t even = bits + 0x7fff + (bits >> 16 & 1);
    const uint32_t finite = (bits & infinite) == 0 ? bits & sign : even;
    return ((bits & ~sign) > infinite ? bits | quiet : finite) & 0xffff0000;
}

SA_DISPATCHED static void round_halves(const sa_real *x, int size, half *to) {
    for (int k = 0; k < size; k++) to[k] = (half)(rounded(x[k]) >> 16);
}

SA_DISPATCHED static void round_swapped(const sa_real *x, int size, place *to) {
    for (int k = 0; k < size; k += 2) to[k] = rounded(x[k + 1]), to[k + 1] = rounded(x[k]);
}

SA_DISPATCHED static void round_pairs(const sa_real *first, const sa_real *second, int size,
                                      place *to) {
    for (int j = 0; j < size; j++) to[j] = rounded(first[j]) >> 16 | rounded(second[j]);
}

SA_DISPATCHED static void round_all(const sa_real *x, int size, int shift, place *to) {
    for (int j = 0; j < size; j++) to[j] = rounded(x[j]) >> shift;
}

/* to [x.rows x places(x.cols)]: pairs along each row. */
static void round_rows(sa_mat x, sa_mat to) {
    const int even = x.cols / 2 * 2;
    for (int i = 0; i < x.rows; i++) {
        const sa_real *from = sa_row(x, i);
        place *own = (place *)sa_row(to, i);
        if (sa_bf16_native())
            round_halves(from, even, (half *)own);
        else
            round_swapped(from, even, own);
        if (even == x.cols) continue;
        const bool pairs = sa_bf16_native();
        own[to.cols - (pairs ? 1 : 2)] = pairs ? rounded(from[even]) >> 16 : 0;
        if (!pairs) own[to.cols - 1] = rounded(from[even]);
    }
}

/* to [places(x.rows) x x.cols]: pairs along each column. */
static void round_columns(sa_mat x, sa_mat to) {
    const bool pairs = sa_bf16_native();
    for (int k = 0, row = 0; k < x.rows; k += 2) {
        const bool alone = k + 1 == x.rows;
        const sa_real *first = sa_row(x, k), *second = alone ? NULL : sa_row(x, k + 1);
        place *own = (place *)sa_row(to, row++);
        if (pairs && alone)
            round_all(first, x.cols, 16, own);
        else if (pairs)
            round_pairs(first, second, x.cols, own);
        else if (alone)
            memset(own, 0, sizeof *own * (size_t)x.cols);
        else
            round_all(second, x.cols, 0, own);
        if (!pairs) round_all(first, x.cols, 0, (place *)sa_row(to, row++));
    }
}

/* ---- Packing --------------------------------------------------------------------------------- */

static int least(int a, int b) {
    return a < b ? a : b;
}

/* Rows k .. k+depth-1 and columns j .. j+count-1 of W, or of W' if `transposed`, as a panel. */
static void pack_block(sa_mat W, bool transposed, int k, int depth, int j, int count, sa_real *to) {
    if (transposed) {
        sa_real memory[WIDTH * DEPTH];
        const sa_mat rows = {memory, count, places(depth), places(depth)};
        round_rows(sa_cols(sa_rows(W, j, count), k, depth), rows);
        sa_packed_panel(rows, 0, count, true, to);
        return;
    }
    const sa_mat panel = {to, places(depth), count, WIDTH};
    round_columns(sa_cols(sa_rows(W, k, depth), j, count), panel);
    for (int i = 0; i < panel.rows && count < WIDTH; i++)
        memset(sa_row(panel, i) + count, 0, sizeof *to * (size_t)(WIDTH - count));
}

static size_t packed_size(int inner, int cols) {
    return (size_t)(cols + WIDTH - 1) / WIDTH * WIDTH * (size_t)places(inner);
}

sa_mat sa_bf16_layout(sa_arena *arena, sa_mat W) {
    const size_t transposed = packed_size(W.cols, W.rows), straight = packed_size(W.rows, W.cols);
    const size_t size =
        (transposed > straight ? transposed : straight) + WIDTH; /* a slice reads this far beyond */
    return size > INT32_MAX ? (sa_mat){0} : sa_mat_alloc(arena, 1, (int)size);
}

sa_packed sa_bf16_pack(sa_mat W, sa_mat buffer, bool transposed, int part, int parts) {
    const int inner = transposed ? W.cols : W.rows, cols = transposed ? W.rows : W.cols;
    const size_t size = packed_size(inner, cols);
    sa_require((size_t)buffer.cols >= size + WIDTH);
    for (int j = part * WIDTH; parts && j < cols; j += parts * WIDTH) {
        sa_real *panel = buffer.x + (ptrdiff_t)j * places(inner);
        for (int k = 0; k < inner; k += DEPTH)
            pack_block(W, transposed, k, least(DEPTH, inner - k), j, least(WIDTH, cols - j),
                       panel + (ptrdiff_t)places(k) * WIDTH);
    }
    if (part == 0 && parts) memset(buffer.x + size, 0, WIDTH * sizeof *buffer.x);
    return (sa_packed){.panels = buffer.x, .height = places(inner), .bf16 = true};
}

sa_packed sa_bf16_rows(sa_packed W, int rows, int first, int count) {
    const int end = first + count;
    if (!W.panels || first % 2 != 0 || (end % 2 != 0 && end < rows)) return (sa_packed){0};
    W.panels += (ptrdiff_t)places(first) * WIDTH;
    return W;
}

/* ---- Multiplying ----------------------------------------------------------------------------- */

typedef struct multiplier { /* the second */
    sa_mat mat;
    bool transposed;
    sa_packed packed;
} multiplier;

/* c += a W, or a' W if `transposed`, for a rounded block of a that begins at k along the inner
 * dimension. */
static void multiply_block(sa_mat a, bool transposed, const multiplier *W, int k, int depth,
                           sa_real beta, sa_mat c) {
    void (*product)(sa_mat, sa_packed, sa_real, sa_mat) =
        transposed ? sa_packed_multiply_transposed : sa_packed_multiply;
    sa_real panel[WIDTH * DEPTH];
    if (W->packed.panels) {
        sa_packed packed = W->packed;
        packed.panels += (ptrdiff_t)places(k) * WIDTH;
        product(a, packed, beta, c);
        return;
    }
    for (int j = 0; j < c.cols; j += WIDTH) {
        const int count = least(WIDTH, c.cols - j);
        pack_block(W->mat, W->transposed, k, depth, j, count, panel);
        product(a, (sa_packed){.panels = panel, .height = places(depth), .bf16 = true}, beta,
                sa_cols(c, j, count));
    }
}

/* Not inlined: what it computes must stay between the two settings of the processor. */
__attribute__((noinline)) static void multiply_blocks(sa_mat a, bool transposed,
                                                      const multiplier *W, sa_real beta, sa_mat c) {
    sa_real memory[ROUNDED];
    const int inner = transposed ? a.rows : a.cols,
              most = ROUNDED / (places(DEPTH) + PAD) / 12 * 12;
    for (int k = 0; k < inner; k += DEPTH, beta = 1) {
        const int depth = least(DEPTH, inner - k);
        for (int i = 0; i < c.rows; i += most) {
            const int count = least(most, c.rows - i);
            sa_mat block = {memory, count, places(depth), places(depth) + PAD};
            if (transposed) {
                block = (sa_mat){memory, places(depth), count, count};
                round_columns(sa_cols(sa_rows(a, k, depth), i, count), block);
            } else {
                round_rows(sa_cols(sa_rows(a, i, count), k, depth), block);
            }
            multiply_block(block, transposed, W, k, depth, beta, sa_rows(c, i, count));
        }
    }
}

static void multiply(sa_mat a, bool transposed, multiplier W, sa_real beta, sa_mat c) {
    if (!(transposed ? a.rows : a.cols) && beta == 0)
        for (int i = 0; i < c.rows; i++) memset(sa_row(c, i), 0, sizeof(sa_real) * (size_t)c.cols);
    const unsigned before = sa_denormals_off();
    multiply_blocks(a, transposed, &W, beta, c);
    sa_denormals_restore(before);
}

void sa_bf16_nn(sa_mat a, sa_mat b, sa_packed packed, sa_real beta, sa_mat c) {
    sa_require(a.cols == b.rows && a.rows == c.rows && b.cols == c.cols);
    multiply(a, false, (multiplier){b, false, packed}, beta, c);
}

void sa_bf16_nt(sa_mat a, sa_mat b, sa_packed packed, sa_real beta, sa_mat c) {
    sa_require(a.cols == b.cols && a.rows == c.rows && b.rows == c.cols);
    multiply(a, false, (multiplier){b, true, packed}, beta, c);
}

void sa_bf16_tn(sa_mat a, sa_mat b, sa_real beta, sa_mat c) {
    sa_require(a.rows == b.rows && a.cols == c.rows && b.cols == c.cols);
    multiply(a, true, (multiplier){b, false, {0}}, beta, c);
}
