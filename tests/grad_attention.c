/* The attention core and every row of compat.h: values by their formulas, gradients by differences.
 */
#include "attn/attention.h"
#include "math/vec.h"
#include "support/slopes.h"
#include "support/suite.h"

#include <string.h>

/* Q queries over the S words of one sentence. */
static const struct shape {
    int Q, S;
    sa_attention_sizes sizes;
} shapes[] = {
    {1, 1, {.state = 1, .annotation = 2, .size = 1, .places = 1}},
    {1, 5, {.state = 4, .annotation = 6, .size = 3, .places = 5}},
    {4, 7, {.state = 3, .annotation = 4, .size = 5, .places = 3}}, /* longer than S_max */
    {3, 2, {.state = 5, .annotation = 3, .size = 2, .places = 9}},
};
enum { SHAPES = sizeof shapes / sizeof *shapes };

static sa_attention w, dw;
static sa_mat weights, dweights; /* all of w and dw as one row */
static sa_mat s, h, q, k, v, e, alpha, c, dy, dk, scratch;

static const sa_compat *row_of(const char *name) {
    const sa_compat *row = sa_compats;
    while (row->name && strcmp(row->name, name) != 0) row++;
    ck_assert_ptr_nonnull(row->name);
    return row;
}

static void bind_row(const sa_compat *row, sa_attention_sizes sizes) {
    sa_binder counting = {0};
    sa_attention_bind(&counting, "attention", row, sizes, &w);
    weights = drawn(1, (int)counting.offset);
    dweights = filled(1, (int)counting.offset, BEFORE);
    sa_attention_bind(&(sa_binder){.buffer = weights.x}, "attention", row, sizes, &w);
    sa_attention_bind(&(sa_binder){.buffer = dweights.x}, "attention", row, sizes, &dw);
}

