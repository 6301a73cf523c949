/* Attributions of every kind of model, against forward passes alone. */
#include "attention/parts.h"
#include "inference/attribution.h"
#include "support/numbers.h"
#include "support/suite.h"
#include "support/variants.h"

#include <string.h>

enum { S = 4, T = 3, C = S + T - 1, K = 9 };

static int32_t ids[S + T] = {3, 4, 5, SA_EOS, 7, 4, SA_EOS};
static const sa_sentence source = {ids, S, NULL}, target = {ids + S, T, NULL};

static sa_settings settings;
static sa_params plan;
static sa_sizes sizes;
static sa_mat weights;
static sa_seq2seq w;
static sa_attributed job;
static sa_align_options options;
static double gap;

/* A model of random weights with these settings, and the pair. */
static void settings_open(void) {
    spoil(numbers.size);
    sizes = sa_sizes_of(&settings, K, K);
    sa_seq2seq_plan(&sizes, &plan);
    weights = drawn(1, (int)plan.size);
    sa_seq2seq_bind_buffer(&sizes, weights.x, &w);
    options = (sa_align_options){.steps = 400, .target_prefix = true};
    job = (sa_attributed){.w = &w,
                          .sizes = &sizes,
                          .parameters = plan.size,
                          .source = &source,
                          .target = &target,
                          .options = &options,
                          .gap = &gap};
}

static void model_open(int number) {
    settings = variant_settings(number);
    settings_open();
}

/* F of all target words, with vectors x [C x m] in the places of those that are read of the
 * source's words and of the target's but EOS, and the ids that copying compares. */
static void forward(sa_mat x, const int32_t *extended, double *F) {
    const bool joined = w.transformer.sizes.decoder_only;
    sa_seq2seq own = w;
    sa_mat *E = w.recurrent ? &own.encoder.E
                : joined    ? &own.transformer.target_E
                            : &own.transformer.source_E;
    sa_mat *target_E = w.recurrent ? &own.decoder.E : &own.transformer.target_E;
    const sa_mat table = sa_mat_alloc(&numbers, K + S, E->cols),
                 read = joined ? table : sa_mat_alloc(&numbers, K, E->cols);
    int32_t rows[S];
    sa_copy_mat(*target_E, sa_rows(read, 0, K));
    sa_copy_mat(*E, sa_rows(table, 0, K));
    sa_copy_mat(sa_rows(x, 0, S), sa_rows(table, K, S));
    for (int t = 0; t + 1 < T; t++) sa_copy_mat(sa_rows(x, S + t, 1), sa_rows(read, ids[S + t], 1));
    for (int j = 0; j < S; j++) rows[j] = K + j;
    *target_E = read, *E = table;
    const sa_sentence from = {rows, S, extended};
    const sa_batch batch = sa_batch_build(&numbers, &from, &target, 1);
    sa_pass pass;
    sa_pass_layout(&numbers, &own, &batch, true, &pass);
    sa_seq2seq_loss(&own, &batch, (sa_regularizer){0}, &pass, NULL);
    for (int t = 0; t < T; t++) F[t] = pass.log_p[t];
}

/* The vectors of all columns. */
static sa_mat vectors(const int32_t *words, double scale) {
    const bool recurrent = w.recurrent, joined = w.transformer.sizes.decoder_only;
    const sa_mat target_E = recurrent ? w.decoder.E : w.transformer.target_E,
                 E = recurrent ? w.encoder.E
                     : joined  ? target_E
                               : w.transformer.source_E,
                 x = sa_mat_alloc(&numbers, C, E.cols);
    sa_embedding_forward(E, words, sa_rows(x, 0, S));
    sa_embedding_forward(target_E, words + S, sa_rows(x, S, T - 1));
    sa_scale(scale, x);
    return x;
}

static const sa_attribution *method(const char *name) {
    const sa_attribution *row = sa_attributions;
    while (strcmp(row->name, name) != 0) row++;
    return row;
}

static void score(const char *name, double *scores) {
    sa_error error = {0};
    const bool prefix = options.target_prefix && method(name)->prefix;
    memset(scores, 0, sizeof *scores * T * (prefix ? C : S));
    job.method = method(name);
    ck_assert_msg(job.method->score(&job, scores, &error), "%s: %s", name, error.text);
}

