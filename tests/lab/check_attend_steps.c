/* The steps of sa_attend: the name, head, subject, shape and numbers of each, computed again in
 * plain loops. And what given weights, and what is learned, exclude. */
#include "support/suite.h"

#include <math.h>
#include <softalign/lab.h>
#include <stdio.h>
#include <string.h>

enum { Q = 2, S = 3, D = 4, MOST = 64, NUMBERS = 16 };

static const double query[Q * D] = {0.5, -1, 2, 0.25, 1, 0.75, -0.5, 1.5},
                              keys[S * D] = {1, 2, -1, 0.5, 0.25, -0.5, 1.5, 1, -2, 1, 0.5, 0.75},
                              values[S * 2] = {1, -2, 10, 20, -100, 300};
static sa_error error;
static sa_attend_result out;

static struct step {
    sa_attend_step head;
    char name[32], formula[128];
    double number[NUMBERS];
} steps[MOST];
static int count;

static void keep(void *context, const sa_attend_step *step) {
    (void)context;
    ck_assert_int_lt(count, MOST);
    ck_assert_int_le(step->rows * step->cols, NUMBERS);
    struct step *own = &steps[count++];
    own->head = *step;
    snprintf(own->name, sizeof own->name, "%s", step->name);
    snprintf(own->formula, sizeof own->formula, "%s", step->formula ? step->formula : "");
    for (int i = 0; i < step->rows; i++)
        for (int k = 0; k < step->cols; k++)
            own->number[i * step->cols + k] = step->numbers[i * step->stride + k];
}

static sa_attend_options job_of(int attention, int heads) {
    return (sa_attend_options){.attention = attention,
                               .heads = heads,
                               .entmax_alpha = 1.5,
                               .query = {"q", Q, D, query},
                               .keys = {"k", S, D, keys},
                               .values = {"v", S, 2, values},
                               .each = keep};
}

extern _Thread_local struct sa_tracer *sa_tracing;

/* What is computed afterwards is nobody's step. */
static void attend(const sa_attend_options *job) {
    count = 0;
    ck_assert_msg(sa_attend(job, &out, &error), "%s", error.text);
    ck_assert_ptr_null(sa_tracing);
}

/* Step number i (from 0) of that name. */
static const struct step *step_of(const char *name, int i) {
    for (int k = 0; k < count; k++)
        if (strcmp(steps[k].name, name) == 0 && i-- == 0) return &steps[k];
    return NULL;
}

static void step_is(const char *name, int i, sa_attend_about about, int head, int rows, int cols,
                    const double *numbers) {
    const struct step *own = step_of(name, i);
    ck_assert_msg(own != NULL, "no %s", name);
    ck_assert_msg(own->head.about == about && own->head.head == head && own->head.rows == rows &&
                      own->head.cols == cols,
                  "%s: about %d, head %d, %d x %d", name, (int)own->head.about, own->head.head,
                  own->head.rows, own->head.cols);
    for (int k = 0; k < rows * cols; k++)
        ck_assert_msg(fabs(own->number[k] - numbers[k]) <= 1e-14 * fmax(1, fabs(numbers[k])) ||
                          own->number[k] == numbers[k],
                      "%s: number %d is %.17g, not %.17g", name, k, own->number[k], numbers[k]);
}

/* ---- Scores ---------------------------------------------------------------------------------- */

static double product(const double *a, const double *b, int size) {
    double sum = 0;
    for (int k = 0; k < size; k++) sum += a[k] * b[k];
    return sum;
}

/* The score of query i and key j, of the numbers first .. first+size-1 of each, and what it is made
 * from (NULL: from nothing else). */
typedef double score(const double *q, const double *k, int size, double *part);

static double scaled(const double *q, const double *k, int size, double *part) {
    *part = product(q, k, size);
    return *part / sqrt(size);
}

static double gaussian(const double *q, const double *k, int size, double *part) {
    *part = 0;
    for (int d = 0; d < size; d++) *part -= (q[d] - k[d]) * (q[d] - k[d]) / 2;
    return *part / (0.5 * 0.5); /* with the width 1/2 */
}

