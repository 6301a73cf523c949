/* The list of `compare --models`: what each entry sets, the runs that come of it, and what is
 * refused; and what else sa_compare refuses before it trains. */
#include "config/settings.h"
#include "support/small_training.h"
#include "support/suite.h"
#include "train/compare.h"

#include <math.h>

static const volatile sig_atomic_t never;

static void release(sa_comparison *all) {
    for (size_t i = 0; all->runs && i < all->model_count * all->seeds; i++)
        free(all->runs[i].folder);
    for (size_t i = 0; i < all->model_count; i++) free(all->models[i].name);
    free(all->runs), free(all->models);
}

/* Where a list is read: with dropout 0.25 for recurrent models, 0.125 for Transformers, 0.375 for
 * decoders alone. */
static sa_settings general, transformer, decoder_only;

static void set_general(void) {
    sa_settings_init(&general);
    set_all(&general,
            "dropout=0.25 seed=5 threads=2 steps=70 epochs=3 max-time=9 patience=4 keep=2");
    transformer = decoder_only = general;
    set_all(&transformer, "model=transformer dropout=0.125");
    set_all(&decoder_only, "model=decoder tie=three-way dropout=0.375");
}

static bool read_list(const char *list, int seeds, bool own, sa_compare_options *options,
                      sa_comparison *all) {
    *options = (sa_compare_options){.models = list,
                                    .out = "out",
                                    .settings = &general,
                                    .transformer = own ? &transformer : NULL,
                                    .decoder_only = own ? &decoder_only : NULL,
                                    .seeds = seeds};
    *all = (sa_comparison){.options = options, .stop = &never};
    return sa_compare_read_models(all, &error);
}

/* Each entry alone, and all in one list. */
START_TEST(entries_set_their_options) {
    static const struct {
        const char *entry, *preset; /* that it starts from; NULL: from these settings */
        const sa_settings *given;
        const char *options, *folder;
        bool attends;
    } cases[] = {
        {"fixed", NULL, &general, "decoder=fixed", "fixed", false},
        {"luong", NULL, &general, "decoder=luong", "luong", true},
        {"luong:dot", NULL, &general, "decoder=luong attention=dot", "luong-dot", true},
        {"luong:dot:2", NULL, &general, "decoder=luong attention=dot heads=2", "luong-dot-2", true},
        {"luong:dot:2:layers=3:dropout=0.5", NULL, &general,
         "decoder=luong attention=dot heads=2 layers=3 dropout=0.5",
         "luong-dot-2-layers=3-dropout=0.5", true},
        {"bahdanau:layers=2", NULL, &general, "decoder=bahdanau layers=2", "bahdanau-layers=2",
         true},
        {"transformer:scaled-dot:4", NULL, &transformer,
         "model=transformer attention=scaled-dot heads=4", "transformer-scaled-dot-4", true},
        {"transformer", "transformer", NULL, "model=transformer", "transformer", true},
        {"decoder:scaled-dot", NULL, &decoder_only, "model=decoder attention=scaled-dot",
         "decoder-scaled-dot", true},
        {"decoder:layers=1", "decoder", NULL, "model=decoder layers=1", "decoder-layers=1", true},
    };
    enum { CASES = sizeof cases / sizeof *cases };
    static const char limits[] = "seed=5 threads=2 steps=70 epochs=3 max-time=9 patience=4 keep=2";
    sa_compare_options options;
    sa_comparison all;
    for (int i = 0; i < CASES; i++) {
        const bool own = !cases[i].preset;
        sa_settings wanted = own ? *cases[i].given : general;
        if (cases[i].preset) {
            sa_settings_init(&wanted);
            const int family = strcmp(cases[i].preset, "decoder") == 0 ? SA_MODEL_DECODER_ONLY
                                                                       : SA_MODEL_TRANSFORMER;
            ck_assert(sa_settings_preset(&wanted, sa_preset_default(family), &error));
            set_all(&wanted, limits);
        }
        set_all(&wanted, cases[i].options);
        ck_assert_msg(read_list(cases[i].entry, 1, own, &options, &all), "%s", error.text);
        ck_assert_uint_eq(all.model_count, 1);
        const sa_compare_model *model = all.models;
        for (const sa_option *option = sa_settings_options; option->name; option++)
            ck_assert_msg(sa_option_get(option, &model->settings) == sa_option_get(option, &wanted),
                          "%s: %s", cases[i].entry, option->name);
        ck_assert_str_eq(model->name, cases[i].entry);
        char folder[64];
        snprintf(folder, sizeof folder, "out/%s-s5", cases[i].folder);
        ck_assert_str_eq(all.runs->folder, folder);
        ck_assert_int_eq(sa_settings_has_attention(&model->settings), cases[i].attends);
        release(&all);
    }
}
END_TEST

