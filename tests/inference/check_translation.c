/* Translations: what stands in the result of each sentence, whatever the others are, and what
 * attributions of long sentences amount to. */
#include "support/small_training.h"
#include "support/suite.h"

#include <math.h>
#include <softalign/lab.h>

enum { SENTENCES = 7, MOST = 64 };

/* Of all lengths, in no order; two have nothing to translate. */
static const char *const sources[SENTENCES] = {
    "w1 zork w0", "", "w4", "w8 w4 w2 w1 w0 w9 w3", "   ", "zork quux", "w5 w2"};
static const int lengths[SENTENCES] = {3, 0, 1, 7, 0, 2, 2},
                 unknown[SENTENCES] = {1, 0, 0, 0, 0, 2};
static sa_model *model;
static sa_search search;

static void open_model(const char *options) {
    sa_settings settings = small_settings();
    settings.steps = 60, settings.lr = 0.02, settings.ffn = 4;
    set_all(&settings, options);
    ck_assert_msg(train(&settings, false), "%s", error.text);
    model = sa_model_open(last_path, 1, &error);
    ck_assert_msg(model != NULL, "%s", error.text);
    sa_search_init(&search);
}

/* The words of a list, separated by blanks, without a final EOS. */
static const char *joined(const char *const *word, int count) {
    static char text[512];
    *text = 0;
    for (int i = 0; i < count && strcmp(word[i], "</s>") != 0; i++)
        strcat(strcat(text, i ? " " : ""), word[i]);
    return text;
}

static void check_one(const sa_translation *one, int i) {
    ck_assert_int_eq(one->source_words, lengths[i]);
    ck_assert_int_eq(one->unknown_source, unknown[i]);
    ck_assert(!one->too_long);
    if (!lengths[i]) {
        ck_assert_str_eq(one->text, "");
        ck_assert(one->complete && !one->words && !one->target && !one->weights);
        return;
    }
    ck_assert_int_ge(one->words, 1);
    ck_assert_int_eq(one->complete, strcmp(one->target[one->words - 1], "</s>") == 0);
    ck_assert_str_eq(joined(one->target, one->words), one->text);
    ck_assert_int_eq(one->sources, lengths[i] + 1);
    ck_assert_str_eq(joined(one->source, one->sources), sources[i]);
    ck_assert_str_eq(one->source[one->sources - 1], "</s>");
    ck_assert_double_lt(one->log_probability, 0);
    for (int t = 0; t < one->words; t++) {
        double sum = 0;
        for (int j = 0; j < one->sources; j++) sum += one->weights[t * one->sources + j];
        ck_assert_double_eq_tol(sum, 1, 1e-5);
    }
}

/* As the sentences would be alone, the best first. */
START_TEST(each_sentence_has_its_own) {
    sa_translation all[SENTENCES * 3], alone[3];
    open_model("");
    search.beam = 3, search.nbest = 1 + 2 * (_i % 2), search.batch = 1 + _i / 2 * 31;
    search.weights = true;
    const int n = search.nbest;
    ck_assert_msg(sa_translate(model, sources, SENTENCES, &search, all, &error), "%s", error.text);
    for (int i = 0; i < SENTENCES; i++) {
        ck_assert(sa_translate(model, sources + i, 1, &search, alone, &error));
        for (int k = 0; k < n; k++) {
            const sa_translation *one = &all[i * n + k];
            if (!one->text) ck_assert_ptr_null(alone[k].text);
            if (!one->text) continue;
            ck_assert_double_eq_tol(one->score, alone[k].score, 1e-5);
            ck_assert_str_eq(one->text, alone[k].text);
            ck_assert(k == 0 || one->score <= one[-1].score);
            check_one(one, i);
        }
        sa_translations_release(alone, (size_t)n);
    }
    sa_translations_release(all, (size_t)(SENTENCES * n));
    for (int i = 0; i < SENTENCES * n; i++) ck_assert(!all[i].text && !all[i].target);
    sa_model_close(model);
}
END_TEST

START_TEST(details_are_for_who_asks) {
    sa_translation out[1];
    open_model("");
    ck_assert(sa_translate(model, sources, 1, &search, out, &error));
    ck_assert(out->text && !out->target && !out->source && !out->weights && !out->sources);
    sa_translations_release(out, 1);
    sa_model_close(model);
}
END_TEST

/* ---- Words that are given -------------------------------------------------------------------- */