static double qk_norm(const double *q, const double *k, int size, double *part) {
    *part = product(q, k, size) / sqrt(product(q, q, size) * product(k, k, size));
    return 3 * *part; /* with g = 3 */
}

static double cosine(const double *q, const double *k, int size, double *part) {
    qk_norm(q, k, size, part);
    return log(1 + exp(3)) * *part; /* with b = 3 */
}

static double dot(const double *q, const double *k, int size, double *part) {
    *part = NAN;
    return product(q, k, size);
}

static double additive(const double *q, const double *k, int size, double *part) {
    double sum = 0;
    *part = NAN;
    for (int d = 0; d < size; d++) sum += tanh(q[d] + k[d]); /* v_a is all ones */
    return sum;
}

static const struct {
    int attention;
    score *of;
    const char *made_of; /* the name of what it is made from */
    double own;          /* its parameter, as it is given: log h, b or g; 0: none */
} scores[] = {
    {SA_ATTENTION_DOT, dot, NULL, 0},
    {SA_ATTENTION_SCALED_DOT, scaled, "QK'", 0},
    {SA_ATTENTION_GAUSSIAN, gaussian, "distances", -0.69314718055994530942},
    {SA_ATTENTION_COSINE, cosine, "cosines", 3},
    {SA_ATTENTION_QK_NORM, qk_norm, "cosines", 3},
    {SA_ATTENTION_ADDITIVE, additive, NULL, 0},
};
enum { SCORES = sizeof scores / sizeof *scores };

/* Sets alpha to the softmax of a row of scores. */
static void softmax(const double *e, double *alpha) {
    double sum = 0;
    for (int j = 0; j < S; j++) sum += alpha[j] = exp(e[j]);
    for (int j = 0; j < S; j++) alpha[j] /= sum;
}

/* Compares all steps of head h (from 0) of `heads`. */
static void head_is(int number, int h, int heads, double outputs[Q * 2]) {
    const int size = D / heads, first = h * size, width = 2 / heads, told = heads > 1 ? h + 1 : 0;
    double e[Q * S], part[Q * S], alpha[Q * S], own_q[NUMBERS], own_k[NUMBERS], own_v[NUMBERS],
        c[Q * 2];
    const double ones[Q] = {1, 1};
    for (int i = 0; i < Q; i++)
        for (int j = 0; j < S; j++)
            e[i * S + j] = scores[number].of(query + i * D + first, keys + j * D + first, size,
                                             &part[i * S + j]);
    for (int i = 0; i < Q; i++) softmax(e + i * S, alpha + i * S);
    for (int k = 0; k < size; k++) {
        for (int i = 0; i < Q; i++) own_q[i * size + k] = query[i * D + first + k];
        for (int j = 0; j < S; j++) own_k[j * size + k] = keys[j * D + first + k];
    }
    for (int l = 0; l < width; l++) {
        for (int j = 0; j < S; j++) own_v[j * width + l] = values[j * 2 + h * width + l];
        for (int i = 0; i < Q; i++) {
            double sum = 0;
            for (int j = 0; j < S; j++) sum += alpha[i * S + j] * own_v[j * width + l];
            outputs[i * 2 + h * width + l] = c[i * width + l] = sum;
        }
    }
    if (heads > 1) {
        step_is("Q", h + 1, SA_ATTEND_QUERIES, told, Q, size, own_q);
        step_is("K", h + 1, SA_ATTEND_KEYS, told, S, size, own_k);
        step_is("V", h + 1, SA_ATTEND_KEYS, told, S, width, own_v);
        step_is("contexts", h, SA_ATTEND_QUERIES, told, Q, width, c);
    }
    if (scores[number].made_of) step_is(scores[number].made_of, h, SA_ATTEND_MAP, told, Q, S, part);
    for (int i = 0; i < Q && scores[number].of == additive; i++) {
        double hidden[NUMBERS];
        for (int j = 0; j < S; j++)
            for (int d = 0; d < size; d++)
                hidden[j * size + d] = tanh(own_q[i * size + d] + own_k[j * size + d]);
        step_is("hidden layer", h * Q + i, SA_ATTEND_KEYS, told, S, size, hidden);
    }
    step_is("scores", h, SA_ATTEND_RESULT, told, Q, S, e);
    step_is("weights", h, SA_ATTEND_RESULT, told, Q, S, alpha);
    step_is("row sums", h, SA_ATTEND_QUERIES, told, Q, 1, ones);
    for (int k = 0; k < Q * S; k++) {
        ck_assert_double_eq_tol(out.scores[h * Q * S + k], e[k], 1e-13);
        ck_assert_double_eq_tol(out.weights[h * Q * S + k], alpha[k], 1e-14);
    }
}

