/* Hard attention: draws, and the mean of the estimator against the exact gradient of the
 * expectation over all draws. */
#include "support/attending.h"
#include "support/suite.h"
#include "support/traced.h"

enum { S = 4, T = 2, DRAWS = 100000 };

/* The scores of the first step, and of the second after each word of the first. */
static sa_mat e, probability; /* [1 + S x S] */
static double reward[S][S];   /* log p(y | s_1, s_2) */

static sa_mat row(sa_mat all, int i) {
    return sa_rows(all, i, 1);
}

static sa_head head;

static void open_head(void) {
    attention_settings(SA_ATTENTION_HARD);
    ck_assert(decoder_open());
    head = bare_head(S);
}

static void open_world(void) {
    open_head();
    e = drawn(1 + S, S), probability = unset(1 + S, S);
    sa_copy_mat(e, probability);
    for (int i = 0; i <= S; i++) sa_softmax(row(probability, i));
    for (int s = 0; s < S; s++)
        for (int t = 0; t < S; t++) reward[s][t] = -6 + 5 * sa_rng_uniform(&dice);
}

static double chance(int s, int t) {
    return probability.x[s] * sa_row(probability, 1 + s)[t];
}

/* d/de of sum_s p(s) reward(s), with all S^T draws. */
static sa_mat exact_gradient(void) {
    sa_mat de = filled(1 + S, S, 0);
    for (int s = 0; s < S; s++)
        for (int t = 0; t < S; t++)
            for (int j = 0; j < S; j++) {
                const double weight = chance(s, t) * reward[s][t];
                de.x[j] += weight * ((j == s) - probability.x[j]);
                sa_row(de, 1 + s)[j] += weight * ((j == t) - sa_row(probability, 1 + s)[j]);
            }
    return de;
}

/* The weights of scores z with the number u, and log p(s) and the entropy in `draws`. */
static void attend_with(sa_mat z, bool decoding, double u, sa_mat p, sa_mat alpha, sa_mat draws) {
    const int part = sa_part_find(&w, &sa_hard_part);
    w.decoding = decoding;
    head.alpha = alpha, *rows.noise.x = u;
    sa_copy_mat(z, alpha);
    w.normalizer->forward(0, alpha);
    sa_hard_part.forward[SA_PLACE_QUERY](&w, part, &head);
    sa_copy_mat(traced_by(&w, &sa_hard_part, SA_PLACE_WEIGHTS, head, "probability").x, p);
    sa_copy_mat(sa_hard_part.rare->samples(sa_rows(rows.part[part], 0, 1)), draws);
}

/* de, from the derivatives with respect to log p(s) and the entropy. */
static void draw_backward(sa_mat p, sa_mat alpha, double by_log, double by_entropy, sa_mat de) {
    const int part = sa_part_find(&w, &sa_hard_part);
    sa_head at = head, d = {.alpha = de};
    at.alpha = alpha;
    at.rows.part[part] = unset(1, 2 + LONGEST);
    sa_copy_mat(p, sa_cols(at.rows.part[part], 2, S));
    d.rows.part[part] = filled(1, 2, by_log);
    d.rows.part[part].x[1] = by_entropy;
    sa_hard_part.backward[SA_PLACE_WEIGHTS](&w, part, &at, &d);
    w.normalizer->backward(0, alpha, de, NULL);
}

static int word_of(sa_mat alpha) {
    int s = 0;
    while (alpha.x[s] != 1) s++;
    return s;
}

/* Draws a word by row i. */
static int draw_word(int i, sa_mat p, sa_mat alpha) {
    attend_with(row(e, i), false, sa_rng_uniform(&dice), p, alpha, unset(1, 2));
    return word_of(alpha);
}

