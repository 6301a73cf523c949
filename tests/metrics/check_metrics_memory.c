/* Scores, links and roles while calls for memory fail, each alone and with all later ones: no block
 * is lost, the error names memory, and what succeeds all the same is right. */
#include "metrics/head_roles.h"
#include "metrics/linking.h"
#include "metrics/metrics.h"
#include "support/memory_failures.h"
#include "support/suite.h"

#include <math.h>

static sa_metrics metrics;
static sa_metric_values wanted;

static bool score(sa_metric_values *values, sa_error *why) {
    static const char *const hypotheses[] = {"A cat, 3.5 今日 sat", ""},
                             *const first[] = {"a cat , 3.5 今天 sits", "x"},
                             *const second[] = {"the Cat sat - down", "y z"};
    const char *const *references[] = {first, second};
    return sa_compute_metrics(&metrics, hypotheses, references, 2, 2, values, why);
}

static bool score_it(sa_error *why) {
    sa_metric_values values;
    if (!score(&values, why)) return false;
    for (int m = 0; m < SA_METRIC_COUNT; m++)
        ck_assert_double_eq(sa_metric_value(&values, m), sa_metric_value(&wanted, m));
    return true;
}

START_TEST(scores_without_memory) {
    sa_metrics_init(&metrics);
    metrics.tokenize = _i, metrics.lowercase = _i % 2;
    metrics.chrf_word_order = 2, metrics.effective_order = true;
    ck_assert(score(&wanted, NULL));
    ck_assert(wanted.bleu > 1 && wanted.chrf > 1);
    ck_assert_int_eq(fail_allocations(score_it), 0);
}
END_TEST

/* ---- Links ----------------------------------------------------------------------------------- */

static const sa_link forward[] = {{0, 0}, {1, 1}, {2, 2}}, backward[] = {{0, 0}, {1, 1}, {2, 1}};

static bool symmetrize_it(sa_error *why) {
    sa_link *links;
    size_t count;
    if (!sa_symmetrize(2, forward, 3, backward, 3, &links, &count, why)) return false;
    ck_assert_uint_eq(count, 4); /* all of them touch each other */
    free(links);
    return true;
}

static bool extract_it(sa_error *why) {
    static const double weights[] = {0.5, 0.25, 0.25, 0.125, 0.75, 0.125, 0, 0, 1};
    sa_link_options linking;
    size_t count;
    sa_link_options_init(&linking);
    sa_link *links = sa_linking_extract(&linking, weights, 3, 3, &count, why);
    if (links) ck_assert(count == 2 && links[1].source == 1 && links[1].target == 1);
    free(links);
    return links;
}

static bool shift_it(sa_error *why) {
    sa_aer aer[3] = {{0}, {0}, {0}};
    sa_link gold[] = {{0, 1}, {1, 2}};
    if (!sa_aer_add_shifted(aer, forward, 3, 3, gold, 2, why)) return false;
    ck_assert_uint_eq(aer[2].links_sure, 2);
    return true;
}

static bool add_roles(sa_error *why) {
    static const char *const words[] = {"a", "b", "a"};
    static const double weights[] = {1, 0, 0, 0.5, 0.5, 0, 0.25, 0.75, 0};
    const sa_alignment pair = {
        .targets = 3, .sources = 3, .heads = 1, .layers = 1, .source = words, .weights = weights};
    sa_head_roles sum = {0};
    if (!sa_head_roles_add_pair(&sum, &pair, SA_SITE_DECODER, NULL, 0, why)) return false;
    ck_assert_double_eq(sum.weight[SA_ROLE_PREVIOUS], 0.75); /* of the row with three keys */
    return true;
}

static bool resample_it(sa_error *why) {
    const sa_resampling resampling = {.samples = 3, .seed = 1};
    sa_metric_stats each[2] = {{.sentences = 1, .exact = 1}, {.sentences = 1}};
    sa_metrics_init(&metrics);
    double *values = sa_bootstrap_values(each, 2, &metrics, &resampling, why);
    free(values);
    return values;
}

START_TEST(links_and_roles_without_memory) {
    ck_assert_int_eq(fail_allocations(symmetrize_it), 0);
    ck_assert_int_eq(fail_allocations(extract_it), 0);
    ck_assert_int_eq(fail_allocations(shift_it), 0);
    ck_assert_int_eq(fail_allocations(add_roles), 0);
    ck_assert_int_eq(fail_allocations(resample_it), 0);
}
END_TEST

int main(void) {
    TCase *tests;
    Suite *suite = suite_of("metrics_memory", &tests);
    tcase_add_loop_test(tests, scores_without_memory, 0, 4);
    tcase_add_test(tests, links_and_roles_without_memory);
    return suite_run(suite);
}
