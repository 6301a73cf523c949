/* Merged attention: numbers of an independent implementation, the two attentions and the gate that
 * it equals, and guided alignment within the source's share. */
#include "attention/alignment_loss.h"
#include "config/settings.h"
#include "lab/lab.h"
#include "model/seq2seq.h"
#include "support/attending.h"
#include "support/suite.h"

#include <string.h>

static void open_merged(int heads, int width, int value) {
    attention_settings(SA_ATTENTION_SCALED_DOT);
    settings.model = SA_MODEL_TRANSFORMER, settings.merged = true;
    settings.heads = heads, settings.attn = 2 * heads, settings.value_size = value;
    sizes = sa_attention_sizes_of(&settings, width, width);
    sizes.transformer = true, sizes.site = SA_SITE_DECODER;
    ck_assert(attention_open(&sa_position_kinds[SA_POSITIONS_NONE], true));
    ck_assert_int_ge(sa_part_find(&w, &sa_merged_part), 0);
}

static void same_numbers(const char *what, const sa_real *x, const double *wanted, int size) {
    for (int k = 0; k < size; k++)
        ck_assert_msg(fabs(x[k] - wanted[k]) <= 1e-6, "%s[%d]: %.7f, not %.7f", what, k, x[k],
                      wanted[k]);
}

/* ---- Numbers --------------------------------------------------------------------------------- */

/* Two source words and two target words; the query is that of the last. A word has the two numbers
 * of its key, then those of its value. */
static const double source_words[2][4] = {{.5, -.5, -1, 1}, {-1, .5, 2, -1}};
static const double target_words[2][4] = {{1, 0, 1, 2}, {0, 1, 0, 1}};
static const int two[] = {0, 2}, four[] = {0, 4};

static sa_merged merged;
static sa_memory dmemory;
static sa_attention_rows d;
static const sa_queries queries = {1, two, .causal = true};

static void attend_to_four(void) {
    open_merged(1, 4, 2);
    fill(weights, 0);
    for (int k = 0; k < 2; k++) {
        sa_row(w.W_a.mat, k)[k] = sa_row(w.U_a.mat, k)[k] = 1;
        sa_row(w.W_v.mat, k)[2 + k] = sa_row(w.W_c.mat, k)[k] = 1;
    }
    const sa_mat h = unset(2, 4), x = unset(2, 4);
    merged = (sa_merged){1, two, four, h, filled(2, 4, BEFORE), filled(4, 4, 0)};
    for (int j = 0; j < 2; j++) {
        set_row(sa_rows(h, j, 1), source_words[j]);
        set_row(sa_rows(x, j, 1), target_words[j]);
    }
    sa_memory_layout(&numbers, &w, four, unset(4, 4), &memory);
    sa_memory_layout(&numbers, &w, four, merged.d, &dmemory);
    states = filled(2, 4, 0), c = unset(2, 4);
    set_row(sa_rows(states, 1, 1), (double[]){.5, 1, 0, 0});
    rows = sa_attention_rows_layout(&numbers, &w, 2, 4, false);
    d = sa_attention_rows_layout(&numbers, &w, 2, 4, true);
    sa_merged_forward(&merged, x, memory.annotations);
    sa_memory_forward(&w, &memory);
    sa_attention_forward(&w, &memory, &queries, states, rows, c, &scratch);
}

/* Runs the backward pass from dc of the last query and dalpha [2 x 4]; returns de of that query, as
 * the gradient of a key is de q / sqrt(2). */
static const double *de_of(const double *dc, sa_mat dalpha) {
    static double de[4];
    const sa_mat all = filled(2, 4, 0), ds = filled(2, 4, 0);
    if (dc) set_row(sa_rows(all, 1, 1), dc);
    d.alpha = dalpha;
    fill(dweights, 0);
    sa_memory_zero(&w, &dmemory);
    sa_attention_backward(&w, &(sa_attention_pass){&memory, rows, d, &dmemory, &scratch}, &queries,
                          all, ds, &dw);
    for (int j = 0; j < 4; j++) de[j] = sa_row(dmemory.keys, j)[1] * sqrt(2);
    sa_memory_backward(&w, &memory, &dmemory, &dw);
    return de;
}

