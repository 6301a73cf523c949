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

int main(void) {
    TCase *tests;
    Suite *suite = suite_of("pair_scores", &tests);
    tcase_add_test(tests, every_figure_has_its_name);
    tcase_add_test(tests, intervals_have_their_metrics);
    return suite_run(suite);
}
