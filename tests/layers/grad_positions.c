/* Every row of position.h: values by their formulas, what depends on distances alone, gradients by
 * differences. */
#include "layers/position.h"
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

/* What has no such function leaves everything as it is. */
START_TEST(each_row_does_one_thing) {
    const sa_positions w = {.kind = row_of(_i), .w = filled(4, 32, 1), .heads = 2};
    x = filled(2, 32, 2), y = filled(2, 32, 2), dy = filled(2, 32, 2);
    const sa_mat same = filled(2, 32, 2);
    sa_positions_table(&w, 1, x);
    sa_positions_rotate(&w, 2, 1, false, y);
    sa_positions_bias(&w, 1, 5, dy);
    ck_assert_int_eq(farthest(x, same) > 0, w.kind->encoding != NULL);
    ck_assert_int_eq(farthest(y, same) > 0, w.kind->rotation != NULL);
    ck_assert_int_eq(farthest(dy, same) > 0, w.kind->bias != NULL);
    ck_assert_int_le(!!w.kind->encoding + !!w.kind->rotation + !!w.kind->bias + !!w.kind->vector,
                     1);
    ck_assert_int_eq(w.kind->vector != NULL, w.kind->bind_vectors != NULL);
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

static sa_positions biases, dbiases;
enum { HEAD = 1, QUERY = 17, QUERIES = 3, KEYS = 40 };

static double scores(void) {
    sa_copy_mat(x, y);
    sa_positions_bias(&biases, HEAD, QUERY, y);
    return weighted_sum(y, dy);
}

START_TEST(biases_depend_on_distances) {
    biases =
        (sa_positions){.kind = row_of(_i / 2), .w = drawn(2, 32), .heads = 2, .causal = _i % 2};
    if (!biases.kind->bias) return;
    x = filled(QUERIES, KEYS, 0), y = unset(QUERIES, KEYS), dy = drawn(QUERIES, KEYS);
    scores();
    for (int i = 1; i < QUERIES; i++)
        for (int j = 1; j < KEYS; j++)
            ck_assert_double_eq(sa_row(y, i)[j], sa_row(y, i - 1)[j - 1]);
    if (!biases.w.cols || !biases.kind->bias_backward) return;
    dbiases = biases, dbiases.w = filled(2, 32, BEFORE);
    sa_positions_bias_backward(HEAD, QUERY, dy, &dbiases);
    CHECK_ADDED(scores, biases.w, dbiases.w);
}
END_TEST

/* ---- Rotations ------------------------------------------------------------------------------- */

/* Neighbors are pairs; the first turns by the position itself, the second of two by a hundredth. */
START_TEST(rope_rotates_neighbors) {
    const sa_positions rope = {.kind = row_of(SA_POSITIONS_ROPE)};
    const double one[] = {1, 0, 0, 1};
    x = unset(1, 4);
    for (int k = 0; k < 4; k++) x.x[k] = one[k];
    sa_positions_rotate(&rope, 1, 3, false, x);
    ck_assert_double_eq_tol(x.x[0], cos(3), 1e-15);
    ck_assert_double_eq_tol(x.x[1], sin(3), 1e-15);
    ck_assert_double_eq_tol(x.x[2], -sin(.03), 1e-15);
    ck_assert_double_eq_tol(x.x[3], cos(.03), 1e-15);
    sa_positions_rotate(&rope, 1, 3, true, x);
    for (int k = 0; k < 4; k++) ck_assert_double_eq_tol(x.x[k], one[k], 1e-15);
}
END_TEST

/* q'k of two heads, one query at position 4 and one key at position 9; all moved by `first`. */
static double product_from(int first, int head) {
    const sa_positions rope = {.kind = row_of(SA_POSITIONS_ROPE), .first = first};
    sa_mat q = unset(1, 12), k = unset(1, 12);
    sa_copy_mat(x, q), sa_copy_mat(y, k);
    sa_positions_rotate(&rope, 2, 4, false, q);
    sa_positions_rotate(&rope, 2, 9, false, k);
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
    const sa_positions rope = {.kind = row_of(SA_POSITIONS_ROPE)};
    sa_copy_mat(x, y);
    sa_positions_rotate(&rope, 2, 5, false, y);
    return weighted_sum(y, dy);
}

START_TEST(rotations_backward) {
    const sa_positions rope = {.kind = row_of(SA_POSITIONS_ROPE)};
    x = drawn(3, 8), y = unset(3, 8), dy = drawn(3, 8);
    const sa_mat dx = unset(3, 8);
    sa_copy_mat(dy, dx);
    sa_positions_rotate(&rope, 2, 5, true, dx);
    CHECK_WRITTEN(rotated, x, dx);
}
END_TEST

/* ---- Vectors --------------------------------------------------------------------------------- */

enum { FARTHEST = 2, FIRST = 3, WIDTH = 5 }; /* k; the first query stands behind three words */

static sa_positions vectors, dvectors;
static sa_mat alpha, dalpha;

static sa_positions shaw(bool causal, sa_mat a_K, sa_mat a_V) {
    return (sa_positions){.kind = row_of(SA_POSITIONS_SHAW),
                          .causal = causal,
                          .farthest = FARTHEST,
                          .a_K = a_K,
                          .a_V = a_V};
}

/* Section 3.2: clip(x, k) = max(-k, min(k, x)), the first row being that of -k; causal attention
 * sees no word behind the query. */
START_TEST(distances_are_clipped) {
    static const int both[] = {0, 0, 0, 1, 2, 3, 4, 4, 4}, causal[] = {0, 0, 0, 1, 2, 2, 2, 2, 2};
    const sa_mat none = {0};
    const sa_positions w = shaw(_i, none, none);
    for (int distance = -4; distance <= 4; distance++)
        ck_assert_int_eq(w.kind->vector(&w, distance), (_i ? causal : both)[distance + 4]);
}
END_TEST

static double keys_with_vectors(void) {
    sa_positions_keys_forward(&vectors, FIRST, x, y);
    return weighted_sum(y, dy);
}

START_TEST(vectors_of_keys) {
    const int rows = _i ? FARTHEST + 1 : 2 * FARTHEST + 1;
    vectors = shaw(_i, drawn(rows, WIDTH), (sa_mat){0});
    dvectors = shaw(_i, filled(rows, WIDTH, BEFORE), (sa_mat){0});
    x = drawn(9, WIDTH), y = unset(9, WIDTH), dy = drawn(9, WIDTH);
    const sa_mat dx = filled(9, WIDTH, BEFORE);
    keys_with_vectors();
    for (int j = 0; j < 9; j++)
        for (int d = 0; d < WIDTH; d++) {
            const int far = _i && j > FIRST ? FIRST : j, away = far - FIRST;
            const int row = (away < -2 ? -2 : away > 2 ? 2 : away) + 2;
            ck_assert_double_eq(sa_row(y, j)[d], sa_row(x, j)[d] + sa_row(vectors.a_K, row)[d]);
        }
    sa_positions_keys_backward(FIRST, dy, dx, &dvectors);
    CHECK_ADDED(keys_with_vectors, x, dx);
    CHECK_ADDED(keys_with_vectors, vectors.a_K, dvectors.a_K);
}
END_TEST

/* Two queries, at positions 3 and 4. */
static double outputs_with_vectors(void) {
    sa_copy_mat(x, y);
    sa_positions_values_forward(&vectors, FIRST, alpha, y);
    return weighted_sum(y, dy);
}

START_TEST(vectors_of_values) {
    const int rows = _i ? FARTHEST + 1 : 2 * FARTHEST + 1;
    vectors = shaw(_i, (sa_mat){0}, drawn(rows, WIDTH));
    dvectors = shaw(_i, (sa_mat){0}, filled(rows, WIDTH, BEFORE));
    x = drawn(2, WIDTH), y = unset(2, WIDTH), dy = drawn(2, WIDTH), alpha = drawn(2, 7);
    dalpha = filled(2, 7, BEFORE);
    outputs_with_vectors();
    sa_positions_values_backward(&vectors, FIRST, alpha, dy, dalpha, &dvectors);
    CHECK_ADDED(outputs_with_vectors, alpha, dalpha);
    CHECK_ADDED(outputs_with_vectors, vectors.a_V, dvectors.a_V);
}
END_TEST

int main(void) {
    TCase *tests;
    Suite *suite = suite_of("positions in double", &tests);
    int rows = 0;
    while (sa_position_name((size_t)rows)) rows++;
    tcase_add_checked_fixture(tests, numbers_open, numbers_close);
    tcase_add_test(tests, sines_and_cosines);
    tcase_add_test(tests, learned_encodings_backward);
    tcase_add_loop_test(tests, each_row_does_one_thing, 0, rows);
    tcase_add_loop_test(tests, buckets_of_t5, 0, sizeof buckets / sizeof *buckets);
    tcase_add_test(tests, slopes_of_alibi);
    tcase_add_loop_test(tests, biases_depend_on_distances, 0, 2 * rows);
    tcase_add_test(tests, rope_rotates_neighbors);
    tcase_add_test(tests, products_depend_on_distances);
    tcase_add_test(tests, rotations_backward);
    tcase_add_loop_test(tests, distances_are_clipped, 0, 2);
    tcase_add_loop_test(tests, vectors_of_keys, 0, 2);
    tcase_add_loop_test(tests, vectors_of_values, 0, 2);
    return suite_run(suite);
}
