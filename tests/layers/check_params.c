/* How tensors are bound to a buffer, and their initial values. */
#include "config/settings.h"
#include "model/seq2seq.h"
#include "support/numbers.h"
#include "support/small_training.h"
#include "support/suite.h"

#include <string.h>

enum { XAVIER, PAPER, UNIFORM };

static sa_params plan;
static sa_mat values;

enum { KX = 300, KY = 200, UNITS = 70 };

static sa_sizes sizes;

static sa_sizes sizes_with(int target_words) {
    sa_settings settings;
    sa_settings_init(&settings);
    settings.embed = 40, settings.hidden = UNITS, settings.attn = 50, settings.maxout = 30;
    return sa_sizes_of(&settings, KX, target_words);
}

static void start_with(sa_sizes shape, int init, uint64_t seed) {
    sizes = shape;
    sa_seq2seq_plan(&sizes, &plan);
    values = unset(1, (int)plan.size);
    ck_assert(sa_params_init(&plan, values.x, init, seed, NULL));
}

static void start(int init, uint64_t seed) {
    start_with(sizes_with(KY), init, seed);
}

static sa_mat tensor(const char *name) {
    for (int i = 0; i < plan.count; i++)
        if (strcmp(plan.item[i].name, name) == 0) return sa_param_mat(&plan.item[i], values.x);
    ck_abort_msg("no tensor %s", name);
}

static double largest(sa_mat x) {
    return farthest(x, filled(x.rows, x.cols, 0));
}

/* Mean and standard deviation. */
static void moments(sa_mat x, double *mean, double *deviation) {
    double sum = 0, squares = 0;
    const double count = (double)x.rows * x.cols;
    for (int i = 0; i < x.rows; i++)
        for (int j = 0; j < x.cols; j++) {
            const double number = (double)sa_row(x, i)[j];
            sum += number, squares += number * number;
        }
    *mean = sum / count;
    *deviation = sqrt(squares / count - *mean * *mean);
}

/* ---- Binding --------------------------------------------------------------------------------- */

/* Numbers that the gradients share. */
static int room_with(int words, int precision) {
    sa_sizes shape = sizes_with(words);
    sa_store store = {.use = SA_STORE_GRADIENTS};
    sa_seq2seq dw;
    shape.precision = precision;
    sa_seq2seq_bind_stored(&shape, NULL, &store, &dw);
    return store.packing.cols;
}

/* Vectors have no rows in files, but one in memory. */
START_TEST(shapes_are_planned_and_bound) {
    sa_real buffer[64];
    for (int pass = 0; pass < 2; pass++) {
        plan.count = 0;
        sa_binder binder = {.plan = pass ? NULL : &plan, .buffer = pass ? buffer : NULL};
        const sa_mat W = sa_bind_matrix(&binder, "a", "W", 3, 4, SA_INIT_ZERO).mat,
                     b = sa_bind_vector(&binder, "a", "b", 5, SA_INIT_ZERO),
                     g = sa_bind_constant(&binder, "a", "g", 2, 0.25),
                     E = sa_bind_table(&binder, "a", "E", 1, 6, SA_INIT_ONE);
        ck_assert(W.rows == 3 && W.cols == 4 && E.rows == 1 && E.cols == 6);
        ck_assert(b.rows == 1 && b.cols == 5 && g.rows == 1 && g.cols == 2);
        ck_assert(!pass || (W.x == buffer && b.x == buffer + 12 && g.x == buffer + 17 &&
                            E.x == buffer + 19));
        ck_assert_uint_eq(binder.offset, 25);
        if (pass) break;
        static const struct {
            int rows, cols;
            size_t offset;
            double start;
        } wanted[] = {{3, 4, 0, 0}, {0, 5, 12, 0}, {0, 2, 17, 0.25}, {1, 6, 19, 1}};
        ck_assert_int_eq(plan.count, 4);
        ck_assert_uint_eq(plan.size, 25);
        for (int i = 0; i < 4; i++) {
            const sa_param *param = &plan.item[i];
            ck_assert(param->rows == wanted[i].rows && param->cols == wanted[i].cols);
            ck_assert(param->offset == wanted[i].offset && (double)param->start == wanted[i].start);
            ck_assert_uint_eq(sa_param_size(param),
                              (size_t)(param->rows ? param->rows : 1) * (size_t)param->cols);
        }
    }
}
END_TEST

