/* What each head of a decoder attends to, copies and is worth, by loops over its matrices. */
#include "inference/model.h"
#include "support/small_training.h"
#include "support/suite.h"

#include <math.h>
#include <softalign/report.h>

enum { HEADS = 2, LAYERS = 2, COUNT = 3, MOST = 8 };

/* The words of the targets, as they are read after BOS (word 0). */
static const int words_read[COUNT][MOST] = {{0, 1, 2, 1, 2, 3}, {0, 3, 3, 3}, {0, 2, 1, 3, 2}};
static const int rows[COUNT] = {6, 4, 5};
static sa_pair pairs[COUNT] = {{.source = "a b a b c", .target = "x y x y z"},
                               {.source = "c c c", .target = "z z z"},
                               {.source = "b a c b", .target = "y x z y"}};
static sa_model *model;

static void open_family(const char *family) {
    static const char text[] = "a b\tx y\nb c a\ty z x\na b c\tx y z\nc c\tz z\n";
    char path[160];
    set_up();
    scratch_write(train_path, text, sizeof text - 1);
    sa_settings settings = small_settings();
    ck_assert(sa_settings_set(&settings, "model", family, &error));
    ck_assert(sa_settings_set(&settings, "attention", "scaled-dot", &error));
    if (*family == 'd') ck_assert(sa_settings_set(&settings, "tie", "three-way", &error));
    settings.heads = HEADS, settings.layers = LAYERS, settings.ffn = 4;
    settings.lr = 0.05;
    ck_assert_msg(train(&settings, false), "%s", error.text);
    snprintf(path, sizeof path, "%s/best.safetensors", out_path);
    ck_assert((model = sa_model_open(path, 1, &error)));
}

static void open_model(void) {
    open_family("transformer");
}

static void open_decoder(void) {
    open_family("decoder");
}

static void close_model(void) {
    sa_model_close(model);
    scratch_remove();
}

/* ---- Sums over rows -------------------------------------------------------------------------- */

/* Whether the word of row t was read before, and not only right before. */
static bool is_repeated(int pair, int t) {
    for (int j = 0; j + 1 < t; j++)
        if (words_read[pair][j] == words_read[pair][t]) return true;
    return false;
}

static double loss[2]; /* of rows that are new, and repeated */
static int counted[2];

static bool add_loss(void *context, size_t pair, const sa_alignment *alignment, sa_error *why) {
    (void)context, (void)why;
    ck_assert_int_eq(alignment->targets, rows[pair]);
    for (int t = 0; t < alignment->targets; t++) {
        loss[is_repeated((int)pair, t)] -= alignment->token_log_probabilities[t];
        counted[is_repeated((int)pair, t)]++;
    }
    return true;
}

static void measure_losses(void) {
    loss[0] = loss[1] = counted[0] = counted[1] = 0;
    ck_assert(sa_align(model, &(sa_align_options){0}, pairs, COUNT, add_loss, NULL, &error));
}

static double before[LAYERS * HEADS], matching[LAYERS * HEADS]; /* sums of weights */

static bool add_weights(void *context, size_t pair, const sa_alignment *alignment, sa_error *why) {
    (void)context, (void)why;
    for (int number = 0; number < LAYERS * HEADS; number++) {
        const double *alpha =
            sa_alignment_weights(alignment, number / HEADS + 1, number % HEADS + 1);
        for (int t = 1; t < rows[pair]; t++) {
            if (t > 1) before[number] += alpha[t * alignment->sources + t - 1];
            for (int j = 1; j < t; j++)
                if (words_read[pair][j - 1] == words_read[pair][t])
                    matching[number] += alpha[t * alignment->sources + j];
        }
    }
    return true;
}

/* ---- Scores ---------------------------------------------------------------------------------- */

/* C_wu = sum E_w W_v' W_o' W_U': of all words but the special ones. */
static void copying_of(int number, double *share, double *trace) {
    const sa_transformer *w = &model->w.transformer;
    const sa_attention *own = &w->decoder.layer[number / HEADS].self.attention;
    const sa_mat E = w->target_E, W_v = own->W_v.mat, W_c = own->W_c.mat,
                 W_U = w->vocabulary.W_o.mat;
    const int V = E.rows - SA_SPECIAL_TOKENS, m = E.cols, d = m / HEADS, head = number % HEADS;
    double C[16][16], sum = 0, squares = 0;
    ck_assert(V > 2 && V <= 16);
    *share = *trace = 0;
    for (int i = 0; i < V; i++)
        for (int j = 0; j < V; j++) {
            C[i][j] = 0;
            for (int o = 0; o < m; o++)
                for (int k = 0; k < d; k++)
                    for (int e = 0; e < m; e++)
                        C[i][j] +=
                            (double)(sa_row(E, SA_SPECIAL_TOKENS + i)[e] *
                                     sa_row(W_v, head * d + k)[e] * sa_row(W_c, o)[head * d + k] *
                                     sa_row(W_U, SA_SPECIAL_TOKENS + j)[o]);
            sum += C[i][j], squares += C[i][j] * C[i][j];
        }
    for (int i = 0; i < V; i++) {
        int best = 0;
        for (int j = 1; j < V; j++)
            if (C[i][j] > C[i][best]) best = j;
        *share += (best == i) / (double)V;
        *trace += C[i][i] / V;
    }
    *trace /= sqrt(squares / V / V - sum * sum / V / V / V / V);
}

