/* Alignments of several pairs, whose batches are sorted by length: each pair keeps its own words,
 * its own links, and what is refused names its line. */
#include "config/settings.h"
#include "data/encoding.h"
#include "inference/model.h"
#include "support/small_training.h"
#include "support/suite.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>

enum { PAIRS = 5 };
static sa_pair pairs[PAIRS] = {
    {.source = "w1 w2 w3 w4", .target = "v1 v2 v3 v4", .gold = "3-0 2-1 1-2 0-3"},
    {.source = "w5", .target = "v5", .gold = "0-0"},
    {.source = "w6 w7 w8", .target = "v6 v7 v8", .gold = "1-0 1-1 0-2"},
    {.source = "w9 w10", .target = "v9", .gold = "1-0"},
    {.source = "w11 w12", .target = "v11 v12", .gold = "1-0 0-1"},
};
static sa_model *model;

static void open_model(sa_settings settings) {
    for (int i = 0; i < PAIRS; i++) pairs[i].line = (size_t)i + 7;
    ck_assert_msg(train(&settings, false), "%s", error.text);
    model = sa_model_open(last_path, 1, &error);
    ck_assert_msg(model != NULL, "%s", error.text);
}

static void close_model(void) {
    sa_model_close(model);
    model = NULL;
}

/* Every word has all of its weight on the source word of its only link. */
static bool expect_links(void *context, size_t index, const sa_alignment *alignment,
                         sa_error *why) {
    const char *text = pairs[index].gold;
    int *seen = context;
    ck_assert_uint_eq(index, (size_t)(*seen)++);
    ck_assert_ptr_null(alignment->generation_probabilities); /* nothing is copied */
    for (int t = 0, s, row, used; sscanf(text, "%d-%d%n", &s, &row, &used) == 2; text += used, t++)
        for (int j = 0; j < alignment->sources; j++)
            ck_assert_double_eq_tol(alignment->weights[row * alignment->sources + j], j == s, 1e-6);
    return true;
}

static bool count(void *context, size_t index, const sa_alignment *alignment, sa_error *why) {
    (void)index, (void)alignment, (void)why;
    return ++*(int *)context;
}

START_TEST(every_pair_has_its_own_links) {
    const sa_align_options options = {.override = {.kind = SA_OVERRIDE_GOLD}};
    int seen = 0;
    open_model(small_settings());
    ck_assert_msg(sa_align(model, &options, pairs, PAIRS, expect_links, &seen, &error), "%s",
                  error.text);
    ck_assert_int_eq(seen, PAIRS);
    const char *links = pairs[3].gold;
    pairs[3].gold = NULL;
    ck_assert(!sa_align(model, &options, pairs, PAIRS, expect_links, &seen, &error));
    ck_assert_int_eq(error.code, SA_DATA);
    ck_assert_ptr_nonnull(strstr(error.text, "line 10"));
    pairs[3].gold = links;
    close_model();
}
END_TEST

START_TEST(what_has_no_attention_is_not_forced) {
    const sa_align_options options = {.override = {.kind = SA_OVERRIDE_UNIFORM}};
    sa_settings settings = small_settings();
    int seen = 0;
    ck_assert(sa_settings_set(&settings, "decoder", "fixed", &error));
    open_model(settings);
    ck_assert(!sa_align(model, &options, pairs, PAIRS, expect_links, &seen, &error));
    ck_assert_int_eq(error.code, SA_USAGE);
    ck_assert_msg(strstr(error.text, "has no attention"), "%s", error.text);
    sa_override override;
    error = (sa_error){0};
    ck_assert(!sa_override_open(&override, options.override, model, pairs, PAIRS, &error));
    ck_assert_msg(strstr(error.text, "has no attention"), "%s", error.text);
    close_model();
}
END_TEST

/* The expected weights replace those of attention that draws or decides: others have them already.
 * Where cross-attention is one with self-attention, there is nothing of its own to replace. */