START_TEST(steps_have_their_numbers) {
    const double own[] = {scores[_i].own, scores[_i].own};
    for (int heads = 1; heads <= 2; heads++) {
        sa_attend_options job = job_of(scores[_i].attention, heads);
        double outputs[Q * 2];
        if (scores[_i].own != 0) job.v_a = (sa_table){NULL, heads, 1, own};
        attend(&job);
        step_is("X", 0, SA_ATTEND_QUERIES, 0, Q, D, query);
        step_is("X of keys", 0, SA_ATTEND_KEYS, 0, S, D, keys);
        step_is("X of values", 0, SA_ATTEND_KEYS, 0, S, 2, values);
        step_is("Q", 0, SA_ATTEND_QUERIES, 0, Q, D, query);
        step_is("K", 0, SA_ATTEND_KEYS, 0, S, D, keys);
        step_is("V", 0, SA_ATTEND_KEYS, 0, S, 2, values);
        if (scores[_i].own != 0) step_is("v_a", 0, SA_ATTEND_NUMBERS, 0, 1, heads, own);
        for (int h = 0; h < heads; h++) head_is(_i, h, heads, outputs);
        step_is("outputs", 0, SA_ATTEND_OUTPUTS, 0, Q, 2, outputs);
        ck_assert_ptr_null(step_of("mask", 0));
        ck_assert_ptr_null(step_of("scores before bias and mask", 0));
        ck_assert(out.queries == Q && out.keys == S && out.context == 2 && out.output == 2);
        for (int k = 0; k < Q * 2; k++) ck_assert_double_eq_tol(out.contexts[k], outputs[k], 1e-12);
        ck_assert(out.bandwidth == 0 && out.left_out == 0);
        sa_attend_result_release(&out);
    }
}
END_TEST

/* What a mask hides has no score; the formula of the scores goes with those before it. */
START_TEST(a_mask_is_a_step) {
    const double mask[Q * S] = {1, 0, 1, 0, 1, 1}, hidden = -INFINITY;
    sa_attend_options job = job_of(SA_ATTENTION_DOT, 1);
    double e[Q * S], seen[Q * S], part;
    job.mask = (sa_table){NULL, Q, S, mask};
    for (int i = 0; i < Q; i++)
        for (int j = 0; j < S; j++) {
            e[i * S + j] = dot(query + i * D, keys + j * D, D, &part);
            seen[i * S + j] = mask[i * S + j] == 1 ? e[i * S + j] : hidden;
        }
    attend(&job);
    step_is("scores before bias and mask", 0, SA_ATTEND_MAP, 0, Q, S, e);
    step_is("mask", 0, SA_ATTEND_MAP, 0, Q, S, mask);
    step_is("scores", 0, SA_ATTEND_RESULT, 0, Q, S, seen);
    ck_assert_str_eq(step_of("scores", 0)->formula, "");
    ck_assert_str_ne(step_of("scores before bias and mask", 0)->formula, "");
    ck_assert_str_eq(step_of("mask", 0)->formula, "1 where query i sees key j");
    sa_attend_result_release(&out);
}
END_TEST

