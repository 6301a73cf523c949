/* Every model that options can build has right gradients, and the check finds every gradient
 * fault. */
#include "attention/parts.h"
#include "lab/lab.h"
#include "model/shape.h"
#include "support/suite.h"
#include "support/variants.h"

#include <stdio.h>
#include <string.h>

/* Seeds whose weights saturate no unit: the rounding of the loss would hide a gradient of 1e-9. */
static const struct size {
    int embed, hidden, attn, maxout, max_len;
    double dropout, smoothing, guidance;
    int64_t seed;
} sizes[] = {
    {4, 3, 8, 2, 10, 0, 0, 0, 1},
    {3, 5, 4, 3, 3, 0, 0, 0, 9}, /* the sources exceed the location score */
    {2, 2, 4, 1, 10, 0.3, 0.1, 0.7, 8},
};
enum { SIZES = sizeof sizes / sizeof *sizes };

static sa_settings sized(sa_settings settings, struct size size) {
    settings.embed = size.embed, settings.hidden = size.hidden;
    settings.attn = size.attn, settings.maxout = size.maxout;
    settings.max_len = size.max_len;
    settings.dropout = settings.dropout_state = settings.word_dropout = size.dropout;
    settings.dropout_layers = size.dropout;
    settings.label_smoothing = size.smoothing;
    settings.seed = size.seed;
    settings.guided_at = sa_model_reads_before(&settings) ? SA_ALIGN_INPUT : SA_ALIGN_OUTPUT;
    const sa_part *own = sa_scores[settings.attention].part;
    if (sa_settings_has_attention(&settings) && !sa_normalizers[settings.normalizer].sparse &&
        (!own || (!own->normalizer && !sa_rare_of(own)->any_sum)))
        settings.guided_alignment = size.guidance;
    if (settings.model != SA_MODEL_RECURRENT && settings.embed < 4) settings.embed = 4;
    /* of two numbers a layer norm leaves only the sign */
    if (settings.cell_norm && settings.hidden < 3) settings.hidden = 3;
    fit_together(&settings);
    return settings;
}

static sa_settings settings_of(int number, struct size size) {
    return sized(variant_settings(number), size);
}

/* ---- Right gradients ------------------------------------------------------------------------- */

typedef struct report {
    int tensors, zeros, wrong;
} report;

static void count(void *context, const sa_gradient_result *gradient) {
    report *seen = context;
    seen->tensors++;
    seen->zeros += gradient->zero;
    seen->wrong += !gradient->ok;
    ck_assert_int_gt(gradient->cols, 0);
    if (gradient->ok) {
        ck_assert_double_le(gradient->worst, 1e-6);
        ck_assert_double_le(gradient->worst_element, 1e-6);
    }
}

/* The sanitizers are many times slower and check memory, not numbers: with them every model has
 * one size, in turn, a smaller sample of its weights is checked, some models also see a batch of
 * one, and few faults are tried: they take the same code through the same memory. */
enum {
    EACH = TEST_SANITIZED ? 1 : SIZES,
    NOTICED = 19, /* no factor of a tensor's width, so that the sample has all columns */
    THIN = TEST_SANITIZED ? 97 : NOTICED,
    SAMPLE = TEST_SANITIZED ? THIN : 0,
    FAULT_STEP = TEST_SANITIZED ? 24 : 1,
    ALONE = TEST_SANITIZED ? 4 : 1
};

static report expect_right(const sa_lab_job *asked) {
    sa_lab_job job = *asked;
    report seen = {0};
    sa_error error;
    job.options.each = count, job.options.context = &seen;
    if (!job.sample) job.sample = SAMPLE;
    ck_assert_msg(sa_lab_check(&job, &error), "%s", error.text);
    ck_assert_int_eq(seen.wrong, 0);
    return seen;
}

/* Every weight of a model of one of the sizes, in turn, and a sample of those of the others. */
START_TEST(built_in_batch) {
    const sa_settings settings = settings_of(_i / EACH, sizes[_i % SIZES]);
    const bool whole = _i / EACH % EACH == _i % EACH;
    if (settings.model == SA_MODEL_DECODER_ONLY && !whole)
        return; /* its layers are the Transformer's */
    const report seen =
        expect_right(&(sa_lab_job){.options.settings = &settings, .sample = whole ? SAMPLE : THIN});
    sa_params plan;
    const sa_sizes shape = sa_sizes_of(&settings, 11, 12);
    sa_seq2seq_plan(&shape, &plan);
    ck_assert_int_eq(seen.tensors, plan.count);
    const bool transformer = settings.model != SA_MODEL_RECURRENT;
    const bool unread =
        transformer /* content-free scores do not use the queries */
            ? strcmp(sa_scores[settings.attention].name, "uniform") == 0
            : settings.encoder == SA_ENCODER_BI && settings.decoder_init == SA_INITIAL_COPY;
    ck_assert(seen.zeros == 0 || unread);
}
END_TEST

