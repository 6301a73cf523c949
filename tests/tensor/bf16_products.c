/* Products of operands rounded to bf16 (tensor/bf16.h) against a model of the instruction, bit by
 * bit, and against float64. The arguments are the instruction sets offered to tensor/packed.c, so
 * that each kernel is tested where the processor has it; without any it is the one for all
 * processors. As all equal the model, the instruction equals its emulation. With TEST_SHIFTS the
 * kernel for pairs has two fused multiply-adds in place of the instruction, so that its order of
 * numbers and its edges are tested on other processors, too. */
#include "support/offered_sets.h"

#ifdef TEST_SHIFTS
#include <immintrin.h>
__attribute__((target("avx512f,avx512bw,avx512bf16"), always_inline)) static inline __m512
two_steps(__m512 sum, __m512bh a, __m512bh b) {
    const __m512i upper = _mm512_set1_epi32((int)0xffff0000);
    const __m512i x = (__m512i)a, y = (__m512i)b;
    sum = _mm512_fmadd_ps((__m512)_mm512_and_si512(x, upper), (__m512)_mm512_and_si512(y, upper),
                          sum);
    return _mm512_fmadd_ps((__m512)_mm512_slli_epi32(x, 16), (__m512)_mm512_slli_epi32(y, 16), sum);
}
#define _mm512_dpbf16_ps two_steps
#endif

#define __builtin_cpu_supports is_offered
#include "tensor/packed.c"
#undef __builtin_cpu_supports

#include "base/rng.h"
#include "tensor/bf16.h"
#include "tensor/weight.h"

#include <float.h>
#include <softalign/lab.h>
#include <stdio.h>
#include <stdlib.h>