START_TEST(a_large_vocabulary_needs_no_larger_room) {
    ck_assert_int_gt(room_with(300, SA_PRECISION_BF16), 0);
    ck_assert_int_eq(room_with(30000, SA_PRECISION_BF16), room_with(300, SA_PRECISION_BF16));
    ck_assert_int_eq(room_with(300, SA_PRECISION_FLOAT32), 0);
}
END_TEST

START_TEST(tensors_follow_each_other_without_gaps) {
    size_t end = 0;
    start(XAVIER, 1);
    ck_assert_int_gt(plan.count, 20);
    for (int i = 0; i < plan.count; i++) {
        const sa_param *param = &plan.item[i];
        ck_assert_uint_eq(param->offset, end);
        ck_assert_uint_eq(sa_param_size(param),
                          (size_t)(param->rows ? param->rows : 1) * (size_t)param->cols);
        end += sa_param_size(param);
        for (int k = 0; k < i; k++) ck_assert_str_ne(param->name, plan.item[k].name);
    }
    ck_assert_uint_eq(plan.size, end);
}
END_TEST

/* A stack is one matrix for the layers and several tensors in the plan. */
START_TEST(stacked_tensors_are_the_rows_of_one_block) {
    sa_seq2seq w;
    start(XAVIER, 1);
    sa_seq2seq_bind_buffer(&sizes, values.x, &w);
    ck_assert_int_eq(w.decoder.layer[0].W.mat.rows, 3 * UNITS);
    ck_assert_int_eq(w.decoder.layer[0].b.cols, 3 * UNITS);
    ck_assert_ptr_eq(sa_row(w.decoder.layer[0].W.mat, 0), tensor("decoder.W_z").x);
    ck_assert_ptr_eq(sa_row(w.decoder.layer[0].W.mat, UNITS), tensor("decoder.W_r").x);
    ck_assert_ptr_eq(sa_row(w.decoder.layer[0].W.mat, 2 * UNITS), tensor("decoder.W").x);
    ck_assert_ptr_eq(sa_row(w.decoder.layer[0].U.mat, UNITS), tensor("decoder.U_r").x);
    ck_assert_ptr_eq(w.decoder.layer[0].b.x + UNITS, tensor("decoder.b_r").x);
    ck_assert_ptr_eq(w.decoder.readout.b_y.x, tensor("readout.b_y").x);
    ck_assert_int_eq(w.decoder.readout.b_y.cols, KY);
}
END_TEST

/* Shapes of tensors in model files: words have 40 numbers, states 70 and scores 48, so each of the
 * Transformer's 4 heads has 12 in a key and 10 in a value. */
