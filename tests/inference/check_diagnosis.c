/* Diagnoses: which pairs are the cases of a finding, in which order, and the words they name. */
#include "metrics/diagnostics.h"
#include "support/small_training.h"
#include "support/suite.h"

#include <stdlib.h>

enum { PAIRS = 8 };
static sa_pair pairs[PAIRS] = {
    {.source = "w1 w0", .target = "v0 v1"},       {.source = "w2 w1", .target = "v1 v2"},
    {.source = "w3 w1 w0", .target = "v1 v3"},    {.source = "w4 zork w2", .target = "v2 v4"},
    {.source = "w5 w2 w0 w1", .target = "v2 v5"}, {.source = "w6 w3", .target = "v3 v6"},
    {.source = "w7 w3", .target = "v3 v7"},       {.source = "w8 w4", .target = "v4 v8"},
};
static const sa_corpus corpus = {.pairs = pairs, .count = PAIRS, .name = "pairs"};
static sa_model *model;
static sa_sentence_result results[PAIRS];
static sa_sentence_details details[PAIRS];

static char text[] = "v0";

static void open_model(const char *options) {
    sa_settings settings = small_settings();
    set_all(&settings, options);
    sa_model_close(model);
    ck_assert_msg(train(&settings, false), "%s", error.text);
    model = sa_model_open(last_path, 1, &error);
    ck_assert_msg(model != NULL, "%s", error.text);
}

/* Every translation is as long as its reference, until a test changes it. */
static void open_all(void) {
    set_up();
    model = NULL;
    open_model("");
    for (int i = 0; i < PAIRS; i++) {
        details[i] = (sa_sentence_details){.balance = {.words = 8, .reference = 8}};
        results[i] = (sa_sentence_result){.details = &details[i],
                                          .translation = text,
                                          .reference = text,
                                          .words = 9,
                                          .source_words = 3};
    }
}

static void close_all(void) {
    sa_model_close(model);
    scratch_remove();
}

static sa_diagnosis diagnose(void) {
    sa_diagnosis diagnosis;
    ck_assert_msg(sa_diagnose(model, &corpus, results, NULL, &diagnosis, &error), "%s", error.text);
    return diagnosis;
}

static const sa_finding *finding(const sa_diagnosis *diagnosis, const char *name) {
    for (size_t i = 0; i < diagnosis->count; i++)
        if (strcmp(diagnosis->findings[i].name, name) == 0) return &diagnosis->findings[i];
    return NULL;
}

static void expect_case(const sa_finding *found, int number, size_t index, double words,
                        const char *source) {
    const sa_diagnosis_case *one = &found->cases[number];
    ck_assert_int_lt(number, (int)found->case_count);
    ck_assert_uint_eq(one->index, index);
    ck_assert_double_eq(one->words, words);
    ck_assert_pstr_eq(one->source, source);
}

/* Position 3 of pair 4 is too heavy by 5 and position 1 of pair 3, an unknown word, by 2; pair 6 is
 * too light by 4 at position 0. */
START_TEST(cases_name_their_words) {
    details[4].balance.over = (sa_source_coverage){3, 6, 1};
    details[3].balance.over = (sa_source_coverage){1, 2.5, 0.5};
    details[6].balance.under = (sa_source_coverage){0, 1, 5};
    sa_diagnosis diagnosis = diagnose();
    const sa_finding *over = finding(&diagnosis, "over-translation"),
                     *under = finding(&diagnosis, "under-translation");
    ck_assert(over && under && over->case_count == 2 && under->case_count == 1);
    ck_assert_double_eq(over->figure, 2. / PAIRS);
    ck_assert_double_eq(under->figure, 1. / PAIRS);
    expect_case(over, 0, 4, 5, "w1");
    expect_case(over, 1, 3, 2, "zork");
    expect_case(under, 0, 6, -4, "w7");
    ck_assert_int_eq(under->cases[0].coverage.position, 0);
    sa_diagnosis_release(&diagnosis);
}
END_TEST

