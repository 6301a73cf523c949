/* vec: elementwise functions and softmax, vectorized for the processor. */
#include "tensor/vec.h"
#include "tensor/dispatch.h"
#include "tensor/trace.h"

#include <stdint.h>
#include <string.h>

#define INLINE static inline __attribute__((always_inline))

#ifdef SA_DOUBLE

_Thread_local sa_tracer *sa_tracing;

INLINE sa_real exp_of(sa_real x) {
    return exp(x);
}
INLINE sa_real tanh_of(sa_real x) {
    return tanh(x);
}
INLINE sa_real sigmoid_of(sa_real x) {
    return 1 / (1 + exp(-x));
}

#else

/* Returns 2^n e^r with n = round(x / ln 2) and |r| <= ln 2 / 2. The rounding adds and subtracts
 * 1.5 * 2^23, and ln 2 is split in two so that r is exact. Clamped to the finite numbers: e^-87 is
 * as good as 0 and never denormal. A NaN stays NaN. */
INLINE float exp_of(float x) {
    x = x < -87.0f ? -87.0f : x;
    x = x > 88.0f ? 88.0f : x;
    float shifted = x * 1.44269504f + 12582912.0f;
    float n = shifted - 12582912.0f;
    float r = (x - n * 0.693359375f) + n * 2.12194440e-4f;
    float p = 1.9841270e-4f;
    p = p * r + 1.3888889e-3f;
    p = p * r + 8.3333333e-3f;
    p = p * r + 4.1666667e-2f;
    p = p * r + 1.6666667e-1f;
    p = p * r + 0.5f;
    p = (p * r) * r + r + 1.0f;
    uint32_t bits;
    memcpy(&bits, &shifted, sizeof bits);
    bits = (bits << 23) + 0x3f800000; /* the low bits of `shifted` are n */
    float power;
    memcpy(&power, &bits, sizeof power);
    return p * power;
}

INLINE float sigmoid_of(float x) {
    return 1.0f / (1.0f + exp_of(-x));
}

/* Near zero, 1 - 2 / (e^2x + 1) would lose digits, so there it uses the odd series x + x^3
 * P(x^2). */
INLINE float tanh_of(float x) {
    float y = x * x;
    float p = -1.4558344e-3f;
    p = p * y + 3.5921280e-3f;
    p = p * y - 8.8632355e-3f;
    p = p * y + 2.1869488e-2f;
    p = p * y - 5.3968254e-2f;
    p = p * y + 1.3333333e-1f;
    p = p * y - 3.3333333e-1f;
    float small = x + x * y * p;
    float large = 1.0f - 2.0f / (exp_of(2.0f * x) + 1.0f);
    return y < 0.25f ? small : large;
}

#endif

SA_DISPATCHED static void tanh_run(const sa_real *x, const sa_real *shift, sa_real *y, int size) {
    for (int i = 0; i < size; i++) y[i] = tanh_of(x[i] + shift[i]);
}

SA_DISPATCHED static void tanh_in_place(sa_real *x, int size) {
    for (int i = 0; i < size; i++) x[i] = tanh_of(x[i]);
}

SA_DISPATCHED static void sigmoid_in_place(sa_real *x, int size) {
    for (int i = 0; i < size; i++) x[i] = sigmoid_of(x[i]);
}

void sa_tanh(sa_mat x) {
    for (int i = 0; i < x.rows; i++) tanh_in_place(sa_row(x, i), x.cols);
}

void sa_sigmoid(sa_mat x) {
    for (int i = 0; i < x.rows; i++) sigmoid_in_place(sa_row(x, i), x.cols);
}

void sa_tanh_shifted(sa_mat x, const sa_real *row, sa_mat y) {
    sa_require(x.rows == y.rows && x.cols == y.cols);
    for (int i = 0; i < x.rows; i++) tanh_run(sa_row(x, i), row, sa_row(y, i), x.cols);
}

/* Sums run in sixteen lanes, so that they vectorize in the same order on every processor. Where the
 * order does not matter there are more lanes: gcc unrolls a loop over sixteen, and compares one by
 * one. */
enum { LANES = 16, WIDE = 32 };

SA_DISPATCHED static sa_real dot_run(const sa_real *a, const sa_real *b, int size) {
    sa_real lane[LANES] = {0}, sum = 0;
    int i = 0;
    for (; i + LANES <= size; i += LANES)
        for (int k = 0; k < LANES; k++) lane[k] += a[i + k] * b[i + k];
    for (; i < size; i++) sum += a[i] * b[i];
    for (int k = 0; k < LANES; k++) sum += lane[k];
    return sum;
}