/* W, b and what comes of them, of the queries and of the contexts; a bias may be a column. */
START_TEST(projections_are_steps) {
    const double W_q[D * D] = {1, 2, 0, 0, 0, 1, 0, 3, 1, 0, 1, 0, 0, 0, 0, 2}, b[D] = {1, 2, 3, 4},
                         W_o[3 * 2] = {1, 0, 2, 1, 0, -1}, b_o[3] = {5, 6, 7};
    sa_attend_options job = job_of(SA_ATTENTION_DOT, 1);
    double projected[Q * D], outputs[Q * 3];
    job.query_projection = (sa_projection){{NULL, D, D, W_q}, {NULL, D, 1, b}};
    job.output_projection = (sa_projection){{NULL, 3, 2, W_o}, {NULL, 1, 3, b_o}};
    for (int i = 0; i < Q; i++)
        for (int k = 0; k < D; k++)
            projected[i * D + k] = product(query + i * D, W_q + k * D, D) + b[k];
    attend(&job);
    step_is("W_q", 0, SA_ATTEND_NUMBERS, 0, D, D, W_q);
    step_is("b_q", 0, SA_ATTEND_NUMBERS, 0, 1, D, b);
    step_is("Q", 0, SA_ATTEND_QUERIES, 0, Q, D, projected);
    step_is("W_o", 0, SA_ATTEND_NUMBERS, 0, 3, 2, W_o);
    step_is("b_o", 0, SA_ATTEND_NUMBERS, 0, 1, 3, b_o);
    for (int i = 0; i < Q; i++)
        for (int k = 0; k < 3; k++)
            outputs[i * 3 + k] = product(out.contexts + i * 2, W_o + k * 2, 2) + b_o[k];
    step_is("contexts", 0, SA_ATTEND_CONTEXTS, 0, Q, 2, out.contexts);
    step_is("outputs", 0, SA_ATTEND_OUTPUTS, 0, Q, 3, outputs);
    ck_assert(out.context == 2 && out.output == 3);
    for (int k = 0; k < Q * 3; k++) ck_assert_double_eq_tol(out.outputs[k], outputs[k], 1e-12);
    sa_attend_result_release(&out);
}
END_TEST

START_TEST(given_weights_are_steps) {
    const double alpha[Q * S] = {0.5, 0.25, 0.25, 0, 0.5, 0.25}, sums[Q] = {1, 0.75};
    double outputs[Q * 2];
    const sa_attend_options job = {
        .heads = 1, .values = {"v", S, 2, values}, .weights = {"w", Q, S, alpha}, .each = keep};
    for (int i = 0; i < Q; i++)
        for (int l = 0; l < 2; l++) {
            outputs[i * 2 + l] = 0;
            for (int j = 0; j < S; j++) outputs[i * 2 + l] += alpha[i * S + j] * values[j * 2 + l];
        }
    attend(&job);
    step_is("weights", 0, SA_ATTEND_RESULT, 0, Q, S, alpha);
    step_is("row sums", 0, SA_ATTEND_QUERIES, 0, Q, 1, sums);
    step_is("outputs", 0, SA_ATTEND_OUTPUTS, 0, Q, 2, outputs);
    ck_assert_ptr_null(step_of("scores", 0));
    ck_assert(!out.default_v_a && out.heads == 1);
    sa_attend_result_release(&out);
}
END_TEST

/* Where all numbers are 0, every width predicts them equally well: the largest is taken, ten times
 * the greatest distance of two keys, or of 1 if all are the same. So it is where the mean predicts
 * best; where the nearest key does, it is a tenth of the least distance of two different keys. */
START_TEST(a_width_may_be_at_an_end_of_its_range) {
    static const struct {
        int count;
        double keys[4], values[4], h;
    } cases[] = {{4, {1, 3, 4, 8}, {0}, 70},
                 {4, {2, 2, 2, 2}, {0}, 10},
                 {4, {0, 1, 2.005, 2.005}, {0, 0, 1, 1}, 0.1},
                 {3, {0, 1, 2.5}, {1, -1, 1}, 25}};
    for (int i = 0; i < 4; i++) {
        const sa_attend_options job = {.attention = SA_ATTENTION_GAUSSIAN,
                                       .heads = 1,
                                       .bandwidth = SA_BANDWIDTH_FIT,
                                       .query = {NULL, 1, 1, query},
                                       .keys = {NULL, cases[i].count, 1, cases[i].keys},
                                       .values = {NULL, cases[i].count, 1, cases[i].values},
                                       .each = keep};
        attend(&job);
        ck_assert_double_eq_tol(out.bandwidth, cases[i].h, 1e-12 * cases[i].h);
        if (i < 2) ck_assert_double_eq(out.left_out, 0);
        step_is("bandwidth", 0, SA_ATTEND_BANDWIDTH, 0, 1, 2,
                (const double[]){out.bandwidth, out.left_out});
        step_is("v_a", 0, SA_ATTEND_NUMBERS, 0, 1, 1, (const double[]){log(out.bandwidth)});
        sa_attend_result_release(&out);
    }
}
END_TEST

