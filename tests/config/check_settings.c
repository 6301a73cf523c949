/* The option rows: defaults, parsing, ranges, suggestions, and the settings of a model file. */
#include "base/file.h"
#include "base/option.h"
#include "config/settings.h"
#include "data/tokenizer.h"
#include "layers/optimizer.h"
#include "model/seq2seq.h"
#include "support/suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static sa_settings defaults(void) {
    sa_settings settings;
    memset(&settings, 0xee, sizeof settings);
    sa_settings_init(&settings);
    return settings;
}

/* Whether every option is equal in both. */
static bool same(const sa_settings *one, const sa_settings *other) {
    for (const sa_option *row = sa_settings_options; row->name; row++)
        if (sa_option_get(row, one) != sa_option_get(row, other)) return false;
    return true;
}

/* ---- Rows ------------------------------------------------------------------------------------ */

START_TEST(defaults_are_those_of_a_toy_corpus) {
    sa_settings settings = defaults();
    ck_assert_int_eq(settings.embed, 64);
    ck_assert_int_eq(settings.hidden, 128);
    ck_assert_int_eq(settings.max_len, 50);
    ck_assert_int_eq(settings.seed, 1);
    ck_assert_double_eq(settings.clip, 1);
    ck_assert_double_eq(settings.momentum, 0.9);
    ck_assert_double_eq(settings.max_time, 60);
    ck_assert_int_eq(settings.epochs, 100);
    ck_assert(!settings.lowercase);
    ck_assert_str_eq(SA_NAME(sa_scores, settings.attention), "additive");
    ck_assert_str_eq(SA_NAME(sa_optimizers, settings.optimizer), "adam");
    ck_assert_str_eq(SA_NAME(sa_tokenizers, settings.tokenizer), "word");
}
END_TEST

/* Setting an option changes its own value and no other: no two rows share a field. */
START_TEST(each_row_has_a_field_of_its_own) {
    for (const sa_option *row = sa_settings_options; row->name; row++) {
        sa_settings settings = defaults(), before = settings;
        double number = sa_option_get(row, &before);
        double other = row->kind == SA_OPTION_REAL ? (number + row->max) / 2
                       : number == row->min        ? number + 1
                                                   : number - 1;
        ck_assert_msg(sa_option_set_number(row, &settings, other), "%s", row->name);
        for (const sa_option *each = sa_settings_options; each->name; each++)
            ck_assert_msg(sa_option_get(each, &settings) ==
                              (each == row ? other : sa_option_get(each, &before)),
                          "%s changes %s", row->name, each->name);
    }
}
END_TEST

static void add_range(const sa_option *row, sa_buffer *out) {
    sa_buffer_addf(out, "%s ", row->name);
    sa_option_format(row, row->default_value, out);
    if (row->kind <= SA_OPTION_REAL) sa_buffer_addf(out, " %.16g %.16g", row->min, row->max);
    sa_buffer_adds(out, "\n");
}

/* Defaults and ranges are promises: model files leave out what has the default of their time, and
 * scripts what nobody sets. */
START_TEST(defaults_and_ranges_stay) {
    sa_buffer rows = {0};
    sa_file file;
    sa_error error;
    for (const sa_option *row = sa_settings_options; row->name; row++) add_range(row, &rows);
    for (const sa_option *row = sa_search_options; row->name; row++) add_range(row, &rows);
    ck_assert(sa_file_read(&file, TEST_ROOT "/tests/golden/options.txt", SA_FILE_LIMIT, &error));
    char *text = sa_copy(file.data, file.size, &error);
    ck_assert_str_eq(rows.text, text);
    free(text);
    sa_file_release(&file);
    sa_buffer_release(&rows);
}
END_TEST

START_TEST(options_are_set_from_text) {
    sa_settings settings = defaults();
    sa_error error;
    ck_assert(sa_settings_set(&settings, "attention", "scaled-dot", &error));
    ck_assert_int_eq(settings.attention, 1);
    ck_assert(sa_settings_set(&settings, "lr", "1e6", &error));
    ck_assert_double_eq(settings.lr, 1e6);
    ck_assert(sa_settings_set(&settings, "lowercase", "yes", &error));
    ck_assert(settings.lowercase);
    ck_assert(sa_settings_set(&settings, "lowercase", "no", &error));
    ck_assert(!settings.lowercase);
    ck_assert(sa_settings_set(&settings, "seed", "9007199254740991", &error));
    ck_assert(settings.seed == 9007199254740991);
    ck_assert(sa_settings_set(&settings, "embed", "8192", &error));
    ck_assert_int_eq(settings.embed, 8192);
}
END_TEST

