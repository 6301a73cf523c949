/* packed: products with a packed matrix. */
#include "tensor/packed.h"
#include "tensor/dispatch.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#ifdef SA_PAIRS
#include <immintrin.h>
#endif

/* A factor of a product [K x N] in panels of WIDTH columns, panel after panel, each row by row: the
 * innermost loop reads contiguous memory. */
enum { WIDTH = SA_PACKED_WIDTH };

/* ---- Packing --------------------------------------------------------------------------------- */

/* Transposes 4 x 4 numbers at a time. */
enum { SIDE = 4 };
typedef sa_real quad __attribute__((vector_size(SIDE * sizeof(sa_real))));

static void transpose_tile(const sa_real *from, int ld, sa_real *to, int to_ld) {
    quad a, b, c, d;
    memcpy(&a, from, sizeof a);
    memcpy(&b, from + ld, sizeof b);
    memcpy(&c, from + 2 * (ptrdiff_t)ld, sizeof c);
    memcpy(&d, from + 3 * (ptrdiff_t)ld, sizeof d);
    const quad ab = __builtin_shufflevector(a, b, 0, 4, 1, 5),
               cd = __builtin_shufflevector(c, d, 0, 4, 1, 5),
               ab_ = __builtin_shufflevector(a, b, 2, 6, 3, 7),
               cd_ = __builtin_shufflevector(c, d, 2, 6, 3, 7);
    const quad column[SIDE] = {__builtin_shufflevector(ab, cd, 0, 1, 4, 5),
                               __builtin_shufflevector(ab, cd, 2, 3, 6, 7),
                               __builtin_shufflevector(ab_, cd_, 0, 1, 4, 5),
                               __builtin_shufflevector(ab_, cd_, 2, 3, 6, 7)};
    for (int j = 0; j < SIDE; j++) memcpy(to + j * (ptrdiff_t)to_ld, &column[j], sizeof(quad));
}

/* Sets to = W', number by number as bits. */
static void transpose(sa_mat W, sa_mat to) {
    const int rows = W.rows / SIDE * SIDE, cols = W.cols / SIDE * SIDE;
    for (int j = 0; j < W.cols; j++)
        for (int i = j < cols ? rows : 0; i < W.rows; i++)
            memcpy(sa_row(to, j) + i, sa_row(W, i) + j, sizeof(sa_real));
    for (int j = 0; j < cols; j += SIDE)
        for (int i = 0; i < rows; i += SIDE)
            transpose_tile(sa_row(W, i) + j, W.ld, sa_row(to, j) + i, to.ld);
}

void sa_packed_panel(sa_mat W, int first, int count, bool transposed, sa_real *to) {
    const sa_mat panel = {to, transposed ? W.cols : W.rows, count, WIDTH};
    if (transposed) transpose(sa_rows(W, first, count), panel);
    for (int i = 0; i < panel.rows && !transposed; i++)
        memcpy(sa_row(panel, i), sa_row(W, i) + first, sizeof *to * (size_t)count);
    for (int i = 0; i < panel.rows && count < WIDTH; i++)
        memset(sa_row(panel, i) + count, 0, sizeof *to * (size_t)(WIDTH - count));
}

size_t sa_packed_size(int height, int cols) {
    const size_t panels = ((size_t)cols + WIDTH - 1) / WIDTH;
    return panels * WIDTH * (size_t)height + WIDTH; /* a slice reads this far beyond */
}

sa_mat sa_packed_layout(sa_arena *arena, sa_mat W, int rows) {
    const size_t transposed = sa_packed_size(W.cols, W.rows),
                 straight = sa_packed_size(W.rows, W.cols),
                 size = transposed > straight ? transposed : straight;
    if (rows < SA_PACKED_LEAST || !sa_packed_supported() || size > INT32_MAX) return (sa_mat){0};
    return sa_mat_alloc(arena, 1, (int)size);
}

