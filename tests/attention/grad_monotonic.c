/* Monotonic attention: golden weights, the expectation over all ways of reading, and the hard
 * weights of decoding. Gradients are in grad_attention.c. */
#include "support/attending.h"
#include "support/suite.h"
#include "support/traced.h"

#include <string.h>

enum { S = 4 };
static const double probability[STEPS][S] = {{.2, .7, .5, .1}, {.1, .3, .9, .5}};

static int part;
static sa_mat e, p, alpha, start; /* [STEPS x S], start [1 x S]: alpha_0 */

/* The scores of `probability`. */
static void open_golden(void) {
    attention_settings(SA_ATTENTION_MONOTONIC);
    ck_assert(decoder_open());
    part = sa_part_find(&w, &sa_monotonic_part);
    rows.noise.cols = 0;
    e = unset(STEPS, S), p = unset(STEPS, S), alpha = unset(STEPS, S), start = filled(1, S, 0);
    start.x[0] = 1;
    for (int i = 0; i < STEPS; i++)
        for (int j = 0; j < S; j++)
            sa_row(e, i)[j] = log(probability[i][j] / (1 - probability[i][j]));
}

/* z becomes alpha_i, from alpha_{i-1}; returns the probabilities. */
static sa_mat select_words(sa_mat previous, sa_mat z) {
    sa_head at = bare_head(S);
    at.alpha = z;
    sa_copy_mat(previous, sa_part_carry(&w, sa_part_find(&w, &sa_earlier_weights_part),
                                        at.rows.previous_carry, 0, S));
    return traced_by(&w, &sa_monotonic_part, SA_PLACE_WEIGHTS, at, "selected").x;
}

static void read_words(bool decoding) {
    w.decoding = decoding;
    sa_copy_mat(e, alpha);
    for (int i = 0; i < STEPS; i++) {
        const sa_mat previous = i ? sa_rows(alpha, i - 1, 1) : start;
        sa_copy_mat(select_words(previous, sa_rows(alpha, i, 1)), sa_rows(p, i, 1));
    }
}

START_TEST(golden_weights) {
    static const double wanted[STEPS][S] = {{.2, .56, .12, .012}, {.02, .222, .5742, .0379}};
    open_golden();
    read_words(false);
    for (int i = 0; i < STEPS; i++)
        for (int j = 0; j < S; j++) {
            ck_assert_double_eq_tol(sa_row(alpha, i)[j], wanted[i][j], 1e-15);
            ck_assert_double_eq_tol(sa_row(p, i)[j], probability[i][j], 1e-15);
        }
}
END_TEST

/* Every word of both steps is selected or not: 2^8 ways of reading, each with its probability. */
START_TEST(expected_weights_are_the_mean_of_hard_ones) {
    open_golden();
    sa_mat wanted = filled(STEPS, S, 0), scores = unset(STEPS, S);
    sa_copy_mat(e, scores);
    for (int way = 0; way < 1 << (STEPS * S); way++) {
        double chance = 1;
        for (int i = 0; i < STEPS * S; i++) {
            const bool selected = way >> i & 1;
            const double own = probability[i / S][i % S];
            chance *= selected ? own : 1 - own;
            sa_row(e, i / S)[i % S] = selected ? 1 : -1;
        }
        read_words(true);
        sa_scale(chance, alpha);
        sa_add(alpha, wanted);
    }
    sa_copy_mat(scores, e);
    read_words(false);
    ck_assert_double_le(farthest(alpha, wanted), 1e-15);
}
END_TEST

START_TEST(hard_weights_scan_on) {
    static const double scores[][S] = {{-1, .5, 2, 3}, {9, -1, -2, 1}, {9, 9, 9, -1}, {9, 9, 9, 9}};
    static const int selected[] = {1, 3, -1, -1}; /* after the end there is nothing to read */
    open_golden();
    w.decoding = true;
    sa_mat row = unset(1, S);
    for (int i = 0; i < 4; i++) {
        set_row(row, scores[i]);
        select_words(start, row);
        for (int j = 0; j < S; j++) ck_assert_double_eq(row.x[j], j == selected[i]);
        sa_copy_mat(row, start);
    }
}
END_TEST

START_TEST(rows_sum_to_at_most_one) {
    open_golden();
    read_words(false);
    for (int i = 0; i < STEPS; i++)
        ck_assert_double_eq_tol(sa_sum(sa_row(alpha, i), S), i ? .8541 : .892, 1e-15);
    fill(e, -200); /* nobody selects anything */
    read_words(false);
    ck_assert_double_eq(farthest(alpha, filled(STEPS, S, 0)), 0); /* no denormal number either */
    fill(e, 200);
    read_words(false);
    ck_assert_double_eq(alpha.x[0], 1);
    ck_assert_double_eq(*sa_row(alpha, 1), 1);
}
END_TEST

