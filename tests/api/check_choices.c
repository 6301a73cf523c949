/* The constants of the public headers name the rows that they are meant for; versions and
 * enumerations. */
#include "support/suite.h"

#include <softalign/lab.h>
#include <stdio.h>
#include <string.h>

typedef const sa_option *option_at(size_t i);

static const struct {
    option_at *options;
    const char *option;
    const char *names[64]; /* of the constants, in their order */
    int constants[64];
} lists[] = {
    {sa_settings_option,
     "model",
     {"recurrent", "transformer", "decoder"},
     {SA_MODEL_RECURRENT, SA_MODEL_TRANSFORMER, SA_MODEL_DECODER_ONLY}},
    {sa_settings_option,
     "decoder",
     {"bahdanau", "fixed", "fixed-init", "luong", "cgru", "pointer"},
     {SA_DECODER_BAHDANAU, SA_DECODER_FIXED, SA_DECODER_FIXED_INIT, SA_DECODER_LUONG,
      SA_DECODER_CGRU, SA_DECODER_POINTER}},
    {sa_settings_option,
     "attention",
     {"additive",       "scaled-dot", "dot",       "general",  "raw-dot",
      "concat",         "location",   "uniform",   "gaussian", "cosine",
      "qk-norm",        "linear",     "monotonic", "graves",   "location-aware",
      "differential",   "hard",       "retnet",    "gla",      "deltanet",
      "gated-deltanet", "kda"},
     {SA_ATTENTION_ADDITIVE,     SA_ATTENTION_SCALED_DOT, SA_ATTENTION_DOT,
      SA_ATTENTION_GENERAL,      SA_ATTENTION_RAW_DOT,    SA_ATTENTION_CONCAT,
      SA_ATTENTION_LOCATION,     SA_ATTENTION_UNIFORM,    SA_ATTENTION_GAUSSIAN,
      SA_ATTENTION_COSINE,       SA_ATTENTION_QK_NORM,    SA_ATTENTION_LINEAR,
      SA_ATTENTION_MONOTONIC,    SA_ATTENTION_GRAVES,     SA_ATTENTION_LOCATION_AWARE,
      SA_ATTENTION_DIFFERENTIAL, SA_ATTENTION_HARD,       SA_ATTENTION_RETNET,
      SA_ATTENTION_GLA,          SA_ATTENTION_DELTANET,   SA_ATTENTION_GATED_DELTANET,
      SA_ATTENTION_KDA}},
    {sa_settings_option,
     "normalizer",
     {"softmax", "null", "sparsemax", "entmax", "null-key", "sink", "ssmax", "stick-breaking",
      "softpick", "sigmoid", "selective"},
     {SA_NORMALIZER_SOFTMAX, SA_NORMALIZER_NULL, SA_NORMALIZER_SPARSEMAX, SA_NORMALIZER_ENTMAX,
      SA_NORMALIZER_NULL_KEY, SA_NORMALIZER_SINK, SA_NORMALIZER_SSMAX, SA_NORMALIZER_STICK_BREAKING,
      SA_NORMALIZER_SOFTPICK, SA_NORMALIZER_SIGMOID, SA_NORMALIZER_SELECTIVE}},
    {sa_settings_option,
     "attention-gate",
     {"none", "headwise", "elementwise"},
     {SA_GATE_NONE, SA_GATE_HEADWISE, SA_GATE_ELEMENTWISE}},
    {sa_settings_option,
     "coverage",
     {"none", "linguistic", "loss"},
     {SA_COVERAGE_NONE, SA_COVERAGE_LINGUISTIC, SA_COVERAGE_LOSS}},
    {sa_settings_option,
     "window",
     {"none", "local-m", "local-p", "sliding"},
     {SA_WINDOW_NONE, SA_WINDOW_LOCAL_M, SA_WINDOW_LOCAL_P, SA_WINDOW_SLIDING}},
    {sa_settings_option,
     "head-projection",
     {"full", "split"},
     {SA_HEAD_PROJECTION_FULL, SA_HEAD_PROJECTION_SPLIT}},
    {sa_settings_option,
     "encoder",
     {"bi", "uni", "none"},
     {SA_ENCODER_BI, SA_ENCODER_UNI, SA_ENCODER_NONE}},
    {sa_settings_option,
     "positions",
     {"none", "sinusoidal", "learned", "t5", "alibi", "rope", "shaw", "forgetting"},
     {SA_POSITIONS_NONE, SA_POSITIONS_SINUSOIDAL, SA_POSITIONS_LEARNED, SA_POSITIONS_T5,
      SA_POSITIONS_ALIBI, SA_POSITIONS_ROPE, SA_POSITIONS_SHAW, SA_POSITIONS_FORGETTING}},
    {sa_settings_option, "cell", {"gru", "lstm", "rnn"}, {SA_CELL_GRU, SA_CELL_LSTM, SA_CELL_RNN}},
    {sa_settings_option, "update", {"new", "old"}, {SA_UPDATE_NEW, SA_UPDATE_OLD}},
    {sa_settings_option,
     "reset",
     {"before", "after", "sum"},
     {SA_RESET_BEFORE, SA_RESET_AFTER, SA_RESET_SUM}},
    {sa_settings_option,
     "decoder-init",
     {"auto", "backward", "last", "mean", "copy"},
     {SA_INITIAL_AUTO, SA_INITIAL_BACKWARD, SA_INITIAL_LAST, SA_INITIAL_MEAN, SA_INITIAL_COPY}},
    {sa_settings_option,
     "readout-state",
     {"auto", "previous", "current"},
     {SA_READOUT_AUTO, SA_READOUT_PREVIOUS, SA_READOUT_CURRENT}},
    {sa_settings_option, "norm", {"pre", "post"}, {SA_NORM_PRE, SA_NORM_POST}},
    {sa_settings_option, "prefix", {"causal", "full"}, {SA_PREFIX_CAUSAL, SA_PREFIX_FULL}},
    {sa_settings_option, "guided-at", {"output", "input"}, {SA_ALIGN_OUTPUT, SA_ALIGN_INPUT}},
    {sa_settings_option,
     "tie",
     {"none", "two-way", "three-way"},
     {SA_TIE_NONE, SA_TIE_TWO, SA_TIE_THREE}},
    {sa_settings_option,
     "init",
     {"xavier", "paper", "uniform"},
     {SA_INIT_XAVIER, SA_INIT_PAPER, SA_INIT_UNIFORM}},
    {sa_settings_option,
     "tokenizer",
     {"word", "char", "space", "bpe", "space-bpe"},
     {SA_TOKENIZER_WORD, SA_TOKENIZER_CHAR, SA_TOKENIZER_SPACE, SA_TOKENIZER_BPE,
      SA_TOKENIZER_SPACE_BPE}},
    {sa_settings_option,
     "source-tokenizer",
     {"auto", "word", "char", "space", "bpe", "space-bpe"},
     {0, 1 + SA_TOKENIZER_WORD, 1 + SA_TOKENIZER_CHAR, 1 + SA_TOKENIZER_SPACE, 1 + SA_TOKENIZER_BPE,
      1 + SA_TOKENIZER_SPACE_BPE}},
    {sa_settings_option,
     "target-tokenizer",
     {"auto", "word", "char", "space", "bpe", "space-bpe"},
     {0, 1 + SA_TOKENIZER_WORD, 1 + SA_TOKENIZER_CHAR, 1 + SA_TOKENIZER_SPACE, 1 + SA_TOKENIZER_BPE,
      1 + SA_TOKENIZER_SPACE_BPE}},
    {sa_settings_option, "bpe", {"joint", "separate"}, {SA_BPE_JOINT, SA_BPE_SEPARATE}},
    {sa_settings_option,
     "precision",
     {"float32", "bf16"},
     {SA_PRECISION_FLOAT32, SA_PRECISION_BF16}},
    {sa_settings_option,
     "optimizer",
     {"adadelta", "adam", "sgd"},
     {SA_OPTIMIZER_ADADELTA, SA_OPTIMIZER_ADAM, SA_OPTIMIZER_SGD}},
    {sa_settings_option,
     "schedule",
     {"plateau", "constant", "inverse-sqrt", "linear", "cosine"},
     {SA_SCHEDULE_PLATEAU, SA_SCHEDULE_CONSTANT, SA_SCHEDULE_INVERSE_SQRT, SA_SCHEDULE_LINEAR,
      SA_SCHEDULE_COSINE}},
    {sa_settings_option,
     "freeze-embeddings",
     {"none", "source", "target", "both"},
     {SA_FREEZE_NONE, SA_FREEZE_SOURCE, SA_FREEZE_TARGET, SA_FREEZE_BOTH}},
    {sa_settings_option,
     "criterion",
     {"loss", "bleu", "chrf"},
     {SA_CRITERION_LOSS, SA_CRITERION_BLEU, SA_CRITERION_CHRF}},
    {sa_settings_option, "average-of", {"last", "best"}, {SA_AVERAGE_LAST, SA_AVERAGE_BEST}},
    {sa_search_option,
     "length-penalty",
     {"average", "gnmt", "none"},
     {SA_LENGTH_PENALTY_AVERAGE, SA_LENGTH_PENALTY_GNMT, SA_LENGTH_PENALTY_NONE}},
    {sa_metrics_option,
     "tokenize",
     {"13a", "none", "char", "zh"},
     {SA_METRIC_TOKENIZER_13A, SA_METRIC_TOKENIZER_NONE, SA_METRIC_TOKENIZER_CHAR,
      SA_METRIC_TOKENIZER_ZH}},
    {sa_metrics_option,
     "smooth",
     {"exp", "floor", "add-k", "none"},
     {SA_SMOOTHING_EXP, SA_SMOOTHING_FLOOR, SA_SMOOTHING_ADD_K, SA_SMOOTHING_NONE}},
    {sa_settings_option,
     "tokenize",
     {"13a", "none", "char", "zh"},
     {SA_METRIC_TOKENIZER_13A, SA_METRIC_TOKENIZER_NONE, SA_METRIC_TOKENIZER_CHAR,
      SA_METRIC_TOKENIZER_ZH}},
    {sa_settings_option,
     "smooth",
     {"exp", "floor", "add-k", "none"},
     {SA_SMOOTHING_EXP, SA_SMOOTHING_FLOOR, SA_SMOOTHING_ADD_K, SA_SMOOTHING_NONE}},
    {sa_link_option, "links", {"argmax", "threshold"}, {SA_LINKS_ARGMAX, SA_LINKS_THRESHOLD}},
    {sa_link_option, "align-at", {"output", "input"}, {SA_ALIGN_OUTPUT, SA_ALIGN_INPUT}},
    {sa_aligner_option,
     "model",
     {"1", "2", "hmm", "diagonal", "fertility"},
     {SA_ALIGNER_MODEL1, SA_ALIGNER_MODEL2, SA_ALIGNER_HMM, SA_ALIGNER_DIAGONAL,
      SA_ALIGNER_FERTILITY}},
};
enum { LISTS = sizeof lists / sizeof *lists };

