/* Every entry of sa_normalizers: values by another algorithm and from the papers' examples,
 * gradients by differences. */
#include "base/option.h"
#include "support/attending.h"
#include "support/entmax.h"
#include "support/suite.h"

static const sa_normalizer *row_of(const char *name) {
    const sa_normalizer *row = sa_normalizers;
    while (row->name && strcmp(row->name, name) != 0) row++;
    ck_assert_ptr_nonnull(row->name);
    return row;
}

static sa_mat of_numbers(const double *x, int size) {
    sa_mat copy = unset(1, size);
    for (int j = 0; j < size; j++) copy.x[j] = x[j];
    return copy;
}

/* ---- Values ---------------------------------------------------------------------------------- */

static const struct {
    const char *name;
    double alpha;
    int size;
    double z[4], p[4];
} examples[] = {
    {"softmax", 0, 3, {-2, 0, .5}, {.048611, .359188, .592201}},
    {"softmax", 0, 4, {1, .9, .1, -1}, {.408707, .369813, .166168, .055312}},
    {"null", 0, 3, {-2, 0, .5}, {.035765, .264267, .435702}},
    {"null", 0, 2, {-1000, -1000}, {0, 0}},
    {"null", 0, 2, {1000, 0}, {1, 0}},
    {"sparsemax", 0, 3, {-2, 0, .5}, {0, .25, .75}},
    {"sparsemax", 0, 4, {1, .9, .1, -1}, {.55, .45, 0, 0}},
    {"sparsemax", 0, 3, {.3, .3, .3}, {1 / 3., 1 / 3., 1 / 3.}},
    {"sparsemax", 0, 3, {3, 0, 0}, {1, 0, 0}},
    {"entmax", 1.5, 3, {-2, 0, .5}, {0, .326007, .673993}},
    {"entmax", 1.5, 4, {1, .9, .1, -1}, {.500919, .432643, .066438, 0}},
    {"entmax", 1.5, 3, {.3, .3, .3}, {1 / 3., 1 / 3., 1 / 3.}},
    {"entmax", 1.5, 3, {3, 0, 0}, {1, 0, 0}},
    {"entmax", 1.33, 3, {-1, 0, .5}, {.0460, .3276, .6264}},
    {"entmax", 2, 3, {-2, 0, .5}, {0, .25, .75}},
    {"entmax", 1.5, 2, {1e300, 1e300}, {.5, .5}},
    {"sparsemax", 0, 3, {-1e300, 1e300, 1e299}, {0, 1, 0}},
    {"sink", 0, 3, {-2, 0, .5}, {.035765, .264267, .435702}},
    {"sink", .5, 4, {-1, .6, .1, .4}, {.057162, .283126, .171725, .231804}},
    {"sink", 1000, 2, {1000, 0}, {.5, 0}},
    {"ssmax", .43, 4, {-1, .6, .1, .4}, {.127783, .331658, .246177, .294383}},
    {"ssmax", .43, 1, {7}, {1}},
    {"stick-breaking", 0, 4, {-1, .6, .1, .4}, {.045268, .306700, .524979, 0}},
    {"stick-breaking", 0, 4, {0, 0, 0, 0}, {.125, .25, .5, 0}},
    {"stick-breaking", 0, 3, {0, 1000, 0}, {0, 1, 0}},
    {"softpick", 0, 4, {-1, .6, .1, .4}, {0, .400792, .051272, .239770}},
    {"softpick", 0, 3, {-1000, 0, -1}, {0, 0, 0}},
    {"softpick", 0, 2, {1000, -1000}, {1, 0}},
    {"sigmoid", 0, 4, {-1, .6, .1, .4}, {.084224, .312965, .216481, .271645}},
    {"sigmoid", 0, 4, {0, 0, 0, 0}, {.2, .2, .2, .2}},
    {"sigmoid", 1, 2, {1000, -1000}, {1, 0}},
};

/* From the scores -1 .6 .1 .4 and the derivatives 1 0 -1 .5 by the weights, those of the program by
 * scores and the normalizer's number: computed by numpy from the papers' equations. */