sa_real sa_dot(const sa_real *a, const sa_real *b, int size) {
    return dot_run(a, b, size);
}

SA_DISPATCHED static sa_real sum_run(const sa_real *x, int size) {
    sa_real lane[LANES] = {0}, sum = 0;
    int i = 0;
    for (; i + LANES <= size; i += LANES)
        for (int k = 0; k < LANES; k++) lane[k] += x[i + k];
    for (; i < size; i++) sum += x[i];
    for (int k = 0; k < LANES; k++) sum += lane[k];
    return sum;
}

sa_real sa_sum(const sa_real *x, int size) {
    return sum_run(x, size);
}

SA_DISPATCHED static void axpy_run(sa_real scale, const sa_real *x, sa_real *y, int size) {
    for (int i = 0; i < size; i++) y[i] += scale * x[i];
}

void sa_axpy(sa_real scale, const sa_real *x, sa_real *y, int size) {
    axpy_run(scale, x, y, size);
}

/* Computes x = exp(x - max); returns the sum. */
SA_DISPATCHED static sa_real exp_shifted(sa_real *x, sa_real max, int size) {
    sa_real lane[LANES] = {0}, sum = 0;
    int i = 0;
    for (; i + LANES <= size; i += LANES)
        for (int k = 0; k < LANES; k++) lane[k] += x[i + k] = exp_of(x[i + k] - max);
    for (; i < size; i++) sum += x[i] = exp_of(x[i] - max);
    for (int k = 0; k < LANES; k++) sum += lane[k];
    return sum;
}

SA_DISPATCHED static sa_real max_of(const sa_real *x, int size) {
    sa_real lane[LANES];
    sa_real max = x[0];
    int i = 0;
    for (int k = 0; k < LANES; k++) lane[k] = max;
    for (; i + LANES <= size; i += LANES)
        for (int k = 0; k < LANES; k++) lane[k] = x[i + k] > lane[k] ? x[i + k] : lane[k];
    for (; i < size; i++) max = x[i] > max ? x[i] : max;
    for (int k = 0; k < LANES; k++) max = lane[k] > max ? lane[k] : max;
    return max;
}

/* Returns whether x <= threshold is false for any x. */
SA_DISPATCHED static bool any_above(const sa_real *x, int size, sa_real threshold) {
    int above = 0;
    for (int i = 0; i < size; i++) above |= !(x[i] <= threshold);
    return above;
}

SA_DISPATCHED static bool is_zero(const sa_real *x, int size) {
    int other = 0;
    for (int i = 0; i < size; i++) other |= x[i] != 0;
    return !other;
}

void sa_move_sum(sa_real *x, sa_real *sum, size_t size) {
    enum { STRETCH = 256 };
    for (size_t i = 0; i < size; i += STRETCH) {
        const int count = size - i < STRETCH ? (int)(size - i) : STRETCH;
        if (is_zero(x + i, count)) continue;
        if (sum) sa_axpy(1, x + i, sum + i, count);
        memset(x + i, 0, (size_t)count * sizeof *x);
    }
}

int sa_find_above(const sa_real *x, int size, sa_real threshold) {
    enum { STRETCH = 128 }; /* numbers compared without a branch, as nearly all are below */
    int i = 0;
    while (i + STRETCH <= size && !any_above(x + i, STRETCH, threshold)) i += STRETCH;
    while (i < size && x[i] <= threshold) i++;
    return i;
}

/* Computes x += shift; returns the largest x, ignoring NaN. */
SA_DISPATCHED static sa_real add_and_max(sa_real *x, const sa_real *shift, int size) {
    sa_real lane[WIDE], max = -(sa_real)INFINITY;
    int i = 0;
    for (int k = 0; k < WIDE; k++) lane[k] = max;
    for (; i + WIDE <= size; i += WIDE)
        for (int k = 0; k < WIDE; k++) {
            x[i + k] += shift[i + k];
            lane[k] = x[i + k] > lane[k] ? x[i + k] : lane[k];
        }
    for (; i < size; i++) {
        x[i] += shift[i];
        max = x[i] > max ? x[i] : max;
    }
    for (int k = 0; k < WIDE; k++) max = lane[k] > max ? lane[k] : max;
    return max;
}

/* Probabilities below this become 0: their products with other numbers would be denormal, which
 * makes the matrix products after a saturated softmax ten times slower. In double they would not be
 * denormal. */
#ifdef SA_DOUBLE
#define MIN_PROBABILITY 0.0
#else
#define MIN_PROBABILITY 1e-25f
#endif

