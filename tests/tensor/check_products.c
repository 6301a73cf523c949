/* Products against plain loops, and the polynomials against libm over all floats. */
#include "support/suite.h"
#include "tensor/blas.h"
#include "tensor/vec.h"
#include "tensor/weight.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define BOUND 4e-7 /* what tensor/vec.h promises */

/* ---- Products -------------------------------------------------------------------------------- */

static float random_number(void) {
    return (float)rand() / (float)RAND_MAX - 0.5f;
}

/* A block with gaps between its rows; what lies in the gaps must stay. */
static sa_mat block(int rows, int cols) {
    const int ld = cols + 3;
    float *x = malloc(sizeof *x * (size_t)(rows + 1) * (size_t)ld);
    for (int i = 0; i < (rows + 1) * ld; i++) x[i] = random_number();
    return (sa_mat){x, rows, cols, ld};
}

static float at(sa_mat a, int i, int j, bool transposed) {
    return transposed ? sa_row(a, j)[i] : sa_row(a, i)[j];
}

/* c = beta c + op(a) op(b) in double, and the distance of what the function made. */
static void check_product(void (*product)(sa_mat, sa_mat, float, sa_mat), bool turn_a, bool turn_b,
                          int M, int N, int K, float beta) {
    sa_mat a = turn_a ? block(K, M) : block(M, K), b = turn_b ? block(N, K) : block(K, N),
           c = block(M, N);
    double *expected = calloc((size_t)(M * N) + 1, sizeof *expected);
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            double sum = beta != 0 ? (double)sa_row(c, i)[j] : 0;
            for (int k = 0; k < K; k++)
                sum += (double)at(a, i, k, turn_a) * (double)at(b, k, j, turn_b);
            expected[i * N + j] = sum;
            if (beta == 0) sa_row(c, i)[j] = NAN; /* must not be read */
        }
    const float gap = M ? c.x[N] : 0;
    product(a, b, beta, c);
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++)
            ck_assert_double_eq_tol((double)sa_row(c, i)[j], expected[i * N + j],
                                    1e-5 * (1 + K / 10.0));
    if (M) ck_assert_float_eq(c.x[N], gap);
    free(a.x), free(b.x), free(c.x), free(expected);
}

/* With the rows of b as part of a packed matrix with one row more. */
static void packed_product(bool forward, sa_mat a, sa_mat b, float beta, sa_mat c) {
    sa_weight W = sa_weight_of(block(b.rows + 1, b.cols));
    const sa_mat part = sa_rows(W.mat, 1, b.rows);
    for (int i = 0; i < b.rows; i++)
        memcpy(sa_row(part, i), sa_row(b, i), sizeof(float) * (size_t)b.cols);
    sa_arena dry = {0}, arena;
    sa_weight_pack_layout(&dry, W, 80);
    ck_assert(sa_arena_init(&arena, dry.used, NULL));
    const sa_mat buffer = sa_weight_pack_layout(&arena, W, 80);
    W = forward ? sa_weight_pack_forward(W, buffer) : sa_weight_pack_backward(W, buffer);
    if (dry.used) memset(part.x, 0xff, sizeof(float) * (size_t)part.cols); /* must not be read */
    (forward ? sa_weight_nt : sa_weight_nn)(a, sa_weight_rows(W, 1, b.rows), beta, c);
    sa_arena_release(&arena);
    free(W.mat.x);
}

static void packed_forward(sa_mat a, sa_mat b, float beta, sa_mat c) {
    packed_product(true, a, b, beta, c);
}

static void packed_backward(sa_mat a, sa_mat b, float beta, sa_mat c) {
    packed_product(false, a, b, beta, c);
}

