/* Parts of attention: their equations on numbers worked out by hand. Gradients are in
 * grad_attention.c. */
#include "support/attending.h"
#include "support/suite.h"
#include "support/traced.h"

#include <string.h>

static void same_row(sa_mat x, const double *wanted, double tolerance) {
    for (int j = 0; j < x.cols; j++) ck_assert_double_eq_tol(x.x[j], wanted[j], tolerance);
}

/* ---- Coverage -------------------------------------------------------------------------------- */

static int part;
static sa_head head;

/* Coverage of two words before and after weights alpha, and what it has of them. */
static void cover(int kind, const double *before, const double *alpha, const double *Phi) {
    attention_settings(SA_ATTENTION_ADDITIVE);
    settings.coverage = kind, settings.max_fertility = 3;
    ck_assert(decoder_open());
    part = sa_part_find(&w, &sa_coverage_part);
    head = bare_head(2);
    set_row(head.alpha, alpha);
    set_row(sa_part_carry(&w, part, head.rows.previous_carry, 0, 2), before);
    for (int j = 0; j < 2 && memory.part[part].cols; j++) *sa_row(memory.part[part], j) = Phi[j];
    sa_coverage_part.forward[SA_PLACE_QUERY](&w, part, &head);
    sa_coverage_part.forward[SA_PLACE_WEIGHTS](&w, part, &head);
}

/* A word of fertility 2 is covered by a weight of 1 to a half; without fertility, to a whole. */
START_TEST(weights_are_divided_by_the_fertility) {
    static const struct {
        int kind;
        double before[2], alpha[2], after[2];
    } cases[] = {{SA_COVERAGE_LINGUISTIC, {0, 0}, {.6, .4}, {.3, .4}},
                 {SA_COVERAGE_LINGUISTIC, {.3, .4}, {.5, .5}, {.55, .9}},
                 {SA_COVERAGE_LOSS, {.3, .4}, {.5, .5}, {.8, .9}}};
    static const double Phi[] = {2, 1};
    cover(cases[_i].kind, cases[_i].before, cases[_i].alpha, Phi);
    same_row(sa_part_carry(&w, part, head.rows.carry, 0, 2), cases[_i].after, 1e-15);
}
END_TEST

/* Phi = N sigma(a): half of N at a = 0, N at most. */
START_TEST(fertility_is_at_most_n) {
    static const double none[2];
    cover(SA_COVERAGE_LINGUISTIC, none, none, none);
    fill(memory.annotations, 1e6), fill(sa_rows(memory.annotations, 0, 1), 0);
    fill(weights, 1);
    sa_coverage_part.memory.forward(&w, part, &memory);
    ck_assert_double_eq(*sa_row(memory.part[part], 0), 1.5);
    ck_assert_double_eq(*sa_row(memory.part[part], 1), 3);
}
END_TEST

/* Section 2.3 of See et al. 2017: the loss is at most the sum of the weights. */
START_TEST(the_loss_is_what_is_covered_again) {
    static const struct {
        double before[2], alpha[2], loss;
    } cases[] = {{{0, 0}, {.6, .4}, 0}, {{.6, .4}, {.5, .5}, .9}, {{7, 7}, {.5, .5}, 1}};
    cover(SA_COVERAGE_LOSS, cases[_i].before, cases[_i].alpha, NULL);
    ck_assert_double_eq_tol(*sa_coverage_part.rare->penalty(head.rows.part[part]).x, cases[_i].loss,
                            1e-15);
}
END_TEST

/* The derivative goes to the smaller one, of two equal ones to the coverage. */
START_TEST(the_loss_has_the_gradient_of_the_smaller) {
    static const double before[] = {.6, .5}, alpha[] = {.5, .5};
    static const double dbefore[] = {1, 3}, dalpha[] = {3, 1};
    cover(SA_COVERAGE_LOSS, before, alpha, NULL);
    sa_head d = {.k = head.k, .alpha = filled(1, 2, 1), .dw = &dw};
    d.rows.carry = filled(1, LONGEST, 0), d.rows.previous_carry = filled(1, LONGEST, 1);
    d.rows.part[part] = filled(1, 1, 2);
    d.memory = &memory;
    sa_coverage_part.backward[SA_PLACE_WEIGHTS](&w, part, &head, &d);
    same_row(sa_cols(d.rows.previous_carry, 0, 2), dbefore, 1e-15);
    same_row(d.alpha, dalpha, 1e-15);
}
END_TEST

