/* A file of src/paper against the library in double precision: its parameters, loss and gradients
 * on a batch, and 200 updates. Who includes it has included the file, and defines:
 *
 *     settle()         the sizes of M, and the settings of the same model in the library
 *     smoothing()      of labels
 *     learn(i)         update i of M, from the gradients of PAIRS pairs
 *     MODEL_VECTORS    the four long vectors of M
 *     MOST_IN_FLOAT    relative difference of a gradient in single precision */
enum { PAIRS = 5, UPDATED = 200 };

static const int lengths[PAIRS][2] = {{3, 4}, {8, 1}, {1, 7}, {5, 4}, {6, 6}}; /* with EOS */
static pair pairs[PAIRS];
static sa_sentence source[PAIRS], target[PAIRS];
static int32_t ids[2][PAIRS][LONGEST];

static model M;
static sa_settings settings;
static sa_sizes sizes;
static sa_params plan;
static double *values, *gradients; /* of the library */

static void settle(void);
static double smoothing(void);
static void learn(int i);

static sa_sentence drawn_sentence(int length, int words, int32_t *to, sentence *same) {
    for (int i = 0; i < length; i++) {
        do to[i] = i == length - 1 ? EOS : (int32_t)sa_rng_below(&dice, (uint32_t)words);
        while (to[i] == BOS || (to[i] == EOS && i < length - 1));
        same->id[i] = to[i];
    }
    same->length = length;
    return (sa_sentence){to, length};
}

/* The library's parameter that a matrix of the file is. */
static const sa_param *param_of(const matrix *W) {
    int i = 0;
    while (i < plan.count && strcmp(plan.item[i].name, W->name) != 0) i++;
    ck_assert_msg(i < plan.count, "the library has no %s", W->name);
    return &plan.item[i];
}

static void end(void) {
    real *vectors[] = MODEL_VECTORS;
    for (int i = 0; i < 4; i++) free(vectors[i]);
}

/* Two equal models with random weights, and the same pairs for both. */
static void begin(void) {
    sa_settings_init(&settings);
    settings.dropout = 0;
    settings.batch = PAIRS;
    settings.shards = 1;
    settle();
    const int words[2] = {SPECIAL + M.words[0].count, SPECIAL + M.words[1].count};
    allocate_model(&M, "test");
    sizes = sa_sizes_of(&settings, words[0], words[1]);
    sa_seq2seq_plan(&sizes, &plan);
    ck_assert_int_eq(plan.count, M.matrices);
    ck_assert_int_eq((long long)plan.size, M.total);
    values = filled(1, (int)plan.size, 0).x;
    gradients = filled(1, (int)plan.size, 0).x;
    for (int k = 0; k < M.matrices; k++) {
        const matrix *W = M.all[k];
        const sa_param *param = param_of(W);
        ck_assert_int_eq(param->rows ? param->rows : 1, W->rows);
        ck_assert_int_eq(param->cols, W->cols);
        for (int i = 0; i < W->rows * W->cols; i++) {
            W->w[i] = (float)(2 * sa_rng_uniform(&dice) - 1);
            values[param->offset + (size_t)i] = (double)W->w[i];
        }
    }
    for (int p = 0; p < PAIRS; p++) {
        source[p] = drawn_sentence(lengths[p][0], words[0], ids[0][p], &pairs[p][0]);
        target[p] = drawn_sentence(lengths[p][1], words[1], ids[1][p], &pairs[p][1]);
    }
}

static double learn_batch(void) {
    static pass P;
    double loss = 0;
    for (int p = 0; p < PAIRS; p++) {
        forget();
        loss += pair_forward(&M, &pairs[p][0], &pairs[p][1], &P);
        pair_backward(&M, &pairs[p][1], &P);
    }
    return loss;
}

/* Of every tensor the norm of the difference, by that of the library's, is at most `most`. The file
 * adds gradients up, the library takes their mean. */
static void expect_close(bool gradient, double most) {
    double worst = 0;
    for (int k = 0; k < M.matrices; k++) {
        const matrix *W = M.all[k];
        const double *theirs = (gradient ? gradients : values) + param_of(W)->offset;
        double apart = 0, size = 0;
        for (int i = 0; i < W->rows * W->cols; i++) {
            const double ours = gradient ? (double)W->dw[i] / PAIRS : (double)W->w[i];
            apart += (ours - theirs[i]) * (ours - theirs[i]);
            size += theirs[i] * theirs[i];
        }
        const double relative = sqrt(apart / size);
        worst = relative > worst ? relative : worst;
        ck_assert_msg(relative <= most, "%s: %.3g apart", W->name, relative);
    }
    printf("%s: at most %.2g apart\n", gradient ? "gradients" : "weights", worst);
}

static bool is_double(void) {
    return sizeof(real) == sizeof(double);
}

START_TEST(loss_and_gradients_are_those_of_the_library) {
    const double most = is_double() ? 1e-12 : MOST_IN_FLOAT;
    sa_pass activations;
    sa_seq2seq w, dw;
    double theirs = 0;
    begin();
    sa_batch batch = sa_batch_build(&numbers, source, target, PAIRS);
    sa_seq2seq_bind_buffer(&sizes, values, &w);
    sa_seq2seq_bind_buffer(&sizes, gradients, &dw);
    sa_pass_layout(&numbers, &w, &batch, true, &activations);
    sa_seq2seq_loss(&w, &batch, (sa_regularizer){.smoothing = smoothing()}, &activations, &dw);
    for (int i = 0; i < batch.target.words; i++) theirs -= activations.objective[i];
    ck_assert_double_eq_tol(learn_batch(), theirs, most * theirs);
    expect_close(true, most);
    end();
}
END_TEST

/* In double precision: the trainer is compiled into this program a second time. */
START_TEST(updates_are_those_of_the_library) {
    static const sa_dataset longest = {.longest_source = 8, .longest_target = 8};
    sa_trainer trainer;
    sa_step_result result;
    sa_error error;
    if (!is_double()) return;
    begin();
    sa_pool *pool = sa_pool_open(1, &error);
    ck_assert_msg(
        sa_trainer_open(&trainer, &settings, &sizes, values, &longest, pool, NULL, &error), "%s",
        error.text);
    for (int i = 0; i < UPDATED; i++) {
        const double loss = learn_batch();
        learn(i + 1);
        ck_assert(sa_trainer_step(&trainer, source, target, NULL, PAIRS, &result, &error));
        if (smoothing() == 0) ck_assert_double_eq_tol(loss, result.loss, 1e-8 * result.loss);
    }
    printf("loss after %d updates: %g\n", UPDATED, result.loss);
    expect_close(false, 1e-11);
    sa_trainer_close(&trainer);
    sa_pool_close(pool);
    end();
}
END_TEST

int main(void) {
    TCase *tests;
    Suite *suite = suite_of(NAME, &tests);
    tcase_add_checked_fixture(tests, numbers_open, numbers_close);
    tcase_add_test(tests, loss_and_gradients_are_those_of_the_library);
    tcase_add_test(tests, updates_are_those_of_the_library);
    return suite_run(suite);
}