/* With a local line, the weights that it starts from are a step, too; each has its own formula. */
START_TEST(a_local_line_comes_after_the_weights) {
    static const char line[] = "alpha_j (1 - r'(k_j - m))",
                      softmax_of_e[] = "alpha_j = exp(e_j) / sum_k exp(e_k)";
    for (int degree = 0; degree < 2; degree++) {
        sa_attend_options job = job_of(SA_ATTENTION_SCALED_DOT, 1);
        double e[Q * S], alpha[Q * S], part;
        for (int i = 0; i < Q * S; i++)
            e[i] = scaled(query + i / S * D, keys + i % S * D, D, &part);
        for (int i = 0; i < Q; i++) softmax(e + i * S, alpha + i * S);
        job.degree = degree;
        attend(&job);
        const struct step *before = step_of("weights of degree 0", 0), *own = step_of("weights", 0);
        ck_assert_int_eq(before != NULL, degree);
        if (degree) step_is("weights of degree 0", 0, SA_ATTEND_MAP, 0, Q, S, alpha);
        if (degree) ck_assert_str_eq(before->formula, softmax_of_e);
        step_is("weights", 0, SA_ATTEND_RESULT, 0, Q, S, degree ? out.weights : alpha);
        ck_assert_msg(strstr(own->formula, degree ? line : softmax_of_e) == own->formula, "%s",
                      own->formula);
        sa_attend_result_release(&out);
    }
}
END_TEST

/* Entmax between softmax and sparsemax, and as sparsemax; and the sticks of every query. */
START_TEST(given_scores_are_normalized) {
    const double e[S] = {0.4, 0, -2}, sticks[S * S] = {5, 5, 5, log(3), 5, 5, 0, log(3), 5};
    static const double wanted[2][S] = {{0.64, 0.36, 0}, {0.7, 0.3, 0}},
                        broken[S * S] = {0, 0, 0, 0.75, 0, 0, 0.125, 0.75, 0};
    sa_attend_options job = job_of(SA_ATTENTION_LOCATION, 1);
    job.query = (sa_table){"e", 1, S, e}, job.normalizer = SA_NORMALIZER_ENTMAX;
    for (int i = 0; i < 2; i++) {
        job.entmax_alpha = i ? 2 : 1.5;
        attend(&job);
        step_is("weights", 0, SA_ATTEND_RESULT, 0, 1, S, wanted[i]);
        sa_attend_result_release(&out);
    }
    job.query = (sa_table){"e", S, S, sticks};
    job.normalizer = SA_NORMALIZER_STICK_BREAKING, job.causal = true;
    attend(&job);
    step_is("weights", 0, SA_ATTEND_RESULT, 0, S, S, broken);
    sa_attend_result_release(&out);
}
END_TEST

/* ---- What is refused ------------------------------------------------------------------------- */

static void refused(const sa_attend_options *job, sa_code code, const char *message) {
    ck_assert_msg(!sa_attend(job, &out, &error), "expected: %s", message);
    ck_assert_str_eq(error.text, message);
    ck_assert_int_eq(error.code, code);
}