/* Seven pairs have too many words, or too few: 3, 5, 4, 5, 2, 3 and 6 of them. Five are shown, of
 * equals the first first; without attention none has a word. */
START_TEST(the_five_worst_are_shown) {
    static const int off[PAIRS] = {3, 5, 4, 5, 2, 3, 6, 1};
    static const char *const names[] = {"over-translation", "under-translation"};
    for (int under = 0; under < 2; under++) {
        const int sign = under ? -1 : 1;
        for (int i = 0; i < PAIRS; i++) {
            details[i].balance.words = 8 + sign * off[i];
            details[i].balance.over.position = details[i].balance.under.position = -1;
        }
        sa_diagnosis diagnosis = diagnose();
        const sa_finding *found = finding(&diagnosis, names[under]);
        ck_assert(found && found->case_count == 5);
        ck_assert_ptr_null(finding(&diagnosis, names[!under]));
        ck_assert_double_eq(found->figure, 7. / PAIRS); /* 1 word does not matter */
        expect_case(found, 0, 6, sign * 6, NULL);
        expect_case(found, 1, 1, sign * 5, NULL);
        expect_case(found, 2, 3, sign * 5, NULL);
        expect_case(found, 3, 2, sign * 4, NULL);
        expect_case(found, 4, 0, sign * 3, NULL);
        sa_diagnosis_release(&diagnosis);
    }
}
END_TEST

/* It says what the table says of its problem. */
static void expect_row(const sa_finding *found) {
    const sa_diagnostic *row = sa_diagnostics;
    while (strcmp(row->name, found->name) != 0) row++;
    ck_assert_str_eq(found->measure, row->measure);
    ck_assert_double_eq(found->threshold, row->threshold);
    ck_assert_str_eq(found->lesson, row->lesson);
}

/* Of the words of all pairs, EOS not counted: 2 of 24 source words, 5 of 64 target words. */
START_TEST(unknown_words_are_counted) {
    results[2].unknown_source = 2, results[5].unknown_target = 5;
    sa_diagnosis diagnosis = diagnose();
    const sa_finding *source = finding(&diagnosis, "source vocabulary too small"),
                     *target = finding(&diagnosis, "target vocabulary too small");
    ck_assert(source && target);
    ck_assert_double_eq(source->figure, 2. / 24);
    ck_assert_double_eq(target->figure, 5. / 64);
    ck_assert_uint_eq(source->case_count, 0);
    for (size_t i = 0; i < diagnosis.count; i++) expect_row(&diagnosis.findings[i]);
    sa_diagnosis_release(&diagnosis);
}
END_TEST

/* Of eight pairs two have a source of the training, one of these the target, too. */
START_TEST(pairs_of_the_training_are_found) {
    sa_pair known[] = {{.source = "w1 w0", .target = "v0 v1"},
                       {.source = "w2 w1", .target = "v9"},
                       {.source = "w9", .target = "v3 v6"}};
    const sa_corpus train_pairs = {.pairs = known, .count = 3, .name = "known"};
    sa_diagnosis diagnosis = diagnose();
    ck_assert_ptr_null(finding(&diagnosis, "sources seen in training"));
    sa_diagnosis_release(&diagnosis);
    ck_assert_msg(sa_diagnose(model, &corpus, results, &train_pairs, &diagnosis, &error), "%s",
                  error.text);
    const sa_finding *sources = finding(&diagnosis, "sources seen in training"),
                     *both = finding(&diagnosis, "pairs seen in training");
    ck_assert(sources && both);
    ck_assert_double_eq(sources->figure, 2. / PAIRS);
    ck_assert_double_eq(both->figure, 1. / PAIRS);
    sa_diagnosis_release(&diagnosis);
}
END_TEST

