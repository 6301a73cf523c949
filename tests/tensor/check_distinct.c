/* Equal rows are found, and multiplying them once gives the same bits. */
#include "support/suite.h"
#include "tensor/weight.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 2 * SA_DISTINCT_ROWS + 3, K = 37, N = 70 };

static sa_mat random_mat(int rows, int cols) {
    sa_mat x = {malloc(sizeof(float) * (size_t)rows * (size_t)(cols + 2)), rows, cols, cols + 2};
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < cols; j++) sa_row(x, i)[j] = (float)rand() / (float)RAND_MAX - 0.5f;
    return x;
}

/* Of `kinds` rows at most, some of which differ in the last number or a sign of zero alone. */
static sa_mat repeating_mat(int rows, int cols, int kinds) {
    sa_mat x = random_mat(rows, cols);
    for (int i = kinds; i < rows; i++)
        memcpy(sa_row(x, i), sa_row(x, rand() % kinds), sizeof(float) * (size_t)cols);
    for (int i = 0; i < rows; i++) sa_row(x, i)[cols - 1] = i % 3 ? 0.0f : i % 2 ? -0.0f : 1;
    return x;
}

START_TEST(equal_rows_are_found) {
    int same[SA_DISTINCT_ROWS], first[SA_DISTINCT_ROWS];
    for (int rows = 1; rows <= SA_DISTINCT_ROWS; rows += 73) {
        sa_mat x = repeating_mat(rows, K, 1 + rows / 4);
        const size_t size = sizeof(float) * (size_t)K;
        const int count = sa_distinct_rows(x, same, first);
        for (int i = 0; i < rows; i++) {
            int earlier = 0;
            while (memcmp(sa_row(x, earlier), sa_row(x, i), size) != 0) earlier++;
            ck_assert_int_eq(first[same[i]], earlier);
        }
        for (int k = 0; k < count; k++) ck_assert_int_eq(same[first[k]], k);
        free(x.x);
    }
}
END_TEST

/* The product plus b, and the largest number of each stretch, which a NaN is not. */
START_TEST(the_largest_sums_of_each_stretch) {
    enum { STRETCH = 7, STRETCHES = (N + STRETCH - 1) / STRETCH, MOST = 30 };
    sa_mat matrix = random_mat(N, K), x = random_mat(MOST, K), b = random_mat(1, N);
    sa_mat y = random_mat(MOST, N), sums = random_mat(MOST, N), most = random_mat(MOST, STRETCHES);
    sa_store store = {.use = SA_STORE_INFERENCE, .rows = MOST};
    sa_weight_stored((sa_weight){.mat = matrix}, &store);
    ck_assert(sa_store_open(&store, NULL));
    const sa_weight kinds[] = {{.mat = matrix},
                               sa_weight_stored((sa_weight){.mat = matrix}, &store)};
    b.x[0] = b.x[N / 2] = NAN;
    for (int kind = 0; kind < 2; kind++) {
        sa_weight_nt(x, kinds[kind], 0, sums);
        sa_weight_nt_most(x, kinds[kind], b.x, STRETCH, y, most);
        for (int i = 0; i < MOST; i++)
            for (int k = 0; k < STRETCHES; k++) {
                float largest = -INFINITY;
                for (int j = k * STRETCH; j < N && j < (k + 1) * STRETCH; j++) {
                    const float sum = sa_row(sums, i)[j] + b.x[j];
                    if (sum > largest) largest = sum;
                    ck_assert(sa_row(y, i)[j] == sum || (isnan(sum) && isnan(sa_row(y, i)[j])));
                }
                ck_assert_float_eq(sa_row(most, i)[k], largest);
            }
    }
    free(matrix.x), free(x.x), free(b.x), free(y.x), free(sums.x), free(most.x);
    sa_store_release(&store);
}
END_TEST

START_TEST(their_products_have_the_same_bits) {
    sa_mat matrix = random_mat(N, K), x = repeating_mat(ROWS, K, 100);
    sa_store store = {.use = SA_STORE_INFERENCE, .rows = ROWS};
    sa_weight_stored((sa_weight){.mat = matrix}, &store);
    ck_assert(sa_store_open(&store, NULL));
    const sa_weight repeats = sa_weight_stored((sa_weight){.mat = matrix}, &store);
    sa_weight W = repeats;
    W.as.repeats = false;
    static const int rows[] = {1, 2, 5, 64, SA_DISTINCT_ROWS, SA_DISTINCT_ROWS + 1, ROWS};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (int beta = 0; beta <= 1; beta++) {
            sa_mat y = random_mat(rows[i], N), once = random_mat(rows[i], N);
            sa_gather_rows(y, (const int[ROWS]){0}, once);
            sa_gather_rows(once, (const int[ROWS]){0}, y);
            sa_weight_nt(sa_rows(x, 0, rows[i]), W, (float)beta, y);
            sa_weight_nt(sa_rows(x, 0, rows[i]), repeats, (float)beta, once);
            for (int k = 0; k < rows[i]; k++)
                ck_assert_mem_eq(sa_row(y, k), sa_row(once, k), sizeof(float) * N);
            free(y.x), free(once.x);
        }
    sa_store_release(&store);
    free(matrix.x), free(x.x);
}
END_TEST

int main(void) {
    TCase *tests;
    Suite *suite = suite_of("equal rows", &tests);
    tcase_add_test(tests, equal_rows_are_found);
    tcase_add_test(tests, their_products_have_the_same_bits);
    tcase_add_test(tests, the_largest_sums_of_each_stretch);
    return suite_run(suite);
}