/* Each of them alone. */
START_TEST(given_weights_exclude_the_rest) {
    const double alpha[Q * S] = {0.5, 0.25, 0.25, 0, 0.5, 0.25};
    const sa_attend_options whole = job_of(SA_ATTENTION_DOT, 1);
    for (int i = 0; i < 11; i++) {
        sa_attend_options job = {
            .heads = 1, .values = {"v", S, 2, values}, .weights = {"w", Q, S, alpha}};
        if (i == 0) job.query = whole.query;
        if (i == 1) job.keys = whole.keys;
        if (i == 2) job.heads = 2;
        if (i == 3) job.causal = true;
        if (i == 4) job.mask = job.weights;
        if (i == 5) job.bandwidth = 1;
        if (i == 6) job.degree = 1;
        if (i == 7) job.positions = SA_POSITIONS_SINUSOIDAL;
        if (i == 8) job.query_projection.W = whole.query;
        if (i == 9) job.keys_projection.W = whole.query;
        if (i < 10)
            refused(&job, SA_USAGE,
                    "--given-weights takes the place of query, keys and their projections, heads, "
                    "--positions, --causal, --mask, --bandwidth and --degree");
        else
            ck_assert_msg(sa_attend(&job, &out, &error), "%s", error.text);
    }
    sa_attend_result_release(&out);
}
END_TEST

/* The last that is taken and the first that is not. */
START_TEST(limits_are_where_they_are_said_to_be) {
    sa_attend_options job = job_of(SA_ATTENTION_DOT, 1);
    const double three[3] = {0}, odd[D] = {1, 1, 1, 1};
    job.normalizer = SA_NORMALIZER_ENTMAX, job.entmax_alpha = 2;
    attend(&job), sa_attend_result_release(&out);
    job.entmax_alpha = 1;
    refused(&job, SA_USAGE, "--entmax-alpha 1: above 1 and at most 2");
    job = job_of(SA_ATTENTION_GAUSSIAN, 1), job.bandwidth = SA_BANDWIDTH_MIN;
    attend(&job), sa_attend_result_release(&out);
    job.bandwidth = SA_BANDWIDTH_MAX;
    attend(&job), sa_attend_result_release(&out);
    job.bandwidth = SA_BANDWIDTH_MAX * 1.5;
    refused(&job, SA_USAGE, "--bandwidth 1.5e+100: a number from 1e-100 to 1e+100");
    job.bandwidth = SA_BANDWIDTH_MIN / 2;
    refused(&job, SA_USAGE, "--bandwidth 5e-101: a number from 1e-100 to 1e+100");
    const char *alone = "--bandwidth fit predicts every value from all others by one kernel: "
                        "without --heads, --causal, --mask and --positions";
    job.bandwidth = SA_BANDWIDTH_FIT, job.heads = 2;
    refused(&job, SA_USAGE, alone);
    job.heads = 1, job.mask = (sa_table){NULL, Q, S, (const double[Q * S]){1, 1, 1, 1, 1, 1}};
    refused(&job, SA_USAGE, alone);
    job = job_of(SA_ATTENTION_GAUSSIAN, 2), job.v_a = (sa_table){"h.csv", 1, 3, three};
    refused(&job, SA_DATA,
            "--keys k is 3 x 4, --vector h.csv is 1 x 3: this score has one number for every head");
    job = job_of(SA_ATTENTION_DOT, 1), job.degree = -1;
    refused(&job, SA_USAGE, "--degree -1: 0 or 1");
    job = job_of(SA_ATTENTION_DOT, 1), job.heads = 2;
    job.query_projection.W = (sa_table){"W", 3, D, (const double[12]){0}};
    refused(&job, SA_USAGE,
            "--heads 2: --query q is 2 x 4; its 3 columns once projected are not divisible by 2");
    job = job_of(SA_ATTENTION_DOT, 1), job.normalizer = 99;
    refused(&job, SA_USAGE, "there is no normalizer 99");
    job = job_of(SA_ATTENTION_LOCATION, 1), job.query = (sa_table){"e", 1, S, three};
    job.causal = true; /* of one query, only the first key is seen */
    attend(&job);
    ck_assert(out.weights[0] == 1 && out.weights[1] == 0 && out.weights[2] == 0);
    sa_attend_result_release(&out);
    job.query.numbers = (const double[]){-INFINITY, 0, 0};
    refused(&job, SA_DATA, "query 1 sees no key");
    job = job_of(SA_ATTENTION_DOT, 1), job.causal = true,
    job.normalizer = SA_NORMALIZER_STICK_BREAKING;
    job.query = (sa_table){"q", S, D, keys};
    attend(&job), sa_attend_result_release(&out);
    job.keys.rows = job.values.rows = Q;
    refused(&job, SA_USAGE,
            "--normalizer stick-breaking gives the query's own key no weight: it needs --causal "
            "and a key for every query");
    job = job_of(SA_ATTENTION_DOT, 1);
    job.query = job.keys = job.values = (sa_table){"x", 1, D, odd}, job.heads = 3;
    refused(&job, SA_USAGE, "--heads 3: --self x is 1 x 4; its 4 columns are not divisible by 3");
    job.values.numbers = values;
    refused(&job, SA_USAGE, "--heads 3: --values x is 1 x 4; its 4 columns are not divisible by 3");
    job.query.numbers = values, job.keys.numbers = odd, job.values.numbers = odd;
    refused(&job, SA_USAGE, "--heads 3: --values x is 1 x 4; its 4 columns are not divisible by 3");
}
END_TEST