/* ---- Smeared keys ---------------------------------------------------------------------------- */

static void set_column(sa_mat x, const double *numbers_of_it) {
    for (int j = 0; j < x.rows; j++) *sa_row(x, j) = numbers_of_it[j];
}

/* Half of each key and of the one before. Of the derivatives 1, 2, 4 by them: those by the keys,
 * and with sigma'(0) = 1/4 that by a. */
START_TEST(keys_are_mixed_with_the_one_before) {
    static const double k[] = {1, 3, -1}, mixed[] = {1, 2, 1}, dmixed[] = {1, 2, 4};
    static const double dk[] = {2, 3, 2}, da = (2 * (3 - 1) + 4 * (-1 - 3)) / 4.;
    attention_settings(SA_ATTENTION_DOT);
    settings.smeared_keys = true, settings.attn = 1;
    ck_assert(decoder_open());
    part = sa_part_find(&w, &sa_smeared_keys_part);
    fill(weights, 0), fill(dweights, 0);
    head = bare_head(3);
    set_column(head.k, k);
    sa_head d = {.scratch = head.scratch, .dw = &dw};
    head.gradient = &d;
    sa_smeared_keys_part.forward[SA_PLACE_KEYS](&w, part, &head);
    for (int j = 0; j < 3; j++) ck_assert_double_eq(*sa_row(head.k, j), mixed[j]);
    set_column(d.k, dmixed);
    sa_smeared_keys_part.backward[SA_PLACE_KEYS](&w, part, &head, &d);
    for (int j = 0; j < 3; j++) ck_assert_double_eq(*sa_row(d.k, j), dk[j]);
    ck_assert_double_eq(sa_sum(dweights.x, dweights.cols), da);
}
END_TEST

/* ---- Location-aware filters ------------------------------------------------------------------ */

enum { WORDS = 4 };

/* What the part traces under that name, which takes the numbers of `set`, or NULL. */
static const double *aware_traced(const char *name, const double *set) {
    const traced_reader found = traced_by(&w, &sa_location_aware_part, SA_PLACE_KEYS, head, name);
    for (int i = 0; i < found.place.rows && set; i++)
        for (int j = 0; j < found.place.cols; j++) sa_row(found.place, i)[j] = *set++;
    return found.x.x;
}

/* Of the words before, weights alpha, filters F [K x width]. */
static void aware(int K, int width, const double *F, int words, const double *alpha) {
    attention_settings(SA_ATTENTION_LOCATION_AWARE);
    settings.location_filters = K, settings.location_width = width;
    ck_assert(decoder_open());
    head = bare_head(words);
    aware_traced("F", F);
    set_row(sa_part_carry(&w, sa_part_find(&w, &sa_earlier_weights_part), head.rows.previous_carry,
                          0, words),
            alpha);
}

/* The first filter finds the word after the one attended to, the second weighs all three. Outside
 * the source there is no weight. */
static const double filters[] = {0, 0, 1, 10, 100, 1000};

START_TEST(filters_see_neighbors) {
    static const double alpha[WORDS] = {.1, .2, .3, .4};
    static const double wanted[WORDS * 2] = {0, 12, .1, 123, .2, 234, .3, 340};
    aware(2, 3, filters, WORDS, alpha);
    const double *f = aware_traced("filtered", NULL);
    for (int i = 0; i < WORDS * 2; i++) ck_assert_double_eq_tol(f[i], wanted[i], 1e-13);
}
END_TEST

START_TEST(filters_may_be_wider_than_the_source) {
    static const double wide[7] = {1, 2, 4, 8, 16, 32, 64}, alpha[2] = {.5, .25};
    aware(1, 7, wide, 2, alpha);
    const double *f = aware_traced("filtered", NULL);
    ck_assert_double_eq(f[0], .5 * 8 + .25 * 4);
    ck_assert_double_eq(f[1], .5 * 16 + .25 * 8);
}
END_TEST

