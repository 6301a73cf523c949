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

static void open_family(const char *family, const char *options) {
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
    set_all(&settings, options);
    ck_assert_msg(train(&settings, false), "%s", error.text);
    snprintf(path, sizeof path, "%s/best.safetensors", out_path);
    ck_assert((model = sa_model_open(path, 1, &error)));
}

static void open_model(void) {
    open_family("transformer", "");
}

static void open_decoder(void) {
    open_family("decoder", "");
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

/* C_wu = sum E_w W_v' W_o' W_U': of all words but the special ones. Heads may share their W_v, or
 * have each its part of E_w. */
static void copying_of(int number, double *share, double *trace) {
    const sa_transformer *w = &model->w.transformer;
    const sa_attention *own = &w->decoder.layer[number / HEADS].self.attention;
    const sa_mat E = w->target_E, W_v = own->W_v.mat, W_c = own->W_c.mat,
                 W_U = w->vocabulary.W_o.mat;
    const int V = E.rows - SA_SPECIAL_TOKENS, m = E.cols, d = m / HEADS, head = number % HEADS;
    const int group = W_v.rows > d ? head : 0, part = W_v.cols, from = part < m ? head * part : 0;
    double C[16][16], sum = 0, squares = 0;
    ck_assert(V > 2 && V <= 16);
    *share = *trace = 0;
    for (int i = 0; i < V; i++)
        for (int j = 0; j < V; j++) {
            C[i][j] = 0;
            for (int o = 0; o < m; o++)
                for (int k = 0; k < d; k++)
                    for (int e = 0; e < part; e++)
                        C[i][j] +=
                            (double)(sa_row(E, SA_SPECIAL_TOKENS + i)[from + e] *
                                     sa_row(W_v, group * d + k)[e] * sa_row(W_c, o)[head * d + k] *
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
    static const char *const options[] = {"", "kv-heads=1", "head-projection=split"};
    const sa_corpus corpus = {.name = "pairs", .pairs = pairs, .count = COUNT};
    const sa_align_options decoder = {.site = SA_SITE_DECODER};
    sa_head_scores scores;
    if (_i) close_model(), open_family("transformer", options[_i]);
    memset(before, 0, sizeof before), memset(matching, 0, sizeof matching);
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

/* Without a repeated word there is nothing to match. */
START_TEST(what_does_not_occur_has_no_mean) {
    const sa_corpus corpus = {.name = "pairs", .pairs = pairs + 1, .count = 1};
    sa_pair *const only = &pairs[1], saved = *only;
    sa_head_scores scores;
    only->target = "x y z";
    ck_assert_msg(sa_score_heads(model, &corpus, &scores, &error), "%s", error.text);
    *only = saved;
    ck_assert(isnan(scores.loss_repeated) && isnan(scores.each[0].prefix_matching));
    ck_assert(isnan(scores.each[0].loss_repeated_without));
    ck_assert_double_eq(scores.loss, scores.loss_new);
    ck_assert(!isnan(scores.loss) && !isnan(scores.each[0].previous_word));
    sa_head_scores_release(&scores);
}
END_TEST

/* ---- One stack for both sides ---------------------------------------------------------------- */

static sa_pair both[COUNT] = {{.source = "x y", .target = "y x y"},
                              {.source = "a", .target = "b b b a"},
                              {.source = "c b", .target = "z"}};
/* What it reads of a pair, the row that predicts the first target word, and how many rows. */
static const char *const joint_words[COUNT][MOST] = {
    {"x", "y", "</s>", "y", "x", "y"}, {"a", "</s>", "b", "b", "b", "a"}, {"c", "b", "</s>", "z"}};
static const int first_row[COUNT] = {2, 1, 2}, joint_rows[COUNT] = {4, 5, 2};

static bool add_joint_loss(void *context, size_t pair, const sa_alignment *alignment,
                           sa_error *why) {
    const char *const *word = joint_words[pair];
    (void)context, (void)why;
    ck_assert_int_eq(alignment->targets, joint_rows[pair]);
    for (int t = 0; t < alignment->targets; t++) {
        bool repeated = false;
        for (int i = first_row[pair] + t, j = 0; j + 1 < i; j++)
            repeated = repeated || strcmp(word[j], word[i]) == 0;
        loss[repeated] -= alignment->token_log_probabilities[t];
        counted[repeated]++;
    }
    return true;
}

/* The weights on the source, EOS included, or on the words after it. */
static bool add_joint_weights(void *context, size_t pair, const sa_alignment *alignment,
                              sa_error *why) {
    const bool after = *(const sa_attention_site *)context == SA_SITE_DECODER;
    const char *const *word = joint_words[pair];
    const int first = first_row[pair], from = after ? first + 1 : 0, begin = after ? first : 0;
    (void)why;
    for (int number = 0; number < LAYERS * HEADS; number++) {
        const double *alpha =
            sa_alignment_weights(alignment, number / HEADS + 1, number % HEADS + 1);
        for (int t = 0; t < joint_rows[pair]; t++, alpha += alignment->sources)
            for (int i = first + t, j = from; j < i && (after || j <= first); j++) {
                if (j == i - 1 && i > 1) before[number] += alpha[j - begin];
                if (j > 0 && strcmp(word[j - 1], word[i]) == 0)
                    matching[number] += alpha[j - begin];
            }
    }
    return true;
}

START_TEST(heads_of_a_decoder_alone_attend_to_both_sides) {
    static sa_attention_site sites[] = {SA_SITE_CROSS, SA_SITE_DECODER};
    const sa_corpus corpus = {.name = "both", .pairs = both, .count = COUNT};
    sa_head_scores scores;
    loss[0] = loss[1] = counted[0] = counted[1] = 0;
    memset(before, 0, sizeof before), memset(matching, 0, sizeof matching);
    ck_assert_msg(sa_score_heads(model, &corpus, &scores, &error), "%s", error.text);
    ck_assert(sa_align(model, NULL, both, COUNT, add_joint_loss, NULL, &error));
    ck_assert(counted[0] == 6 && counted[1] == 5);
    ck_assert_double_eq_tol(scores.loss_new, loss[0] / 6, 1e-9);
    ck_assert_double_eq_tol(scores.loss_repeated, loss[1] / 5, 1e-9);
    for (int k = 0; k < 2; k++) {
        const sa_align_options options = {.site = sites[k]};
        ck_assert(sa_align(model, &options, both, COUNT, add_joint_weights, &sites[k], &error));
    }
    for (int number = 0; number < LAYERS * HEADS; number++) {
        ck_assert_double_eq_tol(scores.each[number].previous_word, before[number] / 10, 1e-9);
        ck_assert_double_eq_tol(scores.each[number].prefix_matching, matching[number] / 5, 1e-9);
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
    tcase_add_loop_test(tests, every_head_has_its_scores, 0, 3);
    tcase_add_test(tests, what_does_not_occur_has_no_mean);
    tcase_add_test(tests, bos_is_read_first);
    TCase *alone = tcase_create("decoder-only");
    tcase_add_checked_fixture(alone, open_decoder, close_model);
    tcase_add_test(alone, heads_of_a_decoder_alone_attend_to_both_sides);
    tcase_add_test(alone, a_decoder_alone_reads_the_end_of_the_source_first);
    suite_add_tcase(suite, alone);
    return suite_run(suite);
}