/* The losses when the head's columns of W_o are 0. */
static void knock_out(int number) {
    const sa_mat W = model->w.transformer.decoder.layer[number / HEADS].self.attention.W_c.mat;
    const int d = W.cols / HEADS, first = number % HEADS * d;
    float saved[16 * 16];
    for (int i = 0; i < W.rows; i++)
        for (int k = 0; k < d; k++) {
            saved[i * d + k] = (float)sa_row(W, i)[first + k];
            sa_row(W, i)[first + k] = 0;
        }
    measure_losses();
    for (int i = 0; i < W.rows; i++)
        for (int k = 0; k < d; k++) sa_row(W, i)[first + k] = saved[i * d + k];
}

START_TEST(every_head_has_its_scores) {
    const sa_corpus corpus = {.name = "pairs", .pairs = pairs, .count = COUNT};
    const sa_align_options decoder = {.site = SA_SITE_DECODER};
    sa_head_scores scores;
    ck_assert_msg(sa_score_heads(model, &corpus, &scores, &error), "%s", error.text);
    ck_assert_uint_eq(scores.count, LAYERS * HEADS);
    measure_losses();
    ck_assert(counted[0] == 11 && counted[1] == 4);
    ck_assert_double_eq_tol(scores.loss, (loss[0] + loss[1]) / 15, 1e-9);
    ck_assert_double_eq_tol(scores.loss_new, loss[0] / 11, 1e-9);
    ck_assert_double_eq_tol(scores.loss_repeated, loss[1] / 4, 1e-9);
    ck_assert(sa_align(model, &decoder, pairs, COUNT, add_weights, NULL, &error));
    for (int number = 0; number < LAYERS * HEADS; number++) {
        const sa_head_score *own = &scores.each[number];
        double share, trace;
        ck_assert(own->layer == number / HEADS + 1 && own->head == number % HEADS + 1);
        ck_assert_double_eq_tol(own->previous_word, before[number] / 9, 1e-9);
        ck_assert_double_eq_tol(own->prefix_matching, matching[number] / 4, 1e-9);
        ck_assert_str_eq(own->role, ""); /* of nine rows */
        copying_of(number, &share, &trace);
        ck_assert_double_eq_tol(own->copying, share, 1e-9);
        ck_assert_double_eq_tol(own->copying_trace, trace, 1e-4);
        knock_out(number);
        ck_assert_double_eq_tol(own->loss_without, (loss[0] + loss[1]) / 15, 1e-9);
        ck_assert_double_eq_tol(own->loss_repeated_without, loss[1] / 4, 1e-9);
        ck_assert(own->loss_without != scores.loss);
    }
    sa_head_scores_release(&scores);
}
END_TEST

/* ---- What the decoder reads ------------------------------------------------------------------ */

static bool first_is(void *context, size_t pair, const sa_alignment *alignment, sa_error *why) {
    (void)pair, (void)why;
    ck_assert_str_eq(alignment->target[0], context);
    ck_assert_str_eq(alignment->source[0], context);
    return true;
}

START_TEST(bos_is_read_first) {
    const sa_align_options decoder = {.site = SA_SITE_DECODER};
    ck_assert(sa_align(model, &decoder, pairs, COUNT, first_is, "<s>", &error));
}
END_TEST

START_TEST(a_decoder_alone_reads_the_end_of_the_source_first) {
    const sa_align_options decoder = {.site = SA_SITE_DECODER};
    ck_assert_msg(sa_align(model, &decoder, pairs, COUNT, first_is, "</s>", &error), "%s",
                  error.text);
}
END_TEST

int main(void) {
    TCase *tests;
    Suite *suite = suite_of("head_scores", &tests);
    tcase_add_checked_fixture(tests, open_model, close_model);
    tcase_add_test(tests, every_head_has_its_scores);
    tcase_add_test(tests, bos_is_read_first);
    TCase *alone = tcase_create("decoder-only");
    tcase_add_checked_fixture(alone, open_decoder, close_model);
    tcase_add_test(alone, a_decoder_alone_reads_the_end_of_the_source_first);
    suite_add_tcase(suite, alone);
    return suite_run(suite);
}