/* k_j + W_f f_j + b_a: with all W_f the same, the sum of f_j times it. */
START_TEST(keys_are_added_to) {
    static const double alpha[WORDS] = {0, 1, 0, 0};
    static const double wanted[WORDS] = {10, 100, 1001, 0};
    aware(2, 3, filters, WORDS, alpha);
    fill(weights, 2), aware_traced("F", filters);
    const int number = sa_part_find(&w, &sa_location_aware_part);
    fill(head.k, 3);
    sa_location_aware_part.forward[SA_PLACE_KEYS](&w, number, &head);
    for (int j = 0; j < WORDS; j++)
        for (int l = 0; l < head.k.cols; l++)
            ck_assert_double_eq_tol(sa_row(head.k, j)[l], 3 + 2 + 2 * wanted[j], 1e-12);
}
END_TEST

/* ---- Windows --------------------------------------------------------------------------------- */

START_TEST(windows_reach_as_far_as_the_sentence) {
    static const struct {
        double share; /* the center is S times it */
        int D, S, first, count;
    } cases[] = {{.2, 1, 5, 0, 2}, {1, 1, 5, 3, 2},   {.6, 1, 5, 1, 3},
                 {.5, 1, 5, 1, 2}, {.04, 1, 5, 0, 1}, {.9998, 10, 5, 0, 5},
                 {.5, 1, 1, 0, 1}, {1, 2, 3, 0, 3},   {NAN, 2, 5, 0, 5}};
    attention_settings(SA_ATTENTION_ADDITIVE);
    settings.window = SA_WINDOW_LOCAL_P, settings.window_size = cases[_i].D;
    ck_assert(decoder_open());
    part = sa_part_find(&w, &sa_predicted_window_part);
    head = bare_head(cases[_i].S);
    fill(head.rows.part[part], cases[_i].share);
    sa_span span = {0, cases[_i].S};
    sa_predicted_window_part.span(&w, part, &head, 0, &span);
    ck_assert_int_eq(span.first, cases[_i].first);
    ck_assert_int_eq(span.count, cases[_i].count);
}
END_TEST

static const struct {
    int score, heads, window, size;
} windows[] = {
    {SA_ATTENTION_ADDITIVE, 1, SA_WINDOW_NONE, 1},
    {SA_ATTENTION_DOT, 4, SA_WINDOW_LOCAL_M, 1},
    {SA_ATTENTION_LOCATION, 1, SA_WINDOW_LOCAL_M, 2},
    {SA_ATTENTION_GENERAL, 2, SA_WINDOW_LOCAL_P, 2},
    {SA_ATTENTION_LOCATION, 2, SA_WINDOW_LOCAL_P, 2},
    {SA_ATTENTION_RAW_DOT, 1, SA_WINDOW_LOCAL_P, 1},
};

/* Inside the window, weights sum to 1 before the Gaussian, which is 1 at the center; outside, 0. */
START_TEST(windows_hold_the_weights) {
    attention_settings(windows[_i].score);
    settings.heads = windows[_i].heads, settings.window = windows[_i].window;
    settings.window_size = windows[_i].size, settings.value_size = 2;
    ck_assert(decoder_open());
    attend();
    for (int t = 0; t < STEPS; t++)
        for (int b = 0; b < SENTENCES; b++) {
            const int S = words_before[b + 1] - words_before[b],
                      seen = windows[_i].score == SA_ATTENTION_LOCATION && S > 3 ? 3 : S;
            const bool predicted = windows[_i].window == SA_WINDOW_LOCAL_P;
            part = sa_part_find(&w, predicted ? &sa_predicted_window_part : &sa_window_part);
            const double p = part < 0 ? 0 : *sa_row(rows.part[part], t * SENTENCES + b);
            const double D = windows[_i].size;
            for (int k = 0; k < w.heads; k++) {
                const sa_mat own = head_at(t, b, k).alpha;
                double sum = 0;
                for (int j = 1; j <= S; j++) {
                    const bool out = part >= 0 && fabs(j - p) > D;
                    const double g = predicted ? exp(-(j - p) * (j - p) / (2 * D / 2 * D / 2)) : 1;
                    if (out || j > seen) ck_assert_double_eq(own.x[j - 1], 0);
                    sum += own.x[j - 1] / g;
                }
                ck_assert_double_eq_tol(sum, 1, 1e-14);
            }
            if (windows[_i].window == SA_WINDOW_LOCAL_M)
                ck_assert_double_eq(p, t + 1 < seen ? t + 1 : seen);
            if (predicted) ck_assert(p > 0 && p < seen);
        }
}
END_TEST