START_TEST(numbers_of_autograd) {
    static const double alpha[] = {.158400, .189029, .269199, .383372}, g = .347429;
    static const double of_source[] = {.632238, -.088159}, of_target[] = {.412521, 1.412521};
    static const double both[] = {.488857, .891142};
    static const double dg[] = {.103367, .123355, -.093528, -.133194};
    attend_to_four();
    ck_assert_double_eq(sa_row(rows.alpha, 0)[3], 0); /* the first query does not see the second */
    same_numbers("alpha", sa_row(rows.alpha, 1), alpha, 4);
    same_numbers("c", sa_row(c, 1), both, 2);
    for (int k = 0; k < 2; k++)
        ck_assert_double_eq_tol(sa_row(c, 1)[k], g * of_source[k] + (1 - g) * of_target[k], 1e-6);
    const sa_mat dalpha = filled(2, 4, 0);
    sa_row(dalpha, 1)[0] = sa_row(dalpha, 1)[1] = 1; /* of g */
    same_numbers("dg/de", de_of(NULL, dalpha), dg, 4);
}
END_TEST

/* The gradient of a key comes to the word that it is of. */
START_TEST(both_sides_get_their_gradients) {
    attend_to_four();
    const sa_mat dx = filled(2, 4, BEFORE);
    const double *de = de_of((double[]){1, -1, 0, 0}, filled(2, 4, 0));
    sa_merged_backward(&merged, dx);
    for (int j = 0; j < 4; j++)
        ck_assert_double_eq_tol(sa_row(j < 2 ? merged.dh : dx, j % 2)[1], BEFORE + de[j] / sqrt(2),
                                1e-12);
}
END_TEST

/* Guidance is of the source's weights among themselves. */
START_TEST(guidance_leaves_the_share) {
    static const sa_link link = {0, 1, false};
    static const sa_gold_alignment gold = {&link, 1};
    static const double de[] = {-.544079, .544079, 0, 0};
    attend_to_four();
    const sa_mat dalpha = filled(2, 4, 0), A = sa_cols(sa_rows(dalpha, 1, 1), 0, 2),
                 own = sa_cols(sa_rows(rows.alpha, 1, 1), 0, 2);
    const double loss = sa_alignment_loss_forward(&gold, 1, false, true, own, A);
    ck_assert_double_eq_tol(loss, -log(1 - .544079), 2e-6);
    sa_alignment_loss_backward(own, 1, A);
    same_numbers("de", de_of(NULL, dalpha), de, 4);
}
END_TEST

/* ---- Two attentions -------------------------------------------------------------------------- */

/* Returns log sum exp of the scores of query i of head k and the keys first .. end - 1. */
static double log_sum(int i, int k, sa_mat keys, int first, int end) {
    double sum = 0;
    for (int j = first; j < end; j++) {
        double e = 0;
        for (int l = 0; l < 2; l++) e += sa_row(rows.q, i)[2 * k + l] * sa_row(keys, j)[2 * k + l];
        sum += exp(e / sqrt(2));
    }
    return log(sum);
}

/* o = g o^h + (1 - g) o^x, g = sigma(log sum exp(e) of the source - that of the target) */
START_TEST(two_attentions_and_a_gate) {
    enum { S = 4, T = 3, WIDTH = 4, VALUE = 3 };
    static const int of_h[] = {0, S}, of_x[] = {0, T}, all[] = {0, S + T};
    const sa_queries cross = {1, of_x}, self = {1, of_x, .causal = true};
    sa_memory sources, targets;
    open_merged(2, WIDTH, VALUE);
    const sa_mat h = drawn(S, WIDTH), x = drawn(T, WIDTH), unused = unset(T, WIDTH);
    scratch = sa_attention_scratch_layout(&numbers, &w, T, S + T, false);
    sa_memory_layout(&numbers, &w, all, unset(S + T, WIDTH), &memory);
    sa_memory_layout(&numbers, &w, of_h, h, &sources);
    sa_memory_layout(&numbers, &w, of_x, x, &targets);
    sa_merged_forward(&(sa_merged){1, of_x, all, h}, x, memory.annotations);
    sa_memory_forward(&w, &memory), sa_memory_forward(&w, &sources),
        sa_memory_forward(&w, &targets);
    const sa_attention_rows o_h = sa_attention_rows_layout(&numbers, &w, T, S + T, false);
    const sa_attention_rows o_x = sa_attention_rows_layout(&numbers, &w, T, S + T, false);
    rows = sa_attention_rows_layout(&numbers, &w, T, S + T, false);
    sa_attention_forward(&w, &memory, &self, x, rows, unused, &scratch);
    sa_attention_forward(&w, &sources, &cross, x, o_h, unused, &scratch);
    sa_attention_forward(&w, &targets, &self, x, o_x, unused, &scratch);
    for (int i = 0; i < T; i++)
        for (int k = 0; k < 2; k++) {
            const double apart = log_sum(i, k, sources.keys, 0, S) - //
                                 log_sum(i, k, targets.keys, 0, i + 1);
            const double g = 1 / (1 + exp(-apart));
            for (int l = 0; l < VALUE; l++)
                ck_assert_double_eq_tol(sa_row(rows.head_outputs, i)[k * VALUE + l],
                                        g * sa_row(o_h.head_outputs, i)[k * VALUE + l] +
                                            (1 - g) * sa_row(o_x.head_outputs, i)[k * VALUE + l],
                                        1e-14);
            double share = 0;
            for (int j = 0; j < S; j++) share += sa_attention_head(rows.alpha, i, 2, k, S).x[j];
            ck_assert_double_eq_tol(share, g, 1e-14);
        }
}
END_TEST

