/* sa_explain with a model and texts: the pair that is told, the words that rows stand for, and what
 * a model does not have. And which pairs sa_prove takes. (grad_explain.c looks at the numbers.) */
#include "inference/model.h"
#include "lab/lab.h"
#include "support/small_training.h"
#include "support/suite.h"

#include <math.h>

enum { MOST = 2048 };

static sa_model *model;
static char text[1024]; /* of the pair: words with ids of both sides */
static int values, ends, first_step, last_step;
static double total;           /* log p of the words so far */
static char labels[MOST][160]; /* of each value: its name, what its rows stand for, and the words */

static void open_model(const char *options) {
    sa_settings settings = small_settings();
    settings.ffn = 4;
    set_all(&settings, options);
    ck_assert_msg(train(&settings, false), "%s", error.text);
    model = sa_model_open(last_path, 1, &error);
    ck_assert_msg(model != NULL, "%s", error.text);
}

/* A model of many source words and seven target words. */
static void open_uneven(void) {
    sa_buffer pairs = {0};
    for (int i = 0; i < 60; i++) sa_buffer_addf(&pairs, "w%d w%d\tv%d\n", i, i / 2, i % 7);
    scratch_write(train_path, pairs.text, pairs.size);
    sa_buffer_release(&pairs);
    open_model("");
    ck_assert_int_gt(sa_vocab_size(&model->source.vocab), 3 * sa_vocab_size(&model->target.vocab));
}

static void keep(void *context, const sa_explain_pair *pair, const sa_explain_value *value) {
    (void)context;
    *text = 0;
    for (int j = 0; j < pair->sources; j++)
        sprintf(text + strlen(text), "%s/%d ", pair->source[j], pair->source_token_ids[j]);
    strcat(text, pair->forced ? "=> " : "-> ");
    for (int t = 0; t < pair->targets; t++)
        sprintf(text + strlen(text), "%s/%d ", pair->target[t], pair->target_token_ids[t]);
    ends += !value;
    if (!value) return;
    ck_assert_int_lt(values, MOST);
    if (value->step && (!first_step || value->step < first_step)) first_step = value->step;
    if (value->step > last_step) last_step = value->step;
    if (strcmp(value->name, "total") == 0) total = *value->numbers;
    char *label = labels[values++];
    snprintf(label, sizeof *labels, "%s:", value->name);
    ck_assert((value->row != NULL) == (value->about != SA_ROWS_UNNAMED));
    for (int i = 0; value->row && i < value->rows && strlen(label) < 100; i++)
        snprintf(label + strlen(label), 50, " %.40s", value->row[i]);
    if (value->about != SA_ROWS_VOCABULARY) return;
    ck_assert_int_eq(value->rows, sa_vocab_size(&model->target.vocab));
    ck_assert_str_eq(value->row[SA_UNK], "<unk>");
    ck_assert_int_eq(value->chosen, pair->target_token_ids[value->step - 1]);
    if (value->chosen != SA_UNK)
        ck_assert_str_eq(value->row[value->chosen], pair->target[value->step - 1]);
}

static bool explain(sa_explain_options options) {
    options.each = keep;
    values = ends = first_step = last_step = 0;
    return sa_explain(model, &options, &error);
}

static int count_of(const char *label) {
    int count = 0;
    for (int i = 0; i < values; i++) count += strcmp(labels[i], label) == 0;
    return count;
}

static const char *pair_text(const char *const *source, const char *const *target) {
    static char wanted[512];
    *wanted = 0;
    for (int side = 0; side < 2; side++) {
        const sa_vocab *vocab = side ? &model->target.vocab : &model->source.vocab;
        for (const char *const *word = side ? target : source; *word; word++) {
            const bool end = strcmp(*word, "</s>") == 0;
            sprintf(wanted + strlen(wanted), "%s/%d ", *word,
                    end ? SA_EOS : sa_vocab_find(vocab, *word, strlen(*word)));
        }
        strcat(wanted, side ? "" : "=> ");
    }
    return wanted;
}

/* ---- Recurrent models ------------------------------------------------------------------------ */