START_TEST(bad_values_are_refused_and_change_nothing) {
    static const char *const rows[][3] = {
        {"lr", "nan", "--lr 'nan': expected a number from 0 to 1000000000"},
        {"lr", "inf", NULL},
        {"lr", "1e999", NULL},
        {"lr", "-1", NULL},
        {"lr", "", NULL},
        {"lr", "0x1p3", NULL},
        {"lr", "1,5", NULL},
        {"lr", "12abc", NULL},
        {"hidden", "99999999999", "--hidden '99999999999': expected a whole number from 1 to 8192"},
        {"hidden", "1.5", NULL},
        {"hidden", "8193", NULL},
        {"batch", "0", "--batch '0': expected a whole number from 1 to 65536"},
        {"threads", "100000", NULL},
        {"seed", "9007199254740993", NULL},
        {"seed", "18446744073709551616", NULL},
        {"lowercase", "maybe", "--lowercase 'maybe': expected yes or no"},
        {"attention", "scaled_dot",
         "--attention 'scaled_dot': expected additive, scaled-dot, dot, general, raw-dot, concat, "
         "location, uniform, gaussian, cosine, qk-norm, linear, monotonic, graves, "
         "location-aware, differential, hard, retnet, gla, deltanet, gated-deltanet or kda (did "
         "you "
         "mean 'scaled-dot'?)"},
        {"optimizer", "adamm",
         "--optimizer 'adamm': expected adadelta, adam or sgd (did you mean 'adam'?)"},
        {"hiden", "3", "unknown option 'hiden' (did you mean 'hidden'?)"},
        {"colour\x1b[2J", "3", "unknown option 'colour\\x1B[2J'"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        sa_settings settings = defaults(), before = settings;
        sa_error error = {0};
        ck_assert_msg(!sa_settings_set(&settings, rows[i][0], rows[i][1], &error), "%s",
                      rows[i][1]);
        ck_assert_int_eq(error.code, SA_USAGE);
        if (rows[i][2]) ck_assert_str_eq(error.text, rows[i][2]);
        ck_assert(same(&settings, &before));
    }
}
END_TEST

/* What softalign compare takes once for all its models. */
START_TEST(some_options_are_of_all_models) {
    char common[1024] = "";
    for (const sa_option *option = sa_settings_options; option->name; option++)
        if (sa_settings_is_common(option)) strcat(strcat(common, option->name), " ");
    ck_assert_str_eq(common,
                     "tokenizer source-tokenizer target-tokenizer bpe-merges bpe lowercase "
                     "min-freq vocab max-len batch batch-tokens seed hold-out tokenize smooth "
                     "smooth-value effective-order chrf-order chrf-word-order chrf-beta "
                     "chrf-whitespace chrf-eps threads epochs steps max-time keep ");
}
END_TEST

START_TEST(text_options_keep_the_given_text) {
    static const sa_option row = {"out", SA_OPTION_TEXT, SA_SCOPE_RUN, 0, 0,     0,
                                  0,     NULL,           NULL,         0, "DIR", "x"};
    const char *out = NULL;
    sa_error error = {0};
    ck_assert(sa_option_set(&row, &out, "-x y", &error));
    ck_assert_str_eq(out, "-x y");
    ck_assert(!sa_option_set(&row, &out, "", &error));
    ck_assert_str_eq(error.text, "--out: the DIR is empty");
}
END_TEST

START_TEST(the_nearest_name_is_suggested) {
    static const char *const names[] = {"translate", "train", "align", "eval"};
    static const char *const rows[][2] = {
        {"trian", "train"}, {"translte", "translate"}, {"evaluate", NULL}, {"allign", "align"},
        {"train", "train"}, {"frobnicate", NULL},      {"", NULL},         {"evl", "eval"},
        {"elav", "eval"},   {"alipqr", NULL}}; /* 2 of 4, and 3 of 6 letters differ */
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        sa_nearest nearest = {.wanted = rows[i][0]};
        for (size_t j = 0; j < 4; j++) sa_nearest_consider(&nearest, names[j]);
        if (!rows[i][1])
            ck_assert_ptr_null(nearest.name);
        else
            ck_assert_pstr_eq(nearest.name, rows[i][1]);
    }
}
END_TEST