/* The mean and the variance of every number of the estimate with that baseline. */
static void estimate(double baseline, sa_mat mean, sa_mat variance) {
    const sa_mat p[T] = {unset(1, S), unset(1, S)}, alpha[T] = {unset(1, S), unset(1, S)},
                 one = unset(1 + S, S);
    const size_t used = numbers.used;
    for (int n = 0; n < DRAWS; n++, numbers.used = used) {
        fill(one, 0);
        const int s = draw_word(0, p[0], alpha[0]), t = draw_word(1 + s, p[1], alpha[1]);
        const double advantage = reward[s][t] - baseline;
        draw_backward(p[0], alpha[0], advantage, 0, row(one, 0));
        draw_backward(p[1], alpha[1], advantage, 0, row(one, 1 + s));
        for (int i = 0; i <= S; i++)
            for (int j = 0; j < S; j++) {
                const double x = sa_row(one, i)[j];
                sa_row(mean, i)[j] += x / DRAWS;
                sa_row(variance, i)[j] += x * x / DRAWS;
            }
    }
    for (int i = 0; i <= S; i++)
        for (int j = 0; j < S; j++)
            sa_row(variance, i)[j] -= sa_row(mean, i)[j] * sa_row(mean, i)[j];
}

/* Returns the sum of the variances. */
static double check_mean(double baseline) {
    const sa_mat mean = filled(1 + S, S, 0), variance = filled(1 + S, S, 0);
    const sa_mat exact = exact_gradient();
    double all = 0;
    estimate(baseline, mean, variance);
    for (int i = 0; i <= S; i++)
        for (int j = 0; j < S; j++) {
            const double sigma = sqrt(sa_row(variance, i)[j] / DRAWS);
            ck_assert_double_gt(sigma, 0);
            ck_assert_double_le(fabs(sa_row(mean, i)[j] - sa_row(exact, i)[j]), 4 * sigma);
            all += sa_row(variance, i)[j];
        }
    return all;
}

/* Whatever the baseline, and the mean of the rewards makes the estimate less noisy. */
START_TEST(estimates_have_the_exact_mean) {
    double mean = 0;
    open_world();
    for (int s = 0; s < S; s++)
        for (int t = 0; t < S; t++) mean += chance(s, t) * reward[s][t];
    const double without = check_mean(0), with = check_mean(mean);
    check_mean(-20);
    ck_assert_double_lt(with, without / 4);
}
END_TEST

/* Expected frequencies of the draws, within 4 sigma. */
START_TEST(words_are_drawn_by_their_weights) {
    open_world();
    const sa_mat p = unset(1, S), alpha = unset(1, S);
    const size_t used = numbers.used;
    int count[S] = {0};
    for (int n = 0; n < DRAWS; n++, numbers.used = used) count[draw_word(0, p, alpha)]++;
    for (int j = 0; j < S; j++) {
        const double share = probability.x[j], sigma = sqrt(share * (1 - share) / DRAWS);
        ck_assert_double_le(fabs((double)count[j] / DRAWS - share), 4 * sigma);
        ck_assert_double_eq_tol(p.x[j], share, 1e-15);
    }
}
END_TEST

/* u at the end of each word's part of [0, 1), of which the second is empty. */
START_TEST(the_cumulative_sum_decides) {
    static const struct {
        double u;
        int word;
    } cases[] = {{0, 0}, {0.24, 0}, {0.26, 2}, {0.74, 2}, {0.76, 3}, {0.999, 3}};
    static const double p_of[S] = {0.25, 0, 0.5, 0.25};
    const sa_mat z = unset(1, S), p = unset(1, S), alpha = unset(1, S), draws = unset(1, 2);
    open_head();
    for (int j = 0; j < S; j++) z.x[j] = p_of[j] > 0 ? log(p_of[j]) : -1000;
    attend_with(z, false, cases[_i].u, p, alpha, draws);
    ck_assert_int_eq(word_of(alpha), cases[_i].word);
    ck_assert_double_eq(sa_sum(alpha.x, S), 1);
    ck_assert_double_eq_tol(draws.x[0], log(p_of[cases[_i].word]), 1e-15);
}
END_TEST

