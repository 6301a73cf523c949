/* Matrix products against plain loops. */
#include "support/suite.h"
#include "tensor/bf16.h"
#include "tensor/blas.h"
#include "tensor/weight.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static float random_number(void) {
    return (float)rand() / (float)RAND_MAX - 0.5f;
}

/* A block with gaps between its rows, which must not change. */
static sa_mat block(int rows, int cols) {
    const int ld = cols + 3;
    float *x = malloc(sizeof *x * (size_t)(rows + 1) * (size_t)ld);
    for (int i = 0; i < (rows + 1) * ld; i++) x[i] = random_number();
    return (sa_mat){x, rows, cols, ld};
}

static float at(sa_mat a, int i, int j, bool transposed) {
    return transposed ? sa_row(a, j)[i] : sa_row(a, i)[j];
}

/* c = beta c + op(a) op(b) against a plain loop in double. */
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
    sa_weight W = {.mat = block(b.rows + 1, b.cols)};
    const sa_mat part = sa_rows(W.mat, 1, b.rows);
    for (int i = 0; i < b.rows; i++)
        memcpy(sa_row(part, i), sa_row(b, i), sizeof(float) * (size_t)b.cols);
    sa_steps steps = {0};
    sa_steps_add(&steps, &W);
    sa_arena arena, dry = {0};
    const size_t size = sa_steps_layout(&dry, steps, 80).size;
    ck_assert(sa_arena_init(&arena, size, NULL));
    const sa_mat first = block(c.rows, c.cols);
    sa_steps_begin(sa_steps_layout(&arena, steps, 80));
    (forward ? sa_weight_nt : sa_weight_nn)(a, sa_weight_rows(W, 1, b.rows), 0, first);
    if (size) memset(part.x, 0xff, sizeof(float) * (size_t)part.cols); /* must not be read */
    (forward ? sa_weight_nt : sa_weight_nn)(a, sa_weight_rows(W, 1, b.rows), beta, c);
    sa_steps_end();
    sa_arena_release(&arena);
    free(first.x);
    free(W.mat.x);
}

static void packed_forward(sa_mat a, sa_mat b, float beta, sa_mat c) {
    packed_product(true, a, b, beta, c);
}

static void packed_backward(sa_mat a, sa_mat b, float beta, sa_mat c) {
    packed_product(false, a, b, beta, c);
}

START_TEST(products_equal_plain_loops) {
    /* Up to several tiles; under the sanitizers without 100, between two others. */
    static const int sizes[] = {0, 1, 2, 7, 33, 150, 100};
    enum { COUNT = sizeof sizes / sizeof *sizes - TEST_SANITIZED };
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

int openblas_get_num_threads(void);
void openblas_set_num_threads(int threads);

START_TEST(a_product_has_one_thread) {
    openblas_set_num_threads(2);
    sa_blas_init();
    ck_assert_int_eq(openblas_get_num_threads(), 1);
}
END_TEST

/* Of five rows, the last of which is a pair by itself. */
START_TEST(rounded_rows_are_taken_in_pairs) {
    static float panels[1];
    const sa_packed all = {.panels = panels, .bf16 = true};
    static const struct {
        int first, count;
        bool whole;
    } cases[] = {{0, 5, true},  {0, 4, true},  {2, 3, true},  {4, 1, true},
                 {0, 3, false}, {1, 4, false}, {2, 1, false}, {1, 2, false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const sa_packed rows = sa_bf16_rows(all, 5, cases[i].first, cases[i].count);
        ck_assert_int_eq(rows.panels != NULL, cases[i].whole);
        ck_assert(!rows.panels || (rows.panels == panels) == (cases[i].first == 0));
    }
    ck_assert_ptr_null(sa_bf16_rows((sa_packed){0}, 5, 0, 5).panels);
}
END_TEST

/* More than 2^22 places are not packed for one product. */
START_TEST(a_wide_product_has_no_room) {
    size_t most = 0;
    for (int cols = 1; cols <= 1 << 20; cols *= 2) {
        const size_t room = sa_bf16_room(cols);
        ck_assert(room ? room >= most : most > 0);
        most = room ? room : most;
    }
    ck_assert_uint_le(most, 1 << 22);
    ck_assert_uint_eq(sa_bf16_room(1 << 20), 0);
}
END_TEST

int main(void) {
    TCase *tests;
    Suite *suite = suite_of("products", &tests);
    tcase_set_timeout(tests, 120);
    sa_blas_init();
    tcase_add_test(tests, a_product_has_one_thread);
    tcase_add_test(tests, products_equal_plain_loops);
    tcase_add_test(tests, rounded_rows_are_taken_in_pairs);
    tcase_add_test(tests, a_wide_product_has_no_room);
    return suite_run(suite);
}