START_TEST(what_is_compared_has_one_width) {
    const char *narrow = "--query q is 2 x 4, --keys k is 3 x 2: a query and a key are compared: "
                         "as many columns";
    for (int i = 0; i < 2; i++) {
        sa_attend_options job = job_of(i ? SA_ATTENTION_DOT : SA_ATTENTION_GENERAL, i + 1);
        job.keys.cols = 2;
        refused(&job, SA_DATA, narrow);
    }
}
END_TEST

/* Parameters that are not given are where training starts, but v_a is all ones. */
START_TEST(parameters_that_are_not_given) {
    static const struct {
        int attention, cols;
        double number;
    } cases[] = {{SA_ATTENTION_QK_NORM, 1, 2.584962500721156 /* log2(S^2 - S) */},
                 {SA_ATTENTION_GAUSSIAN, 1, 0.34657359027997264 /* (log D) / 4 */},
                 {SA_ATTENTION_COSINE, 1, 0 /* beta = log 2 */},
                 {SA_ATTENTION_ADDITIVE, D, 1}};
    for (int i = 0; i < 4; i++) {
        const double number = cases[i].number, given[D] = {number, number, number, number};
        sa_attend_options job = job_of(cases[i].attention, 1);
        double weights[Q * S];
        attend(&job);
        memcpy(weights, out.weights, sizeof weights);
        sa_attend_result_release(&out);
        job.v_a = (sa_table){"v", 1, cases[i].cols, given};
        attend(&job);
        for (int k = 0; k < Q * S; k++) ck_assert_double_eq_tol(out.weights[k], weights[k], 1e-12);
        sa_attend_result_release(&out);
    }
}
END_TEST

/* One number that leaves the range, the first or the last, in what is put out. */
START_TEST(numbers_may_be_too_large) {
    for (int column = 0; column < 2; column++) {
        const double W[4] = {column ? 1 : 100, 0, 0, column ? 100 : 1};
        double large[S * 2];
        sa_attend_options job = job_of(SA_ATTENTION_UNIFORM, 1);
        for (int k = 0; k < S * 2; k++) large[k] = k % 2 == column ? 1e307 : 1;
        job.values.numbers = large;
        attend(&job), sa_attend_result_release(&out);
        job.query.rows = 1;
        job.output_projection.W = (sa_table){"W", 2, 2, W};
        refused(&job, SA_DATA,
                "the numbers are too large: sums of products leave the range of double precision");
    }
}
END_TEST

/* Su et al. 2021: pair number l of query i and key j, as complex numbers, is turned by
 * (i - j) 10000^(-2l/d) before the product. Both are told as they are turned. */
