#include "tensor/bf16.h"
#include "tensor/denormal.h"
#include "tensor/dispatch.h"
#include "tensor/vec.h"

#include <softalign/report.h>
#include <stdint.h>
#include <string.h>
#ifdef SA_PAIRS
#include <immintrin.h>
#endif

const char *sa_bf16_emulated(void) {
    return sa_packed_takes_pairs()
               ? NULL
               : "bf16 is emulated, which is slower than float32: this processor has "
                 "no AVX512_BF16";
}

enum {
    DEPTH = SA_BF16_BLOCK,
    WIDTH = SA_PACKED_WIDTH,
    TILE = 12, /* rows of a tile, as in tensor/packed.c */
    PAD = 16,
    SPAN = 4 * DEPTH, /* how much of the inner dimension is rounded at a time if all that it meets
                         is packed */
    ROUNDED = (144 << 10) / sizeof(sa_real), /* places of rounded rows, in the second cache */
    ROOM = 1 << 22,                          /* places: to pack more for one product does not pay */
};
_Static_assert(ROUNDED / (SPAN + PAD) >= TILE, "a tile of rounded rows");

/* ---- Rounding ---------------------------------------------------------------------------------
 * The kernels read numbers in one of two forms (sa_packed_takes_pairs): two in one place, the first
 * in the lower half; or each as a float of its own, the second of a pair before the first. Either
 * way a sum runs over places in their order. */

typedef uint32_t place __attribute__((may_alias));
typedef uint16_t half __attribute__((may_alias));

/* Returns the number of places that `inner` numbers take. */
static int places(int inner) {
    return sa_packed_takes_pairs() ? (inner + 1) / 2 : (inner + 1) / 2 * 2;
}

/* Returns the float bf16(x), bit by bit. */
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

/* Does the same with the processor's instruction, for whole vectors only; returns how many numbers
 * it has rounded. */
#ifdef SA_PAIRS
#define BY_INSTRUCTION __attribute__((target("avx512f,avx512bw,avx512bf16")))
enum { LANES = 16 };

/* Asks the processor itself, because sa_packed_takes_pairs may return a test's answer. */
static bool converts(void) {
    return __builtin_cpu_supports("avx512bf16") && __builtin_cpu_supports("avx512bw");
}

BY_INSTRUCTION static int convert_halves(const sa_real *x, int size, half *to) {
    int k = 0;
    for (; k + 2 * LANES <= size; k += 2 * LANES) {
        const __m512 first = _mm512_loadu_ps(x + k), second = _mm512_loadu_ps(x + k + LANES);
        _mm512_storeu_si512(to + k, (__m512i)_mm512_cvtne2ps_pbh(second, first));
    }
    return k;
}

BY_INSTRUCTION static int convert_pairs(const sa_real *first, const sa_real *second, int size,
                                        place *to) {
    static const half order[2 * LANES] = {0,  16, 1,  17, 2,  18, 3,  19, 4,  20, 5,
                                          21, 6,  22, 7,  23, 8,  24, 9,  25, 10, 26,
                                          11, 27, 12, 28, 13, 29, 14, 30, 15, 31};
    const __m512i alternate = _mm512_loadu_si512(order);
    int j = 0;
    for (; j + LANES <= size; j += LANES) {
        const __m512 lower = _mm512_loadu_ps(first + j), upper = _mm512_loadu_ps(second + j);
        const __m512i halves = (__m512i)_mm512_cvtne2ps_pbh(upper, lower);
        _mm512_storeu_si512(to + j, _mm512_permutexvar_epi16(alternate, halves));
    }
    return j;
}
#endif

static void to_halves(const sa_real *x, int size, half *to) {
    int done = 0;
#ifdef SA_PAIRS
    if (converts()) done = convert_halves(x, size, to);
#endif
    round_halves(x + done, size - done, to + done);
}

static void to_pairs(const sa_real *first, const sa_real *second, int size, place *to) {
    int done = 0;
#ifdef SA_PAIRS
    if (converts()) done = convert_pairs(first, second, size, to);
#endif
    round_pairs(first + done, second + done, size - done, to + done);
}