/* ---- Two maps -------------------------------------------------------------------------------- */

static bool transformer_open(int score, int heads, const sa_position_kind *kind) {
    attention_settings(score);
    settings.heads = heads, settings.value_size = 3;
    sizes = sa_attention_sizes_of(&settings, 4, 4);
    sizes.transformer = true, sizes.layer = 1;
    sizes.site = kind ? SA_SITE_ENCODER : SA_SITE_CROSS;
    return attention_open(kind, false);
}

/* alpha = A1 - lambda A2, which sums to 1 - lambda; lambda is lambda_init where its vectors are. */
START_TEST(weights_of_two_maps) {
    ck_assert(transformer_open(SA_ATTENTION_DIFFERENTIAL, 2, NULL));
    const double lambda = sa_lambda_forward(&w);
    for (int k = 0; k < 2; k++) {
        traced_reader reader[2];
        for (int m = 0; m < 2; m++) {
            reader[m] = (traced_reader){{take_traced}, m ? "A_2" : "A_1", k, {0}, {0}};
            sa_tracing = &reader[m].tracer;
            attend();
            sa_tracing = NULL;
        }
        const sa_head at = head_at(0, 0, k);
        const sa_mat A1 = sa_rows(reader[0].place, 0, 1), A2 = sa_rows(reader[1].place, 0, 1);
        ck_assert_double_eq_tol(sa_sum(A1.x, LONGEST), 1, 1e-14);
        ck_assert_double_eq_tol(sa_sum(A2.x, LONGEST), 1, 1e-14);
        for (int j = 0; j < LONGEST; j++)
            ck_assert_double_eq_tol(at.alpha.x[j], A1.x[j] - lambda * A2.x[j], 1e-15);
    }
    const sa_mat L = *(const sa_mat *)sa_part_own(&w, sa_part_find(&w, &sa_two_maps_part));
    const double first = sa_dot(sa_row(L, 0), sa_row(L, 1), L.cols),
                 second = sa_dot(sa_row(L, 2), sa_row(L, 3), L.cols);
    ck_assert_double_eq_tol(lambda, exp(first) - exp(second) + sa_lambda_init(1), 1e-14);
    fill(weights, 0);
    ck_assert_double_eq_tol(sa_lambda_forward(&w), sa_lambda_init(1), 1e-15);
}
END_TEST

START_TEST(lambda_begins_by_layer) {
    ck_assert_double_eq_tol(sa_lambda_init(1), .2, 1e-15);
    ck_assert_double_eq_tol(sa_lambda_init(2), .8 - .6 * .740818220681718, 1e-14);
    ck_assert_double_lt(sa_lambda_init(1000), .8 + 1e-15);
}
END_TEST

/* With all numbers x, lambda is exp(x^2 d) - exp(x^2 d) + init; gains of x leave x (1 - init). */
START_TEST(heads_are_normalized) {
    ck_assert(transformer_open(SA_ATTENTION_DIFFERENTIAL, 2, NULL));
    fill(weights, 2);
    part = sa_part_find(&w, &sa_head_norm_part);
    sa_head at = head_at(0, 0, 1);
    at.c = drawn(1, 3);
    const sa_mat x = unset(1, 3);
    sa_copy_mat(at.c, x);
    sa_head_norm_part.forward[SA_PLACE_OUTPUT](&w, part, &at);
    const double square = sa_dot(x.x, x.x, 3) / 3;
    for (int k = 0; k < 3; k++)
        ck_assert_double_eq_tol(at.c.x[k], .8 * 2 * x.x[k] / sqrt(square + 1e-5), 1e-14);
    ck_assert_double_eq_tol(sa_lambda_forward(&w), .2, 1e-9);
}
END_TEST

/* ---- Exclusive self-attention ---------------------------------------------------------------- */

/* Weights, values and results are PyTorch's in double; dc = (1, -1). The derivative of v has that
 * of the sum of values in it, alpha_j dy. A first word has nothing but itself. */
