/* sa_align: words and unknown words at each site, several attributions at once, many pairs, and
 * what a model or a method does not have. */
#include "support/small_training.h"
#include "support/suite.h"

#include <math.h>
#include <softalign/report.h>

static sa_model *model;
static sa_pair pairs[] = {{.source = "w1 zork w0", .target = "v0 quux v1 v2", .line = 1},
                          {.source = "w4", .target = "v2 v4", .line = 2}};
enum { PAIRS = 2 };

static void open_model(const char *options) {
    sa_settings settings = small_settings();
    settings.ffn = 4;
    set_all(&settings, options);
    ck_assert_msg(train(&settings, false), "%s", error.text);
    model = sa_model_open(last_path, 1, &error);
    ck_assert_msg(model != NULL, "%s", error.text);
}

/* ---- Words ----------------------------------------------------------------------------------- */

/* The words of the rows, a colon, and those of the columns; "?" before those that are unknown. */
static char seen[256];

static void add_words(const char *const *word, const bool *unknown, int count) {
    for (int i = 0; i < count; i++)
        sprintf(seen + strlen(seen), "%s%s ", unknown[i] ? "?" : "", word[i]);
}

static bool read_words(void *context, size_t index, const sa_alignment *alignment, sa_error *why) {
    (void)context, (void)why;
    if (index) return true;
    *seen = 0;
    add_words(alignment->target, alignment->target_unknown, alignment->targets);
    strcat(seen, ": ");
    add_words(alignment->source, alignment->source_unknown, alignment->sources);
    for (int t = 0; t < alignment->targets; t++) {
        double sum = 0;
        for (int j = 0; j < alignment->sources; j++)
            sum += alignment->weights[t * alignment->sources + j];
        if (!alignment->method[0]) ck_assert_double_le(sum, 1 + 1e-5);
    }
    return true;
}

static void words_are(sa_align_options options, const char *wanted) {
    ck_assert_msg(sa_align(model, &options, pairs, PAIRS, read_words, NULL, &error), "%s",
                  error.text);
    ck_assert_str_eq(seen, wanted);
}

START_TEST(rows_and_columns_are_words_of_their_side) {
    static const char cross[] = "v0 ?quux v1 v2 </s> : w1 ?zork w0 </s> ",
                      encoder[] = "w1 ?zork w0 </s> : w1 ?zork w0 </s> ",
                      decoder[] = "<s> v0 ?quux v1 v2 : <s> v0 ?quux v1 v2 ",
                      prefix[] = "v0 ?quux v1 v2 </s> : w1 ?zork w0 </s> v0 ?quux v1 v2 ";
    open_model("model=transformer attention=scaled-dot layers=2");
    words_are((sa_align_options){0}, cross);
    words_are((sa_align_options){.at = SA_ALIGN_INPUT}, cross);
    words_are((sa_align_options){.site = SA_SITE_ENCODER}, encoder);
    words_are((sa_align_options){.site = SA_SITE_DECODER}, decoder);
    words_are((sa_align_options){.methods = "gradient"}, cross);
    words_are((sa_align_options){.methods = "gradient", .target_prefix = true}, prefix);
    sa_model_close(model);
}
END_TEST

/* ---- Many pairs ------------------------------------------------------------------------------ */

enum { MANY = 515 }; /* more than are aligned at once */
static sa_pair many[MANY];
static char many_words[MANY][2][8];

static bool is_in_order(void *context, size_t index, const sa_alignment *alignment, sa_error *why) {
    size_t *next = context;
    ck_assert_uint_eq(index, *next);
    ck_assert_str_eq(alignment->source[0], many_words[index][0]);
    ck_assert_str_eq(alignment->target[0], many_words[index][1]);
    ++*next;
    return *next < 514 || sa_fail(why, SA_CHECK, "enough");
}

START_TEST(many_pairs_keep_their_places) {
    size_t next = 0;
    open_model("steps=1");
    for (int i = 0; i < MANY; i++) {
        sprintf(many_words[i][0], "w%d", i), sprintf(many_words[i][1], "v%d", i % 60);
        many[i] = (sa_pair){.source = many_words[i][0], .target = many_words[i][1]};
    }
    ck_assert(!sa_align(model, NULL, many, MANY, is_in_order, &next, &error));
    ck_assert_str_eq(error.text, "enough");
    ck_assert_uint_eq(next, 514); /* it ends there */
    sa_model_close(model);
}
END_TEST