/* Links are all wrong, all right a word before, and half right a word after. */
START_TEST(links_that_are_off_by_one_are_found) {
    sa_pair own[PAIRS];
    const sa_corpus linked = {.pairs = own, .count = PAIRS, .name = "pairs", .gold = true};
    sa_diagnosis diagnosis;
    for (int i = 0; i < PAIRS; i++) own[i] = pairs[i], own[i].gold = "";
    details[2].links = (sa_link_counts){.links = 2, .sure = 2};
    details[2].before =
        (sa_link_counts){.links = 2, .sure = 2, .links_sure = 2, .links_possible = 2};
    details[2].after =
        (sa_link_counts){.links = 2, .sure = 2, .links_sure = 1, .links_possible = 1};
    for (int turn = 0; turn < 2; turn++) { /* the other way round, too */
        ck_assert_msg(sa_diagnose(model, &linked, results, NULL, &diagnosis, &error), "%s",
                      error.text);
        const sa_finding *found = finding(&diagnosis, "off by one");
        ck_assert(found && found->figure == 1);
        sa_diagnosis_release(&diagnosis);
        const sa_link_counts before = details[2].before;
        details[2].before = details[2].after, details[2].after = before;
    }
}
END_TEST

/* Three tokens of each pair are the same on both sides: one is aligned, two would be a word later.
 * The same characters prove nothing. */
START_TEST(identical_tokens_are_off_by_one) {
    static const char name[] = "off by one, by identical tokens";
    for (int i = 0; i < PAIRS; i++)
        details[i].attention = (sa_attention_stats){.identical = 3, .aligned = {0, 1, 2}};
    sa_diagnosis diagnosis = diagnose();
    const sa_finding *found = finding(&diagnosis, name);
    ck_assert_ptr_nonnull(found);
    ck_assert_double_eq_tol(found->figure, 1. / 3, 1e-12);
    sa_diagnosis_release(&diagnosis);
    for (int both = 0; both < 2; both++) {
        open_model(both ? "tokenizer=char" : "target-tokenizer=char");
        diagnosis = diagnose();
        ck_assert_ptr_null(finding(&diagnosis, name));
        sa_diagnosis_release(&diagnosis);
    }
}
END_TEST

/* Entropies of all but a twentieth of the largest: of a model that could do better, or not. */
START_TEST(uniform_attention_may_be_chosen) {
    static const char *const names[] = {"uniform attention", "uniform attention by choice"};
    for (int i = 0; i < PAIRS; i++)
        details[i].attention = (sa_attention_stats){.head_entropy = 19, .max_entropy = 20};
    for (int chosen = 0; chosen < 2; chosen++) {
        if (chosen) open_model("attention=uniform");
        sa_diagnosis diagnosis = diagnose();
        const sa_finding *found = finding(&diagnosis, names[chosen]);
        ck_assert_ptr_nonnull(found);
        ck_assert_double_eq_tol(found->figure, 0.95, 1e-12);
        ck_assert_ptr_null(finding(&diagnosis, names[!chosen]));
        sa_diagnosis_release(&diagnosis);
    }
}
END_TEST

START_TEST(problems_are_listed) {
    for (size_t i = 0; i < SA_DIAGNOSTICS; i++) {
        const char *measure;
        double threshold;
        ck_assert_str_eq(sa_diagnostic_name(i, &measure, &threshold), sa_diagnostics[i].name);
        ck_assert_str_eq(measure, sa_diagnostics[i].measure);
        ck_assert_double_eq(threshold, sa_diagnostics[i].threshold);
    }
    ck_assert_ptr_null(sa_diagnostic_name(SA_DIAGNOSTICS, NULL, NULL));
}
END_TEST

int main(void) {
    TCase *tests;
    Suite *suite = suite_of("diagnosis", &tests);
    tcase_add_checked_fixture(tests, open_all, close_all);
    tcase_add_test(tests, cases_name_their_words);
    tcase_add_test(tests, the_five_worst_are_shown);
    tcase_add_test(tests, unknown_words_are_counted);
    tcase_add_test(tests, pairs_of_the_training_are_found);
    tcase_add_test(tests, links_that_are_off_by_one_are_found);
    tcase_add_test(tests, identical_tokens_are_off_by_one);
    tcase_add_test(tests, uniform_attention_may_be_chosen);
    tcase_add_test(tests, problems_are_listed);
    return suite_run(suite);
}