START_TEST(overrides_are_for_attention_that_differs) {
    static const struct {
        const char *options;
        int kind;
        const char *refusal; /* "": it is done */
    } cases[] = {
        {"attention=additive", SA_OVERRIDE_EXPECTED, "--attention additive are those of its"},
        {"attention=additive", SA_OVERRIDE_UNIFORM, ""},
        {"attention=hard", SA_OVERRIDE_EXPECTED, ""},
        {"attention=monotonic", SA_OVERRIDE_EXPECTED, ""},
        {"model=decoder attention=scaled-dot tie=three-way", SA_OVERRIDE_UNIFORM,
         "which a decoder-only model has none of"},
        {"model=decoder attention=scaled-dot tie=three-way", SA_OVERRIDE_NONE, ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const sa_align_options options = {.override = {.kind = cases[i].kind}};
        sa_settings settings = small_settings();
        int seen = 0;
        settings.steps = 1, settings.ffn = 4, settings.heads = 1;
        set_all(&settings, cases[i].options);
        open_model(settings);
        error = (sa_error){0};
        const bool done = sa_align(model, &options, pairs, PAIRS, count, &seen, &error);
        ck_assert_msg(done == !*cases[i].refusal, "%s: %s", cases[i].options, error.text);
        ck_assert_int_eq(seen, done ? PAIRS : 0);
        ck_assert_msg(strstr(error.text, cases[i].refusal), "%s", error.text);
        ck_assert_int_eq(error.code, done ? 0 : SA_USAGE);
        close_model();
    }
}
END_TEST

START_TEST(overrides_have_names) {
    static const char *const names[] = {"none",    "uniform", "shuffle", "shift:1",
                                        "one-hot", "gold",    "expected"};
    sa_attention_override found = {.shift = 5};
    for (int i = 0; i < 7; i++) {
        ck_assert_str_eq(sa_attention_override_name((size_t)i), names[i]);
        ck_assert(sa_attention_override_parse(&found, names[i], &error));
        ck_assert_int_eq(found.kind, i);
        ck_assert_int_eq(found.shift, found.kind == SA_OVERRIDE_SHIFT);
    }
    ck_assert_ptr_null(sa_attention_override_name(7));
    ck_assert(sa_attention_override_parse(&found, "shift:-2147483647", &error));
    ck_assert_int_eq(found.shift, -INT_MAX);
    static const char *const wrong[] = {
        "shift:2147483648", "shift:-2147483648", "shift", "shift:", "Gold", ""};
    for (int i = 0; i < 6; i++) {
        ck_assert(!sa_attention_override_parse(&found, wrong[i], &error));
        ck_assert_int_eq(error.code, SA_USAGE);
        ck_assert_int_eq(found.shift, -INT_MAX);
    }
    ck_assert(!sa_attention_override_parse(&found, "golf", &error));
    ck_assert_str_eq(error.text, "--force-attention 'golf': expected none, uniform, shuffle, "
                                 "shift:N, one-hot, gold or expected (did you mean 'gold'?)");
}
END_TEST

/* p_gen of each token, from a pass over the pair alone. */
static bool expect_gates(void *context, size_t index, const sa_alignment *alignment,
                         sa_error *why) {
    const sa_text_codec *const codec[] = {&model->source, &model->target};
    sa_sentence *source, *target;
    sa_arena arena = {0};
    sa_batch batch;
    sa_pass pass;
    ck_assert(sa_encode_pairs(codec, 50, true, &pairs[index], 1, &source, &target, why));
    for (int dry = 1; dry >= 0; dry--) {
        batch = sa_batch_build(&arena, source, target, 1);
        sa_pass_layout(&arena, &model->w, &batch, false, &pass);
        if (dry) ck_assert(sa_arena_init(&arena, arena.used, why));
    }
    sa_seq2seq_loss(&model->w, &batch, (sa_regularizer){0}, &pass, NULL);
    const sa_mat z = sa_pass_readout(&model->w, &pass)->copy_gate;
    for (int t = 0; t < alignment->targets; t++)
        ck_assert_double_eq_tol(alignment->generation_probabilities[t],
                                1 / (1 + exp(-(double)*sa_row(z, t))), 1e-5);
    sa_arena_release(&arena);
    sa_sentences_release(source, 1), sa_sentences_release(target, 1);
    return true;
}

START_TEST(models_that_copy_tell_when_they_generate) {
    static const char *const options[] = {"copy=yes",
                                          "model=transformer attention=scaled-dot copy=yes"};
    sa_settings settings = small_settings();
    settings.ffn = 4, settings.lr = 0.02;
    set_all(&settings, options[_i]);
    open_model(settings);
    ck_assert_msg(sa_align(model, NULL, pairs, PAIRS, expect_gates, NULL, &error), "%s",
                  error.text);
    close_model();
}
END_TEST

static bool expect_columns(void *context, size_t index, const sa_alignment *alignment,
                           sa_error *why) {
    char words[128] = "", wanted[128];
    for (int j = 0; j < alignment->sources; j++) strcat(strcat(words, alignment->source[j]), " ");
    snprintf(wanted, sizeof wanted, "%s </s> %s ", pairs[index].source, pairs[index].target);
    ck_assert_str_eq(words, wanted);
    ck_assert_str_eq(alignment->target[alignment->targets - 1], "</s>");
    return true;
}

/* The source, EOS, and the target words that were generated before. */
START_TEST(attributions_name_earlier_target_words) {
    const sa_align_options options = {.methods = "occlusion", .target_prefix = true};
    open_model(small_settings());
    ck_assert_msg(sa_align(model, &options, pairs, PAIRS, expect_columns, NULL, &error), "%s",
                  error.text);
    close_model();
}
END_TEST

START_TEST(a_model_of_every_tokenizer_opens) {
    const sa_option *option = sa_option_find(sa_settings_options, "tokenizer");
    const char *name;
    for (size_t i = 0; (name = sa_option_choice(option, i)); i++) {
        sa_settings settings = small_settings();
        settings.bpe_merges = 10, settings.steps = 1;
        ck_assert(sa_settings_set(&settings, "tokenizer", name, &error));
        open_model(settings);
        ck_assert_str_eq(model->target.tokenizer->name, name);
        close_model();
    }
}
END_TEST

static bool ignore(void *context, size_t index, const sa_alignment *alignment, sa_error *why) {
    return true;
}

/* Either side may be too long. */
START_TEST(word_aligners_name_what_is_too_long) {
    const sa_corpus corpus = {.pairs = pairs, .count = PAIRS, .name = "pairs"};
    sa_settings settings = small_settings();
    settings.max_len = 4;
    sa_aligner *aligner = sa_aligner_train(&corpus, &settings, NULL, NULL, NULL, &error);
    ck_assert_msg(aligner != NULL, "%s", error.text);
    ck_assert(sa_aligner_align(aligner, pairs, PAIRS, ignore, NULL, &error));
    sa_pair tall = {.source = "w1", .target = "v1 v2 v3 v4 v5", .line = 3};
    sa_pair wide = {.source = "w1 w2 w3 w4 w5", .target = "v1", .line = 4};
    ck_assert(!sa_aligner_align(aligner, &tall, 1, ignore, NULL, &error));
    ck_assert_str_eq(error.text, "line 3: a side has more than 4 tokens");
    ck_assert(!sa_aligner_align(aligner, &wide, 1, ignore, NULL, &error));
    ck_assert_str_eq(error.text, "line 4: a side has more than 4 tokens");
    sa_aligner_free(aligner);
}
END_TEST

int main(void) {
    TCase *tests;
    Suite *suite = suite_of("forcing", &tests);
    tcase_add_checked_fixture(tests, set_up, scratch_remove);
    tcase_add_test(tests, every_pair_has_its_own_links);
    tcase_add_test(tests, what_has_no_attention_is_not_forced);
    tcase_add_test(tests, overrides_are_for_attention_that_differs);
    tcase_add_test(tests, overrides_have_names);
    tcase_add_loop_test(tests, models_that_copy_tell_when_they_generate, 0, 2);
    tcase_add_test(tests, attributions_name_earlier_target_words);
    tcase_add_test(tests, a_model_of_every_tokenizer_opens);
    tcase_add_test(tests, word_aligners_name_what_is_too_long);
    return suite_run(suite);
}