START_TEST(noise_is_added_to_scores) {
    open_golden();
    const sa_mat noise = drawn(1, LONGEST), noisy = unset(1, S), clean = unset(1, S);
    sa_copy_mat(sa_rows(e, 0, 1), noisy);
    sa_copy_mat(noisy, clean);
    sa_add(sa_cols(noise, 0, S), clean);
    select_words(start, clean);
    rows.noise = filled(rows.q.rows, LONGEST, 0);
    sa_copy_mat(noise, sa_rows(rows.noise, 0, 1));
    select_words(start, noisy);
    ck_assert_double_eq(farthest(noisy, clean), 0);
}
END_TEST

/* The noise of training has the deviation of the settings, more or less of it as asked; 0: none. */
START_TEST(noise_has_its_deviation) {
    static const double amounts[] = {0, 1, 1.5};
    attention_settings(SA_ATTENTION_MONOTONIC);
    settings.monotonic_noise = 2;
    ck_assert(decoder_open());
    const sa_mat noise = unset(2000, rows.noise.cols);
    const double count = noise.rows * noise.cols;
    for (int k = 0; k < 3; k++) {
        const double deviation = 2 * amounts[k];
        double sum = 0, squares = 0;
        sa_attention_draw_noise(&w, amounts[k], &dice, NULL, noise);
        for (int i = 0; i < noise.rows; i++) {
            sum += sa_sum(sa_row(noise, i), noise.cols);
            squares += sa_dot(sa_row(noise, i), sa_row(noise, i), noise.cols);
        }
        ck_assert_double_le(fabs(sum / count), 4 * deviation / sqrt(count));
        ck_assert_double_le(fabs(sqrt(squares / count) - deviation),
                            4 * deviation / sqrt(2 * count));
    }
}
END_TEST

/* Section 2.4, for keys of the same size as the query: own holds v_a, b_a, g and r. */
START_TEST(score_follows_its_equation) {
    enum { UNITS = 3 };
    const sa_mat own = drawn(1, 2 * UNITS + 2), q = drawn(2, UNITS), k = drawn(S, UNITS),
                 score = unset(2, S);
    const double *v = own.x, *b = v + UNITS, g = own.x[2 * UNITS], r = own.x[2 * UNITS + 1];
    sa_monotonic_score_forward(own, q, k, score, unset(S, UNITS));
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < S; j++) {
            double sum = 0, square = 0;
            for (int l = 0; l < UNITS; l++) {
                sum += v[l] * tanh(sa_row(q, i)[l] + sa_row(k, j)[l] + b[l]);
                square += v[l] * v[l];
            }
            ck_assert_double_eq_tol(sa_row(score, i)[j], g * sum / sqrt(square) + r, 1e-14);
        }
}
END_TEST

/* One word a row, from left to right, or none. */
START_TEST(decoding_selects_words) {
    open_golden();
    w.decoding = true;
    sa_attention_carry_begin(&w, rows.previous_carry);
    *(w.v_a.x + w.v_a.cols - 1) = 0; /* r */
    *(w.v_a.x + w.v_a.cols - 2) = 9; /* g: scores of both signs */
    attend();
    int selected = 0, last[SENTENCES] = {0};
    for (int row = 0; row < STEPS * SENTENCES; row++) {
        const int b = row % SENTENCES, words = words_before[b + 1] - words_before[b];
        for (int j = 0; j < words; j++) {
            const double weight = sa_row(rows.alpha, row)[j];
            ck_assert(weight == 0 || (weight == 1 && j >= last[b]));
            if (weight == 1) last[b] = j, selected++;
        }
    }
    ck_assert_int_ge(selected, 1);
}
END_TEST

int main(void) {
    TCase *tests;
    Suite *suite = suite_of("monotonic attention", &tests);
    tcase_add_checked_fixture(tests, numbers_open, numbers_close);
    tcase_add_test(tests, golden_weights);
    tcase_add_test(tests, expected_weights_are_the_mean_of_hard_ones);
    tcase_add_test(tests, hard_weights_scan_on);
    tcase_add_test(tests, rows_sum_to_at_most_one);
    tcase_add_test(tests, noise_is_added_to_scores);
    tcase_add_test(tests, noise_has_its_deviation);
    tcase_add_test(tests, score_follows_its_equation);
    tcase_add_test(tests, decoding_selects_words);
    return suite_run(suite);
}