START_TEST(products_equal_plain_loops) {
    static const int sizes[] = {0, 1, 2, 7, 33, 100, 150}; /* up to several tiles */
    enum { COUNT = sizeof sizes / sizeof *sizes };
    for (int m = 0; m < COUNT; m++)
        for (int n = 0; n < COUNT; n++)
            for (int k = 0; k < COUNT; k++)
                for (int beta = 0; beta < 2; beta++) {
                    check_product(sa_gemm_nn, false, false, sizes[m], sizes[n], sizes[k],
                                  (float)beta);
                    check_product(sa_gemm_nt, false, true, sizes[m], sizes[n], sizes[k],
                                  (float)beta);
                    check_product(packed_forward, false, true, sizes[m], sizes[n], sizes[k],
                                  (float)beta);
                    check_product(packed_backward, false, false, sizes[m], sizes[n], sizes[k],
                                  (float)beta);
                    check_product(sa_gemm_tn, true, false, sizes[m], sizes[n], sizes[k],
                                  (float)beta);
                }
}
END_TEST

/* ---- Functions over all floats -----------------------------------------------------------------
 */

typedef double libm_function(double);

static double logistic(double x) {
    return 1 / (1 + exp(-x));
}

/* A step through the floats; the sanitizers look at memory, not at numbers. */
enum { STEP = TEST_SANITIZED ? 97 * 64 + 1 : 97 };

/* Every STEPth float, both signs; below `least` a result may be flushed towards the smallest
 * numbers.
 */
static void check_function(void (*own)(sa_mat), libm_function *libm, float least) {
    enum { RUN = 4096 };
    static float x[RUN], y[RUN];
    for (uint32_t bits = 0, count = 0; bits < 0xff800000u; bits += STEP) {
        float number;
        memcpy(&number, &bits, sizeof number);
        if (isfinite(number)) x[count++] = number;
        if (count < RUN) continue;
        memcpy(y, x, sizeof y);
        own((sa_mat){y, 1, RUN, RUN});
        for (int i = 0; i < RUN; i++) {
            const double right = libm((double)x[i]), apart = fabs((double)y[i] - right);
            if (fabs(right) > (double)least && !(apart <= BOUND * fabs(right)))
                ck_abort_msg("%a gives %a, expected %a", (double)x[i], (double)y[i], right);
        }
        count = 0;
    }
}

START_TEST(tanh_is_right_everywhere) {
    check_function(sa_tanh, tanh, 0);
}
END_TEST

START_TEST(sigmoid_is_right_everywhere) {
    check_function(sa_sigmoid, logistic, 2e-38f);
}
END_TEST

START_TEST(not_a_number_stays_one) {
    float x[40];
    for (int i = 0; i < 40; i++) x[i] = i == 17 ? NAN : 1;
    sa_tanh((sa_mat){x, 1, 40, 40});
    ck_assert(isnan(x[17]) && isfinite(x[16]) && isfinite(x[18]));
    x[17] = NAN;
    sa_sigmoid((sa_mat){x, 1, 40, 40});
    ck_assert(isnan(x[17]) && isfinite(x[16]));
}
END_TEST

/* ---- Softmax -----------------------------------------------------------------------------------
 */

static void check_softmax(const float *logits, int size) {
    float *y = malloc(sizeof *y * (size_t)size);
    memcpy(y, logits, sizeof *y * (size_t)size);
    double max = -INFINITY, sum = 0, total = 0;
    for (int i = 0; i < size; i++) max = fmax(max, (double)logits[i]);
    for (int i = 0; i < size; i++) sum += exp((double)logits[i] - max);
    const double norm = max + log(sum);
    ck_assert_double_eq_tol(sa_log_sum_exp(y, NULL, size), norm, 1e-6 * (1 + fabs(norm)));
    ck_assert_mem_eq(y, logits, sizeof *y * (size_t)size);
    ck_assert_double_eq_tol((double)sa_softmax_row(y, NULL, 1, size), norm,
                            1e-6 * (1 + fabs(norm)));
    for (int i = 0; i < size; i++) {
        const double right = exp((double)logits[i] - norm);
        const double rounding = 1e-6 + 1.2e-7 * fabs((double)logits[i] - max); /* of x - max */
        ck_assert_double_eq_tol((double)y[i], right, rounding * right + 1.1e-25);
        total += (double)y[i];
    }
    ck_assert_double_eq_tol(total, 1, 1e-5);
    free(y);
}