/* Without columns of target words those of the source stay. */
static void check_alone(const char *name, double scores[T][C]) {
    double alone[T][S];
    options.target_prefix = false;
    score(name, *alone);
    options.target_prefix = true;
    for (int t = 0; t < T; t++)
        for (int j = 0; j < S; j++) ck_assert_double_eq_tol(alone[t][j], scores[t][j], 1e-12);
}

/* Central differences of the fourth order by each number of each vector. */
START_TEST(gradients_are_those_of_differences) {
    static const double step[] = {-2, -1, 1, 2}, factor[] = {1, -8, 8, -1};
    const double h = 1e-4;
    double norm[T][C], product[T][C], F[T];
    model_open(_i);
    if (settings.attention == SA_ATTENTION_HARD) return; /* what it draws has no derivative */
    score("gradient", *norm);
    score("input-x-gradient", *product);
    check_alone("gradient", norm);
    for (int j = 0; j < C; j++) {
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
            if (j >= S + t) ck_assert_double_eq(norm[t][j], 0);
        }
    }
}
END_TEST

/* Of the family of that number; then, a model with Luong's decoder. Without the columns of target
 * words, what is shared out is less. */
START_TEST(integrated_gradients_sum_to_the_difference) {
    double scores[T * C], F[T], zero[T];
    settings = small_of(_i % 3);
    if (_i == 3) settings.decoder = SA_DECODER_LUONG;
    settings_open();
    forward(vectors(ids, 1), ids, F);
    for (int columns = C; columns >= S; columns -= C - S) {
        const sa_mat x = vectors(ids, 1);
        double apart = 0, whole = 0;
        sa_zero(sa_rows(x, 0, columns));
        forward(x, ids, zero);
        options.target_prefix = columns == C;
        score("integrated-gradients", scores);
        for (int t = 0; t < T; t++) {
            double sum = 0;
            const double total = F[t] - zero[t];
            for (int j = 0; j < columns; j++) sum += scores[t * columns + j];
            apart += fabs(sum - total), whole += fabs(total);
        }
        ck_assert_double_le(gap, 1e-3);
        ck_assert_double_eq_tol(gap, apart / whole, 1e-12);
    }
}
END_TEST

/* x . dF/dx at half of all vectors, by central differences along each of them. */
START_TEST(one_step_is_at_the_midpoint) {
    static const double step[] = {-2, -1, 1, 2}, factor[] = {1, -8, 8, -1};
    const double h = 1e-4;
    double scores[T][C], F[T];
    settings = small_of(_i);
    settings_open();
    options.steps = 1;
    score("integrated-gradients", *scores);
    for (int j = 0; j < C; j++) {
        double d[T] = {0};
        for (int i = 0; i < 4; i++) {
            const size_t used = numbers.used;
            const sa_mat x = vectors(ids, 1);
            sa_scale(0.5, x);
            sa_scale(1 + 2 * step[i] * h, sa_rows(x, j, 1));
            forward(x, ids, F);
            for (int t = 0; t < T; t++) d[t] += factor[i] * F[t] / (12 * h);
            numbers.used = used;
        }
        for (int t = 0; t < T; t++)
            ck_assert_double_eq_tol(scores[t][j], d[t], 1e-6 * fmax(fabs(d[t]), 1e-2));
    }
}
END_TEST

START_TEST(occlusion_is_two_passes) {
    double scores[T][C], F[T], without[T];
    model_open(_i);
    score("occlusion", *scores);
    check_alone("occlusion", scores);
    forward(vectors(ids, 1), ids, F);
    for (int j = 0; j < C; j++) {
        int32_t hidden[S + T];
        memcpy(hidden, ids, sizeof hidden);
        hidden[j] = SA_UNK;
        forward(vectors(hidden, 1), hidden, without);
        for (int t = 0; t < T; t++) ck_assert_double_eq_tol(scores[t][j], F[t] - without[t], 1e-12);
    }
}
END_TEST

/* ---- Layers of a Transformer ----------------------------------------------------------------- */

/* A Transformer or decoder-only model, and a pass of it. With many heads each has one number, and
 * their outputs side by side are wider than a word. */