sa_packed sa_packed_of(sa_mat W, sa_mat buffer, bool transposed) {
    if (!buffer.x || !W.x) return (sa_packed){0};
    const int inner = transposed ? W.cols : W.rows, cols = transposed ? W.rows : W.cols;
    sa_real *to = buffer.x;
    sa_require((size_t)buffer.cols >= sa_packed_size(inner, cols));
    for (int j = 0; j < cols; j += WIDTH, to += (ptrdiff_t)WIDTH * inner)
        sa_packed_panel(W, j, cols - j < WIDTH ? cols - j : WIDTH, transposed, to);
    memset(to, 0, WIDTH * sizeof *to);
    return (sa_packed){.panels = buffer.x, .height = inner};
}

/* ---- Multiplying ----------------------------------------------------------------------------- */

typedef struct factors {
    const sa_real *a, *panel;
    sa_real *c;
    ptrdiff_t a_row, a_step; /* from row to row of a, and along the inner dimension */
    int c_ld, rows, cols, inner;
    bool add; /* c += a b, else c = a b */
} factors;

/* Stores a row of c in the columns of one panel; in the last panel, only some of them may count. */
static inline __attribute__((always_inline)) void store_row(const factors *f, int i,
                                                            const sa_real sum[WIDTH]) {
    sa_real *c = f->c + (ptrdiff_t)i * f->c_ld;
    if (f->cols == WIDTH && f->add)
        for (int j = 0; j < WIDTH; j++) c[j] += sum[j];
    else if (f->cols == WIDTH)
        memcpy(c, sum, WIDTH * sizeof *c);
    else
        for (int j = 0; j < f->cols; j++) c[j] = f->add ? c[j] + sum[j] : sum[j];
}

/* Computes some rows of c in the columns of one panel, in as many sums as there are registers. Each
 * sum runs along the whole inner dimension, so that the values of a row do not depend on other
 * rows. */
typedef void tile_product(const factors *f, int first, int rows);

#ifdef SA_SHORT_VECTORS
enum { VECTOR = 16 }; /* bytes */
#else
enum { VECTOR = 64 };
#endif
enum { LANES = VECTOR / sizeof(sa_real), WIDE = WIDTH / LANES };
typedef sa_real lanes __attribute__((vector_size(VECTOR), aligned(sizeof(sa_real)), may_alias));

static inline __attribute__((always_inline)) void multiply_tile(const factors *f, int first,
                                                                int rows) {
    const sa_real *a = f->a + first * f->a_row, *b = f->panel;
    const ptrdiff_t row = f->a_row, step = f->a_step;
    lanes sum[24 / WIDE][WIDE];
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < WIDE; j++) sum[i][j] = (lanes){0};
    for (int k = 0; k < f->inner; k++, a += step, b += WIDTH) {
        const lanes *bk = (const lanes *)b;
        __builtin_prefetch(b + 24 * WIDTH);
        __builtin_prefetch(b + 24 * WIDTH + LANES);
        for (int i = 0; i < rows; i++)
            for (int j = 0; j < WIDE; j++) sum[i][j] += a[i * row] * bk[j];
    }
    for (int i = 0; i < rows; i++) store_row(f, first + i, (const sa_real *)sum[i]);
}

/* Computes all rows: `most` at a time (as many as the registers hold), then `fewer`, then one by
 * one. */
static inline __attribute__((always_inline)) void multiply_rows(const factors *f, int most,
                                                                int fewer, tile_product multiply) {
    int i = 0;
    for (; i + most <= f->rows; i += most) multiply(f, i, most);
    for (; i + fewer <= f->rows; i += fewer) multiply(f, i, fewer);
    for (; i < f->rows; i++) multiply(f, i, 1);
}

#if defined(SA_SHORT_VECTORS)
#ifdef __aarch64__
enum { MOST = 12 }; /* 24 sums in 32 registers; correct under qemu, but its speed is not measured */
#else
enum { MOST = 6 }; /* 12 sums: WebAssembly runs on processors with 16 registers */
#endif