/* Random queries, keys and values, and rooms for what comes of them. */
static struct shape open_row(const sa_compat *row, int number) {
    const struct shape shape = shapes[number];
    bind_row(row, shape.sizes);
    q = drawn(shape.Q, w.query_width), k = drawn(shape.S, w.key_width);
    v = drawn(shape.S, shape.sizes.annotation);
    alpha = unset(shape.Q, shape.S), c = unset(shape.Q, v.cols);
    scratch = unset(shape.S, w.key_width);
    return shape;
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

static double by_place(int i, int j) {
    return sa_row(q, i)[j];
}

static double by_nothing(int i, int j) {
    (void)i, (void)j;
    return 0;
}

static const struct {
    const char *name;
    double (*score)(int i, int j); /* e_ij */
} formulas[] = {
    {"additive", by_perceptron}, {"concat", by_perceptron}, {"scaled-dot", by_scaled_product},
    {"dot", by_product},         {"general", by_product},   {"location", by_place},
    {"uniform", by_nothing},
};
enum { FORMULAS = sizeof formulas / sizeof *formulas };

/* alpha and c straight from the definition, a query at a time. */
START_TEST(core_follows_its_equations) {
    const struct shape shape = open_row(row_of(formulas[_i / SHAPES].name), _i % SHAPES);
    const bool bounded = w.compat->query == SA_QUERY_PLACES && shape.sizes.places < shape.S;
    const int seen = bounded ? shape.sizes.places : shape.S;
    sa_attention_forward(&w, q, k, v, alpha, c, scratch);
    sa_mat wanted_alpha = filled(shape.Q, shape.S, 0), wanted_c = filled(shape.Q, v.cols, 0);
    for (int i = 0; i < shape.Q; i++) {
        double sum = 0, whole = 0;
        for (int j = 0; j < seen; j++) sum += exp(formulas[_i / SHAPES].score(i, j));
        for (int j = 0; j < seen; j++)
            sa_row(wanted_alpha, i)[j] = exp(formulas[_i / SHAPES].score(i, j)) / sum;
        for (int j = 0; j < shape.S; j++) {
            sa_axpy(sa_row(wanted_alpha, i)[j], sa_row(v, j), sa_row(wanted_c, i), v.cols);
            whole += sa_row(alpha, i)[j];
        }
        ck_assert_double_eq_tol(whole, 1, 1e-15);
    }
    ck_assert_double_le(farthest(alpha, wanted_alpha), 1e-15);
    ck_assert_double_le(farthest(c, wanted_c), 2e-15);
    for (int j = seen; j < shape.S; j++) ck_assert_double_eq(sa_row(alpha, 0)[j], 0);
}
END_TEST

START_TEST(query_is_one_row_or_many) {
    const struct shape shape = open_row(&sa_compats[_i / SHAPES], _i % SHAPES);
    sa_attention_forward(&w, q, k, v, alpha, c, scratch);
    sa_mat alone = unset(1, shape.S), context = unset(1, v.cols);
    for (int i = 0; i < shape.Q; i++) {
        sa_attention_forward(&w, sa_rows(q, i, 1), k, v, alone, context, scratch);
        ck_assert_double_le(farthest(alone, sa_rows(alpha, i, 1)), 1e-15);
        ck_assert_double_le(farthest(context, sa_rows(c, i, 1)), 1e-15);
    }
}
END_TEST

START_TEST(attention_without_v_a_is_uniform) {
    open_row(row_of("additive"), _i);
    fill(w.v_a, 0);
    sa_attention_forward(&w, q, k, v, alpha, c, scratch);
    ck_assert_double_eq(farthest(alpha, filled(alpha.rows, alpha.cols, 1.0 / alpha.cols)), 0);
}
END_TEST

/* ---- Gradients ------------------------------------------------------------------------------- */

static double scores(void) {
    w.compat->forward(w.v_a, q, k, e, scratch);
    return weighted(e, dy);
}

START_TEST(scores_backward) {
    const struct shape shape = open_row(&sa_compats[_i / SHAPES], _i % SHAPES);
    const int places = shape.sizes.places;
    if (w.compat->query == SA_QUERY_PLACES && places < shape.S) k = sa_rows(k, 0, places);
    scratch = sa_rows(scratch, 0, k.rows);
    e = unset(q.rows, k.rows), dy = drawn(q.rows, k.rows);
    sa_mat dq = filled(q.rows, q.cols, BEFORE), de = unset(e.rows, e.cols);
    dk = filled(k.rows, k.cols, BEFORE);
    sa_copy_mat(dy, de);
    w.compat->backward(w.v_a, q, k, de, dq, dk, dw.v_a, scratch);
    CHECK_ADDED(scores, q, dq);
    CHECK_ADDED(scores, k, dk);
    CHECK_ADDED(scores, weights, dweights);
}
END_TEST

static double core(void) {
    sa_attention_forward(&w, q, k, v, alpha, c, scratch);
    return weighted(c, dy);
}

START_TEST(core_backward) {
    const struct shape shape = open_row(&sa_compats[_i / SHAPES], _i % SHAPES);
    dy = drawn(shape.Q, v.cols), dk = filled(shape.S, k.cols, BEFORE);
    sa_mat dq = filled(shape.Q, q.cols, BEFORE), dv = filled(shape.S, v.cols, BEFORE);
    core();
    sa_attention_backward(&w, q, k, v, alpha, dy, dq, dk, dv, &dw, unset(shape.Q, shape.S),
                          scratch);
    CHECK_ADDED(core, q, dq);
    CHECK_ADDED(core, k, dk);
    CHECK_ADDED(core, v, dv);
    CHECK_ADDED(core, weights, dweights);
}
END_TEST

static double maps(void) {
    sa_attention_query_forward(&w, s, q);
    sa_attention_keys_forward(&w, h, k);
    return weighted(q, dy) + weighted(k, dk);
}

START_TEST(query_and_keys_backward) {
    const struct shape shape = open_row(&sa_compats[_i / SHAPES], _i % SHAPES);
    s = drawn(shape.Q, shape.sizes.state), h = drawn(shape.S, shape.sizes.annotation);
    dy = drawn(shape.Q, q.cols), dk = drawn(shape.S, k.cols);
    fill(q, NAN), fill(k, NAN);
    sa_mat ds = filled(s.rows, s.cols, BEFORE), dh = filled(h.rows, h.cols, BEFORE);
    sa_attention_query_backward(&w, dy, ds);
    sa_attention_query_weights_backward(s, dy, &dw);
    sa_attention_keys_backward(&w, h, dk, dh, &dw);
    CHECK_ADDED(maps, s, ds);
    CHECK_ADDED(maps, h, dh);
    CHECK_ADDED(maps, weights, dweights);
}
END_TEST

int main(void) {
    TCase *tests;
    Suite *suite = suite_of("attention in double", &tests);
    int rows = 0;
    while (sa_compats[rows].name) rows++;
    tcase_add_checked_fixture(tests, numbers_open, numbers_close);
    tcase_add_loop_test(tests, core_follows_its_equations, 0, FORMULAS * SHAPES);
    tcase_add_loop_test(tests, query_is_one_row_or_many, 0, rows * SHAPES);
    tcase_add_loop_test(tests, attention_without_v_a_is_uniform, 0, SHAPES);
    tcase_add_loop_test(tests, scores_backward, 0, rows * SHAPES);
    tcase_add_loop_test(tests, core_backward, 0, rows * SHAPES);
    tcase_add_loop_test(tests, query_and_keys_backward, 0, rows * SHAPES);
    return suite_run(suite);
}