static const struct {
    const char *options, *name;
    int rows, cols;
} shapes[] = {
    {"", "attention.W_a", 48, 70},
    {"", "attention.U_a", 48, 140},
    {"attention=general", "attention.W_a", 70, 140},
    {"attention=location", "attention.W_a", 51, 70}, /* every position, and EOS */
    {"attention=location-aware", "attention.F", 6, 5},
    {"attention=location-aware", "attention.W_f", 48, 6},
    {"attention=graves", "attention.W_a", 9, 70}, /* three numbers of three Gaussians */
    {"window=local-p decoder=luong attention=dot", "attention.W_p", 48, 70},
    {"coverage=linguistic", "attention.w_c", 0, 48},
    {"coverage=linguistic", "attention.U_f", 0, 140},
    {"model=transformer positions=t5", "source.B", 4, 32},
    {"model=transformer positions=t5", "target.B", 4, 32},
    {"model=transformer positions=learned", "target.P", 51, 40},
    {"model=transformer positions=shaw", "encoder.1.self.a_K", 7, 12}, /* -3 .. 3 */
    {"model=transformer positions=shaw", "decoder.1.self.a_K", 4, 12}, /* -3 .. 0 */
    {"model=transformer positions=shaw", "decoder.1.self.a_V", 4, 10},
    {"model=transformer positions=forgetting", "encoder.1.self.W_f", 4, 40},
    {"model=transformer latent=8", "decoder.1.cross.W_dkv", 8, 40},
    {"model=transformer latent=8", "decoder.1.cross.W_uk", 48, 8},
    {"model=transformer latent=8", "decoder.1.cross.W_uv", 40, 8},
    {"model=transformer kv-heads=2", "decoder.1.self.W_k", 24, 40},
    {"model=transformer kv-heads=2", "decoder.1.self.W_v", 20, 40},
    {"model=transformer normalizer=null-key", "decoder.1.self.k_0", 0, 48},
    {"model=transformer normalizer=null-key kv-heads=2", "decoder.1.self.k_0", 0, 48},
    {"model=transformer normalizer=sink", "decoder.1.self.sink", 0, 4},
    {"model=transformer attention-gate=headwise", "decoder.1.self.W_g", 4, 40},
    {"model=transformer attention-gate=elementwise", "decoder.1.self.W_g", 40, 40},
    {"model=transformer attention=differential", "decoder.1.self.lambda_q1", 0, 6},
    {"model=transformer attention=differential", "decoder.1.self.head_norm", 0, 10},
    {"model=transformer attention=qk-norm", "decoder.1.self.g", 0, 4},
    /* for each head 12 decays and one beta */
    {"model=transformer attention=kda", "decoder.1.self.W_d", 52, 40},
    {"model=transformer attention=kda", "decoder.1.self.b_d", 0, 52},
    {"model=transformer ffn=20", "encoder.1.feedforward.W_1", 20, 40},
    {"model=transformer ffn=20", "encoder.1.feedforward.W_2", 40, 20},
    {"copy=yes", "copy.w_h", 1, 140},
    {"copy=yes", "copy.w_s", 1, 70},
    {"copy=yes", "copy.w_x", 1, 40},
};

START_TEST(tensors_of_mechanisms_have_shapes) {
    sa_settings settings;
    int found = 0;
    sa_settings_init(&settings);
    settings.embed = 40, settings.hidden = 70, settings.attn = 48, settings.maxout = 30;
    settings.shaw_distance = 3, settings.location_filters = 6, settings.location_width = 5;
    if (strstr(shapes[_i].options, "transformer"))
        settings.attention = SA_ATTENTION_SCALED_DOT, settings.heads = 4;
    set_all(&settings, shapes[_i].options);
    ck_assert_msg(sa_settings_check(&settings, &error), "%s", error.text);
    sizes = sa_sizes_of(&settings, KX, KY);
    sa_seq2seq_plan(&sizes, &plan);
    for (int i = 0; i < plan.count; i++)
        if (strcmp(plan.item[i].name, shapes[_i].name) == 0) {
            ck_assert_int_eq(plan.item[i].rows, shapes[_i].rows);
            ck_assert_int_eq(plan.item[i].cols, shapes[_i].cols);
            found++;
        }
    ck_assert_int_eq(found, 1);
}
END_TEST

/* ---- Initialization -------------------------------------------------------------------------- */

START_TEST(same_seed_same_bits) {
    for (int init = XAVIER; init <= PAPER; init++) {
        start(init, 5);
        sa_mat first = values;
        start(init, 5);
        ck_assert_mem_eq(first.x, values.x, sizeof(float) * plan.size);
        start(init, 6);
        ck_assert_mem_ne(first.x, values.x, sizeof(float) * plan.size);
    }
    ck_assert_double_gt(farthest(tensor("decoder.C_z"), tensor("decoder.C_r")), 0);
}
END_TEST

