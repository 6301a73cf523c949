/* Elementwise functions against libm over all floats, and softmax. */
#include "support/suite.h"
#include "tensor/vec.h"

#include <stdlib.h>
#include <string.h>

#define BOUND 4e-7 /* what tensor/vec.h promises */

static float random_number(void) {
    return (float)rand() / (float)RAND_MAX - 0.5f;
}

/* ---- Functions over all floats --------------------------------------------------------------- */

typedef double libm_function(double);

static double logistic(double x) {
    return 1 / (1 + exp(-x));
}

/* Fewer floats under the sanitizers, which look at memory, not at numbers. */
enum { STEP = TEST_SANITIZED ? 97 * 64 + 1 : 97 };

/* Every STEPth float, both signs. Results below `least` may be anything. */
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

START_TEST(tanh_is_accurate_everywhere) {
    check_function(sa_tanh, tanh, 0);
}
END_TEST

START_TEST(sigmoid_is_accurate_everywhere) {
    check_function(sa_sigmoid, logistic, 2e-38f);
}
END_TEST

START_TEST(nan_stays_nan) {
    float x[40];
    for (int i = 0; i < 40; i++) x[i] = i == 17 ? NAN : 1;
    sa_tanh((sa_mat){x, 1, 40, 40});
    ck_assert(isnan(x[17]) && isfinite(x[16]) && isfinite(x[18]));
    x[17] = NAN;
    sa_sigmoid((sa_mat){x, 1, 40, 40});
    ck_assert(isnan(x[17]) && isfinite(x[16]));
}
END_TEST

/* ---- Softmax --------------------------------------------------------------------------------- */

static void check_softmax(const float *logits, int size) {
    float *y = malloc(sizeof *y * (size_t)size);
    memcpy(y, logits, sizeof *y * (size_t)size);
    double max = -INFINITY, sum = 0, total = 0;
    for (int i = 0; i < size; i++)
        if ((double)logits[i] > max)
            max = (double)logits[i]; /* fmax() here crashes gcc 12 for arm64 */
    for (int i = 0; i < size; i++) sum += exp((double)logits[i] - max);
    const double log_sum_exp = max + log(sum);
    ck_assert_double_eq_tol(sa_log_sum_exp_below(y, sa_max(y, size), size), log_sum_exp,
                            1e-6 * (1 + fabs(log_sum_exp)));
    ck_assert_mem_eq(y, logits, sizeof *y * (size_t)size);
    ck_assert_double_eq_tol((double)sa_softmax_row(y, size), log_sum_exp,
                            1e-6 * (1 + fabs(log_sum_exp)));
    for (int i = 0; i < size; i++) {
        const double right = exp((double)logits[i] - log_sum_exp);
        const double rounding = 1e-6 + 1.2e-7 * fabs((double)logits[i] - max); /* of x - max */
        ck_assert_double_eq_tol((double)y[i], right, rounding * right + 1.1e-25);
        total += (double)y[i];
    }
    ck_assert_double_eq_tol(total, 1, 1e-5);
    free(y);
}

START_TEST(shifted_and_scaled_softmax) {
    for (int size = 1; size <= 70; size++) {
        float x[70], shift[70], sum[70], same[70];
        for (int i = 0; i < size; i++) {
            x[i] = same[i] = 9 * random_number(), shift[i] = 9 * random_number();
            sum[i] = x[i] + shift[i];
        }
        const float max = sa_add_and_max(same, shift, size);
        ck_assert_mem_eq(same, sum, sizeof *sum * (size_t)size);
        ck_assert_float_eq(max, sa_max(sum, size));
    }
}
END_TEST

static int least(int a, int b) {
    return a < b ? a : b;
}

START_TEST(softmax_in_parts) {
    for (int size = 1; size <= 70; size++)
        for (int part = 1; part <= size; part += 1 + part / 4) {
            float x[70], shift[70], whole[70];
            float max[70];
            sa_softmax_sums sums = SA_SOFTMAX_NONE;
            for (int i = 0; i < size; i++) {
                x[i] = 9 * random_number(), shift[i] = 30 * random_number();
                whole[i] = x[i] + shift[i];
            }
            for (int at = 0; at < size; at += part)
                max[at] = sa_softmax_read(x + at, shift + at, least(part, size - at), &sums);
            const double log_sum_exp = (double)sa_softmax_row(whole, size);
            ck_assert_double_eq_tol((double)sums.max + log((double)sums.sum), log_sum_exp,
                                    1e-6 * (1 + fabs(log_sum_exp)));
            for (int at = 0; at < size; at += part)
                sa_softmax_write(sums, max[at], 0.25F, x + at, least(part, size - at));
            for (int i = 0; i < size; i++)
                ck_assert_double_eq_tol((double)x[i], 0.25 * (double)whole[i], 1e-6);
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

START_TEST(one_number_among_zeros_is_moved) {
    enum { SIZE = 600 }; /* several stretches and a rest */
    static sa_real x[SIZE], sum[SIZE];
    for (int i = 0; i < SIZE; i++) sum[i] = (sa_real)i;
    const sa_real others[] = {-1, NAN, (sa_real)1e-40};
    for (int i = 0; i < SIZE; i++)
        for (size_t k = 0; k < sizeof others / sizeof *others; k++) {
            x[i] = others[k], sum[i] = 0;
            sa_move_sum(x, sum, SIZE);
            for (int l = 0; l < SIZE; l++) ck_assert(x[l] == 0 && (l == i || sum[l] == (sa_real)l));
            ck_assert(k == 1 ? isnan(sum[i]) : sum[i] == others[k]);
            x[i] = others[k];
            sa_move_sum(x, NULL, (size_t)i); /* it ends before */
            ck_assert(memcmp(&x[i], &others[k], sizeof *x) == 0);
            sa_move_sum(x, NULL, SIZE);
            ck_assert(x[i] == 0);
            sum[i] = (sa_real)i;
        }
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

/* ---- Numbers above a threshold --------------------------------------------------------------- */

/* Weights below 1e-25 are 0, however large the sum: here it is 1000. */
START_TEST(tiny_weights_are_zero) {
    enum { N = 1002 };
    float x[N] = {0};
    x[7] = -53, x[8] = -50; /* e^-53 / 1000 is 9.6e-27, e^-50 / 1000 1.9e-25 */
    sa_softmax_row(x, N);
    ck_assert_float_eq(x[7], 0);
    ck_assert_double_eq_tol((double)x[8], exp(-50) / 1000, 1e-30);
    ck_assert_double_eq_tol((double)x[9], 1e-3, 1e-8);
}
END_TEST

/* Sizes around the stretches that are compared together, every index of the only number. */
START_TEST(find_the_first_number_above) {
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
    Suite *suite = suite_of("elementwise functions", &tests);
    tcase_set_timeout(tests, 120);
    tcase_add_test(tests, one_number_among_zeros_is_moved);
    tcase_add_test(tests, tanh_is_accurate_everywhere);
    tcase_add_test(tests, sigmoid_is_accurate_everywhere);
    tcase_add_test(tests, nan_stays_nan);
    tcase_add_test(tests, shifted_and_scaled_softmax);
    tcase_add_test(tests, softmax_in_parts);
    tcase_add_test(tests, softmax_survives_every_size_and_scale);
    tcase_add_test(tests, saturated_softmax_is_zero_not_denormal);
    tcase_add_test(tests, find_the_first_number_above);
    tcase_add_test(tests, tiny_weights_are_zero);
    return suite_run(suite);
}