/* ---- Models ---------------------------------------------------------------------------------- */

static void model_settings(void) {
    sa_settings_init(&settings);
    settings.model = SA_MODEL_TRANSFORMER, settings.merged = true, settings.layers = 2;
    settings.attention = SA_ATTENTION_SCALED_DOT, settings.positions = SA_POSITIONS_SINUSOIDAL;
    settings.embed = settings.attn = 4, settings.ffn = 3;
}

/* No tensor of attention between decoder and encoder is left, and a word takes as much memory on
 * either side. */
START_TEST(one_attention_for_two) {
    sa_params plan;
    model_settings();
    const sa_sizes model = sa_sizes_of(&settings, 7, 7);
    sa_seq2seq_plan(&model, &plan);
    for (int i = 0; i < plan.count; i++)
        ck_assert_msg(!strstr(plan.item[i].name, "cross"), "%s", plan.item[i].name);
    ck_assert_ptr_nonnull(sa_params_find(&plan, "decoder.2.self.W_k"));
    const sa_cache_size cache = sa_settings_cache_size(&settings);
    ck_assert_uint_eq(cache.source_word, cache.target_word);
    ck_assert_uint_gt(cache.target_word, 0);
}
END_TEST

/* In every family of options that guided alignment goes with, beside a null key, whose weight is
 * no share of the source, and with copying. */
START_TEST(gradients_of_guided_and_copying_models) {
    static const struct {
        int normalizer, heads, at;
        bool copy;
    } cases[] = {{SA_NORMALIZER_SOFTMAX, 1, SA_ALIGN_OUTPUT, false},
                 {SA_NORMALIZER_SOFTMAX, 2, SA_ALIGN_INPUT, true},
                 {SA_NORMALIZER_NULL_KEY, 2, SA_ALIGN_OUTPUT, false},
                 {SA_NORMALIZER_SINK, 1, SA_ALIGN_INPUT, true}};
    sa_error error = {0};
    model_settings();
    settings.guided_alignment = 0.7;
    settings.normalizer = cases[_i].normalizer, settings.heads = cases[_i].heads;
    settings.guided_at = cases[_i].at, settings.copy = cases[_i].copy;
    ck_assert_msg(sa_settings_check(&settings, &error), "%s", error.text);
    ck_assert_msg(sa_lab_check(&(sa_lab_job){.options.settings = &settings}, &error), "%s",
                  error.text);
}
END_TEST

int main(void) {
    TCase *tests;
    Suite *suite = suite_of("merged", &tests);
    tcase_add_checked_fixture(tests, numbers_open, numbers_close);
    tcase_add_test(tests, numbers_of_autograd);
    tcase_add_test(tests, both_sides_get_their_gradients);
    tcase_add_test(tests, guidance_leaves_the_share);
    tcase_add_test(tests, two_attentions_and_a_gate);
    tcase_add_test(tests, one_attention_for_two);
    tcase_add_loop_test(tests, gradients_of_guided_and_copying_models, 0, 4);
    return suite_run(suite);
}