static const struct {
    const char *name;
    double number, dz[4], dnumber;
} derivatives[] = {
    {"softmax", 0, {.076711, -.000685, -.231285, .155259}, 0},
    {"sink", .5, {.057086, -.000379, -.171955, .115592}, -.000343},
    {"ssmax", .43, {.073979, -.005693, -.150974, .082688}, -.138178},
    {"stick-breaking", 0, {.033094, -.029228, -.273141, 0}, 0},
    {"softpick", 0, {.012305, -.060949, -.575751, .313740}, 0},
    {"sigmoid", 0, {.077130, 0, -.169617, .098927}, .006440},
};

START_TEST(examples_of_the_papers) {
    const double tolerance = examples[_i].alpha == 1.33 ? 5e-5 : 5e-7;
    const sa_mat z = of_numbers(examples[_i].z, examples[_i].size);
    row_of(examples[_i].name)->forward(examples[_i].alpha, z);
    for (int j = 0; j < z.cols; j++) ck_assert_double_eq_tol(z.x[j], examples[_i].p[j], tolerance);
}
END_TEST

/* Rows of every row of the table, with an alpha of its own. */
enum { WIDEST = 40 };
static const double alphas[] = {1.01, 1.2, 1.5, 1.9, 2};
enum { ALPHAS = sizeof alphas / sizeof *alphas };

START_TEST(rows_are_the_weights_of_another_algorithm) {
    const sa_normalizer *row = &sa_normalizers[_i / ALPHAS];
    const double alpha = alphas[_i % ALPHAS];
    for (int size = 1; size <= WIDEST; size++) {
        const sa_mat z = drawn(3, size);
        double p[3][WIDEST], bound = size % 3 ? 4 : 40;
        draw(z, bound);
        for (int i = 0; i < 3; i++)
            ck_assert(normalize(row->name, alpha, sa_row(z, i), size, p[i]));
        row->forward(alpha, z);
        for (int i = 0; i < 3; i++) {
            double sum = 0;
            for (int j = 0; j < size; j++) {
                ck_assert_double_ge(sa_row(z, i)[j], 0);
                ck_assert_double_eq_tol(sa_row(z, i)[j], p[i][j], 1e-12);
                sum += sa_row(z, i)[j];
            }
            if (!row->any_sum) ck_assert_double_le(sum, 1 + 1e-13);
            if (!row->null_key && !row->any_sum) ck_assert_double_ge(sum, 1 - 1e-13);
        }
    }
}
END_TEST

/* Weights that sum to 1 depend on differences of scores alone. */
START_TEST(shifted_scores_give_the_same_weights) {
    const sa_normalizer *row = &sa_normalizers[_i];
    sa_mat z = drawn(1, 6), shifted = unset(1, 6);
    for (int j = 0; j < 6; j++) shifted.x[j] = z.x[j] + 3;
    row->forward(1.5, z);
    row->forward(1.5, shifted);
    if (row->null_key || row->any_sum)
        ck_assert_double_gt(farthest(z, shifted), 1e-3);
    else
        ck_assert_double_le(farthest(z, shifted), 1e-14);
}
END_TEST

/* A model that diverged must not look sound. */
START_TEST(what_is_no_number_stays_none) {
    static const double bad[] = {NAN, INFINITY};
    const double z[] = {1, bad[_i % 2], 0};
    const sa_mat p = of_numbers(z, 3);
    sa_normalizers[_i / 2].forward(1.5, p);
    ck_assert(!isfinite(p.x[0] + p.x[1] + p.x[2]));
}
END_TEST

/* ---- Gradients ------------------------------------------------------------------------------- */

static const sa_normalizer *of;
static double exponent;
static sa_mat e, p, dy;

static double value(void) {
    for (int j = 0; j < e.cols; j++) p.x[j] = e.x[j];
    of->forward(exponent, p);
    return weighted_sum(p, dy);
}

static void go_back(const sa_mat dz, double *dnumber) {
    const sa_mat z = unset(1, e.cols);
    for (int j = 0; j < e.cols; j++) z.x[j] = e.x[j];
    if (of->scored_backward)
        of->scored_backward(exponent, z, p, dz, dnumber);
    else
        of->backward(exponent, p, dz, dnumber);
}

START_TEST(derivatives_of_the_papers) {
    static const double scores[] = {-1, .6, .1, .4}, above[] = {1, 0, -1, .5};
    of = row_of(derivatives[_i].name), exponent = derivatives[_i].number;
    e = of_numbers(scores, 4), p = unset(1, 4), dy = of_numbers(above, 4);
    value();
    const sa_mat dz = of_numbers(above, 4);
    double dnumber = 0;
    go_back(dz, &dnumber);
    for (int j = 0; j < 4; j++) ck_assert_double_eq_tol(dz.x[j], derivatives[_i].dz[j], 5e-7);
    ck_assert_double_eq_tol(dnumber, derivatives[_i].dnumber, 5e-7);
}
END_TEST

