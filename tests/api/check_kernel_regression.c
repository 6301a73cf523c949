/* Kernel regression (Nadaraya 1964, Watson 1964): sa_attend with the score "gaussian", its limits,
 * and the width that is fitted by leaving one out. */
#include "support/suite.h"

#include <math.h>
#include <softalign/lab.h>
#include <string.h>

static sa_error error;
static sa_attend_result out;

static void attend(const sa_attend_options *job) {
    ck_assert_msg(sa_attend(job, &out, &error), "%s", error.text);
}

enum { SHOWN = 50, HELD_OUT = 200 };

static double sine_at(double x, uint64_t *noise) {
    *noise = *noise * 6364136223846793005u + 1442695040888963407u;
    return 2 * sin(x) + ((double)(*noise >> 11) / 0x1p53 - 0.5) * 1.5;
}

/* A noisy sine from 0 to 2 pi: SHOWN points at random, and HELD_OUT others on a grid. */
static double shown_x[SHOWN], shown_y[SHOWN], other_x[HELD_OUT], other_y[HELD_OUT];

static sa_attend_options regression(double h) {
    uint64_t noise = 1;
    for (int i = 0; i < SHOWN; i++) {
        shown_x[i] = acos(-1) * (1 + (sine_at(0, &noise) / 0.75));
        shown_y[i] = sine_at(shown_x[i], &noise);
    }
    for (int i = 0; i < HELD_OUT; i++) {
        other_x[i] = 2 * acos(-1) * (i + 0.5) / HELD_OUT;
        other_y[i] = sine_at(other_x[i], &noise);
    }
    return (sa_attend_options){.attention = SA_ATTENTION_GAUSSIAN,
                               .heads = 1,
                               .bandwidth = h,
                               .query = {"x", HELD_OUT, 1, other_x},
                               .keys = {"x", SHOWN, 1, shown_x},
                               .values = {"y", SHOWN, 1, shown_y}};
}

static int nearest(double x) {
    int best = 0;
    for (int j = 1; j < SHOWN; j++)
        if (fabs(shown_x[j] - x) < fabs(shown_x[best] - x)) best = j;
    return best;
}

START_TEST(kernel_regression_has_its_limits) {
    sa_attend_options job = regression(SA_BANDWIDTH_MIN);
    attend(&job);
    for (int i = 0; i < HELD_OUT; i++)
        ck_assert_double_eq(out.outputs[i], shown_y[nearest(other_x[i])]);
    sa_attend_result_release(&out);
    job.query = job.keys; /* every point is its own nearest neighbor */
    attend(&job);
    ck_assert_mem_eq(out.outputs, shown_y, sizeof shown_y);
    sa_attend_result_release(&out);
    job = regression(SA_BANDWIDTH_MAX);
    attend(&job);
    for (int j = 0; j < SHOWN; j++) ck_assert_double_eq(out.weights[j], 1. / SHOWN);
    sa_attend_result_release(&out);
}
END_TEST

START_TEST(a_kernel_of_unit_keys_is_a_scaled_product) {
    double angles[12], unit[24];
    for (int i = 0; i < 12; i++) {
        angles[i] = i * i * 0.7;
        unit[2 * i] = cos(angles[i]), unit[2 * i + 1] = sin(angles[i]);
    }
    const sa_table keys = {"keys", 12, 2, unit}, values = {"values", 12, 1, angles};
    /* scaled-dot divides by sqrt(2): h^2 = sqrt(2) */
    sa_attend_options job = {.attention = SA_ATTENTION_GAUSSIAN,
                             .heads = 1,
                             .bandwidth = pow(2, 0.25),
                             .query = {"query", 2, 2, (const double[]){3, -1, 0.25, 40}},
                             .keys = keys,
                             .values = values};
    double weights[24];
    attend(&job);
    memcpy(weights, out.weights, sizeof weights);
    sa_attend_result_release(&out);
    job.attention = SA_ATTENTION_SCALED_DOT, job.bandwidth = 0;
    attend(&job);
    for (int i = 0; i < 24; i++) ck_assert_double_eq_tol(weights[i], out.weights[i], 1e-12);
    sa_attend_result_release(&out);
}
END_TEST

/* Mean squared errors of the other points, and of those shown, each without itself. */
static double held_out(double h, int degree, double *bandwidth, double *left_out) {
    sa_attend_options job = regression(h);
    job.degree = degree;
    double sum = 0;
    attend(&job);
    for (int i = 0; i < HELD_OUT; i++) sum += pow(out.outputs[i] - other_y[i], 2) / HELD_OUT;
    *bandwidth = out.bandwidth, *left_out = out.left_out;
    sa_attend_result_release(&out);
    return sum;
}

/* E(h) from the weights of all points by taking out each point's own, in closed form. */
static double left_out_by_hand(double h, int degree) {
    sa_attend_options job = regression(h);
    job.query = job.keys, job.degree = degree;
    double sum = 0;
    attend(&job);
    for (int i = 0; i < SHOWN; i++) {
        const double own = out.weights[i * SHOWN + i];
        const double f = (out.outputs[i] - own * shown_y[i]) / (1 - own);
        sum += (f - shown_y[i]) * (f - shown_y[i]) / SHOWN;
    }
    sa_attend_result_release(&out);
    return sum;
}

