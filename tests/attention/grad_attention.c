/* The attention core and every row of score.h: values by formulas, gradients by differences. */
#include "attention/attention.h"
#include "attention/multihead.h"
#include "support/differences.h"
#include "support/suite.h"
#include "tensor/vec.h"

#include <string.h>

/* Q queries over the S words of one sentence. */
static const struct shape {
    int Q, S;
    sa_attention_sizes sizes;
} shapes[] = {
    {1, 1, {.state = 1, .annotation = 2, .size = 1, .max_positions = 1, .heads = 1}},
    {1, 5, {.state = 4, .annotation = 6, .size = 3, .max_positions = 5, .heads = 1}},
    {4,
     7,
     {.state = 3, .annotation = 4, .size = 5, .max_positions = 3, .heads = 1}}, /* S > S_max */
    {3, 2, {.state = 5, .annotation = 3, .size = 2, .max_positions = 9, .heads = 1}},
};
enum { SHAPES = sizeof shapes / sizeof *shapes };
#define EXPONENT 1.5 /* of entmax */

static sa_attention w, dw;
static sa_mat weights, dweights; /* all of w and dw as one row */
static sa_mat q, k, v, e, alpha, c, dy, dk, scratch;
static sa_span spans[8]; /* of every query */

static const sa_score *row_of(const char *name) {
    const sa_score *row = sa_scores;
    while (row->name && strcmp(row->name, name) != 0) row++;
    ck_assert_ptr_nonnull(row->name);
    return row;
}

static void bind_row(const sa_score *row, sa_attention_sizes sizes) {
    sa_binder counting = {0};
    sizes.score = row, sizes.filters = 2, sizes.filter_width = 5;
    if (!sizes.normalizer) sizes.normalizer = &sa_normalizers[SA_NORMALIZER_SOFTMAX];
    if (row->key == SA_KEY_IDENTITY) sizes.annotation = sizes.state;
    sa_attention_bind(&counting, "attention", sizes, &w);
    weights = drawn(1, (int)counting.offset);
    dweights = filled(1, (int)counting.offset, BEFORE);
    sa_attention_bind(&(sa_binder){.buffer = weights.x}, "attention", sizes, &w);
    sa_attention_bind(&(sa_binder){.buffer = dweights.x}, "attention", sizes, &dw);
}

/* How many positions the score reaches. */
static int seen_of(struct shape shape) {
    const bool bounded =
        w.score->query == SA_QUERY_POSITIONS && shape.sizes.max_positions < shape.S;
    return bounded ? shape.sizes.max_positions : shape.S;
}

/* Random queries, keys and values, and buffers for the results. */
static struct shape open_row(const sa_score *row, int number) {
    const struct shape shape = shapes[number];
    bind_row(row, shape.sizes);
    q = drawn(shape.Q, w.query_width), k = drawn(shape.S, w.key_width);
    v = drawn(shape.S, shape.sizes.annotation);
    alpha = unset(shape.Q, shape.S), c = unset(shape.Q, v.cols);
    scratch = unset(shape.S, w.key_width);
    for (int i = 0; i < shape.Q; i++) spans[i] = (sa_span){0, seen_of(shape)};
    return shape;
}

static void attend(void) {
    w.score->forward(w.v_a, q, k, alpha, scratch);
    sa_attention_weights_forward(w.normalizer, EXPONENT, spans, alpha);
    sa_attention_sum_forward(alpha, v, c);
}

/* ---- Values ---------------------------------------------------------------------------------- */

static double by_perceptron(int i, int j) {
    double sum = 0;
    for (int l = 0; l < k.cols; l++) sum += w.v_a.x[l] * tanh(sa_row(q, i)[l] + sa_row(k, j)[l]);
    return sum;
}

static double by_product(int i, int j) {
    double sum = 0;
    for (int l = 0; l < k.cols; l++) sum += sa_row(q, i)[l] * sa_row(k, j)[l];
    return sum;
}

static double by_scaled_product(int i, int j) {
    return by_product(i, j) / sqrt(k.cols);
}

