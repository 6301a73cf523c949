#include "report/pair_scores.h"

#include <stddef.h>
#include <string.h>

json_t *sa_intervals_json(const sa_confidence_interval *intervals, int count) {
    json_t *object = json_object();
    for (int m = 0; m < count; m++)
        json_object_set_new(object, sa_metric_list[m].key,
                            json_pack("{s:o, s:o, s:o}", "mean", sa_json_number(intervals[m].mean),
                                      "low", sa_json_number(intervals[m].low), "high",
                                      sa_json_number(intervals[m].high)));
    return object;
}

/* The names of the figures of sa_eval_result, in their order. */
static const char *const keys[] = {
    "loss",      "perplexity",    "bleu",         "chrf",       "exact",   "tokens",
    "wer",       "per",           "aer",          "precision",  "recall",  "aer_before",
    "aer_after", "entropy",       "coverage",     "end_weight", "row_sum", "zeros",
    "latency",   "source_length", "monotonicity", "rep",        "drop"};
enum { KEYS = sizeof keys / sizeof *keys };
_Static_assert(offsetof(sa_eval_result, drop) ==
                   offsetof(sa_eval_result, loss) + (KEYS - 1) * sizeof(double),
               "every figure has a name");

json_t *sa_eval_json(const sa_eval_result *scores) {
    json_t *object = json_pack("{s:I, s:I}", "sentences", (json_int_t)scores->sentences,
                               "target_words", (json_int_t)scores->target_words);
    double figures[KEYS];
    memcpy(figures, (const char *)scores + offsetof(sa_eval_result, loss), sizeof figures);
    for (int i = 0; i < KEYS; i++) json_object_set_new(object, keys[i], sa_json_number(figures[i]));
    return object;
}