START_TEST(rows_are_words) {
    static const char *const source[] = {"w1", "zork", "</s>", NULL}, *const target[] = {
                                                                          "v0", "quux", "v3",
                                                                          "</s>", NULL};
    open_model("");
    ck_assert_msg(explain((sa_explain_options){.source = "w1 zork", .target = "v0 quux v3"}), "%s",
                  error.text);
    ck_assert_str_eq(text, pair_text(source, target));
    ck_assert_ptr_nonnull(strstr(text, "zork/0 </s>/1 => "));
    ck_assert(ends == 1 && first_step == 1 && last_step == 4);
    ck_assert_int_eq(count_of("h: w1 zork </s>"), 1);
    ck_assert_int_eq(count_of("alpha: w1 zork </s>"), 4);
    ck_assert_int_eq(count_of("s:"), 4);
    ck_assert_msg(explain((sa_explain_options){.source = "w1", .target = "v0 v1", .step = 3}), "%s",
                  error.text);
    ck_assert(first_step == 3 && last_step == 3);
    ck_assert_int_eq(count_of("alpha: w1 </s>"), 1);
    ck_assert_msg(
        explain((sa_explain_options){
            .source = "w1", .target = "v0 v1", .annotations = true, .site = SA_SITE_DECODER}),
        "%s", error.text);
    ck_assert_int_eq(count_of("h: <s> v0 v1"), 2); /* as it is read, and the states */
    ck_assert_int_eq(values, 2);
    ck_assert_msg(
        explain((sa_explain_options){
            .source = "w1 w2", .target = "v0", .annotations = true, .site = SA_SITE_ENCODER}),
        "%s", error.text);
    ck_assert_int_eq(count_of("h: w1 w2 </s>"), 2);
    sa_model_close(model);
}
END_TEST

/* Without a target, the words are those of a greedy search. */
START_TEST(the_target_may_be_generated) {
    sa_search search;
    sa_translation out = {0};
    const char *const source = "w1 zork w0";
    char wanted[512] = "";
    open_model(_i ? "copy=yes steps=60 lr=0.02" : "");
    sa_search_init(&search);
    search.beam = 1, search.weights = true;
    ck_assert_msg(sa_translate(model, &source, 1, &search, &out, &error), "%s", error.text);
    for (int t = 0; t < out.words; t++) {
        const char *word = out.target[t];
        sprintf(wanted + strlen(wanted), "%s/%d ", word,
                strcmp(word, "</s>") == 0
                    ? SA_EOS
                    : sa_vocab_find(&model->target.vocab, word, strlen(word)));
    }
    ck_assert_msg(explain((sa_explain_options){.source = source}), "%s", error.text);
    ck_assert_ptr_nonnull(strstr(text, "-> "));
    ck_assert_str_eq(strstr(text, "-> ") + 3, wanted);
    ck_assert_int_eq(last_step, out.words);
    sa_translations_release(&out, 1);
    sa_model_close(model);
}
END_TEST

/* Vocabularies of different sizes are not mixed up: log p is that of the search. */
START_TEST(vocabularies_have_their_own_sizes) {
    sa_search search;
    sa_translation out = {0};
    const char *const source = "w1 w50 w0";
    open_uneven();
    sa_search_init(&search);
    search.beam = 1;
    ck_assert_msg(sa_translate(model, &source, 1, &search, &out, &error), "%s", error.text);
    ck_assert_msg(explain((sa_explain_options){.source = source}), "%s", error.text);
    ck_assert_int_eq(last_step, out.words);
    ck_assert_double_eq_tol(total, out.log_probability, 1e-4);
    sa_translations_release(&out, 1);
    sa_model_close(model);
}
END_TEST

typedef struct refusal {
    sa_explain_options options;
    const char *message; /* NULL: it is taken */
} refusal;

static void expect_refusals(const refusal *cases, size_t count) {
    for (size_t i = 0; i < count; i++) {
        sa_explain_options options = cases[i].options;
        if (!options.source) options.source = "w1 w2 w3", options.target = "v1 v2";
        const bool good = explain(options);
        ck_assert_msg(good == !cases[i].message, "%zu: %s", i, good ? "taken" : error.text);
        ck_assert_int_eq(ends, good);
        if (good) continue;
        ck_assert_str_eq(error.text, cases[i].message);
        ck_assert_int_eq(error.code, SA_USAGE);
        ck_assert_int_eq(values, 0);
    }
}
#define REFUSALS(cases) expect_refusals(cases, sizeof cases / sizeof *cases)