static double by_position(int i, int j) {
    return sa_row(q, i)[j];
}

static double by_distance(int i, int j) {
    double sum = 0;
    for (int l = 0; l < k.cols; l++) sum += pow(sa_row(q, i)[l] - sa_row(k, j)[l], 2);
    return -sum / (2 * exp(2 * w.v_a.x[0]));
}

static double by_angle(int i, int j) {
    double of_q = 0, of_k = 0;
    for (int l = 0; l < k.cols; l++)
        of_q += pow(sa_row(q, i)[l], 2), of_k += pow(sa_row(k, j)[l], 2);
    return by_product(i, j) / sqrt(of_q * of_k);
}

static double by_sharp_angle(int i, int j) {
    const double own = w.v_a.x[0];
    return (strcmp(w.score->name, "cosine") == 0 ? log(1 + exp(own)) : own) * by_angle(i, j);
}

static double by_nothing(int i, int j) {
    (void)i, (void)j;
    return 0;
}

static const struct {
    const char *name;
    double (*score)(int i, int j); /* e_ij */
} formulas[] = {
    {"additive", by_perceptron}, {"concat", by_perceptron},   {"scaled-dot", by_scaled_product},
    {"dot", by_product},         {"general", by_product},     {"raw-dot", by_product},
    {"location", by_position},   {"uniform", by_nothing},     {"gaussian", by_distance},
    {"cosine", by_sharp_angle},  {"qk-norm", by_sharp_angle},
};
enum { FORMULAS = sizeof formulas / sizeof *formulas };

/* alpha and c by their definition, a query at a time, inside any span. */
static void expect_definition(struct shape shape, double (*score)(int i, int j)) {
    sa_mat wanted_alpha = filled(shape.Q, shape.S, 0), wanted_c = filled(shape.Q, v.cols, 0);
    for (int i = 0; i < shape.Q; i++) {
        const int first = spans[i].first, behind = first + spans[i].count;
        double sum = 0, whole = 0;
        for (int j = first; j < behind; j++) sum += exp(score(i, j));
        for (int j = first; j < behind; j++) sa_row(wanted_alpha, i)[j] = exp(score(i, j)) / sum;
        for (int j = 0; j < shape.S; j++) {
            sa_axpy(sa_row(wanted_alpha, i)[j], sa_row(v, j), sa_row(wanted_c, i), v.cols);
            whole += sa_row(alpha, i)[j];
            if (j < first || j >= behind) ck_assert_double_eq(sa_row(alpha, i)[j], 0);
        }
        ck_assert_double_eq_tol(whole, 1, 1e-15);
    }
    ck_assert_double_le(farthest(alpha, wanted_alpha), 1e-15);
    ck_assert_double_le(farthest(c, wanted_c), 2e-15);
}

START_TEST(core_follows_its_equations) {
    const struct shape shape = open_row(row_of(formulas[_i / SHAPES].name), _i % SHAPES);
    attend();
    expect_definition(shape, formulas[_i / SHAPES].score);
}
END_TEST

/* Query i sees positions i .. i+2, as far as they exist. */
static void narrow_spans(struct shape shape) {
    const int seen = seen_of(shape);
    for (int i = 0; i < shape.Q; i++) {
        const int first = i < seen ? i : seen - 1;
        spans[i] = (sa_span){first, seen - first < 3 ? seen - first : 3};
    }
}

START_TEST(spans_bound_what_a_query_sees) {
    const struct shape shape = open_row(row_of(formulas[_i / SHAPES].name), _i % SHAPES);
    narrow_spans(shape);
    attend();
    expect_definition(shape, formulas[_i / SHAPES].score);
}
END_TEST

