/* Alignment error rate, by hand and on the published output of an aligner. */
#include "base/file.h"
#include "data/corpus.h"
#include "metrics/linking.h"
#include "support/suite.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define EXAMPLES TEST_ROOT "/../shared/data/alignments/awesome-align-examples/"

static void add(sa_aer *aer, const char *links, const char *gold) {
    sa_link *ours, *theirs;
    size_t our_count, their_count;
    ck_assert(sa_links_parse(links, &ours, &our_count, NULL));
    ck_assert(sa_links_parse(gold, &theirs, &their_count, NULL));
    sa_aer_add(aer, ours, our_count, theirs, their_count);
    free(ours);
    free(theirs);
}

static void expect(const char *links, const char *gold, sa_aer wanted) {
    sa_aer aer = {0};
    add(&aer, links, gold);
    ck_assert_uint_eq(aer.links, wanted.links);
    ck_assert_uint_eq(aer.sure, wanted.sure);
    ck_assert_uint_eq(aer.links_sure, wanted.links_sure);
    ck_assert_uint_eq(aer.links_possible, wanted.links_possible);
}

/* ---- Counts ---------------------------------------------------------------------------------- */

START_TEST(sure_links_are_possible_too) {
    expect("0-0 1-1 2-1", "0-0 1p1 3-3 4p4",
           (sa_aer){.links = 3, .sure = 2, .links_sure = 1, .links_possible = 2});
}
END_TEST

START_TEST(direction_matters) {
    expect("0-1", "1-0", (sa_aer){.links = 1, .sure = 1});
}
END_TEST

START_TEST(order_and_repetition_do_not_matter) {
    const sa_aer wanted = {.links = 3, .sure = 2, .links_sure = 2, .links_possible = 3};
    expect("0-0 1-1 10-2", "0-0 1-1 10p2", wanted);
    expect("10-2 1-1 0-0 1-1 10-2", "1-1 10p2 1-1 0-0 10p2", wanted);
}
END_TEST

START_TEST(a_link_both_sure_and_possible_is_sure) {
    const sa_aer wanted = {.links = 1, .sure = 1, .links_sure = 1, .links_possible = 1};
    expect("5-5", "5p5 5-5", wanted);
    expect("5-5", "5-5 5p5", wanted);
}
END_TEST

START_TEST(either_side_may_be_empty) {
    expect("", "0-0 1p1", (sa_aer){.sure = 1});
    expect("0-0 1-1", "", (sa_aer){.links = 2});
    sa_aer_add(&(sa_aer){0}, NULL, 0, NULL, 0);
}
END_TEST

/* ---- Rates ----------------------------------------------------------------------------------- */

START_TEST(rates_by_hand) {
    sa_aer aer = {0};
    add(&aer, "0-0 1-1 2-1", "0-0 1p1 3-3");
    ck_assert_double_eq_tol(sa_aer_rate(&aer), 1 - 3 / 5.0, 1e-15);
    ck_assert_double_eq_tol(sa_aer_precision(&aer), 2 / 3.0, 1e-15);
    ck_assert_double_eq_tol(sa_aer_recall(&aer), 1 / 2.0, 1e-15);
}
END_TEST

START_TEST(the_rate_is_made_of_sums) {
    sa_aer aer = {0};
    add(&aer, "0-0", "0-0");         /* 0 alone */
    add(&aer, "0-1 1-0 2-2", "0-0"); /* 1 alone */
    ck_assert_double_eq_tol(sa_aer_rate(&aer), 1 - 2 / 6.0, 1e-15);
}
END_TEST

START_TEST(the_best_and_the_worst_rate) {
    sa_aer best = {0}, worst = {0}, only_possible = {0};
    add(&best, "0-0 1-1", "0-0 1p1");
    add(&worst, "0-1", "0-0");
    add(&only_possible, "0-0", "0p0");
    ck_assert_double_eq(sa_aer_rate(&best), 0);
    ck_assert_double_eq(sa_aer_rate(&worst), 1);
    ck_assert_double_eq(sa_aer_rate(&only_possible), 0);
    ck_assert(isnan(sa_aer_recall(&only_possible)));
}
END_TEST

START_TEST(no_link_at_all_has_no_rate) {
    sa_aer aer = {0};
    add(&aer, "", "0p0");
    ck_assert(isnan(sa_aer_rate(&aer)));
    ck_assert(isnan(sa_aer_precision(&aer)));
    ck_assert(isnan(sa_aer_recall(&aer)));
}
END_TEST

/* ---- An aligner's output --------------------------------------------------------------------- */

