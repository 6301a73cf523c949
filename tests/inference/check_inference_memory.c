/* Models that are opened, translate, align, are evaluated and taken apart while calls for memory
 * fail, each alone and with all later ones: no block is lost, and the error names memory. */
#include "support/memory_failures.h"
#include "support/small_training.h"
#include "support/suite.h"

#include <softalign/report.h>

enum { PAIRS = 2 };
static sa_pair pairs[PAIRS] = {{.source = "w1 zork w0", .target = "v0 quux v1", .gold = "0-0 2-2"},
                               {.source = "w4", .target = "v2 v4", .gold = "0-0"}};
static const sa_corpus corpus = {.pairs = pairs, .count = PAIRS, .name = "pairs", .gold = true};
static sa_model *model;
static sa_search search;
static sa_align_options aligning;

static void open_model(const char *options) {
    sa_settings settings = small_settings();
    settings.ffn = 4, settings.steps = 3;
    set_all(&settings, options);
    const bool bpe = strstr(options, "bpe");
    const sa_train_options training = {.settings = &settings, .glossaries = bpe ? "w1" : NULL};
    ck_assert_msg(train_with(training), "%s", error.text);
    model = sa_model_open(last_path, 1, &error);
    ck_assert_msg(model != NULL, "%s", error.text);
    sa_search_init(&search);
    search.max_ratio = 1;
}

/* ---- What is done without memory ------------------------------------------------------------- */

static bool open_it(sa_error *why) {
    sa_model *one = sa_model_open(last_path, 1, why);
    sa_model_close(one);
    return one;
}

static sa_translation wanted[PAIRS * 2];

/* Products of equal rows do without the memory that would save work: with the same result. */
static bool translate_it(sa_error *why) {
    sa_translation out[PAIRS * 2];
    const char *const sources[PAIRS] = {pairs[0].source, pairs[1].source};
    if (!sa_translate(model, sources, PAIRS, &search, out, why)) return false;
    for (int i = 0; wanted[0].text && i < PAIRS * search.nbest; i++) {
        const sa_translation *with = &wanted[i];
        const size_t size = (size_t)with->words * (size_t)with->sources * sizeof *with->weights;
        ck_assert_str_eq(out[i].text, with->text);
        ck_assert_double_eq_tol(out[i].score, with->score, 1e-6);
        ck_assert(!size || memcmp(out[i].weights, with->weights, size) == 0);
    }
    if (!wanted[0].text)
        memcpy(wanted, out, sizeof out);
    else
        sa_translations_release(out, (size_t)(PAIRS * search.nbest));
    return true;
}

static void translate_without_memory(void) {
    ck_assert_msg(translate_it(&error), "%s", error.text);
    fail_allocations(translate_it);
    sa_translations_release(wanted, (size_t)(PAIRS * search.nbest));
}

static bool take(void *context, size_t index, const sa_alignment *alignment, sa_error *why) {
    sa_alignment words;
    (void)context, (void)index;
    if (!sa_alignment_merge(alignment, &words, why)) return false;
    sa_alignment_release(&words);
    return true;
}

static bool align_it(sa_error *why) {
    return sa_align(model, &aligning, pairs, PAIRS, take, NULL, why);
}

static bool evaluate_it(sa_error *why) {
    sa_sentence_result each[PAIRS];
    sa_diagnosis diagnosis;
    if (!sa_evaluate(model, &corpus, &search, NULL, each, why)) return false;
    const bool good = sa_diagnose(model, &corpus, each, &corpus, &diagnosis, why);
    if (good) sa_diagnosis_release(&diagnosis);
    sa_sentence_results_release(each, PAIRS);
    return good;
}

static bool take_word(void *context, const char *left, const char *right, double probability,
                      sa_error *why) {
    (void)context, (void)left, (void)right, (void)probability, (void)why;
    return true;
}

static bool learn_words(sa_error *why) {
    sa_aligner_options options;
    sa_aligner_options_init(&options);
    options.model = SA_ALIGNER_MODEL1;
    sa_aligner *aligner = sa_aligner_train(&corpus, NULL, &options, NULL, NULL, why);
    const bool good = aligner && sa_aligner_align(aligner, pairs, PAIRS, take, NULL, why) &&
                      sa_aligner_lexicon_each(aligner, 0, take_word, NULL, why);
    sa_aligner_free(aligner);
    return good;
}

static bool score_heads(sa_error *why) {
    sa_head_scores scores;
    if (!sa_score_heads(model, &corpus, &scores, why)) return false;
    sa_head_scores_release(&scores);
    return true;
}

/* ---- The tests ------------------------------------------------------------------------------- */

static const char *const kinds[] = {"", "tokenizer=bpe bpe-merges=4 copy=yes",
                                    "model=transformer attention=scaled-dot heads=2 layers=2"};

START_TEST(models_open) {
    open_model(kinds[_i]);
    ck_assert_int_eq(fail_allocations(open_it), 0);
    sa_model_close(model);
}
END_TEST

START_TEST(models_translate) {
    static sa_pair words[] = {{.source = "zork", .target = "zorque"}};
    static const sa_corpus dictionary = {.pairs = words, .count = 1, .name = "words"};
    static const char *const prefixes[PAIRS] = {"v0", ""};
    open_model(kinds[_i]);
    search.beam = search.nbest = 2, search.weights = true;
    translate_without_memory();
    search.replace_unknown = true, search.dictionary = &dictionary;
    search.target_prefix = prefixes;
    translate_without_memory();
    sa_model_close(model);
}
END_TEST

START_TEST(models_align) {
    open_model(kinds[_i]);
    aligning = (sa_align_options){0};
    ck_assert_int_eq(fail_allocations(align_it), 0);
    aligning.override.kind = SA_OVERRIDE_GOLD;
    ck_assert_int_eq(fail_allocations(align_it), 0);
    aligning = (sa_align_options){.methods = "gradient,integrated-gradients,occlusion", .steps = 1};
    aligning.target_prefix = true;
    ck_assert_int_eq(fail_allocations(align_it), 0);
    if (_i == 2) {
        aligning = (sa_align_options){.methods = "attention,norms,rollout,value-zeroing"};
        ck_assert_int_eq(fail_allocations(align_it), 0);
    }
    sa_model_close(model);
}
END_TEST

START_TEST(models_are_evaluated) {
    open_model(kinds[_i]);
    ck_assert_int_eq(fail_allocations(evaluate_it), 0);
    if (_i == 2) ck_assert_int_eq(fail_allocations(score_heads), 0);
    sa_model_close(model);
}
END_TEST

START_TEST(words_are_aligned) {
    ck_assert_int_eq(fail_allocations(learn_words), 0);
}
END_TEST

enum { KINDS = sizeof kinds / sizeof *kinds };

int main(void) {
    TCase *tests;
    Suite *suite = suite_of("inference_memory", &tests);
    tcase_add_checked_fixture(tests, set_up, scratch_remove);
    tcase_set_timeout(tests, 20);
    tcase_add_loop_test(tests, models_open, 0, KINDS);
    tcase_add_loop_test(tests, models_translate, 0, KINDS);
    tcase_add_loop_test(tests, models_align, 0, KINDS);
    tcase_add_loop_test(tests, models_are_evaluated, 0, KINDS);
    tcase_add_test(tests, words_are_aligned);
    return suite_run(suite);
}