START_TEST(a_shifted_and_scaled_softmax_is_that_of_the_sum) {
    for (int size = 1; size <= 70; size++) {
        float x[70], shift[70], sum[70], same[70];
        for (int i = 0; i < size; i++) {
            x[i] = same[i] = 9 * random_number(), shift[i] = 9 * random_number();
            sum[i] = x[i] + shift[i];
        }
        const double whole = sa_log_sum_exp(same, shift, size);
        ck_assert_mem_eq(same, sum, sizeof *sum * (size_t)size);
        ck_assert_double_eq(whole, sa_log_sum_exp(sum, NULL, size));
        const float norm = sa_softmax_row(sum, NULL, 1, size);
        ck_assert_float_eq(sa_softmax_row(x, shift, 0.25f, size), norm);
        for (int i = 0; i < size; i++)
            ck_assert_double_eq_tol((double)x[i], 0.25 * (double)sum[i], 1e-7 * (double)sum[i]);
    }
}
END_TEST

START_TEST(softmax_survives_every_size_and_scale) {
    for (int size = 1; size <= 70; size++)
        for (float scale = 0; scale <= 1e4f; scale = scale == 0 ? 1e-3f : scale * 10) {
            float logits[70];
            for (int i = 0; i < size; i++) logits[i] = scale * random_number();
            check_softmax(logits, size);
        }
    sa_softmax((sa_mat){NULL, 0, 0, 0});
    float none = 3;
    sa_softmax((sa_mat){&none, 1, 0, 1}); /* a row of no columns */
    ck_assert_float_eq(none, 3);
}
END_TEST

START_TEST(saturated_softmax_is_zero_not_denormal) {
    for (int gap = 0; gap < 200; gap++) {
        float row[20] = {0};
        for (int i = 1; i < 20; i++) row[i] = (float)-gap;
        sa_softmax((sa_mat){row, 1, 20, 20});
        for (int i = 1; i < 20; i++)
            ck_assert_msg(gap < 57   ? row[i] >= 1e-26f
                          : gap > 58 ? row[i] == 0
                                     : true,
                          "e^-%d is %g", gap, (double)row[i]);
        if (gap > 58) ck_assert(row[0] == 1);
    }
}
END_TEST

/* ---- Numbers above a bar --------------------------------------------------------------------- */

/* Every size around the stretches that are looked at together, every place of the only number. */
START_TEST(the_first_number_above_a_bar) {
    for (int size = 0; size <= 300; size += size < 120 || size > 140 ? 20 : 1) {
        float x[300];
        for (int i = 0; i < size; i++) x[i] = i % 3 ? -1.5f : 2;
        ck_assert_int_eq(sa_find_above(x, size, 2), size);
        ck_assert_int_eq(sa_find_above(x, size, INFINITY), size);
        ck_assert_int_eq(sa_find_above(x, size, NAN), 0);
        for (int i = 0; i < size; i++) {
            const float was = x[i];
            x[i] = nextafterf(2, 3);
            ck_assert_int_eq(sa_find_above(x, size, 2), i);
            x[i] = NAN;
            ck_assert_int_eq(sa_find_above(x, size, 2), i);
            x[i] = was;
        }
    }
    ck_assert_int_eq(sa_find_above((const float[]){-INFINITY, 0}, 2, -INFINITY), 1);
}
END_TEST

int main(void) {
    TCase *tests;
    Suite *suite = suite_of("math", &tests);
    tcase_set_timeout(tests, 120);
    sa_blas_init();
    tcase_add_test(tests, products_equal_plain_loops);
    tcase_add_test(tests, tanh_is_right_everywhere);
    tcase_add_test(tests, sigmoid_is_right_everywhere);
    tcase_add_test(tests, not_a_number_stays_one);
    tcase_add_test(tests, a_shifted_and_scaled_softmax_is_that_of_the_sum);
    tcase_add_test(tests, softmax_survives_every_size_and_scale);
    tcase_add_test(tests, saturated_softmax_is_zero_not_denormal);
    tcase_add_test(tests, the_first_number_above_a_bar);
    return suite_run(suite);
}