START_TEST(the_own_value_is_taken_out) {
    static const double alpha[] = {.269199, .383372, .158400, .189029}, dc[] = {1, -1};
    static const double v[4][2] = {{1, 2}, {0, 1}, {-1, 1}, {2, -1}}, left[] = {.454228, .908456};
    static const double dv[4][2] = {
        {-.053840, -.107680}, {-.076674, -.153349}, {-.031680, -.063360}, {-.306880, -.613759}};
    attention_settings(SA_ATTENTION_SCALED_DOT);
    settings.value_size = 2, settings.exclusive = true;
    sizes = sa_attention_sizes_of(&settings, 4, 4);
    sizes.transformer = true, sizes.site = SA_SITE_ENCODER;
    ck_assert(attention_open(NULL, false));
    part = sa_part_find(&w, &sa_exclusive_part);
    for (int words = 1; words <= 4; words += 3) {
        sa_head at = bare_head(words), d = {.i = words};
        const bool whole = words == 1;
        at.i = words, at.c = filled(1, 2, 0), at.v = unset(words, 2);
        d.v = filled(words, 2, 0), d.c = unset(1, 2);
        for (int j = 0; j < words; j++) {
            set_row(sa_rows(at.v, j, 1), v[j]);
            at.alpha.x[j] = whole ? 1 : alpha[j];
            sa_axpy(at.alpha.x[j], sa_row(at.v, j), at.c.x, 2);
        }
        const sa_real own = at.alpha.x[words - 1];
        sa_exclusive_part.forward[SA_PLACE_OUTPUT](&w, part, &at);
        for (int k = 0; k < 2; k++) ck_assert_double_eq_tol(at.c.x[k], whole ? 0 : left[k], 1e-6);
        ck_assert_double_eq_tol(at.alpha.x[words - 1], whole ? 0 : own - .017314, 1e-6);
        set_row(d.c, dc);
        sa_exclusive_part.backward[SA_PLACE_OUTPUT](&w, part, &at, &d);
        ck_assert_double_eq_tol(at.alpha.x[words - 1], own, 1e-15);
        for (int j = 0; j < words && !whole; j++)
            for (int k = 0; k < 2; k++)
                ck_assert_double_eq_tol(sa_row(d.v, j)[k] + alpha[j] * d.c.x[k], dv[j][k], 1e-5);
    }
}
END_TEST

/* ---- Delta ----------------------------------------------------------------------------------- */

/* The weights of three words, of keys that are (1, 0), (.6, .8), (1, 0) and the queries (1, 0), (1,
 * 0),
 * (.6, .8) when they are unit vectors, and of the memory that is overwritten, computed by hand. */
static const double delta_keys[3][2] = {{1e4, 0}, {6e3, 8e3}, {1e4, 0}};
static const double delta_queries[3][2] = {{1e4, 0}, {1e4, 0}, {6e3, 8e3}};
static const struct {
    int score, numbers; /* of gates: beta, then D */
    double gates[3][3], alpha[3][3];
} deltas[] = {
    {SA_ATTENTION_RETNET, 0, {{0}}, {{1}, {.96875, .6}, {.96875 * .96875 * .6, .96875, .6}}},
    {SA_ATTENTION_GLA, 2, {{.5, 1}, {.5, 1}, {.5, 1}}, {{1}, {.5, .6}, {.15, .82, .6}}},
    {SA_ATTENTION_DELTANET, 1, {{1}, {.5}, {1}}, {{1}, {.82, .3}, {-.192, .32, .6}}},
    {SA_ATTENTION_GATED_DELTANET,
     2,
     {{1, 1}, {.5, .5}, {1, .9}},
     {{1}, {.41, .3}, {-.0864, .288, .6}}},
    {SA_ATTENTION_KDA,
     3,
     {{1, .9, .5}, {.5, .5, 1}, {1, .8, .4}},
     {{1}, {.41, .3}, {-.0384, .128, .6}}},
};

static void open_delta(int k) {
    attention_settings(deltas[k].score);
    settings.attn = 2;
    ck_assert(decoder_open());
    part = sa_part_find(&w, &sa_delta_part);
}

START_TEST(weights_of_a_memory) {
    open_delta(_i);
    for (int i = 0; i < 3; i++) {
        head = bare_head(i + 1);
        for (int j = 0; j <= i; j++) {
            set_row(sa_rows(head.k, j, 1), delta_keys[j]);
            if (deltas[_i].numbers) set_row(sa_rows(memory.part[part], j, 1), deltas[_i].gates[j]);
        }
        set_row(head.q, delta_queries[i]);
        sa_delta_part.forward[SA_PLACE_KEYS](&w, part, &head);
        sa_delta_part.forward[SA_PLACE_SCORES](&w, part, &head);
        same_row(head.alpha, deltas[_i].alpha[i], 1e-13);
    }
}
END_TEST

