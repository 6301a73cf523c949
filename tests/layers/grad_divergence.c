/* R-Drop's divergence between the two distributions of a word, and its derivatives. */
#include "layers/divergence.h"
#include "support/differences.h"
#include "support/suite.h"
#include "tensor/vec.h"

static sa_mat x, y;
static const int twin[] = {1, 0, 4, 5, 2, 3}; /* both orders of rows */
static double kept[6];

static void row_of_softmax(const sa_real *z, double *p) {
    double sum = 0;
    for (int k = 0; k < 7; k++) sum += exp(z[k]);
    for (int k = 0; k < 7; k++) p[k] = exp(z[k]) / sum;
}

static double divergence_loss(void) {
    const sa_divergence divergence = {.twin = twin, .weight = 5};
    double sum = 0;
    sa_mat d = unset(6, 7);
    sa_copy_mat(x, y);
    sa_divergence_difference(&divergence, 0, y, d);
    for (int i = 0; i < 6; i++) {
        kept[i] = 0;
        sa_softmax_row(sa_row(y, i), 7);
    }
    sa_scale(0.3, y);
    sa_divergence_forward(&divergence, 0, y, 0.3, d, kept);
    for (int i = 0; i < 6; i++) sum -= 0.3 * kept[i];
    return sum;
}

START_TEST(divergence_of_twins) {
    const sa_divergence divergence = {.twin = twin, .weight = 5, .logits = unset(4, 7)};
    double p[2][7];
    x = drawn(6, 7), y = unset(6, 7);
    draw(x, 2);
    divergence_loss();
    for (int i = 0; i < 6; i++) { /* weight / 4 (KL(p || q) + KL(q || p)) */
        double both = 0;
        row_of_softmax(sa_row(x, i), p[0]), row_of_softmax(sa_row(x, twin[i]), p[1]);
        for (int k = 0; k < 7; k++) both += (p[0][k] - p[1][k]) * log(p[0][k] / p[1][k]);
        ck_assert_double_eq_tol(-kept[i], 5. / 4 * both, 1e-13);
    }
    sa_mat d = unset(6, 7);
    sa_divergence_difference(&divergence, 0, x, d);
    sa_divergence_backward(&divergence, 0, y, 0.3, d);
    CHECK_WRITTEN(divergence_loss, x, d);
    /* blocks of at most four rows */
    ck_assert_int_eq(sa_divergence_block_end(&divergence, 0, 6), 2);
    ck_assert_int_eq(sa_divergence_block_end(&divergence, 2, 6), 6);
}
END_TEST

int main(void) {
    TCase *tests;
    Suite *suite = suite_of("divergence in double", &tests);
    tcase_add_checked_fixture(tests, numbers_open, numbers_close);
    tcase_add_test(tests, divergence_of_twins);
    return suite_run(suite);
}