START_TEST(every_model_has_a_run_of_every_seed) {
    static const char *const folders[] = {"out/fixed-s5",     "out/fixed-s6",
                                          "out/fixed-s7",     "out/luong-dot-s5",
                                          "out/luong-dot-s6", "out/luong-dot-s7"};
    sa_compare_options options;
    sa_comparison all;
    ck_assert(read_list("fixed,luong:dot", 3, true, &options, &all));
    ck_assert_uint_eq(all.model_count, 2);
    ck_assert_uint_eq(all.seeds, 3);
    for (int i = 0; i < 6; i++) {
        const sa_compare_run *run = &all.runs[i];
        ck_assert_str_eq(run->folder, folders[i]);
        ck_assert_int_eq(run->settings.seed, 5 + i % 3);
        ck_assert_ptr_eq(run->model, &all.models[i / 3]);
        for (int k = 0; k < SA_COMPARE_COLUMNS; k++) ck_assert(isnan(run->scores[k]));
        ck_assert(isnan(run->samples[0]) && isnan(run->samples[SA_COMPARE_SAMPLES - 1]));
    }
    release(&all);
    general.seed = (INT64_C(1) << 53) - 2;
    ck_assert(read_list("fixed", 2, true, &options, &all)); /* the last seed there is */
    release(&all);
    ck_assert(!read_list("fixed", 3, true, &options, &all));
    ck_assert_str_eq(error.text, "--seeds 3: too many from --seed 9007199254740990 on");
    release(&all);
}
END_TEST

#define FORM                                                                                       \
    "expected decoder[:attention[:heads]][:option=value ...], with transformer or decoder as a "   \
    "decoder"

START_TEST(wrong_entries_are_named) {
    static const struct {
        const char *list, *message;
    } cases[] = {
        {"transformers", "--models: 'transformers': --decoder 'transformers': expected bahdanau, "},
        {"bahdanau,fixed:additive",
         "--models: 'fixed:additive': this decoder has no attention to choose"},
        {"fixed,", "--models: '': --decoder '': expected bahdanau, "},
        {"luong:dot:0",
         "--models: 'luong:dot:0': --heads '0': expected a whole number from 1 to 64"},
        {"luong:dot:3", "--models: 'luong:dot:3': --heads 3 does not divide --attn 64"},
        {"luong:dot:1:1", "--models: 'luong:dot:1:1': " FORM},
        {"luong:layers=2:dot", "--models: 'luong:layers=2:dot': " FORM},
        {"luong:seed=2",
         "--models: 'luong:seed=2': --seed applies to all models: give it once, as an "
         "option"},
        {"luong:dorpout=0", "--models: 'luong:dorpout=0': unknown option 'dorpout'"},
        {"fixed,luong,fixed:dropout=0.25",
         "--models: 'fixed:dropout=0.25': the same model as 'fixed'"},
        {"luong,fixed,luong:dropout=0.25",
         "--models: 'luong:dropout=0.25': the same model as 'luong'"},
    };
    sa_compare_options options;
    sa_comparison all;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ck_assert(!read_list(cases[i].list, 1, true, &options, &all));
        ck_assert_msg(strncmp(error.text, cases[i].message, strlen(cases[i].message)) == 0, "%s",
                      error.text);
        ck_assert_int_eq(error.code, SA_USAGE);
        release(&all);
    }
}
END_TEST