START_TEST(a_recurrent_model_has_steps) {
    static const refusal cases[] = {
        {{.step = 0}, NULL},
        {{.step = 3}, NULL},
        {{.step = 3, .layer = 1}, NULL},
        {{.step = 4}, "there is no step 4: the target has 3, EOS included"},
        {{.step = -1}, "there is no step -1: the target has 3, EOS included"},
        {{.layer = 2}, "--layer 2: applies to a Transformer"},
        {{.lens = true}, "--lens: applies to a Transformer"},
        {{.annotations = true}, "'options->site': there are no words of their own"},
        {{.site = SA_SITE_DECODER}, "--site decoder: applies to a Transformer"},
        {{.source = "", .target = "v1"}, "the source is empty"},
        {{.source = "w1", .target = ""}, NULL},
    };
    open_model("");
    REFUSALS(cases);
    sa_model_close(model);
}
END_TEST

/* ---- Transformers ---------------------------------------------------------------------------- */

#define TRANSFORMER "model=transformer attention=scaled-dot layers=2"

START_TEST(a_transformer_has_layers) {
    static const refusal cases[] = {
        {{.step = 1, .layer = 1}, NULL},
        {{.step = 3, .layer = 2}, NULL},
        {{.step = 1, .layer = 0}, "--layer 0: the decoder has 2"},
        {{.step = 1, .layer = 3}, "--layer 3: the decoder has 2"},
        {{.step = 1, .layer = 3, .site = SA_SITE_ENCODER}, "--layer 3: the encoder has 2"},
        {{.step = 0, .layer = 1}, "--all is for the steps of recurrent models"},
        {{.step = 4, .layer = 1}, "there is no word 4: the target has 3, EOS included"},
        {{.step = 4, .layer = 1, .site = SA_SITE_DECODER},
         "there is no word 4: the target has 3, EOS included"},
        {{.step = 4, .layer = 1, .site = SA_SITE_ENCODER}, NULL},
        {{.step = 5, .layer = 1, .site = SA_SITE_ENCODER},
         "there is no word 5: the source has 4, EOS included"},
        {{.step = -1, .layer = 1}, "there is no word -1: the target has 3, EOS included"},
        {{.lens = true}, NULL},
        {{.lens = true, .step = 3}, NULL},
        {{.lens = true, .step = 4}, "there is no word 4: the target has 3, EOS included"},
        {{.annotations = true, .site = SA_SITE_ENCODER}, NULL},
        {{.annotations = true}, "'options->site': there are no words of their own"},
    };
    open_model(TRANSFORMER);
    REFUSALS(cases);
    ck_assert(explain((sa_explain_options){
        .source = "w1 w2", .target = "v1", .step = 2, .layer = 1, .site = SA_SITE_DECODER}));
    ck_assert(count_of("x: <s> v1") == 1 && count_of("alpha: <s> v1") == 1);
    ck_assert(
        explain((sa_explain_options){.source = "w1 w2", .target = "v1", .step = 1, .layer = 2}));
    ck_assert(count_of("x: <s> v1") == 1 && count_of("h: w1 w2 </s>") == 1);
    ck_assert_int_eq(count_of("alpha: w1 w2 </s>"), 1);
    ck_assert(explain((sa_explain_options){
        .source = "w1 w2", .target = "v1", .annotations = true, .site = SA_SITE_DECODER}));
    ck_assert(values == 3 && count_of("h: <s> v1") == 3);
    sa_model_close(model);
}
END_TEST

/* The source stands before the target; what is generated begins after its end. */
START_TEST(a_decoder_alone_reads_both) {
    open_model("model=decoder attention=scaled-dot layers=2 tie=three-way");
    ck_assert_msg(
        explain((sa_explain_options){.source = "w1 w2", .target = "v1 v3", .step = 2, .layer = 1}),
        "%s", error.text);
    ck_assert_int_eq(count_of("x: w1 w2 </s> v1 v3"), 1);
    ck_assert_msg(
        explain((sa_explain_options){
            .source = "w1 w2", .target = "v1 v3", .annotations = true, .site = SA_SITE_DECODER}),
        "%s", error.text);
    ck_assert(values == 3 && count_of("h: </s> v1 v3") == 3);
    ck_assert_msg(
        explain((sa_explain_options){
            .source = "w1 w2", .target = "v1 v3", .annotations = true, .site = SA_SITE_ENCODER}),
        "%s", error.text);
    ck_assert(values == 3 && count_of("h: w1 w2 </s>") == 3);
    sa_model_close(model);
}
END_TEST

/* The words that the decoder has written follow the source's, after "<s>"; its own rows are the
 * last of these. */