/* beta = sigma(u), D = sigma(u)^(1/16) in gla and sigma(u) in gated-deltanet and kda, u = W x + b.
 */
START_TEST(gates_of_a_memory) {
    static const double roots[][3] = {{0}, {1 / 16., 1 / 16.}, {1}, {1, 1}, {1, 1, 1}};
    open_delta(_i);
    fill(weights, .1);
    sa_delta_part.memory.forward(&w, part, &memory);
    ck_assert_int_eq(memory.part[part].cols, deltas[_i].numbers);
    for (int j = 0; j < memory.annotations.rows; j++) {
        const double u = .1 + .1 * sa_sum(sa_row(memory.annotations, j), memory.annotations.cols);
        for (int n = 0; n < deltas[_i].numbers; n++)
            ck_assert_double_eq_tol(sa_row(memory.part[part], j)[n],
                                    pow(1 / (1 + exp(-u)), roots[_i][n]), 1e-13);
    }
}
END_TEST

/* What the memory itself gives are the values weighed by them. */
START_TEST(a_memory_runs_on) {
    static const double v[] = {1, 2, 5};
    open_delta(_i);
    w.parts = 1, w.value_width = 1, w.output_width = 1;
    const sa_mat k = unset(3, 2), q = unset(1, 2), o = unset(1, 1),
                 state = filled(1, sa_parts_widths(&w, w.parts, 0, 0).running, 0);
    sa_memory words = {.keys = k, .values = unset(3, 1), .part[0] = memory.part[part]};
    for (int i = 0; i < 3; i++) {
        double wanted = 0;
        set_row(sa_rows(k, i, 1), delta_keys[i]), set_row(q, delta_queries[i]);
        if (deltas[_i].numbers) set_row(sa_rows(words.part[0], i, 1), deltas[_i].gates[i]);
        *sa_row(words.values, i) = v[i];
        for (int j = 0; j <= i; j++) wanted += deltas[_i].alpha[i][j] * v[j];
        sa_running_step(&w, &words, i, q, state, o, unset(1, 2));
        ck_assert_double_eq_tol(*o.x, wanted, 1e-12);
    }
}
END_TEST

/* Four heads share the keys of two: each word is written once into each of the two memories. */
START_TEST(heads_share_a_memory) {
    attention_settings(SA_ATTENTION_RETNET);
    settings.heads = 4, settings.kv_heads = 2, settings.attn = 8;
    ck_assert(decoder_open());
    part = sa_part_find(&w, &sa_delta_part);
    w.parts = 1, w.value_width = 2, w.output_width = 4;
    const int d = settings.attn / 4;
    const sa_mat k = unset(3, 2 * d), q = unset(1, 4 * d), o = unset(1, 4),
                 state = filled(1, sa_parts_widths(&w, w.parts, 0, 0).running, 0);
    sa_memory words = {.keys = k, .values = unset(3, 2), .part[0] = memory.part[part]};
    fill(k, 0), fill(q, 0);
    for (int h = 0; h < 4; h++) q.x[h * d] = 1e4;
    for (int i = 0; i < 3; i++) {
        for (int g = 0; g < 2; g++) sa_row(k, i)[g * d] = 1e4;
        sa_row(words.values, i)[0] = 1, sa_row(words.values, i)[1] = 10;
        sa_running_step(&w, &words, i, q, state, o, unset(1, 2 * d));
        for (int h = 0; h < 4; h++) {
            const double D = 1 - pow(2, -5 - h / 2), v = h < 2 ? 1 : 10;
            double wanted = 0;
            for (int j = 0; j <= i; j++) wanted += v * pow(D, j);
            ck_assert_double_eq_tol(o.x[h], wanted, 1e-12);
        }
    }
}
END_TEST

/* Their weights, too: of equal words with gates beta and D, each leaves (1 - beta) D of those
 * before, in retnet D. */