static const struct {
    const char *links, *gold;
    size_t sure;
    double rate;
} examples[] = {
    {EXAMPLES "enfr.awesome-align.out", EXAMPLES "enfr.gold", 4038, 0.0406908},
    {EXAMPLES "jaen.awesome-align.out", EXAMPLES "jaen.gold", 13562, 0.3735830},
    {EXAMPLES "roen.awesome-align.out", EXAMPLES "roen.gold", 6198, 1 - 8886 / 11212.0},
    {EXAMPLES "zhen.awesome-align.out", EXAMPLES "zhen.gold", 11238, 0.1331388},
};

static sa_link *next_links(sa_text_lines *lines, int base, size_t *count) {
    sa_link *links;
    if (!sa_lines_next(lines, NULL)) {
        ck_assert(!lines->failed);
        return NULL;
    }
    ck_assert(sa_links_parse_line(lines->line, base, &links, count, NULL));
    return links;
}

START_TEST(published_alignments_have_their_rate) {
    if (access(examples[_i].gold, R_OK) != 0) {
        printf("skipped: no %s\n", examples[_i].gold);
        return;
    }
    sa_text_lines our_lines, their_lines;
    ck_assert(sa_text_lines_open(&our_lines, examples[_i].links, NULL));
    ck_assert(sa_text_lines_open(&their_lines, examples[_i].gold, NULL));
    sa_aer aer = {0};
    sa_link *links, *gold;
    for (size_t link_count, gold_count; (gold = next_links(&their_lines, 1, &gold_count));) {
        ck_assert_ptr_nonnull((links = next_links(&our_lines, 0, &link_count)));
        sa_aer_add(&aer, links, link_count, gold, gold_count);
        free(links);
        free(gold);
    }
    ck_assert_uint_eq(aer.sure, examples[_i].sure);
    ck_assert_double_eq_tol(sa_aer_rate(&aer), examples[_i].rate, 5e-8);
    sa_text_lines_close(&our_lines);
    sa_text_lines_close(&their_lines);
}
END_TEST

/* ---- Off by one ------------------------------------------------------------------------------ */

START_TEST(links_move_by_target_words) {
    const sa_link links[] = {{3, 0, false}, {1, 1, false}, {0, 2, false}};
    sa_link gold[] = {{3, 1, false}, {1, 2, false}, {0, 2, true}};
    sa_aer aer[3] = {{0}, {0}, {0}};
    sa_error error;
    ck_assert(sa_aer_add_shifted(aer, links, 3, 3, gold, 3, &error));
    ck_assert_uint_eq(aer[0].links, 2); /* the first left the sentence */
    ck_assert_uint_eq(aer[0].links_possible, 0);
    ck_assert_uint_eq(aer[1].links, 3);
    ck_assert_uint_eq(aer[1].links_possible, 1);
    ck_assert_uint_eq(aer[2].links, 2); /* the last left it */
    ck_assert_uint_eq(aer[2].links_sure, 2);
}
END_TEST

START_TEST(a_clear_margin_is_off) {
    ck_assert(sa_aer_is_off_by_one(0.5, 0.4));
    ck_assert(!sa_aer_is_off_by_one(0.5, 0.46));
    ck_assert(!sa_aer_is_off_by_one(0.5, 0.6));
    ck_assert(!sa_aer_is_off_by_one(NAN, 0.6));
    ck_assert(!sa_aer_is_off_by_one(0.5, NAN));
}
END_TEST

START_TEST(counts_of_other_sentences_add_up) {
    sa_aer sum = {1, 2, 3, 4};
    sa_aer_sum(&sum, &(sa_aer){10, 20, 30, 40});
    ck_assert(sum.links == 11 && sum.sure == 22 && sum.links_sure == 33);
    ck_assert_uint_eq(sum.links_possible, 44);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("aer");
    TCase *rates = tcase_create("rates");
    tcase_add_test(rates, sure_links_are_possible_too);
    tcase_add_test(rates, direction_matters);
    tcase_add_test(rates, order_and_repetition_do_not_matter);
    tcase_add_test(rates, a_link_both_sure_and_possible_is_sure);
    tcase_add_test(rates, either_side_may_be_empty);
    tcase_add_test(rates, rates_by_hand);
    tcase_add_test(rates, the_rate_is_made_of_sums);
    tcase_add_test(rates, the_best_and_the_worst_rate);
    tcase_add_test(rates, no_link_at_all_has_no_rate);
    tcase_add_loop_test(rates, published_alignments_have_their_rate, 0,
                        sizeof examples / sizeof *examples);
    suite_add_tcase(suite, rates);
    TCase *off = tcase_create("off by one");
    tcase_add_test(off, links_move_by_target_words);
    tcase_add_test(off, a_clear_margin_is_off);
    tcase_add_test(off, counts_of_other_sentences_add_up);
    suite_add_tcase(suite, off);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
