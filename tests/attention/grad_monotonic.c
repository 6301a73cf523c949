/* Monotonic attention: golden weights, the expectation over all ways of reading, gradients, and the
 * hard weights of decoding. */
#include "attention/monotonic.h"
#include "attention/multihead.h"
#include "support/differences.h"
#include "support/suite.h"
#include "tensor/vec.h"

#include <string.h>

enum { S = 4, STEPS = 2 };
static const double probability[STEPS][S] = {{.2, .7, .5, .1}, {.1, .3, .9, .5}};

static sa_mat e, p, alpha, dy, start; /* [STEPS x S], start [1 x S] */

/* The scores of `probability`, and alpha_0. */
static void open_golden(void) {
    e = unset(STEPS, S), p = unset(STEPS, S), alpha = unset(STEPS, S), start = filled(1, S, 0);
    start.x[0] = 1;
    for (int i = 0; i < STEPS; i++)
        for (int j = 0; j < S; j++)
            sa_row(e, i)[j] = log(probability[i][j] / (1 - probability[i][j]));
}

static sa_mat before(sa_mat all, int i) {
    return i ? sa_rows(all, i - 1, 1) : start;
}

static double attend(bool hard) {
    sa_copy_mat(e, alpha);
    for (int i = 0; i < STEPS; i++)
        sa_monotonic_normalizer.step_forward(hard, before(alpha, i), (sa_mat){0}, sa_rows(p, i, 1),
                                             sa_rows(alpha, i, 1));
    return dy.x ? weighted_sum(alpha, dy) : 0;
}

static double soft(void) {
    return attend(false);
}

/* ---- Values ---------------------------------------------------------------------------------- */

START_TEST(golden_weights) {
    static const double wanted[STEPS][S] = {{.2, .56, .12, .012}, {.02, .222, .5742, .0379}};
    open_golden();
    soft();
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
    sa_mat wanted = filled(STEPS, S, 0);
    for (int way = 0; way < 1 << (STEPS * S); way++) {
        double chance = 1;
        for (int i = 0; i < STEPS * S; i++) {
            const bool selected = way >> i & 1;
            const double own = probability[i / S][i % S];
            chance *= selected ? own : 1 - own;
            sa_row(e, i / S)[i % S] = selected ? 1 : -1;
        }
        attend(true);
        sa_scale(chance, alpha);
        sa_add(alpha, wanted);
    }
    open_golden();
    soft();
    ck_assert_double_le(farthest(alpha, wanted), 1e-15);
}
END_TEST

START_TEST(hard_weights_scan_on) {
    static const double scores[][S] = {{-1, .5, 2, 3}, {9, -1, -2, 1}, {9, 9, 9, -1}, {9, 9, 9, 9}};
    static const int selected[] = {1, 3, -1, -1}; /* after the end there is nothing to read */
    sa_mat previous = filled(1, S, 0), row = unset(1, S), own = unset(1, S);
    previous.x[0] = 1;
    for (int i = 0; i < 4; i++) {
        memcpy(row.x, scores[i], sizeof scores[i]);
        sa_monotonic_normalizer.step_forward(true, previous, (sa_mat){0}, own, row);
        for (int j = 0; j < S; j++) ck_assert_double_eq(row.x[j], j == selected[i]);
        sa_copy_mat(row, previous);
    }
}
END_TEST

START_TEST(rows_sum_to_at_most_one) {
    open_golden();
    soft();
    for (int i = 0; i < STEPS; i++) {
        double row = 0;
        for (int j = 0; j < S; j++) row += sa_row(alpha, i)[j];
        ck_assert_double_eq_tol(row, i ? .8541 : .892, 1e-15);
    }
    fill(e, -200); /* nobody selects anything */
    soft();
    ck_assert_double_eq(farthest(alpha, filled(STEPS, S, 0)), 0); /* no denormal number either */
    fill(e, 200);
    soft();
    ck_assert_double_eq(alpha.x[0], 1);
    ck_assert_double_eq(*sa_row(alpha, 1), 1);
}
END_TEST