START_TEST(decoding_takes_the_most_probable_word) {
    const sa_mat z = drawn(1, S), alpha = unset(1, S);
    open_head();
    z.x[2] = 3;
    attend_with(z, true, 0, unset(1, S), alpha, unset(1, 2));
    ck_assert_int_eq(word_of(alpha), 2);
}
END_TEST

static sa_mat scores, weights_drawn;

/* 1.7 log p(s) - 0.6 H(p), of the word that was drawn. */
static double objective(void) {
    const sa_mat p = unset(1, S), draws = unset(1, 2);
    attend_with(scores, false, 1, p, unset(1, S), draws);
    return 1.7 * log(p.x[word_of(weights_drawn)]) - 0.6 * draws.x[1];
}

START_TEST(draw_backward_against_differences) {
    const sa_mat de = unset(1, S), p = unset(1, S), draws = unset(1, 2);
    open_head();
    scores = drawn(1, S), weights_drawn = unset(1, S);
    attend_with(scores, false, 0.2 + 0.3 * _i, p, weights_drawn, draws);
    const double whole = 1.7 * draws.x[0] - 0.6 * draws.x[1];
    ck_assert_double_eq_tol(whole, objective(), 1e-14);
    draw_backward(p, weights_drawn, 1.7, -0.6, de);
    check_slope("scores", objective, scores, de, 0);
}
END_TEST

/* Weights that are the expectation of the draw are a constant: only the entropy counts. */
START_TEST(expected_weights_have_no_estimate) {
    const sa_mat p = unset(1, S), alpha = unset(1, S), de = unset(1, S), draws = unset(1, 2);
    open_head();
    attend_with(drawn(1, S), false, 1, p, alpha, draws);
    ck_assert_double_eq(draws.x[0], 0);
    ck_assert_double_gt(draws.x[1], 0);
    ck_assert_double_eq(farthest(alpha, p), 0);
    draw_backward(p, alpha, 5, 0, de);
    ck_assert_double_eq(farthest(de, filled(1, S, 0)), 0);
}
END_TEST

/* Every sentence is drawn or has the expectation throughout; without noise all have, and twice as
 * much draws all. */
START_TEST(half_of_the_sentences_are_drawn) {
    enum { MANY = 400 };
    static sa_sentence sentences[MANY];
    static const int32_t words[] = {3, SA_EOS};
    open_head();
    for (int b = 0; b < MANY; b++) sentences[b] = (sa_sentence){.ids = words, .len = 2};
    const sa_batch batch = sa_batch_build(&numbers, sentences, sentences, MANY);
    const sa_mat u = unset(2 * MANY, sa_parts_widths(&w, w.parts, 0, LONGEST).noise);
    for (int amount = 0; amount <= 2; amount++) {
        int drawn_ones = 0;
        sa_attention_draw_noise(&w, amount, &dice, &batch.target, u);
        for (int b = 0; b < MANY; b++) {
            const double first = *sa_row(u, b), second = *sa_row(u, batch.target.start[1] + b);
            ck_assert(first >= 0 && first <= 1);
            ck_assert_int_eq(first < 1, second < 1);
            drawn_ones += first < 1;
        }
        ck_assert_double_eq_tol(drawn_ones, amount * MANY / 2, amount == 1 ? 4 * 10 : 0.5);
    }
}
END_TEST

int main(void) {
    TCase *tests;
    Suite *suite = suite_of("hard attention in double", &tests);
    tcase_add_checked_fixture(tests, numbers_open, numbers_close);
    tcase_add_test(tests, estimates_have_the_exact_mean);
    tcase_add_test(tests, words_are_drawn_by_their_weights);
    tcase_add_loop_test(tests, the_cumulative_sum_decides, 0, 6);
    tcase_add_test(tests, decoding_takes_the_most_probable_word);
    tcase_add_loop_test(tests, draw_backward_against_differences, 0, 3);
    tcase_add_test(tests, expected_weights_have_no_estimate);
    tcase_add_test(tests, half_of_the_sentences_are_drawn);
    return suite_run(suite);
}
