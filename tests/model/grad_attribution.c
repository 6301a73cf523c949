/* Attributions of every kind of model, against forward passes alone. */
#include "model/attribution.h"
#include "support/numbers.h"
#include "support/suite.h"
#include "support/variants.h"

#include <string.h>

enum { S = 4, T = 3, K = 9 };

static int32_t ids[S + T] = {3, 4, 5, SA_EOS, 7, 4, SA_EOS};
static const sa_sentence source = {ids, S, NULL}, target = {ids + S, T, NULL};

static sa_settings settings;
static sa_params plan;
static sa_sizes sizes;
static sa_mat weights;
static sa_seq2seq w;
static sa_attributed job;
static double gap;

/* A model of random weights with these settings, and the pair. */
static void settings_open(void) {
    memset(numbers.base, 0xff, numbers.size);
    sizes = sa_sizes_of(&settings, K, K);
    sa_seq2seq_plan(&sizes, &plan);
    weights = drawn(1, (int)plan.size);
    sa_seq2seq_bind_buffer(&sizes, weights.x, &w);
    job = (sa_attributed){&w, &sizes, plan.size, &source, &target, 400, &gap};
}

static void model_open(int number) {
    settings = variant_settings(number);
    settings_open();
}

/* F of all target words, with vectors of the source [S x m] in the place of those of its words, and
 * the ids that copying compares. */
static void forward(sa_mat x, const int32_t *extended, double *F) {
    sa_seq2seq own = w;
    sa_mat *E = w.family->recurrent                  ? &own.encoder.E
                : own.transformer.sizes.decoder_only ? &own.transformer.target_E
                                                     : &own.transformer.source_E;
    const sa_mat table = sa_mat_alloc(&numbers, K + S, E->cols);
    int32_t rows[S];
    sa_copy_mat(*E, sa_rows(table, 0, K));
    sa_copy_mat(x, sa_rows(table, K, S));
    for (int j = 0; j < S; j++) rows[j] = K + j;
    *E = table;
    const sa_sentence from = {rows, S, extended};
    const sa_batch batch = sa_batch_build(&numbers, &from, &target, 1);
    sa_pass pass;
    sa_pass_layout(&numbers, &own, &batch, true, &pass);
    sa_seq2seq_loss(&own, &batch, (sa_regularizer){0}, &pass, NULL);
    for (int t = 0; t < T; t++) F[t] = pass.log_p[t];
}

/* The vectors of the source. */
static sa_mat vectors(const int32_t *words, double scale) {
    const sa_mat E = w.family->recurrent                ? w.encoder.E
                     : w.transformer.sizes.decoder_only ? w.transformer.target_E
                                                        : w.transformer.source_E;
    const sa_mat x = sa_mat_alloc(&numbers, S, E.cols);
    sa_embedding_forward(E, words, x);
    sa_scale(scale, x);
    return x;
}

static const sa_attribution *method(const char *name) {
    const sa_attribution *row = sa_attributions;
    while (strcmp(row->name, name) != 0) row++;
    return row;
}

static void score(const char *name, double scores[T][S]) {
    sa_error error = {0};
    ck_assert_msg(method(name)->score(&job, &scores[0][0], &error), "%s: %s", name, error.text);
}

/* Central differences of the fourth order by each number of each vector. */
START_TEST(gradients_are_those_of_differences) {
    static const double step[] = {-2, -1, 1, 2}, factor[] = {1, -8, 8, -1};
    const double h = 1e-4;
    double norm[T][S], product[T][S], F[T];
    model_open(_i);
    if (settings.attention == SA_ATTENTION_HARD) return; /* what it draws has no derivative */
    score("gradient", norm);
    score("input-x-gradient", product);
    for (int j = 0; j < S; j++) {
        double squares[T] = {0}, sums[T] = {0};
        const sa_mat x = vectors(ids, 1);
        const size_t used = numbers.used;
        for (int k = 0; k < x.cols; k++) {
            const double at = sa_row(x, j)[k];
            double d[T] = {0};
            for (int i = 0; i < 4; i++) {
                sa_row(x, j)[k] = at + step[i] * h;
                forward(x, ids, F);
                for (int t = 0; t < T; t++) d[t] += factor[i] * F[t] / (12 * h);
                numbers.used = used;
            }
            sa_row(x, j)[k] = at;
            for (int t = 0; t < T; t++) squares[t] += d[t] * d[t], sums[t] += at * d[t];
        }
        for (int t = 0; t < T; t++) {
            ck_assert_double_eq_tol(norm[t][j], sqrt(squares[t]), 1e-6 * fmax(norm[t][j], 1e-2));
            ck_assert_double_eq_tol(product[t][j], sums[t], 1e-6 * fmax(norm[t][j], 1e-2));
        }
    }
}
END_TEST

/* Of the family of that number; then, a model with Luong's decoder. More midpoints: a smaller gap.
 */
START_TEST(integrated_gradients_sum_to_the_difference) {
    double scores[T][S], F[T], zero[T], apart = 0, whole = 0;
    settings = small_of(_i % 3);
    if (_i == 3) settings.decoder = SA_DECODER_LUONG;
    settings_open();
    forward(vectors(ids, 1), ids, F);
    forward(vectors(ids, 0), ids, zero);
    score("integrated-gradients", scores);
    for (int t = 0; t < T; t++) {
        double sum = 0;
        const double total = F[t] - zero[t];
        for (int j = 0; j < S; j++) sum += scores[t][j];
        apart += fabs(sum - total), whole += fabs(total);
    }
    ck_assert_double_le(gap, 1e-3);
    ck_assert_double_eq_tol(gap, apart / whole, 1e-12);
}
END_TEST