START_TEST(the_fitted_width_predicts_best) {
    double h, least, none;
    const double fitted = held_out(SA_BANDWIDTH_FIT, _i, &h, &least);
    ck_assert_double_eq_tol(least, left_out_by_hand(h, _i), 1e-9);
    ck_assert_double_lt(least, left_out_by_hand(h * 1.02, _i));
    ck_assert_double_lt(least, left_out_by_hand(h / 1.02, _i));
    ck_assert(h > 0.05 && h < 1.5);
    ck_assert_double_lt(fitted, held_out(SA_BANDWIDTH_MIN, _i, &none, &none) * 0.8);
    ck_assert_double_lt(fitted, held_out(SA_BANDWIDTH_MAX, _i, &none, &none) * 0.5);
    ck_assert_double_eq(none, 0);
}
END_TEST

/* A straight line, y = 2x at 50 equal distances from 0 to 1, and queries inside and at the edges.
 */
static double line_x[SHOWN], line_y[SHOWN];
static const double asked[] = {0, 0.02, 0.1, 0.5, 1};

static sa_attend_options straight_line(int degree) {
    for (int j = 0; j < SHOWN; j++) line_x[j] = (j + 0.5) / SHOWN, line_y[j] = 2 * line_x[j];
    return (sa_attend_options){.attention = SA_ATTENTION_GAUSSIAN,
                               .heads = 1,
                               .bandwidth = 0.1,
                               .query = {"q", 5, 1, asked},
                               .keys = {"x", SHOWN, 1, line_x},
                               .values = {"y", SHOWN, 1, line_y},
                               .degree = degree};
}

/* The figures are those of an independent implementation. */
START_TEST(a_local_line_finds_a_straight_line) {
    static const double error_of_mean[] = {.159844, .135201, .057492, 0, -.159844};
    sa_attend_options job = straight_line(0);
    attend(&job);
    for (int i = 0; i < 5; i++)
        ck_assert_double_eq_tol(out.outputs[i] - 2 * asked[i], error_of_mean[i], 5e-7);
    sa_attend_result_release(&out);
    job = straight_line(1);
    attend(&job);
    for (int i = 0; i < 5; i++) {
        double sum = 0, center = 0;
        for (int j = 0; j < SHOWN; j++)
            sum += out.weights[i * SHOWN + j], center += out.weights[i * SHOWN + j] * line_x[j];
        ck_assert_double_eq_tol(sum, 1, 1e-12);
        ck_assert_double_eq_tol(center, asked[i], 1e-12);
        ck_assert_double_eq_tol(out.outputs[i], 2 * asked[i], 1e-12);
    }
    int smallest = 0;
    for (int j = 0; j < SHOWN; j++)
        if (out.weights[j] < out.weights[smallest]) smallest = j;
    ck_assert_double_eq(line_x[smallest], 0.19);
    ck_assert_double_eq_tol(out.weights[smallest], -.037672, 5e-7);
    sa_attend_result_release(&out);
}
END_TEST

/* Four keys of two numbers and their scaled products with a query, by an independent
 * implementation. */
START_TEST(a_local_line_has_golden_weights) {
    static const double q[] = {.5, 1}, k[] = {1, 0, 0, 1, .5, -.5, -1, .5},
                        v[] = {1, 2, 0, 1, -1, 1, 2, -1};
    static const double alpha[] = {.391203, 1.006283, -.192460, -.205027},
                        c[] = {.173610, 1.801257};
    attend(&(sa_attend_options){.attention = SA_ATTENTION_SCALED_DOT,
                                .heads = 1,
                                .query = {"q", 1, 2, q},
                                .keys = {"k", 4, 2, k},
                                .values = {"v", 4, 2, v},
                                .degree = 1});
    for (int j = 0; j < 4; j++) ck_assert_double_eq_tol(out.weights[j], alpha[j], 5e-7);
    for (int l = 0; l < 2; l++) ck_assert_double_eq_tol(out.outputs[l], c[l], 5e-7);
    sa_attend_result_release(&out);
}
END_TEST

/* With a wide kernel a local line is the least squares line of all points; with a narrow one it is
 * the line through the nearest points. */
START_TEST(a_local_line_has_its_limits) {
    sa_attend_options job = regression(1e6);
    double x = 0, y = 0, xx = 0, xy = 0;
    job.degree = 1;
    for (int j = 0; j < SHOWN; j++) x += shown_x[j] / SHOWN, y += shown_y[j] / SHOWN;
    for (int j = 0; j < SHOWN; j++)
        xx += (shown_x[j] - x) * (shown_x[j] - x), xy += (shown_x[j] - x) * (shown_y[j] - y);
    attend(&job);
    for (int i = 0; i < HELD_OUT; i++)
        ck_assert_double_eq_tol(out.outputs[i], y + xy / xx * (other_x[i] - x), 1e-8);
    sa_attend_result_release(&out);
    job.bandwidth = SA_BANDWIDTH_MIN;
    attend(&job);
    for (int i = 0; i < HELD_OUT; i++)
        ck_assert_double_eq(out.outputs[i], shown_y[nearest(other_x[i])]);
    sa_attend_result_release(&out);
    job = straight_line(1), job.bandwidth = 0.002; /* at 0, the second has exp(-100) of the first */
    attend(&job);
    for (int i = 0; i < 5; i++) ck_assert_double_eq_tol(out.outputs[i], 2 * asked[i], 1e-12);
    sa_attend_result_release(&out);
}
END_TEST