/* The probability is that of the same pair among the first, and each link has its word's weight. */
static bool is_like_the_first(void *context, size_t index, const sa_alignment *alignment,
                              sa_error *why) {
    double *log_p = context;
    const char *gold = many[index].gold;
    (void)why;
    if (index < 3) log_p[index] = alignment->log_probability;
    ck_assert_double_eq_tol(alignment->log_probability, log_p[index % 3], 1e-4);
    for (int s, t, used; sscanf(gold, "%d-%d%n", &s, &t, &used) == 2; gold += used)
        ck_assert_double_eq_tol(alignment->weights[t * alignment->sources + s], 1, 1e-6);
    return true;
}

/* Three pairs in turn: 512 of them are not whole turns. */
START_TEST(many_pairs_keep_their_words_and_links) {
    static const sa_pair three[] = {{.source = "w1 w2 w3", .target = "v1 v2", .gold = "2-0 0-1"},
                                    {.source = "w4", .target = "v4 v5 v6", .gold = "0-0 0-2"},
                                    {.source = "w5 w6", .target = "v7", .gold = "1-0"}};
    const sa_align_options options = {.override = {.kind = SA_OVERRIDE_GOLD}};
    double log_p[3];
    open_model("");
    for (int i = 0; i < MANY; i++) many[i] = three[i % 3];
    ck_assert_msg(sa_align(model, &options, many, MANY, is_like_the_first, log_p, &error), "%s",
                  error.text);
    sa_model_close(model);
}
END_TEST

/* ---- Attributions ---------------------------------------------------------------------------- */

enum { METHODS = 3, CELLS = 64 };
static double alone[METHODS][CELLS], gap_alone;
static const char *const methods[METHODS] = {"attention", "integrated-gradients", "occlusion"};

static bool keep_alone(void *context, size_t index, const sa_alignment *alignment, sa_error *why) {
    double *to = context;
    const size_t size = (size_t)alignment->targets * (size_t)alignment->sources;
    (void)why;
    if (index) return true;
    ck_assert(alignment->heads == 1 && alignment->layers == 1 && size <= CELLS);
    memcpy(to, alignment->weights, size * sizeof *to);
    if (to == alone[1]) gap_alone = alignment->gap;
    return true;
}

static bool compare_all(void *context, size_t index, const sa_alignment *alignment, sa_error *why) {
    const int size = alignment->targets * alignment->sources;
    (void)context, (void)why;
    if (index) return true;
    ck_assert_int_eq(alignment->heads, METHODS);
    for (int k = 0; k < METHODS; k++) {
        ck_assert_str_eq(alignment->method[k], methods[k]);
        const double *own = sa_alignment_weights(alignment, 1, k + 1);
        for (int i = 0; i < size; i++) ck_assert_double_eq_tol(own[i], alone[k][i], 1e-12);
    }
    const double *first = sa_alignment_weights(alignment, 0, 0);
    for (int i = 0; i < size; i++) ck_assert_double_eq_tol(first[i], alone[0][i], 1e-12);
    ck_assert(gap_alone > 0 && gap_alone < 0.1);
    ck_assert_double_eq_tol(alignment->gap, gap_alone, 1e-12);
    return true;
}

/* EOS, which nothing reads, keeps its own. */
START_TEST(rows_that_have_read_a_word_are_the_next) {
    static const char *const models[] = {"model=transformer attention=scaled-dot", "decoder=luong",
                                         "decoder=cgru"};
    const sa_align_options input = {.at = SA_ALIGN_INPUT};
    double writing[CELLS], reading[CELLS];
    enum { ROWS = 5, COLUMNS = 4 };
    for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
        open_model(models[i]);
        ck_assert(sa_align(model, NULL, pairs, PAIRS, keep_alone, writing, &error));
        ck_assert(sa_align(model, &input, pairs, PAIRS, keep_alone, reading, &error));
        for (int t = 0; t < ROWS; t++)
            ck_assert_mem_eq(reading + t * COLUMNS, writing + (t < ROWS - 1 ? t + 1 : t) * COLUMNS,
                             COLUMNS * sizeof *reading);
        ck_assert(memcmp(writing, reading, sizeof *reading * COLUMNS) != 0);
        sa_model_close(model);
    }
}
END_TEST