/* U U' = 1 for a square matrix of n rows, in blocks of 64 rows or not. */
START_TEST(recurrent_matrices_are_orthogonal) {
    const int n = (int[]){1, 2, 5, 64, 65, 130, 200}[_i / 2];
    sa_params alone = {0};
    sa_bind_matrix(&(sa_binder){.plan = &alone}, "part", "U", n, n, SA_INIT_RECURRENT);
    sa_mat U = sa_mat_alloc(&numbers, n, n), product = unset(n, n), one = filled(n, n, 0);
    ck_assert(sa_params_init(&alone, U.x, _i % 2, 3, NULL));
    sa_gemm_nt(U, U, 0, product);
    for (int i = 0; i < n; i++) sa_row(one, i)[i] = 1;
    ck_assert_double_le(farthest(product, one), 1e-5);
}
END_TEST

/* Of a uniform distribution: the bound is nearly reached, the deviation is bound / sqrt(3). */
static void check_uniform(const char *name, double bound) {
    double mean, deviation;
    sa_mat w = tensor(name);
    moments(w, &mean, &deviation);
    ck_assert_double_le(largest(w), bound * (1 + 1e-6));
    ck_assert_double_ge(largest(w), 0.9 * bound);
    ck_assert_double_eq_tol(deviation, bound / sqrt(3), 0.1 * bound);
    ck_assert_double_le(fabs(mean), 0.25 * bound);
}

START_TEST(xavier_stays_within_its_bounds) {
    start(XAVIER, 11);
    check_uniform("decoder.W_s", sqrt(6.0 / (70 + 70)));
    check_uniform("encoder.forward.W_z", sqrt(6.0 / (70 + 40)));
    check_uniform("attention.U_a", sqrt(6.0 / (50 + 140)));
    check_uniform("attention.v_a", sqrt(6.0 / (1 + 50)));
    check_uniform("readout.W_o", sqrt(6.0 / (200 + 30)));
    check_uniform("source.E",
                  sqrt(3.0 / 40)); /* rows of about unit length, whatever the vocabulary */
    check_uniform("target.E", sqrt(3.0 / 40));
    ck_assert_double_eq(largest(tensor("decoder.b_z")), 0);
    ck_assert_double_eq(largest(tensor("readout.b_o")), 0);
}
END_TEST

/* Whatever the size; biases and recurrent matrices, too. */
START_TEST(uniform_has_one_bound) {
    static const char *const names[] = {"source.E", "attention.U_a", "decoder.U", "readout.b_y"};
    start(UNIFORM, 11);
    for (int i = 0; i < 4; i++) check_uniform(names[i], 0.1);
}
END_TEST

/* Gains, and numbers that training moves from where their papers begin, with every --init. */
static const struct {
    int model, attention, normalizer, positions;
    const char *name;
    double number;
} constants[] = {
    {SA_MODEL_RECURRENT, SA_ATTENTION_MONOTONIC, 0, 0, "attention.g", 0.25}, /* 1 / sqrt(16) */
    {SA_MODEL_RECURRENT, SA_ATTENTION_MONOTONIC, 0, 0, "attention.r", -1},
    {SA_MODEL_RECURRENT, SA_ATTENTION_GLA, 0, 0, "attention.b_d", 0},
    {SA_MODEL_RECURRENT, SA_ATTENTION_DELTANET, 0, 0, "attention.b_d", 0},
    {SA_MODEL_RECURRENT, SA_ATTENTION_GATED_DELTANET, 0, 0, "attention.b_d", 3},
    {SA_MODEL_RECURRENT, SA_ATTENTION_KDA, 0, 0, "attention.b_d", 3},
    {SA_MODEL_RECURRENT, SA_ATTENTION_DOT, SA_NORMALIZER_SINK, 0, "attention.sink", 0},
    {SA_MODEL_RECURRENT, SA_ATTENTION_DOT, SA_NORMALIZER_SSMAX, 0, "attention.scale", 0.43},
    {SA_MODEL_RECURRENT, SA_ATTENTION_DOT, SA_NORMALIZER_SIGMOID, 0, "attention.shift", 0},
    {SA_MODEL_TRANSFORMER, SA_ATTENTION_DOT, 0, SA_POSITIONS_FORGETTING, "encoder.1.self.b_f", 3},
    {SA_MODEL_TRANSFORMER, SA_ATTENTION_DIFFERENTIAL, 0, 0, "decoder.1.cross.lambda_k2", 0.1},
    {SA_MODEL_TRANSFORMER, SA_ATTENTION_DIFFERENTIAL, 0, 0, "decoder.1.cross.head_norm", 1},
    {SA_MODEL_TRANSFORMER, SA_ATTENTION_DOT, 0, 0, "encoder.1.self.norm.g", 1},
};