static option_at *const tables[] = {sa_settings_option, sa_search_option, sa_metrics_option,
                                    sa_link_option, sa_aligner_option};
enum { TABLES = sizeof tables / sizeof *tables };

static const sa_option *find(option_at *options, const char *name) {
    size_t i = 0;
    while (options(i) && strcmp(options(i)->name, name) != 0) i++;
    return options(i);
}

START_TEST(a_constant_is_the_number_of_its_name) {
    const sa_option *option = find(lists[_i].options, lists[_i].option);
    ck_assert_ptr_nonnull(option);
    ck_assert_int_eq(option->kind, SA_OPTION_CHOICE);
    for (int k = 0; lists[_i].names[k]; k++)
        ck_assert_str_eq(sa_option_choice(option, (size_t)lists[_i].constants[k]),
                         lists[_i].names[k]);
}
END_TEST

START_TEST(every_choice_has_constants) {
    size_t choices = 0;
    for (size_t t = 0; t < TABLES; t++)
        for (size_t i = 0; tables[t](i); i++) choices += tables[t](i)->kind == SA_OPTION_CHOICE;
    ck_assert_uint_eq(choices, LISTS);
}
END_TEST

/* The structs that options are fields of. */
typedef union fields {
    sa_settings settings;
    sa_search search;
    sa_metrics metrics;
    sa_link_options linking;
    sa_aligner_options aligning;
} fields;