START_TEST(heads_share_gates) {
    static const double gates[] = {.5, .25, .75, .9}; /* beta, then D */
    attention_settings(_i ? SA_ATTENTION_GATED_DELTANET : SA_ATTENTION_RETNET);
    settings.heads = 4, settings.kv_heads = 2, settings.attn = 8;
    ck_assert(decoder_open());
    part = sa_part_find(&w, &sa_delta_part);
    for (int h = 0; h < 4; h++) {
        const double beta = _i ? gates[h / 2] : 1;
        const double left = _i ? (1 - beta) * gates[2 + h / 2] : 1 - pow(2, -5 - h / 2);
        head = bare_head(3), head.index = h;
        set_row(head.q, delta_queries[0]);
        for (int j = 0; j < 3; j++) {
            set_row(sa_rows(head.k, j, 1), delta_keys[0]);
            if (_i) set_row(sa_rows(memory.part[part], j, 1), gates);
        }
        sa_delta_part.forward[SA_PLACE_KEYS](&w, part, &head);
        sa_delta_part.forward[SA_PLACE_SCORES](&w, part, &head);
        for (int j = 0; j < 3; j++)
            ck_assert_double_eq_tol(head.alpha.x[j], beta * pow(left, 2 - j), 1e-13);
    }
}
END_TEST

/* ---- Weights that are replaced --------------------------------------------------------------- */

/* Of the third word: (.1, .4, .4, .1), under links of words 1 (two) and 2 (possible) of sentence 1.
 */
START_TEST(weights_are_replaced) {
    static const double before[] = {.1, .4, .4, .1};
    static const struct {
        sa_attention_override chosen;
        int i; /* target position, from 1 */
        double after[4];
    } cases[] = {
        {{SA_OVERRIDE_NONE, 0}, 1, {.1, .4, .4, .1}},
        {{SA_OVERRIDE_UNIFORM, 0}, 1, {.25, .25, .25, .25}},
        {{SA_OVERRIDE_ONE_HOT, 0}, 1, {0, 1, 0, 0}},
        {{SA_OVERRIDE_SHIFT, 1}, 1, {.1, .1, .4, .4}},
        {{SA_OVERRIDE_SHIFT, -1}, 1, {.4, .4, .1, .1}},
        {{SA_OVERRIDE_SHIFT, 5}, 1, {.1, .1, .4, .4}},
        {{SA_OVERRIDE_SHIFT, -6}, 1, {.4, .1, .1, .4}},
        {{SA_OVERRIDE_GOLD, 0}, 1, {.5, 0, .5, 0}},
        {{SA_OVERRIDE_GOLD, 0}, 2, {0, 0, 0, 1}},
        {{SA_OVERRIDE_GOLD, 0}, 3, {.1, .4, .4, .1}}, /* no links */
        {{SA_OVERRIDE_EXPECTED, 0}, 1, {.1, .4, .4, .1}},
    };
    static const sa_link links[] = {{0, 0, false}, {2, 0, false}, {1, 0, true}, {3, 1, true}};
    static const sa_gold_alignment gold[] = {{NULL, 0}, {links, 4}};
    static const int order[] = {1};
    for (size_t n = 0; n < sizeof cases / sizeof *cases; n++) {
        const sa_override override = {.chosen = cases[n].chosen, .gold = gold, .order = order};
        attention_settings(SA_ATTENTION_DOT);
        ck_assert(decoder_open());
        w.decoding = true;
        sa_override_install(&w, &override);
        ck_assert(w.decoding == (cases[n].chosen.kind != SA_OVERRIDE_EXPECTED));
        head = bare_head(4);
        head.i = cases[n].i;
        set_row(head.alpha, before);
        part = sa_part_find(&w, &sa_override_part);
        const bool replaces = cases[n].chosen.kind != SA_OVERRIDE_NONE &&
                              cases[n].chosen.kind != SA_OVERRIDE_EXPECTED;
        ck_assert_int_eq(part >= 0, replaces);
        if (replaces) sa_override_part.forward[SA_PLACE_WEIGHTS](&w, part, &head);
        same_row(head.alpha, cases[n].after, 1e-15);
    }
}
END_TEST