START_TEST(rotations_tell_how_far_a_key_is) {
    sa_attend_options job = job_of(SA_ATTENTION_DOT, 1);
    job.positions = SA_POSITIONS_ROPE;
    attend(&job);
    for (int i = 0; i < Q; i++)
        for (int j = 0; j < S; j++) {
            double e = 0;
            for (int l = 0; l < D; l += 2) {
                const double *q = query + i * D + l, *k = keys + j * D + l;
                const double angle = (i - j) * pow(10000, -(double)l / D);
                e += (q[0] * k[0] + q[1] * k[1]) * cos(angle) +
                     (q[0] * k[1] - q[1] * k[0]) * sin(angle);
            }
            ck_assert_double_eq_tol(out.scores[i * S + j], e, 1e-12);
        }
    step_is("V", 1, SA_ATTEND_KEYS, 0, S, 2, values);
    for (int i = 0; i < Q; i++)
        for (int j = 0; j < S; j++)
            ck_assert_double_eq_tol(
                product(step_of("Q", 1)->number + i * D, step_of("K", 1)->number + j * D, D),
                out.scores[i * S + j], 1e-12);
    sa_attend_result_release(&out);
}
END_TEST

/* Models learn these; there is none here. */
START_TEST(what_is_learned_is_refused) {
    static const struct {
        int attention, normalizer, positions;
        const char *message;
    } cases[] = {
        {SA_ATTENTION_MONOTONIC, 0, 0,
         "--attention monotonic needs a model: it has parameters that are learned, reads what came "
         "before, or draws words"},
        {SA_ATTENTION_HARD, 0, 0,
         "--attention hard needs a model: it has parameters that are learned, reads what came "
         "before, or draws words"},
        {SA_ATTENTION_LOCATION_AWARE, 0, 0,
         "--attention location-aware needs a model: it has parameters that are learned, reads what "
         "came before, or draws words"},
        {SA_ATTENTION_DIFFERENTIAL, 0, 0,
         "--attention differential needs a model: it has parameters that are learned, reads what "
         "came before, or draws words"},
        {SA_ATTENTION_GRAVES, 0, 0,
         "--attention graves needs a model: it has parameters that are learned, reads what came "
         "before, or draws words"},
        {SA_ATTENTION_DOT, SA_NORMALIZER_SINK, 0,
         "--normalizer sink: there is no model that learned its sink"},
        {SA_ATTENTION_DOT, SA_NORMALIZER_NULL_KEY, 0,
         "--normalizer null-key: there is no model that learned its null key"},
        {SA_ATTENTION_DOT, 0, SA_POSITIONS_LEARNED,
         "--positions learned: there is no model that learned them"},
        {SA_ATTENTION_DOT, 0, SA_POSITIONS_T5,
         "--positions t5: there is no model that learned them"},
        {SA_ATTENTION_DOT, 0, SA_POSITIONS_SHAW,
         "--positions shaw: there is no model that learned them"},
        {SA_ATTENTION_DOT, 0, SA_POSITIONS_FORGETTING,
         "--positions forgetting: there is no model that learned them"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        sa_attend_options job = job_of(cases[i].attention, 1);
        job.normalizer = cases[i].normalizer, job.positions = cases[i].positions;
        refused(&job, SA_USAGE, cases[i].message);
    }
}
END_TEST

int main(void) {
    TCase *tests;
    Suite *suite = suite_of("attend_steps", &tests);
    tcase_add_loop_test(tests, steps_have_their_numbers, 0, SCORES);
    tcase_add_test(tests, a_mask_is_a_step);
    tcase_add_test(tests, projections_are_steps);
    tcase_add_test(tests, given_weights_are_steps);
    tcase_add_test(tests, a_width_may_be_at_an_end_of_its_range);
    tcase_add_test(tests, a_local_line_comes_after_the_weights);
    tcase_add_test(tests, given_scores_are_normalized);
    tcase_add_test(tests, given_weights_exclude_the_rest);
    tcase_add_test(tests, limits_are_where_they_are_said_to_be);
    tcase_add_test(tests, what_is_compared_has_one_width);
    tcase_add_test(tests, parameters_that_are_not_given);
    tcase_add_test(tests, numbers_may_be_too_large);
    tcase_add_test(tests, rotations_tell_how_far_a_key_is);
    tcase_add_test(tests, what_is_learned_is_refused);
    return suite_run(suite);
}
