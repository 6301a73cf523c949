/* The presets: their values, and that those of papers set every option of the paper. */
#include "attention/attention.h"
#include "config/settings.h"
#include "data/tokenizer.h"
#include "layers/optimizer.h"
#include "model/seq2seq.h"
#include "support/suite.h"

#include <stdio.h>
#include <string.h>

static sa_settings defaults(void) {
    sa_settings settings;
    sa_settings_init(&settings);
    return settings;
}

START_TEST(the_paper_is_a_preset) {
    sa_settings settings = defaults();
    sa_error error;
    ck_assert(sa_settings_set(&settings, "steps", "7", &error));
    ck_assert(sa_settings_preset(&settings, "bahdanau2015", &error));
    ck_assert_int_eq(settings.embed, 620);
    ck_assert_int_eq(settings.hidden, 1000);
    ck_assert_int_eq(settings.attn, 1000);
    ck_assert_int_eq(settings.maxout, 500);
    ck_assert_int_eq(settings.vocab, 30000);
    ck_assert_int_eq(settings.batch, 80);
    ck_assert_int_eq(settings.init, 1);
    ck_assert_str_eq(SA_NAME(sa_optimizers, settings.optimizer), "adadelta");
    ck_assert_double_eq(settings.lr, 1);
    ck_assert_double_eq(settings.clip, 1);
    ck_assert_int_eq(settings.steps, 7);
    ck_assert_ptr_nonnull(strstr(sa_preset_text("bahdanau2015"), "y_0 is a learned row"));
}
END_TEST

static bool among(const char *option, const char *const *list) {
    while (*list && strcmp(option, *list) != 0) list++;
    return *list;
}

/* Options that came after the papers. */
static const char *const later[] = {"dropout-state",    "dropout-layers",
                                    "word-dropout",     "cell-norm",
                                    "coverage",         "max-fertility",
                                    "coverage-weight",  "copy",
                                    "kv-heads",         "latent",
                                    "monotonic-noise",  "shaw-distance",
                                    "location-filters", "location-width",
                                    "reinforce-weight", "entropy-weight",
                                    "precision",        "head-projection",
                                    "smeared-keys",     "attention-gate",
                                    "source-tokenizer", "exclusive",
                                    "merged",           "hybrid",
                                    "target-tokenizer", "freeze-embeddings",
                                    "prefix",           NULL};

/* Options that a paper's preset may leave at their defaults: the seed, shards, the validation
 * interval, penalties that no paper has, and options without effect under its other settings. */
static bool may_stay_open(const char *option, const sa_settings *settings) {
    static const char *const always[] = {
        "shards",    "seed",     "valid-every",  "window-size", "value-size", "weight-decay",
        "criterion", "hold-out", "batch-tokens", "average",     "average-of", "guided-alignment",
        "guided-at", NULL};
    static const char *const of_attention[] = {"attention", "heads",      "window",
                                               "attn",      "normalizer", NULL};
    static const char *const of_entmax[] = {"entmax-alpha", NULL};
    static const char *const of_transformers[] = {"ffn", "norm", NULL};
    static const char *const of_recurrence[] = {
        "decoder", "encoder", "reverse-source", "cell",
        "update",  "reset",   "decoder-init",   "readout-state",
        "hidden",  "maxout",  "input-feeding",  "decoder-layers",
        NULL};
    static const char *const of_gru[] = {"update", "reset", NULL};
    static const char *const of_subwords[] = {"bpe-merges", "bpe", NULL};
    static const char *const of_sgd[] = {"momentum", NULL};
    static const char *const of_adam[] = {"beta1", "beta2", "epsilon", NULL};
    static const char *const of_plateau[] = {"lr-decay", "lr-patience", NULL};
    const char *optimizer = SA_NAME(sa_optimizers, (size_t)settings->optimizer);
    return among(option, always) || among(option, later) ||
           among(option, settings->model ? of_recurrence : of_transformers) ||
           (!sa_settings_has_attention(settings) && among(option, of_attention)) ||
           (strcmp(SA_NAME(sa_normalizers, (size_t)settings->normalizer), "entmax") != 0 &&
            among(option, of_entmax)) ||
           (settings->cell != SA_CELL_GRU && among(option, of_gru)) ||
           (!strstr(SA_NAME(sa_tokenizers, (size_t)settings->tokenizer), "bpe") &&
            among(option, of_subwords)) ||
           (strcmp(optimizer, "sgd") != 0 && among(option, of_sgd)) ||
           (strcmp(optimizer, "adam") != 0 && among(option, of_adam)) ||
           (settings->batch_tokens && strcmp(option, "batch") == 0) ||
           (settings->schedule != 0 && among(option, of_plateau));
}

/* Presets of papers set everything; those for corpora leave the rest at the defaults. */
START_TEST(a_preset_leaves_no_paper_option_open) {
    bool of_paper = true;
    for (size_t i = 0; sa_preset_name(i); i++) {
        const char *text = sa_preset_text(sa_preset_name(i));
        sa_settings settings = defaults();
        ck_assert(sa_settings_preset(&settings, sa_preset_name(i), NULL));
        ck_assert(sa_settings_check(&settings, NULL));
        if (strcmp(sa_preset_name(i), "tatoeba") == 0) of_paper = false; /* the first corpus */
        if (!of_paper || strstr(sa_preset_name(i), "-toy")) continue;
        for (const sa_option *row = sa_settings_options; row->name; row++) {
            char line[64];
            snprintf(line, sizeof line, "\n--%s ", row->name);
            const bool set = strstr(text, line) != NULL;
            const bool free = row->scope == SA_SCOPE_RUN || row->scope == SA_SCOPE_METRICS;
            ck_assert_msg(set ? !free : free || may_stay_open(row->name, &settings), "%s: %s",
                          sa_preset_name(i), row->name);
        }
    }
}
END_TEST

/* RNNsearch with the vocabularies of Multi30k, German and English, as measured with other toolkits.
 */
START_TEST(the_size_of_multi30k) {
    sa_settings settings = defaults();
    ck_assert(sa_settings_preset(&settings, "multi30k", NULL));
    sa_params plan;
    const sa_sizes sizes = sa_sizes_of(&settings, 7858, 5920);
    sa_seq2seq_plan(&sizes, &plan);
    ck_assert_uint_eq(plan.size, 7411232);
    ck_assert_double_eq(settings.max_time, 900);
}
END_TEST

START_TEST(an_unknown_preset_is_refused) {
    sa_settings settings = defaults();
    sa_error error = {0};
    ck_assert(!sa_settings_preset(&settings, "bahdanau2014", &error));
    ck_assert_int_eq(error.code, SA_USAGE);
    ck_assert_str_eq(error.text, "unknown preset 'bahdanau2014' (did you mean 'bahdanau2015'?); "
                                 "'softalign help train' lists all");
    ck_assert_ptr_null(sa_preset_text("bahdanau2014"));
}
END_TEST

int main(void) {
    TCase *cases;
    Suite *suite = suite_of("preset", &cases);
    tcase_add_test(cases, the_paper_is_a_preset);
    tcase_add_test(cases, a_preset_leaves_no_paper_option_open);
    tcase_add_test(cases, the_size_of_multi30k);
    tcase_add_test(cases, an_unknown_preset_is_refused);
    return suite_run(suite);
}