/* ---- Before anything is trained -------------------------------------------------------------- */

START_TEST(what_is_not_given_is_named) {
    static const char *const names[] = {"train", "test", "models", "out", "settings"};
    sa_compare_result result;
    for (int i = 0; i < 5; i++) {
        const sa_compare_options options = {.train = i == 0 ? NULL : "no-such-file",
                                            .test = i == 1 ? NULL : "no-such-file",
                                            .models = i == 2 ? NULL : "fixed",
                                            .out = i == 3 ? NULL : "no-such-folder",
                                            .settings = i == 4 ? NULL : &general,
                                            .seeds = 1};
        ck_assert(!sa_compare(&options, &result, &error));
        ck_assert_msg(strstr(error.text, names[i]) != NULL, "%s", error.text);
        ck_assert_int_eq(error.code, SA_USAGE);
    }
}
END_TEST

static bool compare(sa_compare_options options) {
    sa_compare_result result;
    options.out = out_path, options.train = train_path, options.seeds = 1;
    if (!options.settings) options.settings = &general;
    const bool good = sa_compare(&options, &result, &error);
    if (good) sa_compare_result_release(&result);
    return good;
}

START_TEST(pairs_that_no_run_can_read_are_refused) {
    char beyond[128], links[] = "w1 w0\tv0 v1\t0-1\nw2 w1\tv1 v2\t0-0 5-5\n", lost[128], page[160];
    snprintf(beyond, sizeof beyond, "%s", scratch_path("beyond.tsv"));
    snprintf(lost, sizeof lost, "%s", scratch_path("lost.tsv"));
    snprintf(page, sizeof page, "%s/none/page.html", scratch);
    scratch_write(beyond, links, sizeof links - 1);
    const struct {
        sa_compare_options options;
        int code;
        const char *message;
    } cases[] = {
        {{.models = "fixed,luong", .test = beyond}, SA_DATA, "/beyond.tsv:2: link 5-5 is beyond"},
        {{.models = "luong,fixed", .test = beyond}, SA_DATA, "/beyond.tsv:2: link 5-5 is beyond"},
        {{.models = "fixed", .test = lost}, SA_OPEN, "cannot open"},
        {{.models = "fixed", .test = train_path, .valid = lost}, SA_OPEN, "cannot open"},
        {{.models = "luong", .test = train_path, .snapshots = lost}, SA_OPEN, "cannot open"},
        {{.models = "fixed", .test = train_path, .valid = "-"}, SA_USAGE, "standard input"},
        {{.models = "fixed,luong:guided-alignment=1", .test = train_path},
         SA_DATA,
         "needs the links of every pair"},
        {{.models = "luong:guided-alignment=1,fixed", .test = train_path},
         SA_DATA,
         "needs the links of every pair"},
        {{.models = "fixed", .test = train_path, .html = page},
         SA_OPEN,
         "/none/': No such file or directory"},
    };
    char model[160];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ck_assert_msg(!compare(cases[i].options), "case %zu", i);
        ck_assert_msg(strstr(error.text, cases[i].message) != NULL, "%zu: %s", i, error.text);
        ck_assert_int_eq(error.code, cases[i].code);
        snprintf(model, sizeof model, "%s/%.5s-s5/last.safetensors", out_path,
                 cases[i].options.models);
        ck_assert_int_eq(access(model, F_OK), -1);
    }
}
END_TEST