static void init(size_t table, fields *all) {
    *all = (fields){0};
    if (table == 0) sa_settings_init(&all->settings);
    if (table == 1) sa_search_init(&all->search);
    if (table == 2) sa_metrics_init(&all->metrics);
    if (table == 3) sa_link_options_init(&all->linking);
    if (table == 4) sa_aligner_options_init(&all->aligning);
}

static bool set(size_t table, fields *all, const char *name, const char *value, sa_error *error) {
    return table == 0   ? sa_settings_set(&all->settings, name, value, error)
           : table == 1 ? sa_search_set(&all->search, name, value, error)
           : table == 2 ? sa_metrics_set(&all->metrics, name, value, error)
           : table == 3 ? sa_link_options_set(&all->linking, name, value, error)
                        : sa_aligner_options_set(&all->aligning, name, value, error);
}

/* A value that the option allows and its default is not, and what its field then holds. */
static double other_value(const sa_option *option, char *value, size_t size) {
    const double number = option->kind == SA_OPTION_CHOICE || option->kind == SA_OPTION_SWITCH
                              ? option->default_value == 0
                          : option->default_value == option->max ? option->min
                                                                 : option->max;
    if (option->kind == SA_OPTION_CHOICE)
        snprintf(value, size, "%s", sa_option_choice(option, (size_t)number));
    else if (option->kind == SA_OPTION_SWITCH)
        snprintf(value, size, "%s", number != 0 ? "yes" : "no");
    else
        snprintf(value, size, "%.17g", number);
    return number;
}