static sa_pass heads_open(int model, int layers, int heads) {
    settings = small_of(model);
    settings.layers = layers, settings.heads = heads;
    if (heads > settings.attn) settings.attn = heads;
    settings_open();
    options.target_prefix = false;
    static sa_batch batch;
    sa_pass pass;
    batch = sa_batch_build(&numbers, &source, &target, 1);
    sa_pass_layout(&numbers, &w, &batch, false, &pass);
    sa_seq2seq_loss(&w, &batch, (sa_regularizer){0}, &pass, NULL);
    return pass;
}

static sa_pass layers_open(int model, int layers) {
    return heads_open(model, layers, 2);
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
    score("rollout", *scores);
    for (int t = 0; t < T; t++)
        for (int j = 0; j < S; j++) {
            double sum = 0;
            for (int u = 0; u < T; u++)
                for (int i = 0; i < S; i++)
                    sum += (0.5 * mean(own, t, u, T) + 0.5 * (t == u)) * mean(cross, u, i, S) *
                           (0.5 * mean(encoder, i, j, S) + 0.5 * (i == j));
            ck_assert_double_eq_tol(scores[t][j], sum, 1e-12);
        }
    pass = layers_open(SA_MODEL_DECODER_ONLY, 1);
    const sa_mat joint = pass.transformer.decoder.layer[0].self.rows.alpha;
    score("rollout", *scores);
    for (int t = 0; t < T; t++)
        for (int j = 0; j < S; j++)
            ck_assert_double_eq_tol(
                scores[t][j], 0.5 * mean(joint, S - 1 + t, j, S + T - 1) + 0.5 * (S - 1 + t == j),
                1e-12);
}
END_TEST

/* Goes on from x, what each word takes from the source, to the words that attend to these words. */
static void roll(sa_mat alpha, int queries, int words, bool cross, double x[C][S]) {
    double y[C][S] = {{0}};
    for (int i = 0; i < queries; i++)
        for (int u = 0; u < words; u++)
            for (int j = 0; j < S; j++)
                y[i][j] += (cross ? mean(alpha, i, u, words)
                                  : 0.5 * mean(alpha, i, u, words) + 0.5 * (i == u)) *
                           x[u][j];
    memcpy(x, y, sizeof y);
}

START_TEST(rollout_goes_through_all_layers) {
    enum { LAYERS = 3 };
    const bool joined = _i == SA_MODEL_DECODER_ONLY;
    const int words = joined ? C : T;
    double scores[T][S], x[C][S] = {{0}};
    const sa_pass pass = layers_open(_i, LAYERS);
    const sa_layer_cache *encoder = pass.transformer.encoder.layer,
                         *decoder = pass.transformer.decoder.layer;
    score("rollout", *scores);
    for (int j = 0; j < S; j++) x[j][j] = 1;
    for (int k = 0; !joined && k < LAYERS; k++) roll(encoder[k].self.rows.alpha, S, S, false, x);
    if (!joined) roll(decoder[LAYERS - 1].cross.rows.alpha, T, S, true, x);
    for (int k = 0; k < LAYERS; k++) roll(decoder[k].self.rows.alpha, words, words, false, x);
    for (int t = 0; t < T; t++)
        for (int j = 0; j < S; j++)
            ck_assert_double_eq_tol(scores[t][j], x[words - T + t][j], 1e-12);
}
END_TEST

/* That of each layer, whose mean is that of all; and of the rows that have read a word. */
START_TEST(norms_follow_layer_and_row) {
    double each[3][T][S], read[T][S];
    layers_open(_i, 2);
    for (options.layer = 0; options.layer < 3; options.layer++)
        score("norms", *each[options.layer]);
    options.layer = 2, options.at = SA_ALIGN_INPUT;
    score("norms", *read);
    for (int t = 0; t < T; t++)
        for (int j = 0; j < S; j++) {
            ck_assert_double_eq_tol(each[0][t][j], (each[1][t][j] + each[2][t][j]) / 2, 1e-12);
            ck_assert_double_ne(each[1][t][j], each[2][t][j]);
            ck_assert_double_eq(read[t][j], each[2][t + 1 < T ? t + 1 : t][j]);
        }
}
END_TEST