/* Those that the model does not know keep their spelling. */
START_TEST(prefixes_are_taken_over) {
    static const char *const prefixes[SENTENCES] = {"v9 quux", "v1",           "",     "v3",
                                                    "v1",      "quux quux v0", "v2 v5"};
    sa_translation out[SENTENCES];
    open_model("");
    search.target_prefix = prefixes;
    ck_assert_msg(sa_translate(model, sources, SENTENCES, &search, out, &error), "%s", error.text);
    for (int i = 0; i < SENTENCES; i++) {
        const size_t size = strlen(prefixes[i]);
        if (!lengths[i]) ck_assert_str_eq(out[i].text, "");
        if (!lengths[i]) continue;
        ck_assert_msg(strncmp(out[i].text, prefixes[i], size) == 0, "%s", out[i].text);
        ck_assert(out[i].text[size] == 0 || out[i].text[size] == ' ' || !size);
    }
    sa_translations_release(out, SENTENCES);
    ck_assert(sa_model_set_max_len(model, 2, &error));
    ck_assert(!sa_translate(model, sources, SENTENCES, &search, out, &error));
    ck_assert_str_eq(error.text, "a target prefix has 3 tokens, more than 2");
    ck_assert_int_eq(error.code, SA_LIMIT);
    sa_model_close(model);
}
END_TEST

/* ---- Subwords -------------------------------------------------------------------------------- */

static bool take_words(void *context, size_t index, const sa_alignment *alignment, sa_error *why) {
    (void)index, (void)why;
    strcpy(context, joined(alignment->target, alignment->targets));
    return true;
}

/* A translation is spelled in other subwords if the text, read again, has others. */
START_TEST(other_spellings_are_noted) {
    sa_translation out[SENTENCES];
    int resplit = 0, same = 0;
    open_model("tokenizer=bpe bpe-merges=30");
    search.weights = true, search.sample = true;
    for (search.seed = 1; search.seed <= 6; search.seed++) {
        ck_assert(sa_translate(model, sources, SENTENCES, &search, out, &error));
        for (int i = 0; i < SENTENCES; i++) {
            char again[512];
            if (!lengths[i] || !out[i].complete) ck_assert(!out[i].resplit);
            if (!lengths[i] || !out[i].complete) continue;
            const sa_pair pair = {.source = "w1", .target = out[i].text};
            ck_assert(sa_align(model, NULL, &pair, 1, take_words, again, &error));
            const bool equal = strcmp(again, joined(out[i].target, out[i].words)) == 0;
            ck_assert_msg(out[i].resplit == !equal, "'%s' and '%s'", again,
                          joined(out[i].target, out[i].words));
            resplit += !equal, same += equal;
        }
        sa_translations_release(out, SENTENCES);
    }
    ck_assert(resplit > 0 && same > 0);
    sa_model_close(model);
}
END_TEST

/* ---- Long sentences -------------------------------------------------------------------------- */

enum { WORDS = 70, TARGETS = 3 }; /* more words than are hidden at once */
static double scores[TARGETS][WORDS + 1], log_p[TARGETS];

static bool take_scores(void *context, size_t index, const sa_alignment *alignment, sa_error *why) {
    (void)context, (void)index, (void)why;
    ck_assert(alignment->targets == TARGETS && alignment->sources == WORDS + 1);
    memcpy(scores, alignment->weights, sizeof scores);
    return true;
}

static bool take_log_p(void *context, size_t index, const sa_alignment *alignment, sa_error *why) {
    (void)context, (void)index, (void)why;
    memcpy(log_p, alignment->token_log_probabilities, sizeof log_p);
    return true;
}

/* The source, with an unknown word in place of one. */
static const char *long_source(int hidden) {
    static char text[WORDS * 5];
    *text = 0;
    for (int j = 0; j < WORDS; j++)
        sprintf(text + strlen(text), j == hidden ? "%szork" : "%sw%d", j ? " " : "", j % 9);
    return text;
}

/* What each word changes is what another sentence, without it, has. */
START_TEST(words_of_long_sentences_are_hidden) {
    double whole[TARGETS];
    const sa_align_options occlusion = {.methods = "occlusion"};
    open_model("");
    sa_pair pair = {.source = long_source(-1), .target = "v1 v0"};
    ck_assert(sa_align(model, &occlusion, &pair, 1, take_scores, NULL, &error));
    ck_assert(sa_align(model, NULL, &pair, 1, take_log_p, NULL, &error));
    memcpy(whole, log_p, sizeof whole);
    for (int j = 0; j < WORDS; j++) {
        pair.source = long_source(j);
        ck_assert(sa_align(model, NULL, &pair, 1, take_log_p, NULL, &error));
        for (int t = 0; t < TARGETS; t++)
            ck_assert_double_eq_tol(scores[t][j], whole[t] - log_p[t], 1e-5);
    }
    sa_model_close(model);
}
END_TEST