START_TEST(query_is_one_row_or_many) {
    const struct shape shape = open_row(&sa_scores[_i / SHAPES], _i % SHAPES);
    attend();
    sa_mat alone = unset(1, shape.S), context = unset(1, v.cols);
    for (int i = 0; i < shape.Q; i++) {
        w.score->forward(w.v_a, sa_rows(q, i, 1), k, alone, scratch);
        sa_attention_weights_forward(w.normalizer, EXPONENT, spans + i, alone);
        sa_attention_sum_forward(alone, v, context);
        ck_assert_double_le(farthest(alone, sa_rows(alpha, i, 1)), 1e-15);
        ck_assert_double_le(farthest(context, sa_rows(c, i, 1)), 1e-15);
    }
}
END_TEST

/* As --positions rope rotates them. */
START_TEST(rotations_leave_scores_that_say_so) {
    const sa_score *row = &sa_scores[_i];
    bind_row(row, (sa_attention_sizes){
                      .state = 4, .annotation = 4, .size = 4, .max_positions = 4, .heads = 1});
    if (row->key == SA_KEY_NONE) return;
    q = drawn(1, 4), k = drawn(3, 4), e = unset(1, 3), alpha = unset(1, 3), scratch = unset(3, 4);
    row->forward(w.v_a, q, k, e, scratch);
    for (int j = -1; j < 3; j++) {
        sa_real *x = j < 0 ? q.x : sa_row(k, j), y[] = {-x[1], x[0], -x[3], x[2]};
        memcpy(x, y, sizeof y);
    }
    row->forward(w.v_a, q, k, alpha, scratch);
    ck_assert_int_eq(row->rotates, farthest(e, alpha) < 1e-14);
}
END_TEST

START_TEST(kernel_of_unit_keys_is_a_scaled_product) {
    open_row(row_of("gaussian"), 1);
    for (int j = 0; j < k.rows; j++)
        sa_scale(1 / sa_sqrt(sa_dot(sa_row(k, j), sa_row(k, j), k.cols)), sa_rows(k, j, 1));
    attend();
    sa_mat product = unset(1, k.rows);
    for (int j = 0; j < k.rows; j++) product.x[j] = by_product(0, j) / exp(2 * w.v_a.x[0]);
    sa_softmax(product);
    ck_assert_double_le(farthest(alpha, product), 1e-14);
}
END_TEST

START_TEST(narrow_and_wide_kernels) {
    open_row(row_of("gaussian"), 1);
    const sa_mat ones = filled(1, k.rows, 1.0 / k.rows);
    fill(w.v_a, 20), attend();
    ck_assert_double_le(farthest(alpha, ones), 1e-14);
    fill(w.v_a, -20), sa_copy_mat(sa_rows(k, 2, 1), q);
    attend();
    for (int j = 0; j < k.rows; j++) ck_assert_double_eq(alpha.x[j], j == 2);
}
END_TEST

START_TEST(attention_without_v_a_is_uniform) {
    open_row(row_of("additive"), _i);
    fill(w.v_a, 0);
    attend();
    ck_assert_double_eq(farthest(alpha, filled(alpha.rows, alpha.cols, 1.0 / alpha.cols)), 0);
}
END_TEST

/* ---- Gradients ------------------------------------------------------------------------------- */

static double scores(void) {
    w.score->forward(w.v_a, q, k, e, scratch);
    return weighted_sum(e, dy);
}

START_TEST(scores_backward) {
    const struct shape shape = open_row(&sa_scores[_i / SHAPES], _i % SHAPES);
    const int max_positions = shape.sizes.max_positions;
    if (w.score->query == SA_QUERY_POSITIONS && max_positions < shape.S)
        k = sa_rows(k, 0, max_positions);
    scratch = sa_rows(scratch, 0, k.rows);
    e = unset(q.rows, k.rows), dy = drawn(q.rows, k.rows);
    sa_mat dq = filled(q.rows, q.cols, BEFORE), de = unset(e.rows, e.cols);
    dk = filled(k.rows, k.cols, BEFORE);
    sa_copy_mat(dy, de);
    w.score->backward(w.v_a, q, k, de, dq, dk, dw.v_a, scratch);
    CHECK_ADDED(scores, q, dq);
    CHECK_ADDED(scores, k, dk);
    CHECK_ADDED(scores, weights, dweights);
}
END_TEST