/* Each as if it were alone; that of attention is what is shown without one. */
START_TEST(attributions_stand_side_by_side) {
    double shown[CELLS], few[CELLS];
    open_model("");
    for (int k = 0; k < METHODS; k++) {
        const sa_align_options one = {.methods = methods[k]};
        ck_assert(sa_align(model, &one, pairs, PAIRS, keep_alone, alone[k], &error));
    }
    ck_assert(sa_align(model, NULL, pairs, PAIRS, keep_alone, shown, &error));
    for (int i = 0; i < 20; i++) ck_assert_double_eq(shown[i], alone[0][i]); /* 5 x 4 */
    const sa_align_options all = {.methods = "attention,integrated-gradients,occlusion"};
    ck_assert_msg(sa_align(model, &all, pairs, PAIRS, compare_all, NULL, &error), "%s", error.text);
    const sa_align_options steps[] = {{.methods = methods[1], .steps = 50},
                                      {.methods = methods[1], .steps = 1}};
    ck_assert(sa_align(model, &steps[0], pairs, PAIRS, keep_alone, few, &error));
    ck_assert_mem_eq(few, alone[1], 20 * sizeof *few); /* 50 without being asked */
    ck_assert(sa_align(model, &steps[1], pairs, PAIRS, keep_alone, few, &error));
    ck_assert(memcmp(few, alone[1], 20 * sizeof *few) != 0);
    sa_model_close(model);
}
END_TEST

/* ---- What there is not ----------------------------------------------------------------------- */

static bool ignore(void *context, size_t index, const sa_alignment *alignment, sa_error *why) {
    (void)index, (void)alignment, (void)why;
    ++*(int *)context;
    return true;
}

typedef struct refusal {
    sa_align_options options;
    const char *message; /* NULL: it is taken */
} refusal;

static void expect_refusals(const refusal *cases, size_t count) {
    for (size_t i = 0; i < count; i++) {
        int called = 0;
        const bool good = sa_align(model, &cases[i].options, pairs, PAIRS, ignore, &called, &error);
        ck_assert_msg(good == !cases[i].message, "%zu: %s", i, good ? "taken" : error.text);
        ck_assert_int_eq(called, good ? PAIRS : 0);
        if (good) continue;
        ck_assert_str_eq(error.text, cases[i].message);
        ck_assert_int_eq(error.code, SA_USAGE);
    }
}
#define REFUSALS(cases) expect_refusals(cases, sizeof cases / sizeof *cases)

#define OWN "attributions cover source words, with the model's own weights"
#define ONLY "--layer and --align-at apply only to the methods attention and norms"

START_TEST(a_recurrent_model_has_one_attention) {
    static const refusal cases[] = {
        {{.layer = 1}, NULL},
        {{.layer = 2}, "--layer 2: the model has 1"},
        {{.layer = -1}, "--layer -1: the model has 1"},
        {{.site = SA_SITE_ENCODER}, "--site encoder: the model has no attention there"},
        {{.site = SA_SITE_DECODER}, "--site decoder: the model has no attention there"},
        {{.site = 3}, "there is no attention site 3"},
        {{.at = SA_ALIGN_INPUT}, "--align-at input needs a Transformer, luong or cgru"},
        {{.target_prefix = true},
         "--target-prefix applies to attributions: choose some with --method"},
        {{.methods = "attention", .target_prefix = true},
         "--target-prefix: --method attention covers source words only"},
        {{.methods = "input-x-gradient,integrated-gradients,occlusion", .target_prefix = true},
         NULL},
        {{.methods = "flow"}, "method 'flow' was removed"},
        {{.methods = "gradient,adversarial"}, "method 'adversarial' was removed"},
        {{.methods = "gradiant"}, "unknown method 'gradiant' (did you mean 'gradient'?)"},
        {{.methods = "gradient,"}, "unknown method ''"},
        {{.methods = "rollout"},
         "--method rollout reads the layers of a Transformer or decoder-only model"},
        {{.methods = "gradient,gradient"}, "--method gradient: named twice"},
        {{.methods = "gradient", .layer = 1}, ONLY},
        {{.methods = "attention", .layer = 1}, NULL},
        {{.methods = "attention,gradient", .layer = 2}, "--layer 2: the model has 1"},
        {{.methods = "gradient", .site = SA_SITE_ENCODER}, OWN},
        {{.methods = "gradient", .override = {.kind = SA_OVERRIDE_UNIFORM}}, OWN},
        {{.methods = "attention", .override = {.kind = SA_OVERRIDE_UNIFORM}}, OWN},
    };
    open_model("");
    REFUSALS(cases);
    sa_model_close(model);
}
END_TEST