static void multiply_short(const factors *f) {
    multiply_rows(f, MOST, 2, multiply_tile);
}

static void (*kernel(void))(const factors *) {
    return multiply_short;
}
#elif defined(__x86_64__)
__attribute__((target("avx512f"))) static void multiply_avx512(const factors *f) {
    multiply_rows(f, 24 / WIDE, 8 / WIDE, multiply_tile);
}

/* Does the same as multiply_tile, in vectors of 32 bytes, which AVX2 has: gcc keeps longer ones in
 * memory. */
enum { SHORT = 32 / sizeof(sa_real), SHORTS = WIDTH / SHORT, MOST_SHORT = 12 / SHORTS };
typedef sa_real short_lanes __attribute__((vector_size(32), aligned(sizeof(sa_real)), may_alias));

static inline __attribute__((always_inline)) void short_tile(const factors *f, int first,
                                                             int rows) {
    const sa_real *a = f->a + first * f->a_row, *b = f->panel;
    const ptrdiff_t row = f->a_row, step = f->a_step;
    short_lanes sum[MOST_SHORT][SHORTS];
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < SHORTS; j++) sum[i][j] = (short_lanes){0};
    for (int k = 0; k < f->inner; k++, a += step, b += WIDTH) {
        const short_lanes *bk = (const short_lanes *)b;
        __builtin_prefetch(b + 24 * WIDTH);
        __builtin_prefetch(b + 24 * WIDTH + LANES);
        for (int i = 0; i < rows; i++)
            for (int j = 0; j < SHORTS; j++) sum[i][j] += a[i * row] * bk[j];
    }
    for (int i = 0; i < rows; i++) store_row(f, first + i, (const sa_real *)sum[i]);
}

__attribute__((target("avx2,fma"))) static void multiply_avx2(const factors *f) {
    multiply_rows(f, MOST_SHORT, (MOST_SHORT + 1) / 2, short_tile);
}

static void (*kernel(void))(const factors *) {
    return __builtin_cpu_supports("avx512f")                                 ? multiply_avx512
           : __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") ? multiply_avx2
                                                                             : NULL;
}
#else
static void (*kernel(void))(const factors *) {
    return NULL;
}
#endif

bool sa_packed_supported(void) {
    return kernel() != NULL;
}

/* ---- Multiplying rounded numbers --------------------------------------------------------------
 * The sums that tensor/bf16.h describes. There are three kernels, which give the same bits: the
 * instruction vdpbf16ps, which takes pairs of numbers; the kernels above with fused multiply-adds,
 * if the caller has set the processor to take denormals as zero; and one for all other processors.
 */

#ifdef SA_PAIRS
#define FOR_PAIRS __attribute__((target("avx512f,avx512bw,avx512bf16")))

/* Does the same as multiply_tile. A number of a and of a panel is a pair, with the first in the
 * lower half. */
FOR_PAIRS static inline __attribute__((always_inline)) void pair_tile(const factors *f, int first,
                                                                      int rows) {
    const sa_real *a = f->a + first * f->a_row, *b = f->panel;
    __m512_u sum[12][WIDE]; /* the sanitizer's stack does not align 64 bytes */
    for (int i = 0; i < rows; i++) {
        const sa_real *c = f->c + (ptrdiff_t)(first + i) * f->c_ld;
        __builtin_prefetch(c, 1), __builtin_prefetch(c + LANES, 1);
        sum[i][0] = sum[i][1] = _mm512_setzero_ps();
    }
    for (int k = 0; k < f->inner; k++, a += f->a_step, b += WIDTH) {
        const __m512bh b0 = (__m512bh)_mm512_loadu_ps(b), b1 = (__m512bh)_mm512_loadu_ps(b + LANES);
        __builtin_prefetch(b + 24 * WIDTH);
        __builtin_prefetch(b + 24 * WIDTH + LANES);
        for (int i = 0; i < rows; i++) {
            int32_t pair; /* an integer, because it is not a float */
            memcpy(&pair, a + i * f->a_row, sizeof pair);
            const __m512bh pairs = (__m512bh)_mm512_set1_epi32(pair);
            sum[i][0] = _mm512_dpbf16_ps(sum[i][0], pairs, b0);
            sum[i][1] = _mm512_dpbf16_ps(sum[i][1], pairs, b1);
        }
    }
    for (int i = 0; i < rows; i++) store_row(f, first + i, (const sa_real *)sum[i]);
}

