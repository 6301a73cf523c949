/* How passes differ: one altered weight or probability anywhere is found, as large as it is; rows
 * of a batch are those of each pair alone, and so are gradients. */
#include "support/proof.h"
#include "support/suite.h"

#include <math.h>

enum { MANY = 4, MOST_WORDS = 8 };

static const struct {
    int model, layers, heads;
} kinds[] = {
    {SA_MODEL_RECURRENT, 1, 1},
    {SA_MODEL_RECURRENT, 1, 2},
    {SA_MODEL_TRANSFORMER, 2, 2},
    {SA_MODEL_DECODER_ONLY, 2, 2},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

static sa_lab_model model;
static sa_lab_pairs pairs;
static sa_lab_pass one, other; /* over all pairs */
static sa_error error;

static void open_kind(int kind) {
    sa_settings settings = small_of(kinds[kind].model);
    settings.layers = kinds[kind].layers, settings.heads = kinds[kind].heads;
    settings.positions = SA_POSITIONS_NONE;
    fit_together(&settings);
    pairs = (sa_lab_pairs){.source_words = K, .target_words = K + 1};
    draw_pairs(&pairs);
    pairs.count = MANY;
    ck_assert(sa_lab_model_open(&model, &settings, &pairs, &error));
    sa_lab_model_draw(&model, 1);
    ck_assert(sa_lab_pass_open(&one, &model.w, pairs.source, pairs.target, MANY, &error));
    ck_assert(sa_lab_pass_open(&other, &model.w, pairs.source, pairs.target, MANY, &error));
}

static void close_kind(void) {
    sa_lab_pass_close(&one), sa_lab_pass_close(&other);
    sa_lab_model_close(&model);
}

START_TEST(differences_are_relative_above_1) {
    static const double x[] = {3, 5, 0.5}, y[] = {3, -10, 0.25}, none[] = {NAN, 1};
    ck_assert_double_eq(sa_lab_max_difference(x, y, 1), 0);
    ck_assert_double_eq(sa_lab_max_difference(x, y, 2), 1.5);
    ck_assert_double_eq(sa_lab_max_difference(x + 2, y + 2, 1), 0.25);
    ck_assert_double_nan(sa_lab_max_difference(none, y, 2));
    ck_assert_double_eq(sa_lab_nan_max(1, 2), 2);
    ck_assert_double_eq(sa_lab_nan_max(2, 1), 2);
    ck_assert_double_nan(sa_lab_nan_max(NAN, 1));
    ck_assert_double_nan(sa_lab_nan_max(1, NAN));
    sa_mat numbers_of = filled(2, 3, -1);
    sa_row(numbers_of, 1)[2] = -4;
    ck_assert_double_eq(sa_lab_largest(numbers_of), 4);
    sa_row(numbers_of, 1)[0] = NAN;
    ck_assert_double_nan(sa_lab_largest(numbers_of));
}
END_TEST

/* Raises one weight of the first pass by 1/4, looks, and puts it back. */
static void alter(int pair, sa_attention_site site, int layer, int k, int t, int j) {
    const sa_lab_view a = {&one, pair}, b = {&other, pair};
    const int S = pairs.source[pair].len, T = pairs.target[pair].len;
    const int rows = site == SA_SITE_ENCODER ? S : T;
    double *weight = sa_lab_weights(a, site, layer, k, t).x + j;
    const double before = *weight;
    *weight += 0.25;
    ck_assert_double_eq_tol(sa_lab_site_difference(a, b, site, rows, NULL, NULL), 0.25, 1e-12);
    ck_assert_double_eq_tol(sa_lab_weight_difference(a, b, T, NULL), 0.25, 1e-12);
    ck_assert_double_eq_tol(sa_lab_view_difference(a, b, T, NULL), 0.25, 1e-12);
    ck_assert_double_eq(sa_lab_site_difference(a, b, site, t, NULL, NULL), 0);
    const bool of_source = model.w.transformer.sizes.decoder_only && !t; /* reads its last word */
    if (site != SA_SITE_ENCODER && !of_source)
        ck_assert_double_eq(sa_lab_weight_difference(a, b, t, NULL), 0);
    for (int same = 0; same < MANY; same++)
        if (same != pair)
            ck_assert_double_eq(sa_lab_weight_difference((sa_lab_view){&one, same},
                                                         (sa_lab_view){&other, same},
                                                         pairs.target[same].len, NULL),
                                0);
    *weight = before;
}

START_TEST(each_altered_weight_is_found) {
    int altered = 0;
    open_kind(_i);
    for (int pair = 0; pair < MANY; pair++)
        for (int site = 0; site < 3; site++)
            for (int layer = 0; layer < sa_seq2seq_layers(&model.w, site); layer++)
                for (int k = 0; k < kinds[_i].heads; k++) {
                    const sa_lab_view view = {&one, pair};
                    const int rows =
                        site == SA_SITE_ENCODER ? pairs.source[pair].len : pairs.target[pair].len;
                    for (int t = 0; t < rows; t++)
                        for (int j = 0; j < sa_lab_weights(view, site, layer, k, t).cols; j++)
                            alter(pair, site, layer, k, t, j), altered++;
                }
    ck_assert_int_ge(altered, 30);
    close_kind();
}
END_TEST

/* Words of the source in another order, at both places where weights are on them. */
START_TEST(columns_may_be_permuted) {
    open_kind(_i);
    for (int pair = 0; pair < MANY; pair++) {
        const sa_lab_view view = {&one, pair};
        const int S = pairs.source[pair].len, T = pairs.target[pair].len;
        int from[MOST_WORDS];
        double most = 0;
        for (int j = 0; j < S; j++) from[j] = (j + 1) % S;
        for (int site = SA_SITE_CROSS; site <= SA_SITE_ENCODER; site++)
            for (int layer = 0; layer < sa_seq2seq_layers(&model.w, site); layer++)
                for (int k = 0; k < kinds[_i].heads; k++)
                    for (int t = 0; t < (site == SA_SITE_CROSS ? T : S); t++)
                        for (int j = 0; j < S; j++)
                            most =
                                fmax(most, fabs(sa_lab_weights(view, site, layer, k, t).x[j] -
                                                sa_lab_weights(view, site, layer, k,
                                                               site == SA_SITE_CROSS ? t : from[t])
                                                    .x[from[j]]));
        ck_assert_double_eq_tol(sa_lab_weight_difference(view, view, T, from), most, 1e-12);
        ck_assert(S < 2 || most > 1e-4);
    }
    close_kind();
}
END_TEST

/* In a batch as in a pass over the pair alone; and log p up to a step. */
START_TEST(rows_are_those_of_the_pair) {
    open_kind(_i);
    for (int pair = 0; pair < MANY; pair++) {
        const sa_lab_view view = {&one, pair}, same = {&other, pair};
        sa_lab_pass alone;
        ck_assert(sa_lab_pass_open(&alone, &model.w, pairs.source + pair, pairs.target + pair, 1,
                                   &error));
        for (int t = 0; t < pairs.target[pair].len; t++) {
            double *log_p = &one.cache.log_p[sa_lab_target_row(view, t)];
            const double before = *log_p;
            const sa_mat readout = sa_lab_readout_row(view, t);
            ck_assert_double_eq_tol(before, alone.cache.log_p[t], 1e-12);
            ck_assert_double_lt(farthest(readout, sa_lab_readout_row((sa_lab_view){&alone, 0}, t)),
                                1e-12);
            *log_p += 0.25 * fmax(1, fabs(before));
            ck_assert_double_eq_tol(sa_lab_log_p_difference(view, same, t + 1), 0.25, 1e-9);
            ck_assert_double_eq_tol(sa_lab_view_difference(view, same, t + 1, NULL), 0.25, 1e-9);
            ck_assert_double_eq(sa_lab_log_p_difference(view, same, t), 0);
            *log_p = before;
        }
        sa_lab_pass_close(&alone);
    }
    close_kind();
}
END_TEST

/* Weights of a gradient check: of both signs, rectified units away from their kink, and embeddings
 * that dropout does not make too large. */
START_TEST(weights_are_drawn_from_their_ranges) {
    int large = 0;
    open_kind(_i);
    model.regularizer.dropout.all = 0.2, model.regularizer.dropout.words = 0.1;
    sa_lab_model_draw(&model, 3);
    for (int i = 0; i < model.plan->count; i++) {
        const sa_param *param = &model.plan->item[i];
        const char *name = param->name, *own = strrchr(name, '.') + 1;
        const bool feeds = strstr(name, "feedforward"), vector = !param->rows;
        const bool attends = strstr(name, ".self.") || strstr(name, ".cross.");
        const double wide = sqrt(param->cols), *x = model.values + param->offset;
        double least = 0, most = vector ? 0.5 : 2.5 / wide, smallest = 9, largest = 0, low = 0,
               high = 0;
        if (strcmp(own, "E") == 0) most = 1.08;
        if (strcmp(own, "g") == 0) least = 0.7, most = 1.3;
        if (attends && (strcmp(own, "W_v") == 0 || strcmp(own, "W_o") == 0)) most = 1.25 / wide;
        if (feeds && strcmp(own, "W_1") == 0) most = 0.8 / wide;
        if (feeds && strcmp(own, "b_1") == 0) least = 0.7, most = 2;
        const size_t size = sa_param_size(param);
        for (size_t k = 0; k < size; k++) {
            smallest = fmin(smallest, fabs(x[k])), largest = fmax(largest, fabs(x[k]));
            low = fmin(low, x[k]), high = fmax(high, x[k]);
        }
        ck_assert_msg(smallest >= least && largest <= most, "%s: %g to %g", name, smallest,
                      largest);
        if (size < 12) continue; /* few numbers say nothing about the ends */
        ck_assert_msg(largest > least + 0.6 * (most - least) && low < 0 && high > 0,
                      "%s: %g to %g, at most %g", name, low, high, most);
        large++;
    }
    ck_assert_int_ge(large, 3);
    close_kind();
}
END_TEST

/* The gradient of the objective is that of the pairs one by one, divided by their number. */
START_TEST(gradients_are_those_of_the_pairs) {
    open_kind(_i);
    const size_t size = model.plan->size;
    sa_mat wanted = filled(1, (int)size, 0);
    const double loss = sa_lab_model_loss(&model, true);
    double sum = 0, most = 0;
    for (int i = 0; i < model.pass.batch.target.words; i++) sum += sa_lab_model_term(&model, i);
    ck_assert_double_eq_tol(sum, loss, 1e-12);
    memcpy(wanted.x, model.gradients, size * sizeof *wanted.x);
    memset(model.gradients, 0, size * sizeof *model.gradients);
    sum = 0;
    for (int pair = 0; pair < MANY; pair++) {
        sa_lab_pass alone;
        ck_assert(sa_lab_pass_open(&alone, &model.w, pairs.source + pair, pairs.target + pair, 1,
                                   &error));
        for (int t = 0; t < pairs.target[pair].len; t++) sum -= alone.cache.log_p[t];
        sa_lab_pass_gradient(&alone, 2.0 / MANY, &model.dw);
        sa_lab_pass_close(&alone);
    }
    ck_assert_double_eq_tol(loss, sum / MANY, 1e-10);
    for (size_t i = 0; i < size; i++) {
        ck_assert_double_eq_tol(model.gradients[i], 2 * wanted.x[i], 1e-10);
        most = fmax(most, fabs(wanted.x[i]));
    }
    ck_assert_double_gt(most, 1e-3);
    close_kind();
}
END_TEST

int main(void) {
    TCase *tests;
    Suite *suite = suite_of("lab model", &tests);
    tcase_add_checked_fixture(tests, numbers_open, numbers_close);
    tcase_add_test(tests, differences_are_relative_above_1);
    tcase_add_loop_test(tests, each_altered_weight_is_found, 0, KINDS);
    tcase_add_loop_test(tests, columns_may_be_permuted, 0, KINDS);
    tcase_add_loop_test(tests, rows_are_those_of_the_pair, 0, KINDS);
    tcase_add_loop_test(tests, weights_are_drawn_from_their_ranges, 0, KINDS);
    tcase_add_loop_test(tests, gradients_are_those_of_the_pairs, 0, KINDS);
    return suite_run(suite);
}