/* Fills to [x.rows x places(x.cols)] with pairs along each row. */
static void round_rows(sa_mat x, sa_mat to) {
    const int even = x.cols / 2 * 2;
    for (int i = 0; i < x.rows; i++) {
        const sa_real *from = sa_row(x, i);
        place *own = (place *)sa_row(to, i);
        if (sa_packed_takes_pairs())
            to_halves(from, even, (half *)own);
        else
            round_swapped(from, even, own);
        if (even == x.cols) continue;
        const bool pairs = sa_packed_takes_pairs();
        own[to.cols - (pairs ? 1 : 2)] = pairs ? rounded(from[even]) >> 16 : 0;
        if (!pairs) own[to.cols - 1] = rounded(from[even]);
    }
}

/* Fills to [places(x.rows) x x.cols] with pairs along each column. */
static void round_columns(sa_mat x, sa_mat to) {
    const bool pairs = sa_packed_takes_pairs();
    for (int k = 0, row = 0; k < x.rows; k += 2) {
        const bool alone = k + 1 == x.rows;
        const sa_real *first = sa_row(x, k), *second = alone ? NULL : sa_row(x, k + 1);
        place *own = (place *)sa_row(to, row++);
        if (pairs && alone)
            round_all(first, x.cols, 16, own);
        else if (pairs)
            to_pairs(first, second, x.cols, own);
        else if (alone)
            memset(own, 0, sizeof *own * (size_t)x.cols);
        else
            round_all(second, x.cols, 0, own);
        if (!pairs) round_all(first, x.cols, 0, (place *)sa_row(to, row++));
    }
}

/* ---- Packing --------------------------------------------------------------------------------- */

/* Packs rows k .. k+depth-1 and columns j .. j+count-1 of W, or of W' if `transposed`, as a
 * panel. */
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

sa_mat sa_bf16_layout(sa_arena *arena, sa_mat W) {
    const size_t transposed = sa_packed_size(places(W.cols), W.rows),
                 straight = sa_packed_size(places(W.rows), W.cols),
                 size = transposed > straight ? transposed : straight;
    return size > INT32_MAX ? (sa_mat){0} : sa_mat_alloc(arena, 1, (int)size);
}

size_t sa_bf16_room(int cols) {
    const size_t size = sa_packed_size(places(SPAN), cols);
    return size > ROOM ? 0 : size;
}

sa_packed sa_bf16_pack(sa_mat W, sa_mat buffer, bool transposed, int job, int jobs) {
    const int inner = transposed ? W.cols : W.rows, cols = transposed ? W.rows : W.cols;
    const size_t size = sa_packed_size(places(inner), cols);
    sa_require((size_t)buffer.cols >= size);
    for (int j = job * WIDTH; jobs && j < cols; j += jobs * WIDTH) {
        sa_real *panel = buffer.x + (ptrdiff_t)j * places(inner);
        for (int k = 0; k < inner; k += DEPTH)
            pack_block(W, transposed, k, sa_least(DEPTH, inner - k), j, sa_least(WIDTH, cols - j),
                       panel + (ptrdiff_t)places(k) * WIDTH);
    }
    if (job == 0 && jobs) memset(buffer.x + size - WIDTH, 0, WIDTH * sizeof *buffer.x);
    return (sa_packed){.panels = buffer.x, .height = places(inner), .bf16 = true};
}

sa_packed sa_bf16_rows(sa_packed W, int rows, int first, int count) {
    const int end = first + count;
    if (!W.panels || first % 2 != 0 || (end % 2 != 0 && end < rows)) return (sa_packed){0};
    W.panels += (ptrdiff_t)places(first) * WIDTH;
    return W;
}

/* ---- Multiplying ----------------------------------------------------------------------------- */

typedef struct multiplier { /* the second factor */
    sa_mat mat;
    bool transposed;
    sa_packed packed;
    const sa_mat *packing;
} multiplier;

/* Returns first .. first+count-1 along the inner dimension, which is x's rows or its columns. */
static sa_mat along(sa_mat x, bool by_rows, int first, int count) {
    return by_rows ? sa_rows(x, first, count) : sa_cols(x, first, count);
}

/* Returns columns j .. j+cols-1 and k .. k+depth-1 of the inner dimension; if there are no packed
 * panels, packs them into `panel`. */
static sa_packed panel_of(const multiplier *W, int k, int depth, int j, int cols, sa_real *panel) {
    sa_packed packed = W->packed;
    if (packed.panels) {
        packed.panels += (ptrdiff_t)places(k) * WIDTH;
        packed.offset += j;
        return packed;
    }
    pack_block(W->mat, W->transposed, k, depth, j, cols, panel);
    return (sa_packed){.panels = panel, .height = places(depth), .bf16 = true};
}

