/* Figures by their names, for tables and JSON. */
#include "report/pair_scores.h"
#include "support/suite.h"

#include <math.h>
#include <stdlib.h>

static sa_eval_result scores = {.sentences = 7,
                                .target_words = 9,
                                .loss = 1.5,
                                .perplexity = 2.5,
                                .bleu = 3.5,
                                .chrf = 4.5,
                                .exact = 5.5,
                                .tokens = 6.5,
                                .wer = 7.5,
                                .per = 8.5,
                                .aer = 9.5,
                                .precision = 10.5,
                                .recall = 11.5,
                                .aer_before = 12.5,
                                .aer_after = 13.5,
                                .entropy = 14.5,
                                .coverage = 15.5,
                                .end_weight = 16.5,
                                .row_sum = 17.5,
                                .zeros = 18.5,
                                .latency = 19.5,
                                .source_length = 20.5,
                                .monotonicity = 21.5,
                                .rep = 22.5,
                                .drop = NAN};

static void expect_json(json_t *value, const char *wanted) {
    char *text = json_dumps(value, JSON_COMPACT | JSON_SORT_KEYS);
    ck_assert_str_eq(text, wanted);
    json_decref(value);
    free(text);
}

START_TEST(every_figure_has_its_name) {
    expect_json(
        sa_eval_json(&scores),
        "{\"aer\":9.5,\"aer_after\":13.5,\"aer_before\":12.5,\"bleu\":3.5,\"chrf\":4.5,"
        "\"coverage\":15.5,\"drop\":null,\"end_weight\":16.5,\"entropy\":14.5,\"exact\":5.5,"
        "\"latency\":19.5,\"loss\":1.5,\"monotonicity\":21.5,\"per\":8.5,\"perplexity\":2.5,"
        "\"precision\":10.5,\"recall\":11.5,\"rep\":22.5,\"row_sum\":17.5,\"sentences\":7,"
        "\"source_length\":20.5,\"target_words\":9,\"tokens\":6.5,\"wer\":7.5,\"zeros\":18.5}");
    ck_assert_ptr_eq(sa_eval_figure(&scores, "latency"), &scores.latency);
    ck_assert_ptr_eq(sa_eval_figure(&scores, "drop"), &scores.drop);
    ck_assert_ptr_null(sa_eval_figure(&scores, "none"));
}
END_TEST

START_TEST(intervals_have_their_metrics) {
    const sa_confidence_interval intervals[] = {{.mean = 2, .low = 1, .high = 3},
                                                {.mean = 5, .low = 4, .high = NAN}};
    char wanted[200];
    snprintf(wanted, sizeof wanted,
             "{\"%s\":{\"high\":3.0,\"low\":1.0,\"mean\":2.0},\"%s\":{\"high\":null,\"low\":4.0,"
             "\"mean\":5.0}}",
             sa_metric_list[0].key, sa_metric_list[1].key);
    expect_json(sa_intervals_json(intervals, 2), wanted);
}
END_TEST

/* Two pairs of one source word are right, one of nine words shares none with its reference: its
 * scores are 0, those of the others 100, and no sample changes that. */
START_TEST(bands_have_their_own_pairs) {
    static char right[] = "a b c d e", wrong[] = "v w x y z";
    sa_pair pairs[3] = {{.source = "a", .target = right},
                        {.source = "a", .target = right},
                        {.source = "a b c d e f g h i", .target = right}};
    const sa_corpus corpus = {.pairs = pairs, .count = 3, .name = "pairs"};
    sa_sentence_details details[3] = {{{0}}};
    sa_sentence_result each[3];
    sa_metrics metrics;
    sa_error error;
    sa_metrics_init(&metrics);
    for (int i = 0; i < 3; i++)
        each[i] = (sa_sentence_result){.words = 6,
                                       .source_words = i < 2 ? 1 : 9,
                                       .exact = i < 2,
                                       .translation = i < 2 ? right : wrong,
                                       .reference = right,
                                       .details = &details[i]};
    sa_metric_stats *stats = sa_pair_scores_stats(&metrics, each, 3, &error);
    const sa_resampling resampling = {.samples = 20, .seed = 1};
    const sa_scored_pairs scored = {&metrics, &corpus, each, stats, &resampling};
    for (int band = 0; band < SA_LENGTH_BANDS; band++) {
        const bool low = sa_length_band_contains(&sa_length_bands[band], 1),
                   high = sa_length_band_contains(&sa_length_bands[band], 9);
        sa_confidence_interval interval[SA_METRIC_COUNT];
        ck_assert(sa_pair_scores_band(&scored, &sa_length_bands[band], &scores, interval, &error));
        ck_assert_uint_eq(scores.sentences, low ? 2 : high);
        if (!low && !high) continue;
        ck_assert_double_eq_tol(scores.chrf, low ? 100 : 0, 1e-9);
        for (int m = 0; m < SA_METRIC_COUNT; m++) {
            const double value = *sa_eval_figure(&scores, sa_metric_list[m].key);
            ck_assert_double_eq_tol(interval[m].low, value, 1e-9);
            ck_assert_double_eq_tol(interval[m].mean, value, 1e-9);
            ck_assert_double_eq_tol(interval[m].high, value, 1e-9);
        }
    }
    free(stats);
}
END_TEST

int main(void) {
    TCase *tests;
    Suite *suite = suite_of("pair_scores", &tests);
    tcase_add_test(tests, every_figure_has_its_name);
    tcase_add_test(tests, intervals_have_their_metrics);
    tcase_add_test(tests, bands_have_their_own_pairs);
    return suite_run(suite);
}