/* Scores with no weight near its kink, and in small alpha none so small that it bends too much. */
static void draw_smooth(int size) {
    bool near = true;
    e = unset(1, size), p = unset(1, size), dy = drawn(1, size);
    while (near) {
        near = false;
        draw(e, 2);
        for (int j = 0; j < size; j++) p.x[j] = e.x[j];
        if (of->kinks) of->kinks(exponent, p);
        for (int j = 0; of->kinks && j < size; j++) near = near || fabs(p.x[j]) < 0.05;
    }
}

START_TEST(backward) {
    of = &sa_normalizers[_i / ALPHAS], exponent = alphas[_i % ALPHAS];
    if (exponent == 1.01) exponent = 1.1; /* beyond, sixth-order differences are too coarse */
    for (int size = 1; size <= 5; size++) {
        draw_smooth(size);
        value();
        sa_mat dz = unset(1, size);
        double dexponent = BEFORE;
        for (int j = 0; j < size; j++) dz.x[j] = dy.x[j];
        go_back(dz, &dexponent);
        CHECK_WRITTEN(value, e, dz);
        if (of->learned || (of->exponent && exponent < 2)) /* of alpha there is no sum beyond 2 */
            ck_assert_double_eq_tol(dexponent - BEFORE, slope(value, &exponent), 1e-8);
        else if (!of->exponent)
            ck_assert_double_eq(dexponent, BEFORE);
    }
}
END_TEST

/* The derivative of the first weight with respect to alpha. */
START_TEST(derivative_by_alpha) {
    const double z[] = {-1, 0, .5}, first[] = {1, 0, 0};
    const sa_mat own = of_numbers(z, 3), dp = of_numbers(first, 3);
    double dalpha = 0;
    row_of("entmax")->forward(1.33, own);
    row_of("entmax")->backward(1.33, own, dp, &dalpha);
    ck_assert_double_eq_tol(dalpha, -.2562, 5e-5);
}
END_TEST

/* sigma(a) between softmax and sparsemax; grad_attention.c checks its slope. */
START_TEST(learned_alpha) {
    static const double points[] = {-3, -0.5, 0, 2, -100, 100};
    const double a = points[_i];
    attention_settings(SA_ATTENTION_ADDITIVE);
    settings.normalizer = SA_NORMALIZER_ENTMAX, settings.entmax_alpha = SA_ENTMAX_ALPHA_LEARNED;
    ck_assert(decoder_open());
    fill(weights, a);
    sa_head at = bare_head(1);
    const int part = sa_part_find(&w, &sa_learned_number_part);
    sa_learned_number_part.forward[SA_PLACE_KEYS](&w, part, &at);
    const double alpha = *at.exponent;
    if (fabs(a) < 100) ck_assert_double_eq_tol(alpha, 1 + 1 / (1 + exp(-a)), 1e-15);
    ck_assert(alpha > 1 && alpha <= 2);
}
END_TEST

int main(void) {
    TCase *tests;
    Suite *suite = suite_of("normalizers in double", &tests);
    int known = 0;
    while (SA_NAME(sa_normalizers, (size_t)known)) known++;
    tcase_add_checked_fixture(tests, numbers_open, numbers_close);
    tcase_add_loop_test(tests, examples_of_the_papers, 0, sizeof examples / sizeof *examples);
    tcase_add_loop_test(tests, rows_are_the_weights_of_another_algorithm, 0, known * ALPHAS);
    tcase_add_loop_test(tests, shifted_scores_give_the_same_weights, 0, known);
    tcase_add_loop_test(tests, what_is_no_number_stays_none, 0, 2 * known);
    tcase_add_loop_test(tests, derivatives_of_the_papers, 0,
                        sizeof derivatives / sizeof *derivatives);
    tcase_add_loop_test(tests, backward, 0, known * ALPHAS);
    tcase_add_test(tests, derivative_by_alpha);
    tcase_add_loop_test(tests, learned_alpha, 0, 6);
    return suite_run(suite);
}