/* Computes x = factor x, or 0 where x is below the least. */
SA_DISPATCHED static void scale_run(sa_real least, sa_real factor, sa_real *x, int size) {
    for (int i = 0; i < size; i++) x[i] = x[i] < least ? 0 : x[i] * factor;
}

sa_real sa_softmax_row(sa_real *x, int size) {
    if (!size) return 0;
    const sa_real max = max_of(x, size);
    const sa_real sum = exp_shifted(x, max, size);
    scale_run(MIN_PROBABILITY * sum, 1 / sum, x, size);
    return max + (sa_real)log((double)sum);
}

/* Returns the sum of exp(x - max) without changing x, in the lanes of exp_shifted. */
SA_DISPATCHED static sa_real sum_exp_shifted(const sa_real *x, sa_real max, int size) {
    sa_real lane[LANES] = {0}, sum = 0;
    int i = 0;
    for (; i + LANES <= size; i += LANES)
        for (int k = 0; k < LANES; k++) lane[k] += exp_of(x[i + k] - max);
    for (; i < size; i++) sum += exp_of(x[i] - max);
    for (int k = 0; k < LANES; k++) sum += lane[k];
    return sum;
}

double sa_log_sum_exp_below(const sa_real *x, sa_real max, int size) {
    return (double)max + log((double)sum_exp_shifted(x, max, size));
}

sa_real sa_add_and_max(sa_real *x, const sa_real *shift, int size) {
    return add_and_max(x, shift, size);
}

sa_real sa_max(const sa_real *x, int size) {
    return max_of(x, size);
}

sa_real sa_softmax_read(sa_real *x, const sa_real *shift, int size, sa_softmax_sums *sums) {
    if (!size) return sums->max;
    const sa_real max = add_and_max(x, shift, size);
    if (!(max <= sums->max)) { /* also true for a NaN */
        if (sums->sum > 0) sums->sum *= (sa_real)exp((double)(sums->max - max));
        sums->max = max;
    }
    sums->sum += exp_shifted(x, sums->max, size);
    return sums->max;
}

void sa_softmax_write(sa_softmax_sums sums, sa_real max, sa_real scale, sa_real *x, int size) {
    const sa_real later = (sa_real)exp((double)(max - sums.max)); /* of a larger max */
    scale_run(MIN_PROBABILITY * sums.sum / later, scale / sums.sum * later, x, size);
}

void sa_softmax(sa_mat x) {
    for (int i = 0; i < x.rows; i++) sa_softmax_row(sa_row(x, i), x.cols);
}

void sa_softmax_backward(sa_mat y, sa_mat dy, sa_mat dx) {
    for (int i = 0; i < y.rows; i++) {
        const sa_real *yi = sa_row(y, i), *dyi = sa_row(dy, i);
        sa_real *dxi = sa_row(dx, i);
        sa_real mean = sa_dot(yi, dyi, y.cols);
        for (int k = 0; k < y.cols; k++) dxi[k] = yi[k] * (dyi[k] - mean);
    }
}

void sa_scale(sa_real factor, sa_mat x) {
    for (int i = 0; i < x.rows; i++)
        for (int k = 0; k < x.cols; k++) sa_row(x, i)[k] *= factor;
}

/* Zeroes x; a matrix without columns may have no memory. */
void sa_zero(sa_mat x) {
    for (int i = 0; i < x.rows && x.cols; i++)
        memset(sa_row(x, i), 0, sizeof(sa_real) * (size_t)x.cols);
}

void sa_copy_mat(sa_mat from, sa_mat to) {
    sa_require(from.rows == to.rows && from.cols == to.cols);
    for (int i = 0; from.cols && i < from.rows; i++)
        memcpy(sa_row(to, i), sa_row(from, i), sizeof(sa_real) * (size_t)from.cols);
}

void sa_add(sa_mat from, sa_mat to) {
    sa_require(from.rows == to.rows && from.cols == to.cols);
    for (int i = 0; from.cols && i < from.rows; i++)
        sa_axpy(1, sa_row(from, i), sa_row(to, i), from.cols);
}

void sa_sum_rows(sa_mat x, sa_real *sum) {
    for (int i = 0; i < x.rows; i++) sa_axpy(1, sa_row(x, i), sum, x.cols);
}

void sa_slice_mats(void *mats, size_t size, int all, int first, int count) {
    for (sa_mat *x = mats; x < (sa_mat *)mats + size / sizeof *x; x++)
        if (x->rows == all)
            *x = sa_rows(*x, first, count);
        else if (x->rows > count)
            x->rows = count;
}