static double core(void) {
    attend();
    return weighted_sum(c, dy);
}

START_TEST(core_backward) {
    const struct shape shape = open_row(&sa_scores[_i / 2 / SHAPES], _i / 2 % SHAPES);
    if (_i % 2) narrow_spans(shape);
    dy = drawn(shape.Q, v.cols), dk = filled(shape.S, k.cols, BEFORE);
    sa_mat dq = filled(shape.Q, q.cols, BEFORE), dv = filled(shape.S, v.cols, BEFORE);
    sa_mat dalpha = unset(shape.Q, shape.S);
    core();
    sa_attention_sum_backward(alpha, v, dy, dalpha, dv);
    sa_attention_weights_backward(w.normalizer, EXPONENT, spans, alpha, dalpha, NULL);
    w.score->backward(w.v_a, q, k, dalpha, dq, dk, dw.v_a, scratch);
    CHECK_ADDED(core, q, dq);
    CHECK_ADDED(core, k, dk);
    CHECK_ADDED(core, v, dv);
    CHECK_ADDED(core, weights, dweights);
}
END_TEST

/* ---- A decoder's step: projections, heads and windows ---------------------------------------- */

static const struct variant {
    int heads, value, window, window_size;
} variants[] = {
    {1, 0, SA_WINDOW_NONE, 1},    {2, 3, SA_WINDOW_NONE, 1},    {4, 1, SA_WINDOW_LOCAL_M, 1},
    {1, 0, SA_WINDOW_LOCAL_M, 2}, {2, 2, SA_WINDOW_LOCAL_P, 2}, {1, 0, SA_WINDOW_LOCAL_P, 1},
};
enum { VARIANTS = sizeof variants / sizeof *variants, SENTENCES = 3, STEP = 3, STATE = 3 };
static int width; /* of an annotation */
static const int first[SENTENCES + 1] = {0, 6, 7, 10};
static sa_memory memory;
static sa_attention_rows rows;
static sa_mat s, dstate; /* dstate: by the state that the step leaves; empty: none */
static sa_attention_scratch workspace;
static double step(void) {
    sa_memory_forward(&w, &memory);
    sa_attention_step_forward(&w, &memory, NULL, STEP, s, NULL, rows, c, workspace);
    return weighted_sum(c, dy) + (dstate.x ? weighted_sum(rows.state, dstate) : 0);
}

/* Whether a difference would cross a jump: a position near the edge of a predicted window. */
static bool edge_is_near(void) {
    bool near = false;
    step();
    for (int b = 0; b < SENTENCES && w.window == SA_WINDOW_LOCAL_P; b++) {
        const double p = sa_attention_center(&w, STEP, rows, b, first[b + 1] - first[b]);
        near = near || fabs(p - round(p)) < 0.01;
    }
    return near;
}

static void step_open(const sa_score *row, struct variant variant) {
    const bool raw = row->key == SA_KEY_IDENTITY, alone = raw || row->normalizer;
    dstate.x = NULL;
    width = raw ? STATE : 5;
    bind_row(row, (sa_attention_sizes){.state = STATE,
                                       .annotation = width,
                                       .size = 4,
                                       .max_positions = 4,
                                       .heads = alone ? 1 : variant.heads,
                                       .value = variant.value,
                                       .window = variant.window,
                                       .window_size = variant.window_size});
    sa_memory_layout(&numbers, &w, first, drawn(first[SENTENCES], width), &memory);
    rows = sa_attention_rows_layout(&numbers, &w, SENTENCES, 6, true);
    draw(rows.previous_state, 1), workspace = sa_attention_scratch_layout(&numbers, &w, 1, 6, true);
    s = drawn(SENTENCES, STATE), c = unset(SENTENCES, width), dy = drawn(SENTENCES, width);
    while (edge_is_near()) draw(s, 1);
}