/* Of two that are equally close; after a prefix. */
START_TEST(the_first_of_the_nearest_names_is_suggested) {
    sa_nearest nearest = {.wanted = "grain", .prefix = "--"};
    ck_assert_str_eq(sa_nearest_hint(&nearest), "");
    sa_nearest_consider(&nearest, "train");
    sa_nearest_consider(&nearest, "brain");
    ck_assert_str_eq(sa_nearest_hint(&nearest), " (did you mean '--train'?)");
}
END_TEST

/* A real number that has a word for a number outside its range. */
START_TEST(a_word_may_stand_for_a_number) {
    sa_settings settings = defaults(), read = defaults();
    sa_error error;
    ck_assert(sa_settings_set(&settings, "entmax-alpha", "1.25", NULL));
    ck_assert_double_eq(settings.entmax_alpha, 1.25);
    ck_assert(sa_settings_set(&settings, "entmax-alpha", "learned", NULL));
    ck_assert_double_eq(settings.entmax_alpha, SA_ENTMAX_ALPHA_LEARNED);
    ck_assert(sa_settings_check(&settings, NULL));
    error = (sa_error){0};
    char *text = sa_settings_write(&settings, &error);
    ck_assert_int_eq(error.code, SA_OK);
    ck_assert_ptr_nonnull(strstr(text, "\"entmax-alpha\": \"learned\""));
    ck_assert(sa_settings_read(&read, text, "m", NULL));
    ck_assert_double_eq(read.entmax_alpha, SA_ENTMAX_ALPHA_LEARNED);
    free(text);
    ck_assert(!sa_settings_set(&settings, "entmax-alpha", "1", &error));
    ck_assert_str_eq(error.text, "--entmax-alpha '1': expected a number from 1.01 to 2 or learned");
    ck_assert(!sa_settings_set(&settings, "entmax-alpha", "0", &error)); /* the word's number */
    ck_assert_str_eq(error.text, "--entmax-alpha '0': expected a number from 1.01 to 2 or learned");
    ck_assert(!sa_settings_set(&settings, "entmax-alpha", "learn", &error));
    ck_assert_ptr_nonnull(strstr(error.text, "learned'?"));
    ck_assert(!sa_settings_read(&read, "{\"entmax-alpha\": 1}", "m", &error));
    ck_assert_ptr_nonnull(strstr(error.text, "'entmax-alpha' must be a number from 1.01 to 2 or"));
    ck_assert(!sa_settings_read(&read, "{\"entmax-alpha\": \"softmax\"}", "m", &error));
    ck_assert(!sa_settings_read(&read, "{\"lr\": \"learned\"}", "m", &error));
}
END_TEST

/* The gradient of a weight's logarithm is infinite at 0; weights of any sum would all become large.
 */
START_TEST(guided_alignment_needs_distributions_above_0) {
    sa_settings settings = defaults();
    sa_error error;
    settings.guided_alignment = 0.5;
    for (int i = 0; SA_NAME(sa_normalizers, (size_t)i); i++) {
        settings.normalizer = i;
        const bool good = sa_settings_check(&settings, &error); /* some refuse the decoder, too */
        ck_assert(good || strstr(error.text, "--normalizer"));
        ck_assert_int_eq(!good && strstr(error.text, "--guided-alignment"),
                         sa_normalizers[i].sparse || sa_normalizers[i].any_sum);
    }
}
END_TEST

/* The message names what makes the weights. */
START_TEST(a_refusal_names_what_makes_the_weights) {
    sa_settings settings = defaults();
    sa_error error;
    settings.guided_alignment = 0.5;
    settings.attention = SA_ATTENTION_GRAVES;
    ck_assert(!sa_settings_check(&settings, &error));
    ck_assert_msg(strstr(error.text, "the weights of --attention graves"), "%s", error.text);
    settings.attention = SA_ATTENTION_ADDITIVE, settings.normalizer = SA_NORMALIZER_SPARSEMAX;
    ck_assert(!sa_settings_check(&settings, &error));
    ck_assert_msg(strstr(error.text, ": --normalizer sparsemax makes"), "%s", error.text);
    settings = defaults(), settings.heads = 3;
    ck_assert(!sa_settings_check(&settings, &error));
    ck_assert_str_eq(error.text, "--heads 3 does not divide --attn 64");
}
END_TEST