/* Computes c += a W, or a' W if `transposed`, for a rounded a; panel by panel, so that the columns
 * of c stay in the cache. */
static void multiply_panels(sa_mat a, bool transposed, const multiplier *W, sa_real beta,
                            sa_mat c) {
    sa_real panel[WIDTH * DEPTH];
    const int inner = W->transposed ? W->mat.cols : W->mat.rows;
    for (int j = 0, cols = 0; j < c.cols; j += cols) {
        cols = sa_least(WIDTH - (W->packed.offset + j) % WIDTH, c.cols - j);
        for (int k = 0; k < inner; k += DEPTH) {
            const int depth = sa_least(DEPTH, inner - k);
            sa_packed_multiply(transposed, along(a, transposed, places(k), places(depth)),
                               panel_of(W, k, depth, j, cols, panel), k ? 1 : beta,
                               sa_cols(c, j, cols));
        }
    }
}

/* Rounds some rows of a, or of a', and k .. k+depth-1 along the inner dimension. */
static sa_mat round_block(sa_mat a, bool transposed, int first, int rows, int k, int depth,
                          sa_real *memory) {
    const int height = places(depth);
    sa_mat block = {memory, rows, height, height + PAD};
    if (transposed) {
        block = (sa_mat){memory, height, rows, rows};
        round_columns(sa_cols(sa_rows(a, k, depth), first, rows), block);
    } else {
        round_rows(sa_cols(sa_rows(a, first, rows), k, depth), block);
    }
    return block;
}

/* Returns whether the scratch has room to pack `depth` of the inner dimension. */
static bool has_room(const multiplier *W, int depth, int cols) {
    return W->packing && (size_t)W->packing->cols >= sa_packed_size(places(depth), cols);
}

/* Returns k .. k+depth-1 of the inner dimension; if several blocks of rows share it and there is
 * room, packs it in the scratch. */
static multiplier span_of(const multiplier *W, int k, int depth, bool shared, int cols) {
    multiplier span = *W;
    span.mat = along(W->mat, !W->transposed, k, depth);
    if (W->packed.panels)
        span.packed.panels += (ptrdiff_t)places(k) * WIDTH;
    else if (shared && has_room(W, depth, cols))
        span.packed = sa_bf16_pack(span.mat, *W->packing, W->transposed, 0, 1);
    return span;
}

/* This is not inlined: what it computes must stay between the two changes of the processor's
 * settings. */
__attribute__((noinline)) static void multiply_blocks(sa_mat a, bool transposed,
                                                      const multiplier *W, sa_real beta, sa_mat c) {
    sa_real rounded_rows[ROUNDED];
    const int inner = transposed ? a.rows : a.cols, longest = sa_least(inner, SPAN);
    const bool keeps = W->packed.panels || has_room(W, longest, c.cols);
    const int span = keeps ? longest : sa_least(inner, DEPTH),
              most = ROUNDED / (places(span) + PAD) / TILE * TILE;
    for (int k = 0; k < inner; k += span, beta = 1) {
        const int depth = sa_least(span, inner - k);
        const multiplier stretch = span_of(W, k, depth, c.rows > most, c.cols);
        for (int i = 0; i < c.rows; i += most) {
            const int rows = sa_least(most, c.rows - i);
            const sa_mat block = round_block(a, transposed, i, rows, k, depth, rounded_rows);
            multiply_panels(block, transposed, &stretch, beta, sa_rows(c, i, rows));
        }
    }
}

void sa_bf16_gemm(bool a_transposed, sa_mat a, bool b_transposed, sa_mat b, sa_packed packed,
                  const sa_mat *packing, sa_real beta, sa_mat c) {
    const multiplier W = {b, b_transposed, packed, packing};
    const int inner = a_transposed ? a.rows : a.cols;
    sa_require(inner == (b_transposed ? b.cols : b.rows) &&
               c.rows == (a_transposed ? a.cols : a.rows) &&
               c.cols == (b_transposed ? b.rows : b.cols));
    if (!inner && beta == 0) sa_zero(c);
    const unsigned before = sa_denormals_off();
    multiply_blocks(a, a_transposed, &W, beta, c);
    sa_denormals_restore(before);
}