START_TEST(noise_is_added_to_scores) {
    open_golden();
    const sa_mat noise = drawn(1, S), noisy = unset(1, S), clean = unset(1, S), own = unset(1, S);
    memcpy(noisy.x, e.x, S * sizeof *e.x);
    for (int j = 0; j < S; j++) clean.x[j] = e.x[j] + noise.x[j];
    sa_monotonic_normalizer.step_forward(false, start, noise, own, noisy);
    sa_monotonic_normalizer.step_forward(false, start, (sa_mat){0}, own, clean);
    ck_assert_double_eq(farthest(noisy, clean), 0);
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

/* ---- Gradients ------------------------------------------------------------------------------- */

START_TEST(weights_backward) {
    open_golden();
    sa_copy_mat(drawn(1, S), start);
    sa_softmax(start);
    dy = drawn(STEPS, S);
    sa_mat dalpha = unset(STEPS, S), de = filled(STEPS, S, BEFORE), dstart = filled(1, S, BEFORE);
    soft();
    sa_copy_mat(dy, dalpha);
    for (int i = STEPS - 1; i >= 0; i--)
        sa_monotonic_normalizer.step_backward(sa_rows(p, i, 1), sa_rows(alpha, i, 1),
                                              sa_rows(dalpha, i, 1),
                                              i ? sa_rows(dalpha, i - 1, 1) : dstart);
    sa_add(dalpha, de);
    CHECK_ADDED(soft, e, de);
    CHECK_ADDED(soft, start, dstart);
}
END_TEST

/* ---- A decoder's steps ----------------------------------------------------------------------- */

enum { N = 3, A = 5, WORDS = 6, SENTENCES = 2 };
static const int first[SENTENCES + 1] = {0, WORDS, WORDS + 2};
static sa_attention w, dw;
static sa_mat weights, dweights, s, c;
static sa_memory memory;
static sa_attention_rows rows;
static sa_attention_scratch scratch;

/* Two steps over two sentences, as a decoder goes. */
static double steps(void) {
    sa_memory_forward(&w, &memory);
    for (int i = 0; i < STEPS; i++) {
        const sa_attention_rows own = sa_attention_rows_slice(rows, i * SENTENCES, SENTENCES);
        if (i)
            sa_copy_mat(sa_rows(rows.state, (i - 1) * SENTENCES, SENTENCES), own.previous_state);
        else
            sa_attention_state_begin(&w, own.previous_state);
        sa_attention_step_forward(&w, &memory, NULL, i + 1, sa_rows(s, i * SENTENCES, SENTENCES),
                                  NULL, own, sa_rows(c, i * SENTENCES, SENTENCES), scratch);
    }
    return weighted_sum(c, dy);
}

static void open_steps(void) {
    const sa_score *score = &sa_scores[SA_ATTENTION_MONOTONIC];
    const sa_attention_sizes sizes = {.score = score,
                                      .normalizer = score->normalizer,
                                      .state = N,
                                      .annotation = A,
                                      .size = 4,
                                      .max_positions = WORDS,
                                      .heads = 1};
    sa_binder counting = {0};
    sa_attention_bind(&counting, "attention", sizes, &w);
    weights = drawn(1, (int)counting.offset), dweights = filled(1, weights.cols, BEFORE);
    sa_attention_bind(&(sa_binder){.buffer = weights.x}, "attention", sizes, &w);
    sa_attention_bind(&(sa_binder){.buffer = dweights.x}, "attention", sizes, &dw);
    sa_memory_layout(&numbers, &w, first, drawn(first[SENTENCES], A), &memory);
    rows = sa_attention_rows_layout(&numbers, &w, STEPS * SENTENCES, WORDS, true);
    scratch = sa_attention_scratch_layout(&numbers, &w, 1, WORDS, true);
    s = drawn(STEPS * SENTENCES, N), c = unset(STEPS * SENTENCES, A), dy = drawn(c.rows, A);
}

START_TEST(steps_backward) {
    open_steps();
    sa_memory d;
    sa_attention_rows drows =
        sa_attention_rows_layout(&numbers, &w, STEPS * SENTENCES, WORDS, false);
    sa_mat ds = filled(s.rows, N, BEFORE), dh = filled(first[SENTENCES], A, BEFORE);
    sa_memory_layout(&numbers, &w, first, dh, &d);
    fill(d.keys, 0), fill(drows.state, 0);
    steps();
    for (int i = STEPS - 1; i >= 0; i--) {
        const int row = i * SENTENCES;
        const sa_attention_rows own = sa_attention_rows_slice(drows, row, SENTENCES);
        sa_attention_step_backward(
            &w, &memory, i + 1, sa_attention_rows_slice(rows, row, SENTENCES),
            sa_rows(dy, row, SENTENCES), own, &d, sa_rows(ds, row, SENTENCES), &dw, scratch);
        if (i) sa_copy_mat(own.previous_state, sa_rows(drows.state, row - SENTENCES, SENTENCES));
    }
    sa_attention_projections_backward(s, rows, dy, drows, &dw);
    sa_memory_backward(&w, &memory, &d, &dw);
    CHECK_ADDED(steps, s, ds);
    CHECK_ADDED(steps, memory.annotations, dh);
    CHECK_ADDED(steps, weights, dweights);
}
END_TEST

/* One word a row, from left to right, or none. */
START_TEST(decoding_selects_words) {
    open_steps();
    w.hard = true;
    *(w.v_a.x + w.v_a.cols - 1) = 0; /* r */
    *(w.v_a.x + w.v_a.cols - 2) = 9; /* g: scores of both signs */
    steps();
    int selected = 0, last[SENTENCES] = {0};
    for (int row = 0; row < STEPS * SENTENCES; row++) {
        const int b = row % SENTENCES, words = first[b + 1] - first[b];
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
    tcase_add_test(tests, score_follows_its_equation);
    tcase_add_test(tests, weights_backward);
    tcase_add_test(tests, steps_backward);
    tcase_add_test(tests, decoding_selects_words);
    return suite_run(suite);
}
