/* R-Drop's divergence between the two distributions of a word, and its derivatives. */
#include "layers/divergence.h"
#include "support/differences.h"
#include "support/suite.h"
#include "tensor/vec.h"

static sa_mat x, y, d;
static const int twin[] = {1, 0, 4, 5, 2, 3}; /* both orders of rows */
static double kept[6];

static void row_of_softmax(const sa_real *z, double *p) {
    double sum = 0;
    for (int k = 0; k < 7; k++) sum += exp(z[k]);
    for (int k = 0; k < 7; k++) p[k] = exp(z[k]) / sum;
}

static sa_softmax_sums sums[6];
static const sa_divergence divergence = {.twin = twin, .weight = 5, .sums = sums};

/* Read in two parts; leaves y = 0.3 softmax(x) and d. */
static double divergence_loss(void) {
    static const sa_real shift[7];
    sa_loss_row loss[6];
    sa_real max[2][6];
    double sum = 0;
    sa_copy_mat(x, y);
    for (int part = 0; part < 2; part++) {
        const sa_mat z = sa_cols(y, 4 * part, 4 - part), own = sa_cols(d, 4 * part, 4 - part);
        sa_divergence_difference(&divergence, 0, z, own);
        for (int i = 0; i < 6; i++) {
            if (!part) loss[i].softmax = SA_SOFTMAX_NONE;
            max[part][i] = sa_softmax_read(sa_row(z, i), shift, z.cols, &loss[i].softmax);
        }
        sa_divergence_read(&divergence, z, max[part], own, !part);
    }
    for (int i = 0; i < 6; i++) kept[i] = 0;
    sa_divergence_forward(&divergence, 0, 6, loss, kept);
    for (int part = 0; part < 2; part++)
        sa_loss_probabilities(loss, max[part], 0.3, sa_cols(y, 4 * part, 4 - part));
    for (int i = 0; i < 6; i++) sum -= 0.3 * kept[i];
    return sum;
}

START_TEST(divergence_of_twins) {
    const sa_divergence small = {.twin = twin, .logits = {.rows = 4}};
    double p[2][7];
    x = drawn(6, 7), y = unset(6, 7), d = unset(6, 7);
    draw(x, 2);
    divergence_loss();
    for (int i = 0; i < 6; i++) { /* weight / 4 (KL(p || q) + KL(q || p)) */
        double both = 0;
        row_of_softmax(sa_row(x, i), p[0]), row_of_softmax(sa_row(x, twin[i]), p[1]);
        for (int k = 0; k < 7; k++) both += (p[0][k] - p[1][k]) * log(p[0][k] / p[1][k]);
        ck_assert_double_eq_tol(-kept[i], 5. / 4 * both, 1e-13);
    }
    const sa_mat gradient = unset(6, 7);
    sa_copy_mat(d, gradient);
    sa_divergence_backward(&divergence, 0, y, gradient);
    CHECK_WRITTEN(divergence_loss, x, gradient);
    /* blocks of at most four rows */
    ck_assert_int_eq(sa_divergence_block_end(&small, 0, 6), 2);
    ck_assert_int_eq(sa_divergence_block_end(&small, 2, 6), 6);
}
END_TEST

int main(void) {
    TCase *tests;
    Suite *suite = suite_of("divergence in double", &tests);
    tcase_add_checked_fixture(tests, numbers_open, numbers_close);
    tcase_add_test(tests, divergence_of_twins);
    return suite_run(suite);
}
