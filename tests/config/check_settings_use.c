/* What is done with settings: refusals name them, differences are told, a model file's are checked,
 * and what a model has follows from them. */
#include "attention/attention.h"
#include "base/file.h"
#include "config/settings.h"
#include "model/seq2seq.h"
#include "support/scratch.h"
#include "support/suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static sa_settings defaults(void) {
    sa_settings settings;
    sa_settings_init(&settings);
    return settings;
}

/* The defaults with options from a text such as "heads 2 attn 8". */
static sa_settings with(const char *text) {
    sa_settings settings = defaults();
    sa_error error;
    char name[32], value[32];
    for (int read = 0; sscanf(text, "%31s %31s%n", name, value, &read) == 2; text += read)
        ck_assert_msg(sa_settings_set(&settings, name, value, &error), "%s", error.text);
    return settings;
}

static const sa_option *option_of(const char *name) {
    return sa_option_find(sa_settings_options, name);
}

/* ---- Messages -------------------------------------------------------------------------------- */

/* Options, options with their value or another one, values alone, and what makes the weights. */
START_TEST(refusals_name_settings_and_values) {
    static const char *const rows[][2] = {
        {"heads 3", "--heads 3 does not divide --attn 64"},
        {"copy yes normalizer sparsemax",
         "--copy needs a weight above 0 on the word to be copied: --normalizer sparsemax makes "
         "weights of 0, where the loss is infinite and has no gradient"},
        {"copy yes attention graves",
         "--copy copies by probabilities, but the weights of --attention graves may have any sum"},
        {"model transformer copy yes attention differential heads 2",
         "--copy copies by probabilities, but the weights of --attention differential may have any "
         "sum"},
        {"guided-alignment 1 normalizer sparsemax",
         "--guided-alignment needs the logarithm of every weight: --normalizer sparsemax makes "
         "weights of 0, where it is infinite and has no gradient"},
        {"model transformer head-projection split heads 8 embed 36",
         "--head-projection split divides the 36 numbers of --embed among the heads, but --heads 8 "
         "does not divide them"},
        {"latent 4 attention additive",
         "--latent 4 takes the product of query and key apart: it needs --attention scaled-dot"},
        {"model transformer attention monotonic",
         "--attention monotonic continues from target word to target word, but a Transformer "
         "attends from all of them at once: it needs --model recurrent"},
        {"attention monotonic normalizer sparsemax",
         "--attention monotonic makes weights itself, without --normalizer sparsemax"},
        {"model transformer attention differential heads 2 value-size 1",
         "--attention differential normalizes the output of each head, and of one number that "
         "leaves the sign: --value-size, or --embed / --heads, must be at least 2"},
        {"heads 4 kv-heads 3",
         "--kv-heads 3: each key/value head serves equally many heads, but 3 does not divide "
         "--heads 4"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const sa_settings settings = with(rows[i][0]);
        sa_error error = {0};
        ck_assert_msg(!sa_settings_check(&settings, &error), "%s", rows[i][0]);
        ck_assert_int_eq(error.code, SA_USAGE);
        ck_assert_str_eq(error.text, rows[i][1]);
    }
    const sa_settings two = with("model transformer attention differential heads 2 value-size 2");
    sa_error error;
    ck_assert_msg(sa_settings_check(&two, &error), "%s", error.text);
}
END_TEST

START_TEST(numbers_out_of_range_are_refused_first) {
    sa_settings settings = defaults();
    sa_error error = {0};
    settings.heads = 0; /* would divide by it */
    ck_assert(!sa_settings_check(&settings, &error));
    ck_assert_int_eq(error.code, SA_USAGE);
    ck_assert_ptr_nonnull(strstr(error.text, "--heads"));
}
END_TEST

START_TEST(a_difference_is_told) {
    static const char *const rows[][3] = {
        {"hidden", "hidden 7", "--hidden: 'm' was trained with --hidden 7, so it stays"},
        {"vocab", "vocab 7", "--vocab: 'm' was trained with --vocab 7, so it stays"},
        {"vocab", "hidden 7",
         "--vocab: 'm' was trained with --vocab 0 (0: unlimited), so it stays"},
        {"value-size", "",
         "--value-size: 'm' was trained with --value-size 0 (0: annotation size divided by the "
         "heads), so it stays"},
        {"dropout", "", "--dropout: 'm' was trained with --dropout 0, so it stays"},
        {"attention", "attention dot",
         "--attention: 'm' was trained with --attention dot, so it stays"},
        {"copy", "copy yes", "--copy: 'm' was trained with --copy, so it stays"},
        {"lr", "lr 0.25", "--lr: 'm' was trained with --lr 0.25, so it stays"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const sa_settings settings = with(rows[i][1]);
        sa_error error = {0};
        ck_assert(!sa_settings_fail_difference(option_of(rows[i][0]), &settings, "m", "so it stays",
                                               &error));
        ck_assert_int_eq(error.code, SA_USAGE);
        ck_assert_str_eq(error.text, rows[i][2]);
    }
}
END_TEST

/* Each option but those of a run, alone, from the first to the last. */
START_TEST(each_difference_is_found) {
    for (const sa_option *option = sa_settings_options; option->name; option++) {
        const sa_settings one = defaults();
        sa_settings other = one;
        const double number = sa_option_get(option, &one);
        ck_assert(sa_option_set_number(option, &other, number + 1) ||
                  sa_option_set_number(option, &other, (number + option->max) / 2) ||
                  sa_option_set_number(option, &other, 0));
        ck_assert_ptr_eq(sa_settings_find_difference(&one, &other),
                         option->scope == SA_SCOPE_RUN ? NULL : option);
    }
}
END_TEST

/* ---- What follows from settings -------------------------------------------------------------- */

/* A model in use has its own shape, text and scores; how it was trained is forgotten. */
START_TEST(use_forgets_the_training) {
    const sa_settings settings =
        with("hidden 7 tokenizer char lr 0.25 dropout 0.5 guided-alignment 2 guided-at input "
             "batch 9 chrf-beta 1 steps 4 word-dropout 0.1 label-smoothing 0.2");
    const sa_settings wanted = with("hidden 7 tokenizer char chrf-beta 1 steps 4");
    const sa_settings use = sa_settings_of_use(&settings);
    for (const sa_option *option = sa_settings_options; option->name; option++)
        ck_assert_msg(sa_option_get(option, &use) == sa_option_get(option, &wanted), "%s",
                      option->name);
}
END_TEST

START_TEST(attention_and_its_null_key_follow_from_the_settings) {
    static const struct {
        const char *settings;
        bool has_attention, has_null_key;
    } rows[] = {{"", true, false},
                {"decoder fixed", false, false},
                {"decoder fixed normalizer null", false, false},
                {"decoder fixed-init normalizer null", false, false},
                {"normalizer null", true, true},
                {"normalizer null-key attention scaled-dot", true, true},
                {"normalizer sparsemax", true, false},
                {"model transformer decoder fixed attention scaled-dot", true, false},
                {"model transformer attention scaled-dot normalizer null", true, true},
                {"model decoder attention scaled-dot", true, false}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const sa_settings settings = with(rows[i].settings);
        ck_assert_msg(sa_settings_has_attention(&settings) == rows[i].has_attention, "%s",
                      rows[i].settings);
        ck_assert_msg(sa_settings_has_null_key(&settings) == rows[i].has_null_key, "%s",
                      rows[i].settings);
    }
}
END_TEST

/* Numbers that are no choice: no attention, and no read beyond a table. */
START_TEST(what_is_no_choice_has_nothing) {
    for (int beyond = -1; beyond <= 1000; beyond += 1001) {
        sa_settings model = with("normalizer null"), decoder = model, score = model, other = model;
        model.model = beyond;
        decoder.decoder = beyond;
        score.attention = beyond;
        other.normalizer = beyond;
        ck_assert(!sa_settings_has_attention(&model));
        ck_assert(!sa_settings_has_attention(&decoder));
        ck_assert(!sa_settings_has_null_key(&model));
        ck_assert(!sa_settings_has_null_key(&decoder));
        ck_assert(!sa_settings_has_null_key(&score));
        ck_assert(!sa_settings_has_null_key(&other));
    }
    ck_assert(!sa_settings_has_attention(NULL));
    ck_assert(!sa_settings_has_null_key(NULL));
}
END_TEST

START_TEST(refused_settings_keep_nothing) {
    const sa_settings settings = with("heads 3");
    const sa_cache_size none[] = {sa_settings_cache_size(NULL), sa_settings_cache_size(&settings)};
    for (int i = 0; i < 2; i++) {
        ck_assert_uint_eq(none[i].state, 0);
        ck_assert_uint_eq(none[i].source_word, 0);
        ck_assert_uint_eq(none[i].target_word, 0);
    }
}
END_TEST

/* Where words join the source, keys and values (32 numbers each) and the rates of 4 heads are kept
 * in each layer, in place of a state: the weights of the source are its alignment. */
START_TEST(words_that_join_the_source_are_kept) {
    sa_settings settings;
    sa_settings_init(&settings);
    settings.model = SA_MODEL_DECODER_ONLY, settings.tie = SA_TIE_THREE;
    settings.layers = 3, settings.heads = 4;
    settings.embed = settings.attn = 32, settings.attention = SA_ATTENTION_DELTANET;
    sa_error error;
    ck_assert_msg(sa_settings_check(&settings, &error), "%s", error.text);
    const sa_cache_size cache = sa_settings_cache_size(&settings);
    ck_assert_uint_eq(cache.state, 0);
    ck_assert_uint_eq(cache.source_word, 4 * 3 * (32 + 32 + 4));
    ck_assert_uint_eq(cache.target_word, 4 * 3 * (32 + 32 + 4));
}
END_TEST

/* ---- JSON and model files -------------------------------------------------------------------- */

START_TEST(each_kind_has_its_json) {
    static const struct {
        const char *option;
        double number;
        const char *text;
    } rows[] = {{"hidden", 7, "7"},
                {"seed", 9007199254740991, "9007199254740991"},
                {"lr", 0.25, "0.25"},
                {"lr", 2, "2.0"},
                {"copy", 1, "true"},
                {"copy", 0, "false"},
                {"attention", SA_ATTENTION_DOT, "\"dot\""},
                {"tie", SA_TIE_THREE, "\"three-way\""}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        json_t *value = sa_settings_json(option_of(rows[i].option), rows[i].number);
        char *text = json_dumps(value, JSON_ENCODE_ANY);
        ck_assert_str_eq(text, rows[i].text);
        free(text);
        json_decref(value);
    }
}
END_TEST

/* A value that did nothing, and the least that did something. */
START_TEST(retired_options_at_their_bounds) {
    static const struct {
        const char *text, *name;
    } rows[] = {{"{\"r-drop\": 0}", NULL},
                {"{\"r-drop\": 0.5}", "R-Drop"},
                {"{\"bpe-dropout\": 0}", NULL},
                {"{\"bpe-dropout\": 0.5}", "BPE-dropout"},
                {"{\"l2\": 0}", NULL},
                {"{\"l2\": 0.5}", "an L2 penalty"},
                {"{\"dropout-embeddings\": -1}", NULL},
                {"{\"dropout-embeddings\": 0}", "--dropout-embeddings"},
                {"{\"dropout-annotations\": -1}", NULL},
                {"{\"dropout-annotations\": 0}", "--dropout-annotations"},
                {"{\"dropout-readout\": -1}", NULL},
                {"{\"dropout-readout\": 0}", "--dropout-readout"},
                {"{\"decoder-residual\": false}", NULL},
                {"{\"lr\": 7}", NULL}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        sa_settings settings = defaults();
        sa_error error = {0};
        char wanted[200];
        ck_assert_int_eq(sa_settings_check_resumable(rows[i].text, "m", &error), !rows[i].name);
        ck_assert(sa_settings_read(&settings, rows[i].text, "m", NULL));
        if (!rows[i].name) continue;
        snprintf(wanted, sizeof wanted,
                 "'m' was trained with %s, which this program no longer has: its training cannot "
                 "be resumed",
                 rows[i].name);
        ck_assert_str_eq(error.text, wanted);
    }
}
END_TEST

/* A model with residual connections between the layers of its decoder would compute otherwise. */
START_TEST(a_retired_part_of_the_model_is_refused) {
    sa_settings settings = defaults();
    sa_error error = {0};
    ck_assert(!sa_settings_read(&settings, "{\"decoder-residual\": true}", "m", &error));
    ck_assert_str_eq(error.text, "m: settings: unknown key 'decoder-residual'");
    ck_assert(!sa_settings_check_resumable("{", "m", &error));
    ck_assert_int_eq(error.code, SA_DATA);
}
END_TEST

/* Writes a model file with these settings, or without any, and reads them. */
static bool read_from_file(const char *text, sa_settings *settings, sa_error *error) {
    static const float numbers[] = {1, 2};
    const sa_tensor tensor = {
        .name = "w", .type = SA_F32, .rank = 1, .shape = {2}, .data = numbers};
    const sa_metadata texts[] = {{"settings", text}};
    const char *path = scratch_path("m");
    sa_container container;
    ck_assert(sa_container_write(path, &tensor, 1, texts, text ? 1 : 0, error));
    ck_assert(sa_container_open(&container, path, 1, NULL, error));
    container.name = "m";
    const bool good = sa_settings_read_file(settings, &container, error);
    sa_container_close(&container);
    return good;
}

START_TEST(the_settings_of_a_model_file_are_checked) {
    sa_settings settings = defaults();
    sa_error error = {0};
    ck_assert(read_from_file("{\"hidden\": 7, \"heads\": 2}", &settings, &error));
    ck_assert_int_eq(settings.hidden, 7);
    ck_assert_int_eq(settings.heads, 2);
    ck_assert(!read_from_file(NULL, &settings, &error));
    ck_assert_int_eq(error.code, SA_DATA);
    ck_assert_str_eq(error.text, "m: no settings: not a model file");
    ck_assert(!read_from_file("{\"heads\": 3}", &settings, &error));
    ck_assert_int_eq(error.code, SA_DATA);
    ck_assert_str_eq(error.text, "m: settings: --heads 3 does not divide --attn 64");
    ck_assert(!read_from_file("[]", &settings, &error));
    ck_assert_str_eq(error.text, "m: settings: no JSON object");
}
END_TEST

/* ---- Equations ------------------------------------------------------------------------------- */

/* The rows of each list are choices of its option, and each choice has a row. */
START_TEST(equations_are_those_of_their_options) {
    size_t count = 0;
    for (const sa_formulas *list = sa_formula_tables; list->option; list++, count++) {
        const sa_option *option = option_of(list->option);
        bool seen[64] = {false};
        char mention[32];
        snprintf(mention, sizeof mention, "(--%s", list->option);
        ck_assert_ptr_nonnull(option);
        ck_assert_msg(strstr(list->title, mention) != NULL, "%s", list->title);
        const char *name;
        for (size_t i = 0; (name = list->info(i, NULL, NULL)); i++) {
            const int choice = sa_option_find_choice(option, name);
            ck_assert_msg(choice >= 0 && choice < 64, "%s %s", list->option, name);
            seen[choice] = true;
        }
        for (size_t i = 0; sa_option_choice(option, i); i++)
            ck_assert_msg(seen[i], "%s %s", list->option, sa_option_choice(option, i));
    }
    ck_assert_uint_eq(count, 6);
}
END_TEST

START_TEST(a_choice_has_its_formula_and_citation) {
    const char *formula, *citation;
    ck_assert_str_eq(sa_attention_info(1, &formula, &citation), "scaled-dot");
    ck_assert_str_eq(formula, "e_j = (W_a s)' (U_a h_j) / sqrt(n')");
    ck_assert_str_eq(citation, "Vaswani et al. 2017, section 3.2.1");
    ck_assert_str_eq(sa_attention_info(2, &formula, NULL), "dot");
    ck_assert_str_eq(formula, "e_j = (W_a s)' (U_a h_j)");
    ck_assert_str_eq(sa_attention_info(3, NULL, &citation), "general");
    ck_assert_str_eq(citation, "Luong et al. 2015, section 3.1");
}
END_TEST

/* ---- Presets --------------------------------------------------------------------------------- */

START_TEST(presets_are_counted_and_have_texts) {
    size_t count = 0;
    for (const char *name; (name = sa_preset_name(count)); count++) {
        ck_assert_ptr_eq(sa_preset_text(name), sa_presets[count].text);
        ck_assert_ptr_eq(name, sa_presets[count].name);
        ck_assert_ptr_nonnull(strstr(sa_preset_text(name), "\n--"));
    }
    ck_assert_uint_gt(count, 5);
    ck_assert_ptr_null(sa_preset_name(count + 100));
    ck_assert_ptr_null(sa_preset_text(NULL));
    for (int model = SA_MODEL_RECURRENT; model <= SA_MODEL_DECODER_ONLY; model++) {
        sa_settings settings = defaults();
        const char *name = sa_preset_default(model);
        if (!name) continue;
        ck_assert(sa_settings_preset(&settings, name, NULL));
        ck_assert_int_eq(settings.model, model);
    }
}
END_TEST

START_TEST(presets_need_their_arguments) {
    sa_settings settings = defaults();
    sa_error error = {0};
    ck_assert(!sa_settings_preset(NULL, "tatoeba", &error));
    ck_assert_int_eq(error.code, SA_USAGE);
    ck_assert(!sa_settings_preset(&settings, NULL, &error));
    ck_assert(!sa_settings_set(NULL, "hidden", "7", &error));
    ck_assert(!sa_search_set(NULL, "beam", "7", &error));
    sa_settings_init(NULL);
    sa_search_init(NULL);
    sa_settings *made = sa_settings_new(&error);
    ck_assert_int_eq(made->hidden, 128);
    sa_settings_free(made);
}
END_TEST

int main(void) {
    TCase *cases;
    Suite *suite = suite_of("settings use", &cases);
    tcase_add_checked_fixture(cases, scratch_make, scratch_remove);
    tcase_add_test(cases, refusals_name_settings_and_values);
    tcase_add_test(cases, numbers_out_of_range_are_refused_first);
    tcase_add_test(cases, a_difference_is_told);
    tcase_add_test(cases, each_difference_is_found);
    tcase_add_test(cases, use_forgets_the_training);
    tcase_add_test(cases, attention_and_its_null_key_follow_from_the_settings);
    tcase_add_test(cases, what_is_no_choice_has_nothing);
    tcase_add_test(cases, refused_settings_keep_nothing);
    tcase_add_test(cases, each_kind_has_its_json);
    tcase_add_test(cases, retired_options_at_their_bounds);
    tcase_add_test(cases, a_retired_part_of_the_model_is_refused);
    tcase_add_test(cases, the_settings_of_a_model_file_are_checked);
    tcase_add_test(cases, equations_are_those_of_their_options);
    tcase_add_test(cases, a_choice_has_its_formula_and_citation);
    tcase_add_test(cases, presets_are_counted_and_have_texts);
    tcase_add_test(cases, presets_need_their_arguments);
    tcase_add_test(cases, words_that_join_the_source_are_kept);
    return suite_run(suite);
}