START_TEST(occlusion_is_two_passes) {
    double scores[T][S], F[T], without[T];
    model_open(_i);
    score("occlusion", scores);
    forward(vectors(ids, 1), ids, F);
    for (int j = 0; j < S; j++) {
        int32_t hidden[S];
        memcpy(hidden, ids, sizeof hidden);
        hidden[j] = SA_UNK;
        forward(vectors(hidden, 1), hidden, without);
        for (int t = 0; t < T; t++) ck_assert_double_eq_tol(scores[t][j], F[t] - without[t], 1e-12);
    }
}
END_TEST

/* ---- Layers of a Transformer ----------------------------------------------------------------- */

/* A Transformer or decoder-only model of two heads, and a pass of it. */
static sa_pass layers_open(int model, int layers) {
    settings = small_of(model);
    settings.layers = layers, settings.heads = 2;
    settings_open();
    static sa_batch batch;
    sa_pass pass;
    batch = sa_batch_build(&numbers, &source, &target, 1);
    sa_pass_layout(&numbers, &w, &batch, false, &pass);
    sa_seq2seq_loss(&w, &batch, (sa_regularizer){0}, &pass, NULL);
    return pass;
}

/* The mean of two heads; alpha has room for `words` words of each. */
static double mean(sa_mat alpha, int i, int j, int words) {
    return (sa_row(alpha, i)[j] + sa_row(alpha, i)[words + j]) / 2;
}

START_TEST(rollout_of_one_layer_is_by_hand) {
    double scores[T][S];
    sa_pass pass = layers_open(SA_MODEL_TRANSFORMER, 1);
    const sa_mat own = pass.transformer.decoder.layer[0].self.rows.alpha,
                 cross = pass.transformer.decoder.layer[0].cross.rows.alpha,
                 encoder = pass.transformer.encoder.layer[0].self.rows.alpha;
    score("rollout", scores);
    for (int t = 0; t < T; t++)
        for (int j = 0; j < S; j++) {
            double sum = 0;
            for (int u = 0; u < T; u++)
                for (int i = 0; i < S; i++)
                    sum += (0.5 * mean(own, t, u, T) + 0.5 * (t == u)) * mean(cross, u, i, S) *
                           (0.5 * mean(encoder, i, j, S) + 0.5 * (i == j));
            ck_assert_double_eq_tol(scores[t][j], sum, 1e-12);
        }
    pass = layers_open(SA_MODEL_DECODER, 1);
    const sa_mat joint = pass.transformer.decoder.layer[0].self.rows.alpha;
    score("rollout", scores);
    for (int t = 0; t < T; t++)
        for (int j = 0; j < S; j++)
            ck_assert_double_eq_tol(
                scores[t][j], 0.5 * mean(joint, S - 1 + t, j, S + T - 1) + 0.5 * (S - 1 + t == j),
                1e-12);
}
END_TEST

START_TEST(rows_of_rollout_sum_to_1) {
    double scores[T][S];
    layers_open(SA_MODEL_TRANSFORMER, 3);
    score("rollout", scores);
    for (int t = 0; t < T; t++) {
        double sum = 0;
        for (int j = 0; j < S; j++) sum += scores[t][j];
        ck_assert_double_eq_tol(sum, 1, 1e-12);
    }
}
END_TEST

/* Kobayashi et al. 2020, equation 6, and that the vectors sum to the output of the attention. */
START_TEST(norms_are_of_what_is_summed) {
    double scores[T][S];
    const bool joined = _i == SA_MODEL_DECODER;
    const sa_pass pass = layers_open(_i, 1);
    const sa_transformer_layer *layer = &w.transformer.decoder.layer[0];
    const sa_layer_cache *cache = &pass.transformer.decoder.layer[0];
    const sa_attention *attention = joined ? &layer->self.attention : &layer->cross.attention;
    const sa_attention_sublayer_cache *own = joined ? &cache->self : &cache->cross;
    const sa_mat W = attention->W_c.mat, V = own->memory.values;
    const int words = joined ? S + T - 1 : S, half = W.cols / 2;
    score("norms", scores);
    for (int t = 0; t < T; t++) {
        const int row = joined ? S - 1 + t : t;
        double output[8] = {0};
        for (int j = 0; j < words; j++) {
            double square = 0;
            for (int k = 0; k < W.rows; k++) {
                double z = 0;
                for (int c = 0; c < W.cols; c++)
                    z += sa_row(own->rows.alpha, row)[c / half * words + j] * sa_row(V, j)[c] *
                         sa_row(W, k)[c];
                square += z * z, output[k] += z;
            }
            if (j < S) ck_assert_double_eq_tol(scores[t][j], sqrt(square), 1e-12);
        }
        for (int k = 0; k < W.rows; k++) {
            double c = 0;
            for (int i = 0; i < W.cols; i++)
                c += sa_row(W, k)[i] * sa_row(own->rows.head_outputs, row)[i];
            ck_assert_double_eq_tol(output[k], c, 1e-12);
        }
    }
}
END_TEST

int main(void) {
    TCase *tests;
    Suite *suite = suite_of("attribution", &tests);
    const int models = count_models();
    tcase_add_checked_fixture(tests, numbers_open, numbers_close);
    tcase_add_loop_test(tests, gradients_are_those_of_differences, 0, models);
    tcase_add_loop_test(tests, integrated_gradients_sum_to_the_difference, 0, 4);
    tcase_add_loop_test(tests, occlusion_is_two_passes, 0, models);
    tcase_add_test(tests, rollout_of_one_layer_is_by_hand);
    tcase_add_test(tests, rows_of_rollout_sum_to_1);
    tcase_add_loop_test(tests, norms_are_of_what_is_summed, SA_MODEL_TRANSFORMER,
                        SA_MODEL_DECODER + 1);
    return suite_run(suite);
}