static double field_of(const sa_option *option, const fields *all) {
    const char *field = (const char *)all + option->offset;
    int whole;
    int64_t wide;
    double real;
    bool on;
    switch (option->kind) {
    case SA_OPTION_INT:
    case SA_OPTION_CHOICE:
        memcpy(&whole, field, sizeof whole);
        return whole;
    case SA_OPTION_INT64:
        memcpy(&wide, field, sizeof wide);
        return (double)wide;
    case SA_OPTION_REAL:
        memcpy(&real, field, sizeof real);
        return real;
    default:
        memcpy(&on, field, sizeof on);
        return on;
    }
}

START_TEST(an_option_is_set_by_its_name) {
    fields before, after;
    sa_error error;
    size_t count = 0;
    for (const sa_option *option; (option = tables[_i](count)); count++) {
        char value[32];
        init((size_t)_i, &before);
        init((size_t)_i, &after);
        ck_assert(option->help && option->offset < sizeof before);
        ck_assert_double_eq(field_of(option, &before), option->default_value);
        const double number = other_value(option, value, sizeof value);
        ck_assert_msg(set((size_t)_i, &after, option->name, value, &error), "%s", error.text);
        ck_assert_double_eq(field_of(option, &after), number);
        for (size_t k = 0; tables[_i](k); k++)
            if (k != count)
                ck_assert_double_eq(field_of(tables[_i](k), &after),
                                    field_of(tables[_i](k), &before));
    }
    ck_assert_uint_ge(count, 2);
    ck_assert_ptr_null(tables[_i](count + 1));
}
END_TEST