/* What has no effect in a family of models is not listed for it. */
START_TEST(each_family_ignores_what_others_have) {
    static const char *const ignored[] = {
        "ffn norm prefix ",
        "decoder encoder decoder-layers reverse-source cell update reset "
        "cell-norm decoder-init readout-state input-feeding hidden maxout prefix dropout-layers ",
        "decoder encoder decoder-layers reverse-source cell update reset "
        "cell-norm decoder-init readout-state input-feeding hidden maxout dropout-layers "};
    for (int model = 0; model < 3; model++) {
        sa_settings settings = defaults();
        char found[1024] = "";
        settings.model = model;
        for (const sa_option *row = sa_settings_options; row->name; row++)
            if (sa_settings_ignores(&settings, row)) strcat(strcat(found, row->name), " ");
        ck_assert_str_eq(found, ignored[model]);
    }
}
END_TEST

/* ---- The settings of a model file ------------------------------------------------------------ */

START_TEST(written_settings_read_back_exactly) {
    sa_settings settings = defaults(), read = defaults();
    settings.lr = 0.1 + 0.2;
    settings.clip = 1e-300;
    settings.seed = 9007199254740991;
    settings.lowercase = true;
    settings.attention = 1;
    settings.normalizer = SA_NORMALIZER_ENTMAX;
    settings.steps = 99;
    char *text = sa_settings_write(&settings, NULL);
    ck_assert_ptr_nonnull(text);
    ck_assert_ptr_nonnull(strstr(
        text, "\"attention\": \"scaled-dot\", \"normalizer\": \"entmax\", \"entmax-alpha\": 1.5"));
    ck_assert_ptr_nonnull(strstr(text, "\"lowercase\": true"));
    ck_assert_ptr_null(strstr(text, "steps"));
    ck_assert_ptr_null(strstr(text, "threads"));
    ck_assert(sa_settings_read(&read, text, "m", NULL));
    ck_assert_ptr_null(sa_settings_find_difference(&settings, &read));
    ck_assert(read.lr == settings.lr && read.clip == settings.clip);
    ck_assert_int_eq(read.steps, 0); /* SA_SCOPE_RUN: unchanged */
    free(text);
}
END_TEST

START_TEST(metrics_are_written) {
    sa_settings settings = defaults(), read = defaults();
    ck_assert(sa_settings_set(&settings, "tokenize", "char", NULL));
    ck_assert(sa_settings_set(&settings, "chrf-word-order", "2", NULL));
    char *text = sa_settings_write(&settings, NULL);
    ck_assert_ptr_nonnull(strstr(text, "\"tokenize\": \"char\""));
    ck_assert_ptr_nonnull(strstr(text, "\"chrf-word-order\": 2"));
    ck_assert_str_eq(sa_settings_find_difference(&settings, &read)->name, "tokenize");
    ck_assert(sa_settings_read(&read, text, "m", NULL));
    ck_assert_ptr_null(sa_settings_find_difference(&settings, &read));
    ck_assert_int_eq(read.metrics.tokenize, SA_METRIC_TOKENIZER_CHAR);
    ck_assert_int_eq(read.metrics.chrf_word_order, 2);
    ck_assert(!read.metrics.lowercase);
    free(text);
}
END_TEST

/* The written settings with one part replaced. */
static char *altered(const char *part, const char *with) {
    sa_settings settings = defaults();
    char *text = sa_settings_write(&settings, NULL);
    char *at = strstr(text, part);
    ck_assert_ptr_nonnull(at);
    sa_buffer out = {0};
    sa_buffer_add(&out, text, (size_t)(at - text));
    sa_buffer_adds(&out, with);
    sa_buffer_adds(&out, at + strlen(part));
    free(text);
    return out.text;
}