static float of_bits(uint32_t bits) {
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static uint32_t bits_of(float x) {
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

/* ---- Rounding -------------------------------------------------------------------------------- */

/* bf16(x) by its definition: the nearer neighbor, of two equally near ones that with an even last
 * bit. The neighbor above the largest finite number is 2^128, which becomes infinite. */
static float model_round(float x) {
    const uint32_t bits = bits_of(x);
    if (isnan(x)) return of_bits((bits | 0x00400000) & 0xffff0000);
    if (isinf(x)) return x;
    if (fpclassify(x) == FP_SUBNORMAL || x == 0) return copysignf(0, x);
    const uint32_t below = bits & 0xffff0000, above = below + 0x10000;
    const double size = fabs((double)x), low = fabs((double)of_bits(below)),
                 high = (above & 0x7fffffff) == 0x7f800000 ? 0x1p128 : fabs((double)of_bits(above));
    const bool up = size - low > high - size || (size - low == high - size && (below >> 16) % 2);
    return of_bits(up ? above : below);
}

/* How number (k, j) of a packed matrix was rounded. */
static uint32_t rounded_in(sa_packed packed, int k, int j) {
    const sa_real *place = packed.panels + (ptrdiff_t)(j / WIDTH * WIDTH) * packed.height +
                           j % WIDTH + (ptrdiff_t)(sa_packed_takes_pairs() ? k / 2 : k ^ 1) * WIDTH;
    const uint32_t bits = bits_of(*place);
    return !sa_packed_takes_pairs() ? bits : k % 2 ? bits & 0xffff0000 : bits << 16;
}

/* Every upper half with the lower halves around a tie. */
static int wrong_roundings(void) {
    static const uint32_t lower[] = {0, 1, 0x7fff, 0x8000, 0x8001, 0xffff};
    enum { COLS = 1 << 15, ROWS = 2 };
    sa_real *numbers = malloc(sizeof *numbers * ROWS * COLS);
    sa_arena counting = {0};
    sa_mat W = {numbers, ROWS, COLS, COLS}, buffer = sa_bf16_layout(&counting, W);
    buffer.x = malloc(sizeof *buffer.x * (size_t)buffer.cols);
    if (!numbers || !buffer.x) exit(7);
    int wrong = 0;
    for (size_t l = 0; l < sizeof lower / sizeof *lower; l++) {
        for (uint32_t i = 0; i < ROWS * COLS; i++) numbers[i] = of_bits(i << 16 | lower[l]);
        for (int transposed = 0; transposed < 2; transposed++) {
            const sa_packed packed = sa_bf16_pack(W, buffer, transposed, 0, 1);
            for (int i = 0; i < ROWS * COLS; i++) {
                const int row = i / COLS, col = i % COLS;
                wrong += rounded_in(packed, transposed ? col : row, transposed ? row : col) !=
                         bits_of(model_round(numbers[i]));
            }
        }
    }
    if (wrong) printf("%d numbers are rounded wrongly\n", wrong);
    free(numbers), free(buffer.x);
    return wrong;
}

/* A layout has room for either direction of the matrix, or is empty where an index would not do. */
static int wrong_layouts(void) {
    static sa_real numbers[2 * 64];
    const sa_mat flat = {numbers, 1, 64, 64}, tall = {numbers, 64, 1, 1}, *both[] = {&flat, &tall},
                 large = {NULL, 1 << 16, 1 << 16, 1 << 16};
    const int one = sa_packed_takes_pairs() ? 1 : 2, all = sa_packed_takes_pairs() ? 32 : 64;
    sa_arena counting = {0};
    int wrong = sa_bf16_layout(&counting, large).cols != 0;
    for (int i = 0; i < 2; i++) {
        const size_t cols = (size_t)sa_bf16_layout(&counting, *both[i]).cols;
        wrong += cols < sa_packed_size(one, 64) || cols < sa_packed_size(all, 1);
    }
    if (wrong) printf("%d layouts are wrong\n", wrong);
    return wrong;
}

/* ---- The model of the instruction ------------------------------------------------------------ */

static float model_step(float sum, float a, float b) {
    const double about = (double)a * (double)b + (double)sum;
    if (fabs(about) < 0x1p-126 - 0x1p-151) return (float)copysign(0, about);
    return fmaf(a, b, sum);
}

static float no_tiny(float x) {
    return fpclassify(x) == FP_SUBNORMAL ? copysignf(0, x) : x;
}

static float model_sum(const float *a, const float *b, int K, float start, bool add) {
    float c = start;
    for (int from = 0; from < K || (from == 0 && !add); from += SA_BF16_BLOCK) {
        const int end = K - from < SA_BF16_BLOCK ? K : from + SA_BF16_BLOCK;
        float sum = 0;
        for (int k = from; k < end; k += 2) {
            sum = k + 1 < end ? model_step(sum, a[k + 1], b[k + 1]) : model_step(sum, 0, 0);
            sum = model_step(sum, a[k], b[k]);
        }
        c = add ? no_tiny(no_tiny(c) + sum) : sum;
        add = true;
    }
    return c;
}

/* ---- Products -------------------------------------------------------------------------------- */

static sa_rng dice;

/* Mostly common numbers; with `extreme` any bits, so that sums leave the finite numbers or become
 * denormal on the way. */
static float draw(bool extreme) {
    const double uniform = sa_rng_uniform(&dice);
    if (!extreme) return (float)(2 * uniform - 1);
    const int kind = (int)(16 * sa_rng_uniform(&dice));
    if (kind == 0) return of_bits((uint32_t)(uniform * 0x1p32));
    if (kind == 1) return 0;
    return ldexpf((float)(2 * uniform - 1), (int)(12 * sa_rng_uniform(&dice)) - 70);
}

/* With gaps between the rows and nothing after the last, so that a sanitizer sees overruns. */
static sa_mat matrix(int rows, int cols, bool extreme) {
    const int ld = cols + 3;
    const size_t size = rows ? (size_t)(rows - 1) * (size_t)ld + (size_t)cols : 0;
    sa_mat x = {malloc(size * sizeof(sa_real) + 1), rows, cols, ld};
    if (!x.x) exit(7);
    for (size_t i = 0; i < size; i++) x.x[i] = draw(extreme);
    return x;
}

typedef struct product {
    int M, N, K;
    bool extreme;
    float *a, *b;           /* rounded: [M x K], [N x K] */
    sa_mat x, y;            /* the first factor [M x K]; its transpose */
    sa_mat W, V;            /* the second [N x K]; its transpose */
    sa_mat start, expected; /* [M x N] */
} product;

static sa_mat transposed(sa_mat x) {
    sa_mat to = matrix(x.cols, x.rows, false);
    for (int i = 0; i < x.rows; i++)
        for (int j = 0; j < x.cols; j++) sa_row(to, j)[i] = sa_row(x, i)[j];
    return to;
}

static float *rounded_numbers(sa_mat x) {
    float *to = malloc(sizeof *to * (size_t)x.rows * (size_t)x.cols + 1);
    if (!to) exit(7);
    for (int i = 0; i < x.rows; i++)
        for (int k = 0; k < x.cols; k++) to[i * x.cols + k] = model_round(sa_row(x, i)[k]);
    return to;
}

static product open_product(int M, int N, int K, bool extreme) {
    product p = {.M = M, .N = N, .K = K, .extreme = extreme};
    p.x = matrix(M, K, extreme), p.W = matrix(N, K, extreme), p.y = transposed(p.x);
    p.V = transposed(p.W), p.start = matrix(M, N, extreme), p.expected = matrix(M, N, false);
    p.a = rounded_numbers(p.x), p.b = rounded_numbers(p.W);
    return p;
}

static void close_product(product *p) {
    free(p->x.x), free(p->y.x), free(p->W.x), free(p->V.x), free(p->start.x), free(p->expected.x);
    free(p->a), free(p->b);
}

/* Fills in what the model expects. Returns how many numbers are farther from the sum in float64
 * than the roundings allow: of each factor by 2^-8 of it, and of each of the K + 2 sums by u. */
static int expect(product *p, bool add) {
    int wrong = 0;
    for (int i = 0; i < p->M; i++)
        for (int j = 0; j < p->N; j++) {
            const float start = sa_row(p->start, i)[j];
            const float c = model_sum(p->a + i * p->K, p->b + j * p->K, p->K, start, add);
            sa_row(p->expected, i)[j] = c;
            if (p->extreme) continue;
            double sum = add ? (double)start : 0, size = fabs(sum);
            for (int k = 0; k < p->K; k++) {
                const double term = (double)sa_row(p->x, i)[k] * (double)sa_row(p->W, j)[k];
                sum += term, size += fabs(term);
            }
            const double bf16 = 0x1p-8, sums = (p->K + 2) * (double)FLT_EPSILON / 2;
            wrong += !(fabs((double)c - sum) <=
                       size * ((1 + bf16) * (1 + bf16) * (1 + sums / (1 - sums)) - 1));
        }
    if (wrong) printf("%d numbers are far from float64\n", wrong);
    return wrong;
}

/* Of NaN the bits do not matter. */
static int differing(const product *p, sa_mat c, const char *what) {
    int wrong = 0;
    for (int i = 0; i < p->M; i++)
        for (int j = 0; j < p->N; j++) {
            const float own = sa_row(c, i)[j], expected = sa_row(p->expected, i)[j];
            wrong += bits_of(own) != bits_of(expected) && !(isnan(own) && isnan(expected));
        }
    if (wrong) printf("%s [%d x %d x %d]: %d differ\n", what, p->M, p->N, p->K, wrong);
    return wrong;
}

static sa_weight weight_of(sa_mat W) {
    return (sa_weight){.mat = W, .as.precision = SA_PRECISION_BF16};
}

/* c as it was before the product; what must not be read is NaN. */
static sa_mat started(const product *p, bool add, sa_mat c) {
    for (int i = 0; i < p->M; i++)
        for (int j = 0; j < p->N; j++) sa_row(c, i)[j] = add ? sa_row(p->start, i)[j] : (float)NAN;
    return c;
}

/* The second factor as rows first .. of a larger one, which is packed whole in three parts. */
static int wrong_packed(const product *p, bool forward, bool add, int first, sa_mat c) {
    const sa_mat own = forward ? p->W : p->V;
    const sa_mat whole = matrix(first + own.rows + 1, own.cols, false);
    for (int i = 0; i < own.rows; i++)
        memcpy(sa_row(whole, first + i), sa_row(own, i), sizeof(sa_real) * (size_t)own.cols);
    sa_weight W = weight_of(whole);
    sa_store store = {.use = SA_STORE_TRAINING, .rows = 1, .jobs = 3};
    sa_weight_stored(W, &store);
    if (!sa_store_open(&store, NULL)) exit(7);
    for (store.job = 0; store.job < 3; store.job++) {
        store.memory.used = 0;
        W = sa_weight_stored(weight_of(whole), &store);
    }
    const sa_weight slice = sa_weight_rows(W, first, own.rows);
    (forward ? sa_weight_nt : sa_weight_nn)(p->x, slice, add ? 1 : 0, started(p, add, c));
    free(whole.x), sa_store_release(&store);
    return differing(p, c, forward ? "packed x W'" : "packed dy W");
}

/* With rows and an inner dimension of more than are rounded at a time. */
enum { MANY_ROWS = 310, LONG = 1100 };

/* Without a room, with too small a one, and with one, which serves if many rows share it. */
static int wrong_gradient(const product *p, sa_mat c) {
    const int size = (int)sa_bf16_room(p->N);
    const sa_mat whole = matrix(1, size, false), small = {whole.x, 1, size / 9, size / 9};
    const sa_mat *room[] = {NULL, &small, &whole};
    const float unused = 12345;
    int wrong = size == 0;
    for (int i = 0; i < 3; i++) {
        sa_weight dW = weight_of(started(p, true, c));
        dW.as.packing = room[i];
        whole.x[0] = unused;
        sa_weight_tn(p->y, p->V, dW);
        wrong += differing(p, c, "dy' x");
    }
    if (p->M >= MANY_ROWS && whole.x[0] == unused) wrong++, printf("the room was not used\n");
    free(whole.x);
    return wrong;
}

static int wrong_products(int M, int N, int K, bool extreme) {
    product p = open_product(M, N, K, extreme);
    const sa_mat c = matrix(M, N, false);
    int wrong = 0;
    for (int add = 0; add < 2; add++) {
        wrong += expect(&p, add);
        sa_weight_nt(p.x, weight_of(p.W), add ? 1 : 0, started(&p, add, c));
        wrong += differing(&p, c, "x W'");
        sa_weight_nn(p.x, weight_of(p.V), add ? 1 : 0, started(&p, add, c));
        wrong += differing(&p, c, "dy W");
        for (int first = 0; first < 3; first++)
            wrong += wrong_packed(&p, true, add, first, c) + wrong_packed(&p, false, add, first, c);
        if (!add) continue;
        wrong += wrong_gradient(&p, c);
    }
    close_product(&p);
    free(c.x);
    return wrong;
}

/* ---- All of them ----------------------------------------------------------------------------- */

/* The products leave the processor's modes as they were. */
static int wrong_modes(void) {
    volatile float tiny = FLT_MIN;
    return tiny / 2 == 0;
}

int main(int count, char **arguments) {
    static const int inner[] = {0, 1, 2, 3, 16, 17, 255, 256, 257, 515},
                     cols[] = {1, 31, 32, 33, 70};
    int wrong = 0;
    offered = (const char *const *)arguments + 1;
    dice = sa_rng_seed(20190529, 3);
    if (count > 1 && rounded_kernel() == multiply_anywhere) {
        printf("this build has no kernel for %s\n", arguments[1]);
        return 77;
    }
    wrong += wrong_roundings() + wrong_layouts();
    for (size_t k = 0; k < sizeof inner / sizeof *inner; k++)
        for (size_t n = 0; n < sizeof cols / sizeof *cols; n++)
            for (int extreme = 0; extreme < 2; extreme++)
                wrong += wrong_products(17, cols[n], inner[k], extreme);
    for (int M = 1; M < 30; M++) wrong += wrong_products(M, 33, 19, M % 2);
    wrong += wrong_products(MANY_ROWS, 33, LONG, false) + wrong_products(MANY_ROWS, 33, 300, true);
    wrong += wrong_products(130, 70, 2051, false);
    wrong += wrong_modes();
    printf("rounded by a kernel for %s: %d wrong\n", count > 1 ? arguments[1] : "any processor",
           wrong);
    return wrong > 0;
}
