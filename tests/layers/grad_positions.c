/* Every row of --positions, and the parts of attention that know positions: values by their
 * formulas, what depends on distances alone. Gradients of the parts are in grad_attention.c. */
#include "attention/parts.h"
#include "base/option.h"
#include "support/differences.h"
#include "support/suite.h"
#include "tensor/vec.h"

static const sa_position_kind *row_of(int kind) {
    return &sa_position_kinds[kind];
}

static sa_mat x, y, dy;

/* ---- Encodings ------------------------------------------------------------------------------- */

START_TEST(sines_and_cosines) {
    const sa_positions sines = {.kind = row_of(SA_POSITIONS_SINUSOIDAL)};
    x = filled(3, 5, 2);
    sa_positions_table(&sines, 7, x);
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 5; k++) {
            const double angle = (7 + i) / pow(10000, (k / 2 * 2) / 5.0);
            ck_assert_double_eq_tol(sa_row(x, i)[k], k % 2 ? cos(angle) : sin(angle), 1e-15);
        }
}
END_TEST

static sa_positions learned;

/* Five words from position 1 on, three learned positions: the last serves four words. */
static double encodings(void) {
    sa_positions_table(&learned, 1, y);
    return weighted_sum(y, dy);
}

START_TEST(learned_encodings_backward) {
    learned = (sa_positions){.kind = row_of(SA_POSITIONS_LEARNED), .w = drawn(3, 4)};
    sa_positions dlearned = {.kind = row_of(SA_POSITIONS_LEARNED), .w = filled(3, 4, BEFORE)};
    y = unset(5, 4), dy = drawn(5, 4);
    encodings();
    for (int t = 0; t < 5; t++) {
        const int row = 1 + t < 3 ? 1 + t : 2;
        ck_assert_double_eq(farthest(sa_rows(y, t, 1), sa_rows(learned.w, row, 1)), 0);
        sa_positions_backward(1 + t, sa_rows(dy, t, 1), &dlearned);
    }
    CHECK_ADDED(encodings, learned.w, dlearned.w);
}
END_TEST

/* Every row is an encoding or a part of attention, or neither. */
START_TEST(each_row_does_one_thing) {
    const sa_positions w = {.kind = row_of(_i), .w = filled(4, 32, 1)};
    x = filled(2, 32, 2);
    sa_positions_table(&w, 1, x);
    ck_assert_int_eq(farthest(x, filled(2, 32, 2)) > 0, w.kind->encoding != NULL);
    ck_assert_int_le(!!w.kind->encoding + !!w.kind->part, 1);
}
END_TEST

/* ---- Biases ---------------------------------------------------------------------------------- */

static const struct {
    int distance, both, causal;
} buckets[] = {
    {-200, 15, 31}, {-128, 15, 31}, {-64, 14, 26}, {-40, 12, 23}, {-20, 10, 17},
    {-16, 10, 16},  {-15, 9, 15},   {-8, 8, 8},    {-7, 7, 7},    {-1, 1, 1},
    {0, 0, 0},      {1, 17, 0},     {3, 19, 0},    {7, 23, 0},    {8, 24, 0},
    {12, 25, 0},    {20, 26, 0},    {64, 30, 0},   {128, 31, 0},
};

START_TEST(buckets_of_t5) {
    ck_assert_int_eq(sa_t5_bucket(buckets[_i].distance, false), buckets[_i].both);
    ck_assert_int_eq(sa_t5_bucket(buckets[_i].distance, true), buckets[_i].causal);
}
END_TEST

START_TEST(slopes_of_alibi) {
    static const double four[] = {.25, .0625, .015625, .00390625};
    static const double six[] = {.25, .0625, .015625, .00390625, .5, .125};
    for (int k = 0; k < 4; k++) ck_assert_double_eq(sa_alibi_slope(k, 4), four[k]);
    for (int k = 0; k < 6; k++) ck_assert_double_eq(sa_alibi_slope(k, 6), six[k]);
    for (int k = 0; k < 8; k++) ck_assert_double_eq(sa_alibi_slope(k, 8), 1.0 / (2 << k));
    ck_assert_double_eq(sa_alibi_slope(0, 1), 1.0 / 256);
}
END_TEST

/* An attention of two heads with this part alone. */
static sa_attention attention_of(const sa_position_kind *kind, sa_mat own, bool causal,
                                 int farthest) {
    const sa_positions positions = {.kind = kind, .w = own, .causal = causal};
    const sa_attention_sizes sizes = {.score = &sa_scores[SA_ATTENTION_SCALED_DOT],
                                      .positions = &positions,
                                      .settings = {.shaw_distance = farthest}};
    sa_attention w = {.score = sizes.score,
                      .heads = 2,
                      .kv_heads = 2,
                      .key_width = 10,
                      .value_width = 10,
                      .parts = 1,
                      .part = {{.kind = kind->part}}};
    sa_binder binder = {.buffer = drawn(1, 100).x};
    if (kind->part->bind) kind->part->bind(&binder, "attention", &sizes, &w, w.part[0].own);
    return w;
}

enum { HEAD = 1, QUERY = 17, QUERIES = 3, KEYS = 40 };