START_TEST(a_misspelled_option_is_answered_with_the_nearest) {
    static const char *const wrong[][2] = {{"hiden", "hidden"},
                                           {"beem", "beam"},
                                           {"chrf-ordr", "chrf-order"},
                                           {"treshold", "threshold"},
                                           {"iteration", "iterations"}};
    char expected[80];
    fields all;
    sa_error error;
    init((size_t)_i, &all);
    snprintf(expected, sizeof expected, "unknown option '%s' (did you mean '%s'?)", wrong[_i][0],
             wrong[_i][1]);
    ck_assert(!set((size_t)_i, &all, wrong[_i][0], "1", &error));
    ck_assert_int_eq(error.code, SA_USAGE);
    ck_assert_str_eq(error.text, expected);
    ck_assert(!set((size_t)_i, &all, wrong[_i][1], "-7", &error));
    ck_assert_int_eq(error.code, SA_USAGE);
}
END_TEST

/* Scores, normalizers, positions, decoders and cells: named, described, and described in part or
 * not at all if so asked. */
START_TEST(rows_are_enumerated) {
    static const char *(*const lists_of_rows[])(size_t, const char **, const char **) = {
        sa_attention_info, sa_normalizer_info, sa_coverage_info,
        sa_position_info,  sa_decoder_info,    sa_cell_info};
    static const char *const first[] = {"additive", "softmax", "none", "none", "bahdanau", "gru"};
    for (size_t l = 0; l < sizeof first / sizeof *first; l++) {
        const char *formula, *citation, *name = lists_of_rows[l](0, NULL, NULL);
        size_t count = 0;
        ck_assert_str_eq(name, first[l]);
        for (; lists_of_rows[l](count, &formula, &citation); count++)
            ck_assert(*formula && *citation);
        ck_assert_uint_gt(count, 2);
        ck_assert_ptr_null(lists_of_rows[l](count, NULL, NULL));
    }
}
END_TEST

START_TEST(presets_are_enumerated) {
    size_t count = 0;
    bool bahdanau = false;
    for (const char *name; (name = sa_preset_name(count)); count++) {
        sa_settings settings;
        sa_settings_init(&settings);
        ck_assert_ptr_nonnull(sa_preset_text(name));
        ck_assert(sa_settings_preset(&settings, name, NULL));
        bahdanau |= strcmp(name, "bahdanau2015") == 0;
    }
    ck_assert(bahdanau);
    ck_assert_ptr_null(sa_preset_text("no such preset"));
}
END_TEST

START_TEST(the_version_is_the_project_s) {
    char text[32];
    snprintf(text, sizeof text, "%d.%d.%d", SA_VERSION_MAJOR, SA_VERSION_MINOR, SA_VERSION_PATCH);
    ck_assert_str_eq(text, SOFTALIGN_VERSION);
    ck_assert_str_eq(text, sa_version());
    ck_assert_int_eq(sa_version_number(), SA_VERSION_NUMBER);
}
END_TEST

int main(void) {
    TCase *tests;
    Suite *suite = suite_of("choices", &tests);
    tcase_add_loop_test(tests, a_constant_is_the_number_of_its_name, 0, LISTS);
    tcase_add_test(tests, every_choice_has_constants);
    tcase_add_loop_test(tests, an_option_is_set_by_its_name, 0, TABLES);
    tcase_add_loop_test(tests, a_misspelled_option_is_answered_with_the_nearest, 0, TABLES);
    tcase_add_test(tests, rows_are_enumerated);
    tcase_add_test(tests, presets_are_enumerated);
    tcase_add_test(tests, the_version_is_the_project_s);
    return suite_run(suite);
}