/* Keys of two heads in two dimensions on a plane; in the second the last number is twice the first,
 * so C has no inverse. Causal rows of one key have no slope at all. */
START_TEST(a_local_line_leaves_out_numbers_that_follow) {
    double keys[24], values[12];
    for (int j = 0; j < 6; j++) {
        double *k = &keys[4 * j];
        k[0] = cos(j), k[1] = 1000 * sin(2 * j), k[2] = j * j / 10., k[3] = 2 * k[2];
        values[2 * j] = 1 + 2 * k[0] - k[1] / 100, values[2 * j + 1] = 3 - k[3];
    }
    const double query[] = {2, 100, -1, -2};
    sa_attend_options job = {.attention = SA_ATTENTION_ADDITIVE,
                             .heads = 2,
                             .query = {"q", 1, 4, query},
                             .keys = {"k", 6, 4, keys},
                             .values = {"v", 6, 2, values},
                             .degree = 1};
    attend(&job);
    ck_assert_double_eq_tol(out.outputs[0], 4, 1e-10);
    ck_assert_double_eq_tol(out.outputs[1], 5, 1e-10);
    sa_attend_result_release(&out);
    job.query = job.keys, job.causal = true;
    attend(&job);
    ck_assert_double_eq(out.weights[0], 1);
    ck_assert_double_eq(out.outputs[0], values[0]);
    for (int i = 1; i < 6; i++)
        ck_assert_double_eq_tol(out.outputs[2 * i + 1], values[2 * i + 1], 1e-10);
    for (int j = 1; j < 6; j++) ck_assert_double_eq(out.weights[j], 0);
    sa_attend_result_release(&out);
}
END_TEST

static void refused(sa_attend_options job, sa_code code, const char *message) {
    ck_assert_msg(!sa_attend(&job, &out, &error), "expected: %s", message);
    ck_assert_int_eq(error.code, code);
    ck_assert_str_eq(error.text, message);
}

START_TEST(says_what_has_no_width) {
    sa_attend_options job = regression(1);
    job.attention = SA_ATTENTION_COSINE;
    refused(job, SA_USAGE, "--bandwidth is the width of a kernel: it needs --attention gaussian");
    job = regression(1), job.v_a = (sa_table){"log h", 1, 1, (const double[]){0}};
    refused(job, SA_USAGE, "--bandwidth and --vector are both the width: give one of them");
    job.v_a.numbers = NULL, job.bandwidth = NAN;
    refused(job, SA_USAGE, "--bandwidth nan: a number from 1e-100 to 1e+100");
    job.bandwidth = -2;
    refused(job, SA_USAGE, "--bandwidth -2: a number from 1e-100 to 1e+100");
    job.bandwidth = SA_BANDWIDTH_FIT, job.causal = true;
    const char *alone = "--bandwidth fit predicts every value from all others by one kernel: "
                        "without --heads, --causal, --mask and --positions";
    refused(job, SA_USAGE, alone);
    job.causal = false, job.positions = SA_POSITIONS_ALIBI;
    refused(job, SA_USAGE, alone);
    job.degree = 2;
    refused(job, SA_USAGE, "--degree 2: 0 or 1");
    job.degree = 1, job.attention = SA_ATTENTION_UNIFORM;
    refused(job, SA_USAGE, "--degree 1 fits lines to keys; --attention uniform has none");
    job.attention = SA_ATTENTION_GAUSSIAN, job.normalizer = SA_NORMALIZER_NULL;
    refused(job, SA_USAGE,
            "--degree 1 needs weights that sum to 1; those of --normalizer null may not");
    job.normalizer = 0, job.positions = SA_POSITIONS_NONE, job.keys.rows = job.values.rows = 2;
    refused(job, SA_DATA,
            "--bandwidth fit leaves one pair out and compares distances to the others: it needs at "
            "least 3 keys");
}
END_TEST

int main(void) {
    TCase *tests;
    Suite *suite = suite_of("kernel_regression", &tests);
    tcase_add_test(tests, kernel_regression_has_its_limits);
    tcase_add_test(tests, a_kernel_of_unit_keys_is_a_scaled_product);
    tcase_add_loop_test(tests, the_fitted_width_predicts_best, 0, 2);
    tcase_add_test(tests, a_local_line_finds_a_straight_line);
    tcase_add_test(tests, a_local_line_has_golden_weights);
    tcase_add_test(tests, a_local_line_has_its_limits);
    tcase_add_test(tests, a_local_line_leaves_out_numbers_that_follow);
    tcase_add_test(tests, says_what_has_no_width);
    return suite_run(suite);
}