START_TEST(biases_depend_on_distances) {
    static const int kinds[] = {SA_POSITIONS_T5, SA_POSITIONS_ALIBI};
    const sa_attention w = attention_of(row_of(kinds[_i / 2]), drawn(2, 32), _i % 2, 0);
    sa_head at = {.index = HEAD, .i = QUERY + 1, .alpha = filled(QUERIES, KEYS, 0)};
    w.part[0].kind->forward[SA_PLACE_SCORES](&w, 0, &at);
    ck_assert_double_gt(farthest(at.alpha, filled(QUERIES, KEYS, 0)), 0.01);
    for (int i = 1; i < QUERIES; i++)
        for (int j = 1; j < KEYS; j++)
            ck_assert_double_eq(sa_row(at.alpha, i)[j], sa_row(at.alpha, i - 1)[j - 1]);
}
END_TEST

/* ---- Rotations ------------------------------------------------------------------------------- */

/* Neighbors are pairs; the first turns by the position itself, the second of two by a hundredth. */
START_TEST(rope_rotates_neighbors) {
    const double one[] = {1, 0, 0, 1};
    x = unset(1, 4);
    for (int k = 0; k < 4; k++) x.x[k] = one[k];
    sa_rotate(3, false, 1, x);
    ck_assert_double_eq_tol(x.x[0], cos(3), 1e-15);
    ck_assert_double_eq_tol(x.x[1], sin(3), 1e-15);
    ck_assert_double_eq_tol(x.x[2], -sin(.03), 1e-15);
    ck_assert_double_eq_tol(x.x[3], cos(.03), 1e-15);
    sa_rotate(3, true, 1, x);
    for (int k = 0; k < 4; k++) ck_assert_double_eq_tol(x.x[k], one[k], 1e-15);
}
END_TEST

/* q'k of two heads, one query at position 4 and one key at position 9; all moved by `first`. */
static double product_from(int first, int head) {
    sa_mat q = unset(1, 12), k = unset(1, 12);
    sa_copy_mat(x, q), sa_copy_mat(y, k);
    sa_rotate(first + 4, false, 2, q);
    sa_rotate(first + 9, false, 2, k);
    return sa_dot(q.x + 6 * head, k.x + 6 * head, 6);
}

START_TEST(products_depend_on_distances) {
    x = drawn(1, 12), y = drawn(1, 12);
    for (int head = 0; head < 2; head++) {
        const double here = product_from(0, head);
        ck_assert_double_eq_tol(product_from(100, head), here, 1e-13);
        ck_assert_double_gt(fabs(sa_dot(x.x + 6 * head, y.x + 6 * head, 6) - here), 1e-3);
    }
}
END_TEST

/* The derivative of a rotation is the rotation back. */
static double rotated(void) {
    sa_copy_mat(x, y);
    sa_rotate(5, false, 2, y);
    return weighted_sum(y, dy);
}

START_TEST(rotations_backward) {
    x = drawn(3, 8), y = unset(3, 8), dy = drawn(3, 8);
    const sa_mat dx = unset(3, 8);
    sa_copy_mat(dy, dx);
    sa_rotate(5, true, 2, dx);
    CHECK_WRITTEN(rotated, x, dx);
}
END_TEST

/* ---- Vectors --------------------------------------------------------------------------------- */

/* Section 3.2 (Shaw et al. 2018): clip(x, k) = max(-k, min(k, x)), the first row being that of -k;
 * causal attention sees no word behind the query. Of the values' vectors, by weights of one word
 * each; the first query stands behind three words. */
START_TEST(distances_are_clipped) {
    enum { FIRST = 3, WIDTH = 5, SEEN = 9 };
    static const int both[] = {0, 1, 2, 3, 4, 4}, causal[] = {0, 1, 2, 2, 2, 2};
    const sa_attention w = attention_of(row_of(SA_POSITIONS_SHAW), (sa_mat){0}, _i, 2);
    const int vectors = _i ? 3 : 5;
    const sa_real *a_V = ((const sa_mat *)w.part[0].own)[1].x;
    ck_assert_int_eq(((const sa_mat *)w.part[0].own)[1].rows, vectors);
    for (int j = 0; j < SEEN; j++) {
        const int away = j < 1 ? 0 : j > 6 ? 5 : j - 1;
        sa_head at = {.i = FIRST + 1, .alpha = filled(1, SEEN, 0), .c = drawn(1, WIDTH)};
        const sa_mat before = unset(1, WIDTH);
        sa_copy_mat(at.c, before);
        at.alpha.x[j] = 0.5;
        w.part[0].kind->forward[SA_PLACE_OUTPUT](&w, 0, &at);
        for (int d = 0; d < WIDTH; d++)
            ck_assert_double_eq_tol(at.c.x[d] - before.x[d],
                                    0.5 * a_V[(_i ? causal : both)[away] * WIDTH + d], 1e-15);
    }
}
END_TEST

int main(void) {
    TCase *tests;
    Suite *suite = suite_of("positions in double", &tests);
    int rows = 0;
    while (SA_NAME(sa_position_kinds, (size_t)rows)) rows++;
    tcase_add_checked_fixture(tests, numbers_open, numbers_close);
    tcase_add_test(tests, sines_and_cosines);
    tcase_add_test(tests, learned_encodings_backward);
    tcase_add_loop_test(tests, each_row_does_one_thing, 0, rows);
    tcase_add_loop_test(tests, buckets_of_t5, 0, sizeof buckets / sizeof *buckets);
    tcase_add_test(tests, slopes_of_alibi);
    tcase_add_loop_test(tests, biases_depend_on_distances, 0, 4);
    tcase_add_test(tests, rope_rotates_neighbors);
    tcase_add_test(tests, products_depend_on_distances);
    tcase_add_test(tests, rotations_backward);
    tcase_add_loop_test(tests, distances_are_clipped, 0, 2);
    return suite_run(suite);
}