FOR_PAIRS static void multiply_pairs(const factors *f) {
    int i = 0;
    for (; i + 12 <= f->rows; i += 12) pair_tile(f, i, 12);
    for (; i + 8 <= f->rows; i += 8) pair_tile(f, i, 8);
    for (; i + 4 <= f->rows; i += 4) pair_tile(f, i, 4);
    for (; i < f->rows; i++) pair_tile(f, i, 1);
}
#endif

/* Returns sum + a b, rounded once: a product of 16 bits and a sum of 24 overlap so far that the
 * double is exact, or so little that rounding it again to float is right. A denormal result becomes
 * 0: one that is below the least normal number after rounding to 24 bits. */
static float fused(float sum, float a, float b) {
    const double total = (double)a * (double)b + (double)sum, least = 0x1p-126 - 0x1p-151;
    return total > -least && total < least ? (float)copysign(0, total) : (float)total;
}

static float no_denormal(float x) {
    return x > -0x1p-126F && x < 0x1p-126F ? copysignf(0, x) : x;
}

/* Multiplies number by number. */
static void multiply_anywhere(const factors *f) {
    for (int i = 0; i < f->rows; i++)
        for (int j = 0; j < f->cols; j++) {
            const sa_real *a = f->a + i * f->a_row;
            sa_real *c = f->c + (ptrdiff_t)i * f->c_ld + j;
            float sum = 0;
            for (int k = 0; k < f->inner; k++)
                sum =
                    fused(sum, (float)a[k * f->a_step], (float)f->panel[(ptrdiff_t)k * WIDTH + j]);
            *c = f->add ? no_denormal(no_denormal((float)*c) + sum) : sum;
        }
}

bool sa_packed_takes_pairs(void) {
#ifdef SA_PAIRS
    return __builtin_cpu_supports("avx512bf16") && __builtin_cpu_supports("avx512bw");
#else
    return false;
#endif
}

static void (*rounded_kernel(void))(const factors *) {
#ifdef SA_PAIRS
    if (sa_packed_takes_pairs()) return multiply_pairs;
/* Where the compiler does not fuse them, these may round twice. */
#if defined(__OPTIMIZE__) && !(defined(__clang__) && defined(SA_SANITIZED))
    if (kernel()) return kernel();
#endif
#endif
    return multiply_anywhere;
}

/* ---- All panels ------------------------------------------------------------------------------ */

void sa_packed_multiply(bool transposed, sa_mat a, sa_packed W, sa_real beta, sa_mat c) {
    void (*run)(const factors *) = W.bf16 ? rounded_kernel() : kernel();
    for (int j = 0, cols; j < c.cols; j += cols) {
        const int in_panel = (W.offset + j) % WIDTH, left = WIDTH - in_panel;
        cols = left < c.cols - j ? left : c.cols - j;
        run(&(factors){
            .a = a.x,
            .panel = W.panels + (ptrdiff_t)(W.offset + j - in_panel) * W.height + in_panel,
            .c = c.x + j,
            .a_row = transposed ? 1 : a.ld,
            .a_step = transposed ? a.ld : 1,
            .c_ld = c.ld,
            .rows = c.rows,
            .cols = cols,
            .inner = transposed ? a.rows : a.cols,
            .add = beta != 0,
        });
    }
}