START_TEST(constants_begin_at_their_own_numbers) {
    sa_settings settings;
    sa_settings_init(&settings);
    settings.model = constants[_i].model, settings.attention = constants[_i].attention;
    settings.normalizer = constants[_i].normalizer, settings.positions = constants[_i].positions;
    settings.embed = settings.hidden = settings.attn = settings.maxout = 16;
    for (int init = XAVIER; init <= UNIFORM; init++) {
        start_with(sa_sizes_of(&settings, KX, KY), init, 3);
        const sa_mat own = tensor(constants[_i].name);
        ck_assert_double_eq(farthest(own, filled(own.rows, own.cols, constants[_i].number)), 0);
    }
}
END_TEST

static void check_normal(const char *name, double wanted) {
    double mean, deviation;
    sa_mat w = tensor(name);
    moments(w, &mean, &deviation);
    const double standard_error = wanted / sqrt((double)w.rows * w.cols);
    ck_assert_double_le(fabs(mean), 4 * standard_error);
    ck_assert_double_eq_tol(deviation, wanted, 4 * standard_error);
    ck_assert_double_gt(largest(w), 2.5 * wanted); /* tails, unlike a uniform of the same width */
}

START_TEST(paper_has_its_deviations) {
    start(PAPER, 11);
    check_normal("source.E", 0.01);
    check_normal("target.E", 0.01);
    check_normal("encoder.backward.W", 0.01);
    check_normal("decoder.C_r", 0.01);
    check_normal("decoder.W_s", 0.01);
    check_normal("readout.W_o", 0.01);
    check_normal("attention.W_a", 0.001);
    check_normal("attention.U_a", 0.001);
    ck_assert_double_eq(largest(tensor("attention.v_a")), 0);
    ck_assert_double_eq(largest(tensor("encoder.forward.b")), 0);
    ck_assert_double_eq(largest(tensor("readout.b_y")), 0);
}
END_TEST

int main(void) {
    TCase *tests;
    Suite *suite = suite_of("params", &tests);
    tcase_add_checked_fixture(tests, numbers_open, numbers_close);
    tcase_add_test(tests, tensors_follow_each_other_without_gaps);
    tcase_add_test(tests, stacked_tensors_are_the_rows_of_one_block);
    tcase_add_test(tests, shapes_are_planned_and_bound);
    tcase_add_loop_test(tests, tensors_of_mechanisms_have_shapes, 0,
                        sizeof shapes / sizeof *shapes);
    tcase_add_test(tests, same_seed_same_bits);
    tcase_add_test(tests, a_large_vocabulary_needs_no_larger_room);
    tcase_add_loop_test(tests, recurrent_matrices_are_orthogonal, 0, 14);
    tcase_add_test(tests, xavier_stays_within_its_bounds);
    tcase_add_test(tests, paper_has_its_deviations);
    tcase_add_test(tests, uniform_has_one_bound);
    tcase_add_loop_test(tests, constants_begin_at_their_own_numbers, 0,
                        sizeof constants / sizeof *constants);
    return suite_run(suite);
}