START_TEST(a_transformer_has_layers_and_sites) {
    static const refusal cases[] = {
        {{.layer = 2}, NULL},
        {{.layer = 3}, "--layer 3: the model has 2"},
        {{.layer = 2, .site = SA_SITE_ENCODER}, NULL},
        {{.at = SA_ALIGN_INPUT, .site = SA_SITE_ENCODER},
         "--align-at input links source and target: it needs --site cross"},
        {{.methods = "norms", .layer = 2, .at = SA_ALIGN_INPUT}, NULL},
        {{.methods = "norms", .layer = 3}, "--layer 3: the model has 2"},
        {{.methods = "gradient", .at = SA_ALIGN_INPUT}, ONLY},
        {{.methods = "norms", .target_prefix = true},
         "--target-prefix: --method norms covers source words only"},
        {{.methods = "value-zeroing", .target_prefix = true},
         "--target-prefix: --method value-zeroing covers source words only, except in a "
         "decoder-only model"},
        {{.methods = "rollout", .target_prefix = true},
         "--target-prefix: --method rollout covers source words only, except in a decoder-only "
         "model"},
    };
    open_model("model=transformer attention=scaled-dot layers=2");
    REFUSALS(cases);
    sa_model_close(model);
    open_model("model=decoder attention=scaled-dot layers=2 tie=three-way");
    static const refusal joint[] = {
        {{.methods = "rollout", .target_prefix = true}, NULL},
        {{.methods = "value-zeroing", .target_prefix = true}, NULL},
        {{.methods = "norms", .target_prefix = true},
         "--target-prefix: --method norms covers source words only"},
        {{.site = SA_SITE_DECODER}, NULL},
        {{.site = SA_SITE_ENCODER}, NULL},
    };
    REFUSALS(joint);
    sa_model_close(model);
}
END_TEST

#define MERGED ": --merged attends to both sides at once"
#define CHANGED "--method norms reads sums of weighted values, which "
#define SHARES "--method rollout divides rows of weights by their sums, which must be positive: "

/* Of both attentions of the decoder. */
START_TEST(attributions_presuppose_sums_of_shares) {
    static const struct {
        const char *options;
        const char *rollout, *norms; /* NULL: it is taken */
    } models[] = {
        {"attention=scaled-dot attention-gate=headwise", NULL, CHANGED "gate would change"},
        {"attention=scaled-dot exclusive=yes",
         SHARES "the weight on the word itself is lowered, and may be negative", NULL},
        {"attention=differential",
         SHARES "weights are the difference of two maps, which sums to 1 - lambda",
         CHANGED "head norm would change"},
    };
    for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
        char options[128];
        snprintf(options, sizeof options, "model=transformer %s", models[i].options);
        open_model(options);
        const refusal cases[] = {{{.methods = "rollout"}, models[i].rollout},
                                 {{.methods = "norms"}, models[i].norms}};
        REFUSALS(cases);
        sa_model_close(model);
    }
    static const refusal merged[] = {
        {{.methods = "rollout"}, "--method rollout" MERGED},
        {{.methods = "value-zeroing"}, "--method value-zeroing" MERGED},
    };
    open_model("model=transformer attention=scaled-dot merged=yes");
    REFUSALS(merged);
    sa_model_close(model);
}
END_TEST

static const sa_align_options *asked;