START_TEST(earlier_keys_and_choices_are_understood) {
    static const char *const rows[][4] = {
        {"\"decoder-init\": \"auto\"", "\"start\": \"copy\"", "decoder-init", "copy"},
        {"\"value-size\": 0", "\"values\": 3", "value-size", "3"},
        {"\"readout-state\": \"auto\"", "\"readout\": \"current\"", "readout-state", "current"},
        {"\"window\": \"none\"", "\"window\": \"monotone\"", "window", "local-m"},
        {"\"window\": \"none\"", "\"window\": \"predictive\"", "window", "local-p"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char *text = altered(rows[i][0], rows[i][1]);
        sa_settings read = defaults(), wanted = defaults();
        sa_error error = {0};
        ck_assert(sa_settings_set(&wanted, rows[i][2], rows[i][3], NULL));
        ck_assert_msg(sa_settings_read(&read, text, "m", &error), "%s", error.text);
        ck_assert_msg(same(&read, &wanted), "%s", rows[i][1]);
        free(text);
    }
}
END_TEST

/* What was taken out of the program: its models open, whatever they were trained with. */
START_TEST(retired_keys_are_ignored_but_not_resumed) {
    static const char *const rows[][2] = {{"\"r-drop\": 2.0, ", "R-Drop"},
                                          {"\"bpe-dropout\": 0.1, ", "BPE-dropout"},
                                          {"\"l2\": 1e-4, ", "an L2 penalty"},
                                          {"\"dropout-readout\": 0, ", "--dropout-readout"},
                                          {"\"bpe-dropout\": 0.0, \"r-drop\": 0, \"l2\": 0, "
                                           "\"dropout-readout\": -1, \"decoder-residual\": false, ",
                                           NULL}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char with[128];
        snprintf(with, sizeof with, "%s\"seed\"", rows[i][0]);
        char *text = altered("\"seed\"", with);
        sa_settings read = defaults(), wanted = defaults();
        sa_error error = {0};
        ck_assert_msg(sa_settings_read(&read, text, "m", &error), "%s", error.text);
        ck_assert(same(&read, &wanted));
        ck_assert_int_eq(sa_settings_check_resumable(text, "m", &error), !rows[i][1]);
        ck_assert_int_eq(error.code, rows[i][1] ? SA_USAGE : SA_OK);
        if (rows[i][1]) ck_assert_ptr_nonnull(strstr(error.text, rows[i][1]));
        free(text);
    }
}
END_TEST

/* A model file opens after options were added to the program. */
START_TEST(a_key_that_is_absent_takes_its_default) {
    sa_settings changed = defaults();
    for (const sa_option *row = sa_settings_options; row->name; row++) {
        const double number = sa_option_get(row, &changed);
        ck_assert(sa_option_set_number(row, &changed, number + 1) ||
                  sa_option_set_number(row, &changed, row->min) ||
                  sa_option_set_number(row, &changed, 0));
    }
    sa_settings read = changed, wanted = defaults();
    ck_assert(sa_settings_read(&read, "{\"hidden\": 7, \"tie\": \"two-way\"}", "m", NULL));
    ck_assert(sa_settings_set(&wanted, "hidden", "7", NULL));
    ck_assert(sa_settings_set(&wanted, "tie", "two-way", NULL));
    ck_assert_int_eq(wanted.hold_out, 1000);
    wanted.hold_out = 0; /* earlier programs held out 5 % of any number */
    ck_assert_ptr_null(sa_settings_find_difference(&read, &wanted));
    ck_assert_int_eq(read.epochs, changed.epochs); /* SA_SCOPE_RUN: unchanged */
}
END_TEST

START_TEST(altered_settings_are_refused) {
    static const char *const rows[][3] = {
        {"\"embed\": 64", "\"embed\": 1000000000",
         "m: settings: 'embed' must be a whole number from 1 to 8192"},
        {"\"embed\": 64", "\"embed\": 64.0",
         "m: settings: 'embed' must be a whole number from 1 to 8192"},
        {"\"embed\": 64", "\"embed\": \"64\"",
         "m: settings: 'embed' must be a whole number from 1 to 8192"},
        {"\"additive\"", "\"evil\"",
         "m: settings: 'attention' must be additive, scaled-dot, dot, general, raw-dot, concat, "
         "location, uniform, gaussian, cosine, qk-norm, linear, monotonic, graves, "
         "location-aware, differential, hard, retnet, gla, deltanet, gated-deltanet or kda"},
        {"\"additive\"", "0",
         "m: settings: 'attention' must be additive, scaled-dot, dot, general, raw-dot, concat, "
         "location, uniform, gaussian, cosine, qk-norm, linear, monotonic, graves, "
         "location-aware, differential, hard, retnet, gla, deltanet, gated-deltanet or kda"},
        {"\"lowercase\": false", "\"lowercase\": 0", "m: settings: 'lowercase' must be yes or no"},
        {"\"dropout\": 0.0", "\"dropout\": 1.5",
         "m: settings: 'dropout' must be a number from 0 to 0.9"},
        {"\"dropout\"", "\"drop\": 1, \"dropout\"", "m: settings: unknown key 'drop'"},
        {"\"dropout\"", "\"threads\": 1, \"dropout\"", "m: settings: unknown key 'threads'"},
        {"\"embed\": 64", "\"embed\": 64, \"embed\": 64", "m: settings: duplicate key 'embed'"},
        {"\"value-size\": 0", "\"values\": -1",
         "m: settings: 'values' must be a whole number from 0 to"},
        {"\"window\": \"none\"", "\"window\": \"grey\"", "m: settings: 'window' must be none"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char *text = altered(rows[i][0], rows[i][1]);
        sa_settings settings = defaults(), before = settings;
        sa_error error = {0};
        ck_assert_msg(!sa_settings_read(&settings, text, "m", &error), "%s", rows[i][1]);
        ck_assert_int_eq(error.code, SA_DATA);
        ck_assert_msg(strncmp(error.text, rows[i][2], strlen(rows[i][2])) == 0, "%s", error.text);
        ck_assert(same(&settings, &before));
        free(text);
    }
}
END_TEST

START_TEST(what_is_no_object_is_refused) {
    static const char *const texts[] = {"", "[]", "{", "3", "{} {}"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        sa_settings settings = defaults();
        sa_error error = {0};
        ck_assert(!sa_settings_read(&settings, texts[i], "m", &error));
        ck_assert_int_eq(error.code, SA_DATA);
    }
}
END_TEST

START_TEST(a_difference_is_named) {
    sa_settings one = defaults(), other = one;
    other.threads = 3;
    ck_assert_ptr_null(sa_settings_find_difference(&one, &other));
    other.lr = 0.5;
    ck_assert_str_eq(sa_settings_find_difference(&one, &other)->name, "lr");
}
END_TEST

START_TEST(the_shape_of_a_model_is_taken) {
    sa_settings one = defaults(), other = one;
    const char *const options[] = {"hidden 7", "tokenizer bpe", "bpe-merges 3", "tie two-way"};
    static const char *const own[] = {"lr 0.5",    "min-freq 2", "vocab 9",
                                      "max-len 8", "seed 4",     "chrf-beta 1"};
    char name[32], value[32];
    for (size_t i = 0; i < sizeof options / sizeof *options + sizeof own / sizeof *own; i++) {
        const char *text = i < sizeof options / sizeof *options
                               ? options[i]
                               : own[i - sizeof options / sizeof *options];
        ck_assert_int_eq(sscanf(text, "%31s %31s", name, value), 2);
        ck_assert(sa_settings_set(&other, name, value, NULL));
    }
    sa_settings_take_shape(&one, &other);
    for (size_t i = 0; i < sizeof own / sizeof *own; i++) {
        sscanf(own[i], "%31s", name);
        const sa_option *row = sa_option_find(sa_settings_options, name);
        ck_assert(sa_option_get(row, &one) != sa_option_get(row, &other));
        ck_assert(sa_option_set_number(row, &one, sa_option_get(row, &other)));
    }
    ck_assert_ptr_null(sa_settings_find_difference(&one, &other));
}
END_TEST

/* Bytes for a hypothesis of 20, 200 and 2,000 words in four layers of 4 heads of 32 numbers: full
 * layers keep 8 n H d, the delta rule 4 H d^2. */
START_TEST(hybrid_stacks_keep_a_share_of_the_keys) {
    static const struct {
        int attention, hybrid;
        size_t bytes[3];
    } stacks[] = {{SA_ATTENTION_SCALED_DOT, 0, {81920, 819200, 8192000}},
                  {SA_ATTENTION_DELTANET, 2, {73728, 442368, 4128768}},
                  {SA_ATTENTION_DELTANET, 4, {69632, 253952, 2097152}},
                  {SA_ATTENTION_DELTANET, 0, {65536, 65536, 65536}}};
    static const size_t words[] = {20, 200, 2000};
    for (size_t k = 0; k < sizeof stacks / sizeof *stacks; k++) {
        sa_settings settings;
        sa_settings_init(&settings);
        settings.model = SA_MODEL_TRANSFORMER, settings.layers = settings.heads = 4;
        settings.embed = settings.attn = 128;
        settings.attention = stacks[k].attention, settings.hybrid = stacks[k].hybrid;
        const sa_cache_size cache = sa_settings_cache_size(&settings);
        for (int i = 0; i < 3; i++)
            ck_assert_uint_eq(cache.state + words[i] * cache.target_word, stacks[k].bytes[i]);
    }
}
END_TEST

/* Of a source word stay its annotation, 2 x 20 numbers, and its key of 8, unless that is the
 * annotation itself; with coverage also the sum of its weights. */
START_TEST(keys_that_are_annotations_are_kept_once) {
    static const int scores[] = {SA_ATTENTION_ADDITIVE, SA_ATTENTION_DOT, SA_ATTENTION_RAW_DOT};
    static const size_t numbers[] = {40 + 8, 40 + 8, 40};
    for (int k = 0; k < 3; k++) {
        sa_settings settings;
        sa_error error;
        sa_settings_init(&settings);
        settings.hidden = 20, settings.attn = 8, settings.attention = scores[k];
        if (k == 2)
            settings.decoder = SA_DECODER_LUONG, settings.hidden = 40,
            settings.encoder = SA_ENCODER_UNI;
        ck_assert_msg(sa_settings_check(&settings, &error), "%s", error.text);
        ck_assert_uint_eq(sa_settings_cache_size(&settings).source_word, 4 * numbers[k]);
        ck_assert_uint_eq(sa_settings_cache_size(&settings).state, 4 * (size_t)settings.hidden);
        settings.coverage = SA_COVERAGE_LOSS;
        ck_assert_uint_eq(sa_settings_cache_size(&settings).source_word, 4 * (numbers[k] + 1));
    }
}
END_TEST

/* Without attention no source word is kept, but the vector that stands for all of them. */
START_TEST(a_fixed_vector_is_kept) {
    sa_settings settings;
    sa_settings_init(&settings);
    settings.hidden = 20, settings.decoder = SA_DECODER_FIXED;
    const sa_cache_size cache = sa_settings_cache_size(&settings);
    ck_assert_uint_eq(cache.state, 4 * (20 + 20));
    ck_assert_uint_eq(cache.source_word, 0);
    ck_assert_uint_eq(cache.target_word, 0);
}
END_TEST

/* The places of its Gaussians belong to the state. */
START_TEST(moving_windows_keep_their_places) {
    sa_settings settings;
    sa_settings_init(&settings);
    settings.hidden = 20, settings.attn = 8, settings.attention = SA_ATTENTION_GRAVES;
    const sa_cache_size cache = sa_settings_cache_size(&settings);
    ck_assert_uint_eq(cache.state, 4 * (20 + 3));
    ck_assert_uint_eq(cache.source_word, 4 * 40);
}
END_TEST

int main(void) {
    TCase *cases;
    Suite *suite = suite_of("settings", &cases);
    tcase_add_test(cases, defaults_are_those_of_a_toy_corpus);
    tcase_add_test(cases, each_row_has_a_field_of_its_own);
    tcase_add_test(cases, defaults_and_ranges_stay);
    tcase_add_test(cases, a_refusal_names_what_makes_the_weights);
    tcase_add_test(cases, each_family_ignores_what_others_have);
    tcase_add_test(cases, options_are_set_from_text);
    tcase_add_test(cases, bad_values_are_refused_and_change_nothing);
    tcase_add_test(cases, some_options_are_of_all_models);
    tcase_add_test(cases, text_options_keep_the_given_text);
    tcase_add_test(cases, the_nearest_name_is_suggested);
    tcase_add_test(cases, the_first_of_the_nearest_names_is_suggested);
    tcase_add_test(cases, a_word_may_stand_for_a_number);
    tcase_add_test(cases, guided_alignment_needs_distributions_above_0);
    tcase_add_test(cases, written_settings_read_back_exactly);
    tcase_add_test(cases, metrics_are_written);
    tcase_add_test(cases, earlier_keys_and_choices_are_understood);
    tcase_add_test(cases, retired_keys_are_ignored_but_not_resumed);
    tcase_add_test(cases, a_key_that_is_absent_takes_its_default);
    tcase_add_test(cases, altered_settings_are_refused);
    tcase_add_test(cases, what_is_no_object_is_refused);
    tcase_add_test(cases, a_difference_is_named);
    tcase_add_test(cases, the_shape_of_a_model_is_taken);
    tcase_add_test(cases, keys_that_are_annotations_are_kept_once);
    tcase_add_test(cases, hybrid_stacks_keep_a_share_of_the_keys);
    tcase_add_test(cases, a_fixed_vector_is_kept);
    tcase_add_test(cases, moving_windows_keep_their_places);
    return suite_run(suite);
}