/* Three weights have any order equally often, within 4 sigma, and the same in all steps. */
START_TEST(weights_are_shuffled_by_the_seed) {
    static const double before[] = {1, 2, 3};
    sa_override override = {.chosen = {SA_OVERRIDE_SHUFFLE, 0}};
    int times[4][4] = {{0}}; /* by the first two */
    attention_settings(SA_ATTENTION_DOT);
    ck_assert(decoder_open());
    sa_override_install(&w, &override);
    part = sa_part_find(&w, &sa_override_part);
    head = bare_head(3);
    for (int seed = 0; seed < 600; seed++) {
        override.seed = (uint64_t)seed;
        for (head.i = 1; head.i <= 2; head.i++) {
            set_row(head.alpha, before);
            sa_override_part.forward[SA_PLACE_WEIGHTS](&w, part, &head);
            const int a = (int)head.alpha.x[0], b = (int)head.alpha.x[1];
            ck_assert(a + b + head.alpha.x[2] == 6 && a * b * head.alpha.x[2] == 6);
            times[a][b]++;
        }
    }
    for (int a = 1; a <= 3; a++)
        for (int b = 1; b <= 3; b++)
            ck_assert(a == b || (times[a][b] % 2 == 0 && fabs(times[a][b] - 200.) <= 2 * 37));
}
END_TEST

/* Every third layer of self-attention, and all cross-attention, sees all words. */
START_TEST(full_layers_of_a_hybrid_have_no_window) {
    sa_settings own;
    sa_settings_init(&own);
    own.attention = SA_ATTENTION_LINEAR, own.window = SA_WINDOW_SLIDING;
    for (own.hybrid = 0; own.hybrid < 4; own.hybrid += 3)
        for (int site = SA_SITE_CROSS; site <= SA_SITE_DECODER; site++)
            for (int layer = 1; layer <= 6; layer++) {
                const bool full = own.hybrid && (site == SA_SITE_CROSS || layer % 3 == 0);
                const sa_attention_sizes at = sa_attention_sizes_at(
                    sa_attention_sizes_of(&own, 4, 4), (sa_attention_site)site, layer);
                ck_assert_int_eq(at.site, site);
                ck_assert_int_eq(at.layer, layer);
                ck_assert_int_eq(at.settings.window, full ? SA_WINDOW_NONE : SA_WINDOW_SLIDING);
                ck_assert_int_eq(at.settings.attention,
                                 full ? SA_ATTENTION_SCALED_DOT : SA_ATTENTION_LINEAR);
                ck_assert_ptr_eq(at.score, &sa_scores[at.settings.attention]);
            }
}
END_TEST

int main(void) {
    TCase *tests;
    Suite *suite = suite_of("parts of attention in double", &tests);
    tcase_add_checked_fixture(tests, numbers_open, numbers_close);
    tcase_add_loop_test(tests, weights_are_divided_by_the_fertility, 0, 3);
    tcase_add_test(tests, fertility_is_at_most_n);
    tcase_add_test(tests, full_layers_of_a_hybrid_have_no_window);
    tcase_add_test(tests, the_own_value_is_taken_out);
    tcase_add_loop_test(tests, weights_of_a_memory, 0, sizeof deltas / sizeof *deltas);
    tcase_add_loop_test(tests, gates_of_a_memory, 0, sizeof deltas / sizeof *deltas);
    tcase_add_loop_test(tests, a_memory_runs_on, 0, sizeof deltas / sizeof *deltas);
    tcase_add_test(tests, keys_are_mixed_with_the_one_before);
    tcase_add_loop_test(tests, the_loss_is_what_is_covered_again, 0, 3);
    tcase_add_test(tests, the_loss_has_the_gradient_of_the_smaller);
    tcase_add_test(tests, filters_see_neighbors);
    tcase_add_test(tests, filters_may_be_wider_than_the_source);
    tcase_add_test(tests, keys_are_added_to);
    tcase_add_loop_test(tests, windows_reach_as_far_as_the_sentence, 0, 9);
    tcase_add_loop_test(tests, windows_hold_the_weights, 0, sizeof windows / sizeof *windows);
    tcase_add_test(tests, weights_of_two_maps);
    tcase_add_test(tests, lambda_begins_by_layer);
    tcase_add_test(tests, heads_are_normalized);
    tcase_add_test(tests, heads_share_a_memory);
    tcase_add_loop_test(tests, heads_share_gates, 0, 2);
    tcase_add_test(tests, weights_are_replaced);
    tcase_add_test(tests, weights_are_shuffled_by_the_seed);
    return suite_run(suite);
}