/* The matrix of each head, and their mean, in each layer that is shown; every layer is there. */
static bool are_means(void *context, size_t index, const sa_alignment *alignment, sa_error *why) {
    (void)context, (void)index, (void)why;
    const int size = alignment->targets * alignment->sources, layer = asked->layer;
    ck_assert(alignment->heads == 2 && alignment->layers == 2);
    for (int i = 0; i < size; i++) {
        double mean = 0;
        for (int head = 1; head <= 2; head++) {
            const double one = sa_alignment_weights(alignment, 1, head)[i],
                         two = sa_alignment_weights(alignment, 2, head)[i],
                         shown = layer == 0   ? (one + two) / 2
                                 : layer == 1 ? one
                                              : two;
            ck_assert_double_eq_tol(sa_alignment_weights(alignment, 0, head)[i], shown, 1e-12);
            mean += shown / 2;
        }
        ck_assert_double_eq_tol(alignment->weights[i], mean, 1e-12);
    }
    for (int i = 0; i < size; i += size - 1) /* the heads and layers differ */
        ck_assert_double_ne(sa_alignment_weights(alignment, 1, 1)[i],
                            sa_alignment_weights(alignment, 2, 2)[i]);
    return true;
}

START_TEST(means_are_of_the_layers_that_are_shown) {
    open_model("model=transformer attention=scaled-dot layers=2 heads=2");
    for (int site = SA_SITE_CROSS; site <= SA_SITE_ENCODER; site++)
        for (int layer = 0; layer <= 2; layer++) {
            const sa_align_options options = {.site = (sa_attention_site)site, .layer = layer};
            asked = &options;
            ck_assert_msg(sa_align(model, &options, pairs, PAIRS, are_means, NULL, &error), "%s",
                          error.text);
        }
    sa_model_close(model);
}
END_TEST

START_TEST(without_attention_words_have_gradients) {
    static const char none[] = "the model has no attention: its decoder is 'fixed'";
    static const refusal cases[] = {{{0}, none},
                                    {{.methods = "attention"}, none},
                                    {{.methods = "gradient,attention"}, none},
                                    {{.methods = "gradient"}, NULL}};
    open_model("decoder=fixed");
    REFUSALS(cases);
    sa_model_close(model);
}
END_TEST

/* ---- From subwords to words ------------------------------------------------------------------ */

/* log p of a word is the sum over its subwords, p_gen their mean, and it is unknown if one is. */
START_TEST(numbers_of_subwords_are_merged) {
    static const char *target[] = {"a@@", "b@@", "c", "d", "</s>"},
                      *source[] = {"x", "y@@", "</s>"};
    static const double weights[15] = {0.5, 0.25, 0.25, 0.5, 0.5, 0, 0.125, 0.375,
                                       0.5, 1,    0,    0,   0,   0, 1},
                        log_p[] = {-1, -2, -4, -8, -16}, p_gen[] = {0.25, 0.5, 0.75, 1, 0.125};
    static const bool unknown[] = {false, true, false, false, false};
    const sa_alignment subwords = {.targets = 5,
                                   .sources = 3,
                                   .heads = 1,
                                   .layers = 1,
                                   .target = target,
                                   .source = source,
                                   .weights = weights,
                                   .token_log_probabilities = log_p,
                                   .generation_probabilities = p_gen,
                                   .target_unknown = unknown,
                                   .source_unknown = unknown};
    sa_alignment words;
    ck_assert_msg(sa_alignment_merge(&subwords, &words, &error), "%s", error.text);
    ck_assert(words.targets == 3 && words.sources == 3);
    ck_assert_str_eq(words.target[0], "abc");
    ck_assert_str_eq(words.target[1], "d");
    ck_assert_str_eq(words.target[2], "</s>");
    ck_assert_str_eq(words.source[1], "y");
    ck_assert_double_eq(words.token_log_probabilities[0], -7);
    ck_assert_double_eq(words.token_log_probabilities[2], -16);
    ck_assert_double_eq(words.generation_probabilities[0], 0.5);
    ck_assert_double_eq(words.generation_probabilities[1], 1);
    ck_assert(words.target_unknown[0] && !words.target_unknown[1] && !words.target_unknown[2]);
    ck_assert(!words.source_unknown[0] && words.source_unknown[1] && !words.source_unknown[2]);
    ck_assert_double_eq_tol(words.weights[0], 1.125 / 3, 1e-15);
    ck_assert_double_eq_tol(words.weights[2], 0.75 / 3, 1e-15);
    ck_assert_double_eq(words.weights[3], 1);
    sa_alignment_release(&words);
}
END_TEST

/* ---- The mean of several models -------------------------------------------------------------- */