START_TEST(rows_of_rollout_sum_to_1) {
    double scores[T][S];
    layers_open(SA_MODEL_TRANSFORMER, 3);
    score("rollout", *scores);
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
    const int model = _i % 2 ? SA_MODEL_DECODER_ONLY : SA_MODEL_TRANSFORMER, heads = _i < 2 ? 2 : 8;
    const bool joined = model == SA_MODEL_DECODER_ONLY;
    const sa_pass pass = heads_open(model, 1, heads);
    const sa_transformer_layer *layer = &w.transformer.decoder.layer[0];
    const sa_layer_cache *cache = &pass.transformer.decoder.layer[0];
    const sa_attention *attention = joined ? &layer->self.attention : &layer->cross.attention;
    const sa_attention_sublayer_cache *own = joined ? &cache->self : &cache->cross;
    const sa_mat W = attention->W_c.mat, V = own->memory.values;
    const int words = joined ? S + T - 1 : S, share = W.cols / heads;
    ck_assert(heads == 2 || W.cols > W.rows);
    score("norms", *scores);
    for (int t = 0; t < T; t++) {
        const int row = joined ? S - 1 + t : t;
        double output[8] = {0};
        for (int j = 0; j < words; j++) {
            double square = 0;
            for (int k = 0; k < W.rows; k++) {
                double z = 0;
                for (int c = 0; c < W.cols; c++)
                    z += sa_row(own->rows.alpha, row)[c / share * words + j] * sa_row(V, j)[c] *
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

/* y of an attention without the value of word j, which is then as it was. */
static sa_mat without_value(const sa_attention_sublayer *at, sa_attention_sublayer_cache *own,
                            sa_mat x, int j, int words) {
    for (int back = 0; back < 2; back++) {
        if (back) {
            sa_attention_project_output(&at->attention, own->rows, own->residual.y);
            sa_residual_leave_forward(&at->residual, x, 0, NULL, &own->residual);
        }
        for (int i = 0; i < x.rows; i++)
            for (int c = 0; c < own->memory.values.cols; c++) {
                const double alpha =
                    sa_row(own->rows.alpha, i)[c / (own->memory.values.cols / 2) * words + j];
                sa_row(own->rows.head_outputs, i)[c] +=
                    (back ? 1 : -1) * alpha * sa_row(own->memory.values, j)[c];
            }
    }
    return own->residual.y;
}

/* 1 - cos of the outputs of a layer, each row of Q queries divided by its sum. */
enum { SELF_ALONE, SELF, CROSS };
static void zero_values(int kind, sa_stack *stack, sa_stack_cache *cache, int Q, int words,
                        double A[C][C]) {
    const sa_transformer_layer *layer = &stack->layer[0];
    sa_layer_cache *own = &cache->layer[0];
    sa_attention_sublayer_cache *cross = &own->cross;
    const sa_mat whole = sa_mat_alloc(&numbers, Q, own->feed.residual.y.cols),
                 self = sa_mat_alloc(&numbers, Q, whole.cols);
    sa_copy_mat(own->feed.residual.y, whole), sa_copy_mat(own->self.residual.y, self);
    for (int j = 0; j < words; j++) {
        sa_mat y = kind == CROSS ? without_value(&layer->cross, cross, self, j, words)
                                 : without_value(&layer->self, &own->self, cache->x, j, words);
        if (kind == SELF) {
            sa_residual_enter_forward(&layer->cross.residual, y, &cross->residual);
            sa_attention_forward(&layer->cross.attention, &cross->memory, &cache->cross,
                                 cross->residual.in, cross->rows, cross->residual.y,
                                 &cache->attention[0].scratch);
            sa_residual_leave_forward(&layer->cross.residual, y, 0, NULL, &cross->residual);
            y = cross->residual.y;
        }
        y = sa_feedforward_sublayer_forward(&layer->feed, y, 0, NULL, &own->feed);
        for (int i = 0; i < Q; i++) {
            double ab = 0, aa = 0, bb = 0;
            for (int k = 0; k < y.cols; k++) {
                const double a = sa_row(whole, i)[k], b = sa_row(y, i)[k];
                ab += a * b, aa += a * a, bb += b * b;
            }
            A[i][j] = 1 - ab / sqrt(aa * bb);
            if (A[i][j] < 1e-5) A[i][j] = 0;
        }
    }
    sa_copy_mat(whole, own->feed.residual.y), sa_copy_mat(self, own->self.residual.y);
    for (int i = 0; i < Q; i++) {
        double sum = 0;
        for (int j = 0; j < words; j++) sum += A[i][j];
        for (int j = 0; j < words && sum != 0; j++) A[i][j] /= sum;
    }
}

START_TEST(value_zeroing_is_what_layers_put_out) {
    double scores[T][S], own[C][C], cross[C][C], encoder[C][C];
    sa_pass pass = layers_open(_i, 1);
    sa_transformer_cache *cache = &pass.transformer;
    score("value-zeroing", *scores);
    if (_i == SA_MODEL_DECODER_ONLY) {
        zero_values(SELF_ALONE, &w.transformer.decoder, &cache->decoder, C, C, own);
    } else {
        zero_values(CROSS, &w.transformer.decoder, &cache->decoder, T, S, cross);
        zero_values(SELF_ALONE, &w.transformer.encoder, &cache->encoder, S, S, encoder);
        zero_values(SELF, &w.transformer.decoder, &cache->decoder, T, T, own);
    }
    for (int t = 0; t < T; t++)
        for (int j = 0; j < S; j++) {
            double sum = 0;
            if (_i == SA_MODEL_DECODER_ONLY) sum = own[S - 1 + t][j];
            for (int u = 0; _i == SA_MODEL_TRANSFORMER && u < T; u++)
                for (int i = 0; i < S; i++) sum += own[t][u] * cross[u][i] * encoder[i][j];
            ck_assert_double_eq_tol(scores[t][j], sum, 1e-9);
        }
}
END_TEST

/* More words than lose their values at once: without positions, equal words have equal shares. */
START_TEST(value_zeroing_reaches_every_word) {
    enum { LONG = 34, KINDS = 4 };
    int32_t words[LONG];
    double scores[T][LONG];
    settings = small_of(SA_MODEL_TRANSFORMER);
    settings.positions = SA_POSITIONS_NONE;
    settings_open();
    for (int j = 0; j < LONG; j++) words[j] = SA_SPECIAL_TOKENS + j % KINDS;
    words[LONG - 1] = SA_EOS;
    const sa_sentence from = {words, LONG, NULL};
    job.source = &from, options.target_prefix = false;
    score("value-zeroing", *scores);
    for (int t = 0; t < T; t++)
        for (int j = KINDS; j < LONG - 1; j++)
            ck_assert_double_eq_tol(scores[t][j], scores[t][j % KINDS], 1e-9);
}
END_TEST

int main(void) {
    TCase *tests;
    Suite *suite = suite_of("attribution", &tests);
    const int models = count_models();
    tcase_add_checked_fixture(tests, numbers_open, numbers_close);
    tcase_add_loop_test(tests, gradients_are_those_of_differences, 0, models);
    tcase_add_loop_test(tests, integrated_gradients_sum_to_the_difference, 0, 4);
    tcase_add_loop_test(tests, one_step_is_at_the_midpoint, 0, 3);
    tcase_add_loop_test(tests, occlusion_is_two_passes, 0, models);
    tcase_add_test(tests, rollout_of_one_layer_is_by_hand);
    tcase_add_loop_test(tests, rollout_goes_through_all_layers, SA_MODEL_TRANSFORMER,
                        SA_MODEL_DECODER_ONLY + 1);
    tcase_add_test(tests, rows_of_rollout_sum_to_1);
    tcase_add_test(tests, value_zeroing_reaches_every_word);
    tcase_add_loop_test(tests, value_zeroing_is_what_layers_put_out, SA_MODEL_TRANSFORMER,
                        SA_MODEL_DECODER_ONLY + 1);
    tcase_add_loop_test(tests, norms_are_of_what_is_summed, 0, 4);
    tcase_add_loop_test(tests, norms_follow_layer_and_row, SA_MODEL_TRANSFORMER,
                        SA_MODEL_DECODER_ONLY + 1);
    return suite_run(suite);
}