/* Of what is built of parts that were checked whole above, a sample of the weights.
 *
 * Two or three layers in the decoder, with every decoder and cell, and copied states with an
 * encoder of as many. */
START_TEST(layers_of_every_decoder) {
    const int decoder = _i / 6, cell = _i / 2 % 3, layers = 2 + _i % 2;
    sa_settings settings = small_settings();
    settings.decoder = decoder, settings.cell = cell, settings.decoder_layers = layers;
    settings.layers = sa_decoder_kinds[decoder].initial == SA_INITIAL_COPY ? layers : 1;
    fit_together(&settings);
    settings = sized(settings, sizes[layers - 1]);
    expect_right(&(sa_lab_job){.options.settings = &settings, .sample = THIN});
}
END_TEST

/* The last layer makes the query of a 'luong' decoder, the first one that of the others. */
START_TEST(layers_of_every_score) {
    if (sa_scores[_i / 2].part == &sa_two_maps_part) return; /* a Transformer's alone */
    sa_settings settings = small_settings();
    settings.attention = _i / 2, settings.decoder_layers = 2;
    settings.input_feeding = true;
    if (_i % 2) settings.decoder = SA_DECODER_LUONG, settings.layers = 2;
    fit_together(&settings);
    settings = sized(settings, sizes[0]);
    expect_right(&(sa_lab_job){.options.settings = &settings, .sample = THIN});
}
END_TEST

/* All sizes are one, so every sum has a single term. */
START_TEST(units_of_one) {
    if (sa_scores[_i].part == &sa_two_maps_part) return; /* which need two */
    sa_settings settings = settings_of(0, (struct size){1, 1, 1, 1, 10, 0, 0, 0, 6});
    settings.attention = _i;
    if (sa_scores[_i].key == SA_KEY_IDENTITY) settings.encoder = SA_ENCODER_UNI;
    expect_right(&(sa_lab_job){.options.settings = &settings});
}
END_TEST

START_TEST(batch_of_one) {
    static const int32_t source_ids[] = {4, 3, SA_UNK, SA_EOS}, target_ids[] = {5, 4, SA_EOS};
    const sa_sentence source = {source_ids, 4}, target = {target_ids, 3};
    const sa_settings settings = settings_of(_i * ALONE, sizes[0]);
    expect_right(&(sa_lab_job){
        .options.settings = &settings, .pairs = {&source, &target, 1, 5, 6}, .sample = THIN});
}
END_TEST

/* With one source word the attention is constant: most tensors must have no gradient. */
START_TEST(one_word_each) {
    static const int32_t end[] = {SA_EOS};
    const sa_sentence sentence = {end, 1};
    const sa_settings settings = settings_of(0, sizes[0]);
    const report seen = expect_right(
        &(sa_lab_job){.options.settings = &settings, .pairs = {&sentence, &sentence, 1, 3, 3}});
    const int by_h0 =
        2 *
        5; /* U_z, U_r, U are multiplied by h_0 = 0, so that r has no effect: nor have W_r, b_r */
    const int by_scores = 3; /* W_a, U_a, v_a */
    const int by_last = 12;  /* s_1 is not used: all of the decoder's W, U, b and C */
    ck_assert_int_eq(seen.zeros, by_h0 + by_scores + by_last);
}
END_TEST

/* Of 40 maxout units, or 60 rectified ones, some are near their kink: with these seeds differences
 * across one would give wrong gradients, so that other weights are drawn. */
START_TEST(kinks_are_avoided) {
    static const int seeds[] = {7, 31, 89, 105, 131, 156, 96, 135, 201};
    sa_settings settings = small_of(_i < 6 ? SA_MODEL_RECURRENT : SA_MODEL_TRANSFORMER);
    settings.maxout = 40, settings.ffn = 60, settings.seed = seeds[_i];
    expect_right(&(sa_lab_job){.options.settings = &settings, .sample = THIN});
}
END_TEST

/* ---- Wrong gradients ------------------------------------------------------------------------- */