/* Those of training pairs matter where they guide a model, those of validation pairs never. */
START_TEST(links_that_guide_must_not_change) {
    static const char pairs[] = "a b\tx y\t0-0 1-1\nb a\ty x\t0-0\nb b\tx x\t0-1\n",
                      changed[] = "a b\tx y\t0-0 1-0\nb a\ty x\t0-0\nb b\tx x\t0-1\n";
    static const char *const lists[] = {"fixed", "fixed,luong:guided-alignment=1",
                                        "luong:guided-alignment=1,fixed"};
    sa_settings settings = small_settings();
    char test_path[128], valid_path[128];
    sa_compare_options options = {.test = test_path, .valid = valid_path, .settings = &settings};
    settings.steps = 1;
    snprintf(test_path, sizeof test_path, "%s", scratch_path("test.tsv"));
    snprintf(valid_path, sizeof valid_path, "%s", scratch_path("valid.tsv"));
    scratch_write(test_path, pairs, sizeof pairs - 1);
    for (int i = 0; i < 3; i++) {
        scratch_write(train_path, pairs, sizeof pairs - 1);
        scratch_write(valid_path, pairs, sizeof pairs - 1);
        options.models = lists[i], options.overwrite = true;
        ck_assert_msg(compare(options), "%d: %s", i, error.text);
        options.overwrite = false;
        scratch_write(valid_path, changed, sizeof changed - 1);
        ck_assert_msg(compare(options), "%d: %s", i, error.text);
        scratch_write(train_path, changed, sizeof changed - 1);
        ck_assert_msg(compare(options) == (i == 0), "%d: %s", i, error.text);
        if (i == 0) continue;
        ck_assert_int_eq(error.code, SA_BUSY);
        ck_assert_int_eq(strncmp(error.text, "--train: '", 10), 0);
    }
}
END_TEST

static void take_notes(void *context, const sa_progress *progress) {
    if (progress) take_note(context, progress);
}

/* Test pairs that were trained on are counted, per file, and of the list of runs each is told. */
START_TEST(shared_pairs_are_told_of) {
    static const char test[] = "w1 w0\tv0 v1\nw2 w1\tv1 v2\nw9 w9\tv8 v7\n",
                      valid[] = "w9 w9\tv8 v7\n";
    char test_path[128], valid_path[128], wanted[256];
    sa_settings settings = small_settings();
    settings.steps = 1;
    snprintf(test_path, sizeof test_path, "%s", scratch_path("test.tsv"));
    snprintf(valid_path, sizeof valid_path, "%s", scratch_path("valid.tsv"));
    scratch_write(test_path, test, sizeof test - 1);
    scratch_write(valid_path, valid, sizeof valid - 1);
    *notes = 0;
    ck_assert_msg(compare((sa_compare_options){.models = "fixed,luong:dot",
                                               .test = test_path,
                                               .valid = valid_path,
                                               .settings = &settings,
                                               .report = take_notes}),
                  "%s", error.text);
    snprintf(wanted, sizeof wanted, "note: 2 of the 3 test pairs also occur in '%s'", train_path);
    ck_assert_msg(strstr(notes, wanted) != NULL, "%s", notes);
    snprintf(wanted, sizeof wanted, "note: 1 of the 3 test pairs also occur in '%s'", valid_path);
    ck_assert_msg(strstr(notes, wanted) != NULL, "%s", notes);
    ck_assert_ptr_nonnull(strstr(notes, "== fixed, seed 1 (1 of 2)"));
    ck_assert_ptr_nonnull(strstr(notes, "== luong:dot, seed 1 (2 of 2)"));
    ck_assert_ptr_null(strstr(notes, "done already"));
}
END_TEST

int main(void) {
    TCase *tests, *files = tcase_create("files");
    Suite *suite = suite_of("compared_models", &tests);
    suite_add_tcase(suite, files);
    tcase_add_checked_fixture(tests, set_general, NULL);
    tcase_add_checked_fixture(files, set_up, scratch_remove);
    tcase_add_checked_fixture(files, set_general, NULL);
    tcase_add_test(tests, entries_set_their_options);
    tcase_add_test(tests, every_model_has_a_run_of_every_seed);
    tcase_add_test(tests, wrong_entries_are_named);
    tcase_add_test(tests, what_is_not_given_is_named);
    tcase_add_test(files, pairs_that_no_run_can_read_are_refused);
    tcase_add_test(files, links_that_guide_must_not_change);
    tcase_add_test(files, shared_pairs_are_told_of);
    return suite_run(suite);
}