START_TEST(weights_are_averaged) {
    static char paths[3][160];
    const char *const all[] = {paths[0], paths[1], paths[0]}, *name;
    const char *mean_path = scratch_path("mean");
    char wanted[400];
    int rows, cols;
    sa_model *models[3];
    for (int i = 0; i < 3; i++) {
        sa_settings settings = small_settings();
        settings.seed = i + 1, settings.steps = 3;
        if (i == 2) settings.hidden = 5;
        ck_assert_msg(train(&settings, false), "%s", error.text);
        strcpy(paths[i], scratch_path(i == 0 ? "one" : i == 1 ? "two" : "three"));
        ck_assert_int_eq(rename(last_path, paths[i]), 0);
        if (i < 2) ck_assert((models[i] = sa_model_open(paths[i], 1, &error)));
    }
    ck_assert_msg(sa_average_models(all, 3, mean_path, &error), "%s", error.text);
    ck_assert((models[2] = sa_model_open(mean_path, 1, &error)));
    const float *x;
    for (size_t i = 0; (x = sa_model_tensor(models[2], i, &name, &rows, &cols)); i++) {
        const float *a = sa_model_tensor(models[0], i, &name, &rows, &cols),
                    *b = sa_model_tensor(models[1], i, &name, &rows, &cols);
        for (int k = 0; k < (rows ? rows : 1) * cols; k++)
            ck_assert_float_eq(x[k], (float)((2 * (double)a[k] + (double)b[k]) / 3));
    }
    for (int i = 0; i < 3; i++) sa_model_close(models[i]);
    const char *const odd[] = {paths[0], paths[2]}, *const gap[] = {paths[0], NULL};
    ck_assert(!sa_average_models(odd, 2, mean_path, &error));
    snprintf(wanted, sizeof wanted, "'%s' has a different --hidden from '%s'", paths[2], paths[0]);
    ck_assert_str_eq(error.text, wanted);
    ck_assert(!sa_average_models(gap, 2, mean_path, &error));
    ck_assert_str_eq(error.text, "'models[1]' is NULL");
    ck_assert(!sa_average_models(gap + 1, 1, mean_path, &error));
    ck_assert_str_eq(error.text, "'models[0]' is NULL");
    ck_assert(!sa_average_models(all, 0, mean_path, &error));
    ck_assert_str_eq(error.text, "no models to average");
    sa_settings lower = small_settings();
    lower.lowercase = true, lower.steps = 1;
    ck_assert_msg(train(&lower, false), "%s", error.text);
    const char *const cased[] = {paths[0], last_path};
    ck_assert(!sa_average_models(cased, 2, mean_path, &error));
    snprintf(wanted, sizeof wanted, "'%s' has a different --lowercase from '%s'", last_path,
             paths[0]);
    ck_assert_str_eq(error.text, wanted);
    scratch_write(train_path, "w1 w0\tv1 v0\nw2 w1\tv2 v1\n", 24);
    const sa_settings settings = small_settings();
    ck_assert_msg(train(&settings, false), "%s", error.text);
    const char *const other[] = {paths[0], last_path};
    ck_assert(!sa_average_models(other, 2, mean_path, &error));
    snprintf(wanted, sizeof wanted, "'%s' has a different vocabulary from '%s'", last_path,
             paths[0]);
    ck_assert_str_eq(error.text, wanted);
    ck_assert_int_eq(error.code, SA_USAGE);
}
END_TEST

int main(void) {
    TCase *tests;
    Suite *suite = suite_of("alignment", &tests);
    tcase_add_checked_fixture(tests, set_up, scratch_remove);
    tcase_add_test(tests, rows_and_columns_are_words_of_their_side);
    tcase_add_test(tests, many_pairs_keep_their_places);
    tcase_add_test(tests, many_pairs_keep_their_words_and_links);
    tcase_add_test(tests, rows_that_have_read_a_word_are_the_next);
    tcase_add_test(tests, attributions_stand_side_by_side);
    tcase_add_test(tests, a_recurrent_model_has_one_attention);
    tcase_add_test(tests, a_transformer_has_layers_and_sites);
    tcase_add_test(tests, attributions_presuppose_sums_of_shares);
    tcase_add_test(tests, means_are_of_the_layers_that_are_shown);
    tcase_add_test(tests, without_attention_words_have_gradients);
    tcase_add_test(tests, numbers_of_subwords_are_merged);
    tcase_add_test(tests, weights_are_averaged);
    return suite_run(suite);
}