START_TEST(merged_attention_reads_both) {
    open_model(TRANSFORMER " merged=yes");
    ck_assert_msg(explain((sa_explain_options){.source = "w1 w2",
                                               .target = "v1 v3",
                                               .step = 2,
                                               .layer = 1 + _i % 2,
                                               .site = _i / 2 ? SA_SITE_DECODER : SA_SITE_CROSS}),
                  "%s", error.text);
    ck_assert_int_eq(count_of("x: <s> v1 v3"), 1);
    ck_assert_int_eq(count_of("h: w1 w2 </s>"), 1);
    ck_assert_int_eq(count_of("k: w1 w2 </s> <s> v1 v3"), 1);
    ck_assert_int_eq(count_of("alpha: w1 w2 </s> <s> v1 v3"), 1);
    ck_assert_msg(
        explain((sa_explain_options){
            .source = "w1 w2", .target = "v1 v3", .annotations = true, .site = SA_SITE_DECODER}),
        "%s", error.text);
    ck_assert(values == 3 && count_of("h: <s> v1 v3") == 3);
    sa_model_close(model);
}
END_TEST

/* ---- Proofs ---------------------------------------------------------------------------------- */

static double worst[2][32];
static int checks;

static void keep_check(void *context, const sa_proof_check *check) {
    double *own = context;
    own[checks++] = check->worst;
}

static int prove(size_t count, int limit, double *own) {
    sa_pair pairs[] = {{.source = "w1 w2", .target = "v2 v1"},
                       {.source = "w3 w4 w5", .target = "v5"},
                       {.source = "w9 w8 w7 w6", .target = "v1 v1 v1"}};
    const sa_corpus corpus = {.pairs = pairs, .count = count, .name = "pairs"};
    const sa_prove_options proving = {
        .corpus = &corpus, .limit = limit, .seed = 1, .each = keep_check, .context = own};
    checks = 0;
    ck_assert_msg(sa_prove(model, &proving, &error), "%s", error.text);
    return checks;
}

static bool same(int count) {
    bool equal = true;
    for (int i = 0; i < count; i++)
        equal = equal && (worst[0][i] == worst[1][i] || (isnan(worst[0][i]) && isnan(worst[1][i])));
    return equal;
}

START_TEST(the_first_pairs_are_proven) {
    open_model("");
    const int count = prove(2, 9, worst[0]);
    ck_assert_int_gt(count, 4);
    ck_assert_int_eq(prove(3, 2, worst[1]), count);
    ck_assert(same(count));
    prove(3, 3, worst[1]);
    ck_assert(!same(count));
    sa_model_close(model);
}
END_TEST

static int32_t id_of(const sa_vocab *vocab, const char *word) {
    return sa_vocab_find(vocab, word, strlen(word));
}

/* Of the first pair of prove(), with vocabularies of different sizes. */
START_TEST(a_proof_is_that_of_the_words) {
    open_uneven();
    const sa_vocab *source = &model->source.vocab, *target = &model->target.vocab;
    const int32_t source_ids[] = {id_of(source, "w1"), id_of(source, "w2"), SA_EOS};
    const int32_t target_ids[] = {id_of(target, "v2"), id_of(target, "v1"), SA_EOS};
    const sa_sentence one = {source_ids, 3}, other = {target_ids, 3};
    const sa_lab_pairs pair = {&one, &other, 1, sa_vocab_size(source), sa_vocab_size(target)};
    const sa_prove_options proving = {.seed = 1, .each = keep_check, .context = worst[1]};
    const sa_lab_prove_job proof = {&model->settings, model->values, pair, &proving};
    const int count = prove(1, 9, worst[0]);
    checks = 0;
    ck_assert_msg(sa_lab_prove(&proof, &error), "%s", error.text);
    ck_assert_int_eq(checks, count);
    ck_assert(same(count));
    sa_model_close(model);
}
END_TEST

int main(void) {
    TCase *tests;
    Suite *suite = suite_of("explained_pair", &tests);
    tcase_add_checked_fixture(tests, set_up, scratch_remove);
    tcase_add_test(tests, rows_are_words);
    tcase_add_loop_test(tests, the_target_may_be_generated, 0, 2);
    tcase_add_test(tests, vocabularies_have_their_own_sizes);
    tcase_add_test(tests, a_recurrent_model_has_steps);
    tcase_add_test(tests, a_transformer_has_layers);
    tcase_add_test(tests, a_decoder_alone_reads_both);
    tcase_add_loop_test(tests, merged_attention_reads_both, 0, 4);
    tcase_add_test(tests, the_first_pairs_are_proven);
    tcase_add_test(tests, a_proof_is_that_of_the_words);
    return suite_run(suite);
}
