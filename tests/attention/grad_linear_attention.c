/* Linear attention: its weights, and that its sums over the words before give what they give. */
#include "support/attending.h"
#include "support/suite.h"
#include "tensor/vec.h"

#include <math.h>

static void weights_of(sa_mat q, sa_mat k, sa_mat alpha) {
    const sa_mat own = unset(k.rows, k.cols);
    sa_scores[SA_ATTENTION_LINEAR].forward((sa_mat){0}, q, k, alpha, own);
    sa_softmax(alpha);
}

/* Katharopoulos et al. 2020, equation 4: q = (.5, -1), k = (1, 0), (0, 1), (-1, .5) */
START_TEST(weights_by_hand) {
    static const double wanted[] = {.502123, .333333, .164543};
    static sa_real query[] = {.5, -1}, keys[] = {1, 0, 0, 1, -1, .5};
    const sa_mat alpha = unset(1, 3);
    weights_of((sa_mat){query, 1, 2, 2}, (sa_mat){keys, 3, 2, 2}, alpha);
    for (int j = 0; j < 3; j++) ck_assert_double_eq_tol(alpha.x[j], wanted[j], 5e-7);
}
END_TEST

/* Even where all features underflow, weights are finite and sum to 1. */
START_TEST(weights_of_far_negative_numbers) {
    const sa_mat alpha = unset(1, 5);
    weights_of(filled(1, 3, -1e4), filled(5, 3, -1e4), alpha);
    for (int j = 0; j < 5; j++) ck_assert_double_eq_tol(alpha.x[j], 1. / 5, 1e-15);
}
END_TEST

/* Scores of different keys have nothing in common: the gradients of many are those of each alone.
 */
START_TEST(gradients_of_many_keys) {
    enum { D = 3, MOST = 130 };
    static const int counts[] = {1, 63, 64, 65, 128, 129, MOST};
    const sa_score *score = &sa_scores[SA_ATTENTION_LINEAR];
    const sa_mat q = drawn(2, D), keys = drawn(MOST, D), none = {0};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        const int n = counts[i];
        const sa_mat k = sa_rows(keys, 0, n), de = drawn(2, n), own = unset(n, D);
        const sa_mat dq = filled(2, D, 0), dk = filled(n, D, 0);
        const sa_mat one_dq = filled(2, D, 0), one_dk = filled(n, D, 0);
        score->backward(none, q, k, de, dq, dk, none, own);
        for (int j = 0; j < n; j++) {
            const sa_mat one_de = unset(2, 1);
            for (int row = 0; row < 2; row++) *sa_row(one_de, row) = sa_row(de, row)[j];
            score->backward(none, q, sa_rows(k, j, 1), one_de, one_dq, sa_rows(one_dk, j, 1), none,
                            sa_rows(own, 0, 1));
        }
        for (int l = 0; l < D; l++) {
            for (int row = 0; row < 2; row++)
                ck_assert_double_eq_tol(sa_row(dq, row)[l], sa_row(one_dq, row)[l], 1e-12);
            for (int j = 0; j < n; j++)
                ck_assert_double_eq_tol(sa_row(dk, j)[l], sa_row(one_dk, j)[l], 1e-15);
        }
    }
}
END_TEST