/* ---- Ensembles ------------------------------------------------------------------------------- */

/* The weights are the mean over the models that attend, whichever they are. */
START_TEST(ensembles_attend_with_those_that_can) {
    static const char *const options[] = {"", "decoder=fixed", "seed=2 heads=2"};
    static const int orders[][3] = {{0, 1, 2}, {1, 2, 0}, {2, 0, 1}};
    sa_model *models[3];
    sa_translation found[SENTENCES];
    for (int m = 0; m < 3; m++) open_model(options[m]), models[m] = model;
    search.weights = true;
    for (int k = 0; k < 3; k++) {
        sa_model *const all[] = {models[orders[k][0]], models[orders[k][1]], models[orders[k][2]]};
        ck_assert_msg(sa_translate_ensemble(all, 3, sources, SENTENCES, &search, found, &error),
                      "%s", error.text);
        for (int i = 0; i < SENTENCES; i++) check_one(&found[i], i);
        sa_translations_release(found, SENTENCES);
    }
    for (int m = 0; m < 3; m++) sa_model_close(models[m]);
}
END_TEST

static const char other_words[] =
    "models with different source tokenizers translate together without copying and without what "
    "needs their attention weights";

/* Models that read the source in other words have no common weights, wherever the other one is. */
START_TEST(ensembles_of_other_words_have_no_weights) {
    sa_translation found[SENTENCES];
    sa_model *models[2];
    open_model(""), models[0] = model;
    open_model("source-tokenizer=char max-len=20"), models[1] = model;
    sa_model *const all[] = {models[0], models[1], models[0]};
    for (int way = 0; way < 5; way++) {
        sa_search_init(&search);
        search.weights = way == 1, search.replace_unknown = way == 2;
        search.coverage = way == 3 ? 0.2 : 0;
        search.override.kind = way == 4 ? SA_OVERRIDE_UNIFORM : SA_OVERRIDE_NONE;
        const bool good = sa_translate_ensemble(all, 3, sources, SENTENCES, &search, found, &error);
        ck_assert_msg(good == !way, "%d: %s", way, error.text);
        if (good) sa_translations_release(found, SENTENCES);
        if (!good) ck_assert_str_eq(error.text, other_words);
    }
    sa_model_close(models[0]), sa_model_close(models[1]);
}
END_TEST

/* Of models that read the source in other words, none may copy, whichever it is. */
START_TEST(ensembles_of_other_words_do_not_copy) {
    static const char *const options[] = {"", "source-tokenizer=char max-len=20",
                                          "source-tokenizer=char max-len=20 copy=yes"};
    sa_model *models[3];
    sa_translation found[SENTENCES];
    for (int m = 0; m < 3; m++) open_model(options[m]), models[m] = model;
    for (int m = 0; m < 6; m++) {
        sa_model *const order[] = {models[m / 2], models[(m / 2 + 1 + m % 2) % 3]};
        const bool copies = order[0] == models[2] || order[1] == models[2],
                   other = order[0] == models[0] || order[1] == models[0];
        const bool good =
            sa_translate_ensemble(order, 2, sources, SENTENCES, &search, found, &error);
        ck_assert_msg(good == !(copies && other), "%d: %s", m, error.text);
        if (good) sa_translations_release(found, SENTENCES);
        if (!good) ck_assert_str_eq(error.text, other_words);
    }
    for (int m = 0; m < 3; m++) sa_model_close(models[m]);
}
END_TEST

int main(void) {
    TCase *tests;
    Suite *suite = suite_of("translation", &tests);
    tcase_add_checked_fixture(tests, set_up, scratch_remove);
    tcase_add_loop_test(tests, each_sentence_has_its_own, 0, 4);
    tcase_add_test(tests, details_are_for_who_asks);
    tcase_add_test(tests, prefixes_are_taken_over);
    tcase_add_test(tests, other_spellings_are_noted);
    tcase_add_test(tests, words_of_long_sentences_are_hidden);
    tcase_add_test(tests, ensembles_attend_with_those_that_can);
    tcase_add_test(tests, ensembles_of_other_words_have_no_weights);
    tcase_add_test(tests, ensembles_of_other_words_do_not_copy);
    return suite_run(suite);
}