START_TEST(step_backward) {
    if (sa_scores[_i / VARIANTS].maps) return; /* a Transformer's alone */
    step_open(&sa_scores[_i / VARIANTS], variants[_i % VARIANTS]);
    sa_memory d;
    sa_attention_rows drows = sa_attention_rows_layout(&numbers, &w, SENTENCES, 6, false);
    sa_mat ds = filled(SENTENCES, STATE, BEFORE),
           dh = filled(memory.annotations.rows, width, BEFORE);
    sa_memory_layout(&numbers, &w, first, dh, &d);
    if (d.keys.x != dh.x) fill(d.keys, 0);
    if (w.heads > 1) fill(d.values, 0);
    draw(drows.state, 1), dstate = drows.state, step();
    sa_attention_step_backward(&w, &memory, STEP, rows, dy, drows, &d, ds, &dw, workspace);
    sa_attention_projections_backward(s, rows, dy, drows, &dw);
    sa_memory_backward(&w, &memory, &d, &dw);
    CHECK_ADDED(step, s, ds);
    CHECK_ADDED(step, memory.annotations, dh);
    check_slope("previous_state", step, rows.previous_state, drows.previous_state, 0);
    CHECK_ADDED(step, weights, dweights);
}
END_TEST

/* Inside the window, weights sum to 1 before the Gaussian, which is 1 at the center; outside, 0. */
START_TEST(windows_hold_the_weights) {
    if (sa_scores[_i / VARIANTS].maps) return; /* a Transformer's alone */
    step_open(&sa_scores[_i / VARIANTS], variants[_i % VARIANTS]);
    step();
    for (int b = 0; b < SENTENCES; b++) {
        const int S = first[b + 1] - first[b];
        const int max_positions = w.score->query == SA_QUERY_POSITIONS && S > 4 ? 4 : S;
        const double p = sa_attention_center(&w, STEP, rows, b, S), D = w.window_size;
        for (int k_ = 0; k_ < w.heads; k_++) {
            sa_mat own = sa_attention_head(rows.alpha, b, w.heads, k_, S);
            double sum = 0;
            for (int j = 1; j <= S; j++) {
                const bool out = w.window && fabs(j - p) > D;
                const double g = w.window == SA_WINDOW_LOCAL_P
                                     ? exp(-(j - p) * (j - p) / (2 * D / 2 * D / 2))
                                     : 1;
                if (out || j > max_positions) ck_assert_double_eq(own.x[j - 1], 0);
                sum += own.x[j - 1] / g;
            }
            ck_assert_double_eq_tol(sum, 1, 1e-14);
        }
        if (w.window == SA_WINDOW_LOCAL_M)
            ck_assert_double_eq(p, STEP < max_positions ? STEP : max_positions);
        if (w.window == SA_WINDOW_LOCAL_P) ck_assert(p > 0 && p < max_positions);
    }
}
END_TEST

int main(void) {
    TCase *tests;
    Suite *suite = suite_of("attention in double", &tests);
    int scores_known = 0;
    while (sa_scores[scores_known].name) scores_known++;
    tcase_add_checked_fixture(tests, numbers_open, numbers_close);
    tcase_add_loop_test(tests, core_follows_its_equations, 0, FORMULAS * SHAPES);
    tcase_add_loop_test(tests, spans_bound_what_a_query_sees, 0, FORMULAS * SHAPES);
    tcase_add_loop_test(tests, query_is_one_row_or_many, 0, scores_known * SHAPES);
    tcase_add_loop_test(tests, rotations_leave_scores_that_say_so, 0, scores_known);
    tcase_add_test(tests, kernel_of_unit_keys_is_a_scaled_product);
    tcase_add_test(tests, narrow_and_wide_kernels);
    tcase_add_loop_test(tests, attention_without_v_a_is_uniform, 0, SHAPES);
    tcase_add_loop_test(tests, scores_backward, 0, scores_known * SHAPES);
    tcase_add_loop_test(tests, core_backward, 0, 2 * scores_known * SHAPES);
    tcase_add_loop_test(tests, step_backward, 0, scores_known * VARIANTS);
    tcase_add_loop_test(tests, windows_hold_the_weights, 0, scores_known * VARIANTS);
    return suite_run(suite);
}