/* Four heads that share two of keys and values. */
START_TEST(sums_give_what_weights_give) {
    enum { WORDS = 7, HEADS = 4, SHARED = 2, D = 3, VALUE = 5 };
    w = (sa_attention){.score = &sa_scores[SA_ATTENTION_LINEAR],
                       .normalizer = &sa_normalizers[SA_NORMALIZER_SOFTMAX],
                       .heads = HEADS,
                       .kv_heads = SHARED,
                       .query_width = HEADS * D,
                       .key_width = SHARED * D,
                       .value_width = SHARED * VALUE,
                       .output_width = HEADS * VALUE,
                       .parts = 1,
                       .part = {{.kind = &sa_running_sums_part}}};
    const int width = sa_parts_widths(&w, w.parts, 0, 0).running;
    ck_assert_int_eq(width, SHARED * D * (VALUE + 1));
    const sa_mat q = drawn(WORDS, w.query_width), k = drawn(WORDS, w.key_width),
                 v = drawn(WORDS, w.value_width), state = filled(1, width, 0),
                 o = unset(1, w.output_width), wanted = unset(1, VALUE),
                 own = unset(1, w.key_width);
    for (int i = 0; i < WORDS; i++) {
        sa_running_step(&w, &(sa_memory){.keys = k, .values = v}, i, sa_rows(q, i, 1), state, o,
                        own);
        for (int h = 0; h < HEADS; h++) {
            const sa_mat alpha = unset(1, i + 1);
            weights_of(sa_head_slice(sa_rows(q, i, 1), HEADS, h),
                       sa_kv_head_slice(&w, sa_rows(k, 0, i + 1), h), alpha);
            sa_gemm_nn(alpha, sa_kv_head_slice(&w, sa_rows(v, 0, i + 1), h), 0, wanted);
            ck_assert_double_le(farthest(sa_head_slice(o, HEADS, h), wanted), 1e-14);
        }
    }
}
END_TEST

/* Where all features underflow, the sums give numbers, too. */
START_TEST(sums_of_far_negative_numbers) {
    w = (sa_attention){.score = &sa_scores[SA_ATTENTION_LINEAR],
                       .normalizer = &sa_normalizers[SA_NORMALIZER_SOFTMAX],
                       .heads = 1,
                       .kv_heads = 1,
                       .query_width = 2,
                       .key_width = 2,
                       .value_width = 3,
                       .output_width = 3,
                       .parts = 1,
                       .part = {{.kind = &sa_running_sums_part}}};
    const sa_mat far = filled(1, 2, -1e4), o = unset(1, 3);
    sa_running_step(&w, &(sa_memory){.keys = far, .values = drawn(1, 3)}, 0, far,
                    filled(1, sa_parts_widths(&w, w.parts, 0, 0).running, 0), o, unset(1, 2));
    for (int l = 0; l < o.cols; l++) ck_assert(isfinite(o.x[l]));
}
END_TEST

/* Windows, biases of positions and other normalizers need the weights themselves. */
START_TEST(sums_stand_for_softmax_alone) {
    static const struct {
        int score, normalizer, window, positions;
        bool runs;
    } cases[] = {
        {SA_ATTENTION_LINEAR, 0, 0, 0, true},
        {SA_ATTENTION_LINEAR, SA_NORMALIZER_NULL, 0, 0, false},
        {SA_ATTENTION_SCALED_DOT, 0, 0, 0, false},
        {SA_ATTENTION_LINEAR, 0, SA_WINDOW_SLIDING, 0, false},
        {SA_ATTENTION_LINEAR, 0, 0, SA_POSITIONS_ALIBI, false},
        {SA_ATTENTION_LINEAR, 0, 0, SA_POSITIONS_SINUSOIDAL, true},
    };
    attention_settings(cases[_i].score);
    settings.normalizer = cases[_i].normalizer, settings.window = cases[_i].window;
    sizes = sa_attention_sizes_of(&settings, 4, 4);
    sizes.transformer = true, sizes.layer = 1, sizes.site = SA_SITE_DECODER;
    const sa_positions positions = {.kind = &sa_position_kinds[cases[_i].positions]};
    sizes.positions = &positions;
    sa_attention_bind(&(sa_binder){0}, "attention", &sizes, &w);
    ck_assert_int_eq(sa_parts_widths(&w, w.parts, 0, 0).running > 0, cases[_i].runs);
}
END_TEST

int main(void) {
    TCase *tests;
    Suite *suite = suite_of("linear attention in double", &tests);
    tcase_add_checked_fixture(tests, numbers_open, numbers_close);
    tcase_add_test(tests, weights_by_hand);
    tcase_add_test(tests, weights_of_far_negative_numbers);
    tcase_add_test(tests, gradients_of_many_keys);
    tcase_add_test(tests, sums_give_what_weights_give);
    tcase_add_test(tests, sums_of_far_negative_numbers);
    tcase_add_loop_test(tests, sums_stand_for_softmax_alone, 0, 6);
    return suite_run(suite);
}