/* Sets the options of a model that has the term: "--cell-norm --cell lstm". */
static sa_settings named(const char *options) {
    const int model = strstr(options, "--model transformer") != NULL;
    sa_settings settings = small_of(model);
    char words[128], *at = words;
    snprintf(words, sizeof words, "%s", options);
    for (char *name = strsep(&at, " "); name && *name; name = strsep(&at, " ")) {
        const sa_option *option = sa_option_find(sa_settings_options, name + 2);
        ck_assert_msg(option, "no option %s", name);
        const bool is_switch = option->kind == SA_OPTION_SWITCH;
        ck_assert(sa_option_set(option, &settings, is_switch ? "yes" : strsep(&at, " "), NULL));
    }
    return settings;
}

/* In a sample of the weights, and so in all of them. */
START_TEST(planted_fault_is_noticed) {
    const size_t number = (size_t)(_i * FAULT_STEP);
    const char *dropped = NULL, *options,
               *term = sa_gradient_fault_name(number, &dropped, &options);
    const sa_settings settings = sized(named(options), sizes[SIZES - 1]);
    report seen = {0};
    sa_error error = {0};
    ck_assert_uint_gt(strlen(dropped), 0);
    const bool good = sa_lab_check(&(sa_lab_job){.options.settings = &settings,
                                                 .options.broken = term,
                                                 .sample = NOTICED,
                                                 .options.each = count,
                                                 .options.context = &seen},
                                   &error);
    ck_assert_msg(!good, "nobody misses %s", term);
    ck_assert_int_eq(error.code, SA_CHECK);
    ck_assert_int_gt(seen.wrong, 0);
    ck_assert_ptr_nonnull(strstr(error.text, "gradient of '"));
    expect_right(
        &(sa_lab_job){.options.settings = &settings, .sample = NOTICED}); /* without it again */
}
END_TEST

/* The error names a model that has the term. */
START_TEST(absent_term_is_named) {
    const sa_settings settings = settings_of(0, sizes[0]);
    sa_error error = {0};
    const sa_lab_job job = {.options.settings = &settings, .options.broken = "lstm.forget"};
    ck_assert(!sa_lab_check(&job, &error));
    ck_assert_int_eq(error.code, SA_USAGE);
    ck_assert_str_eq(error.text,
                     "this model has no term 'lstm.forget'; one has it with --cell lstm");
}
END_TEST

START_TEST(unknown_term_is_refused) {
    const char *const names[] = {"gru", "gru.rese", "gru.reset ", ""};
    const sa_settings settings = settings_of(0, sizes[0]);
    sa_error error = {0};
    const sa_lab_job job = {.options.settings = &settings, .options.broken = names[_i]};
    ck_assert(!sa_lab_check(&job, &error));
    ck_assert_int_eq(error.code, SA_USAGE);
    ck_assert_ptr_nonnull(strstr(error.text, names[_i]));
}
END_TEST

START_TEST(term_names_differ) {
    int terms = 0;
    for (; sa_gradient_fault_name((size_t)terms, NULL, NULL); terms++)
        for (int i = 0; i < terms; i++)
            ck_assert_str_ne(sa_gradient_fault_name((size_t)i, NULL, NULL),
                             sa_gradient_fault_name((size_t)terms, NULL, NULL));
    ck_assert_int_ge(terms, 10);
}
END_TEST

int main(void) {
    TCase *tests;
    Suite *suite = suite_of("gradient laboratory", &tests);
    int terms = 0, scores = 0;
    while (sa_gradient_fault_name((size_t)terms, NULL, NULL)) terms++;
    while (sa_scores[scores].name) scores++;
    tcase_add_loop_test(tests, built_in_batch, 0, count_models() * EACH);
    tcase_add_loop_test(tests, layers_of_every_decoder, 0, 6 * 3 * 2);
    tcase_add_loop_test(tests, layers_of_every_score, 0, 2 * scores);
    tcase_add_loop_test(tests, units_of_one, 0, scores);
    tcase_add_loop_test(tests, batch_of_one, 0, (count_models() + ALONE - 1) / ALONE);
    tcase_add_test(tests, one_word_each);
    tcase_add_loop_test(tests, kinks_are_avoided, 0, 9);
    tcase_add_loop_test(tests, planted_fault_is_noticed, 0, (terms + FAULT_STEP - 1) / FAULT_STEP);
    tcase_add_test(tests, absent_term_is_named);
    tcase_add_loop_test(tests, unknown_term_is_refused, 0, 4);
    tcase_add_test(tests, term_names_differ);
    return suite_run(suite);
}
