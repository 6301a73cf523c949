/* BLEU, chrF and their statistics. The input is five bytes of choices, then lines: the number of
 * references, and hypotheses each followed by its references. */
#include "fuzz.h"
#include "metrics/metrics.h"

#include <math.h>

enum { LINES = 24, MOST = 2048 };

typedef struct texts {
    char *line[LINES];
    size_t count;
} texts;

static sa_metrics choose(fuzz_input *input) {
    const unsigned one = fuzz_byte(input), other = fuzz_byte(input), third = fuzz_byte(input);
    sa_metrics metrics;
    sa_metrics_init(&metrics);
    metrics.tokenize = (int)(one % 3), metrics.smooth = (int)(one / 3 % 4);
    metrics.effective_order = one & 64, metrics.lowercase = one & 128;
    metrics.smooth_value = fuzz_byte(input) / 255.;
    metrics.chrf_order = 1 + (int)(other % SA_CHRF_CHARACTERS);
    metrics.chrf_word_order = (int)(third % (SA_CHRF_WORDS + 1));
    metrics.chrf_beta = 1 + (int)(third >> 5);
    metrics.chrf_whitespace = other & 64, metrics.chrf_eps = other & 128;
    ck_assert(sa_options_check(sa_metrics_options, &metrics, NULL));
    return metrics;
}

/* The lines in NFC, as read from a file; the first that is not UTF-8 ends them. */
static texts read_lines(fuzz_input *input) {
    texts all = {0};
    while (input->size && all.count < LINES) {
        const fuzz_input part = fuzz_until(input, '\n');
        if (!fuzz_is_utf8(part.at, part.size) || (part.size && memchr(part.at, 0, part.size)))
            break;
        all.line[all.count++] = fuzz_copy(part);
    }
    return all;
}

static void release(texts *all) {
    while (all->count) free(all->line[--all->count]);
}

static sa_metric_stats tally_of(const sa_metrics *metrics, const char *ours,
                                const char *const *theirs, size_t count) {
    sa_metric_stats tally;
    ck_assert(sa_metric_stats_compute(&tally, metrics, ours, theirs, count, NULL));
    return tally;
}

static void expect_figures(const sa_metric_stats *tally, const sa_metrics *metrics) {
    static const double most[] = {[SA_METRIC_BLEU] = 100,
                                  [SA_METRIC_CHRF] = 100,
                                  [SA_METRIC_EXACT] = 1,
                                  [SA_METRIC_TOKENS] = 1,
                                  [SA_METRIC_PER] = INFINITY};
    for (int i = 0; i < SA_METRIC_COUNT; i++) {
        const sa_metric_values values = sa_metric_values_of(tally, metrics);
        const double score = sa_metric_value(&values, i);
        ck_assert_msg(score >= 0 && score <= most[i] * (1 + 1e-12), "%s is %.17g",
                      sa_metric_list[i].key, score);
    }
    for (int n = 0; n < SA_BLEU_ORDER; n++) {
        ck_assert_int_ge(tally->bleu.match[n], 0);
        ck_assert_int_le(tally->bleu.match[n], tally->bleu.total[n]);
    }
    for (int n = 0; n < SA_CHRF_ORDERS; n++) {
        ck_assert_int_ge(tally->chrf.match[n], 0);
        ck_assert_int_le(tally->chrf.match[n], tally->chrf.hypothesis[n]);
        ck_assert_int_le(tally->chrf.match[n], tally->chrf.reference[n]);
    }
    ck_assert_int_le(tally->same, tally->tokens);
}

/* A line is its own perfect translation. */
static void compare_with_itself(const sa_metrics *metrics, const char *line) {
    const sa_metric_stats tally = tally_of(metrics, line, &line, 1);
    for (int n = 0; n < SA_BLEU_ORDER; n++)
        ck_assert_int_eq(tally.bleu.match[n], tally.bleu.total[n]);
    ck_assert_int_eq(tally.same, tally.tokens);
    ck_assert_int_eq(tally.exact, 1);
    ck_assert_double_eq(sa_bleu_brevity(&tally.bleu), 1);
    if (tally.bleu.total[SA_BLEU_ORDER - 1])
        ck_assert(fabs(sa_bleu_value(&tally.bleu, metrics) - 100) < 1e-9);
    if (tally.chrf.hypothesis[metrics->chrf_order - 1] && !metrics->chrf_word_order)
        ck_assert_msg(fabs(sa_chrf_value(&tally.chrf, metrics) - 100) < 1e-9, "%.17g",
                      sa_chrf_value(&tally.chrf, metrics));
}

/* With beta 1 chrF is symmetric. */
static void turn_round(sa_metrics metrics, const char *one, const char *other) {
    metrics.chrf_beta = 1;
    const sa_metric_stats there = tally_of(&metrics, one, &other, 1);
    const sa_metric_stats back = tally_of(&metrics, other, &one, 1);
    ck_assert(fabs(sa_chrf_value(&there.chrf, &metrics) - sa_chrf_value(&back.chrf, &metrics)) <
              1e-9);
    for (int n = 0; n < SA_BLEU_ORDER; n++)
        ck_assert_int_eq(there.bleu.match[n], back.bleu.match[n]);
    ck_assert_int_eq(there.exact, back.exact);
    ck_assert_int_eq(there.same, back.same);
}

/* A duplicate reference changes no count of words. */
static void say_twice(const sa_metrics *metrics, const char *ours, const char *theirs) {
    const char *const twice[] = {theirs, theirs};
    const sa_metric_stats once = tally_of(metrics, ours, twice, 1);
    const sa_metric_stats again = tally_of(metrics, ours, twice, 2);
    ck_assert_mem_eq(&once, &again, sizeof once);
}

static void bootstrap(const sa_metric_stats *each, size_t count, const sa_metrics *metrics) {
    enum { SAMPLES = 4 };
    const sa_resampling resampling = {.samples = SAMPLES, .seed = 1};
    double *scores = sa_bootstrap_values(each, count, metrics, &resampling, NULL);
    ck_assert(scores != NULL);
    for (int i = 0; i < SA_METRIC_COUNT; i++) {
        const sa_confidence_interval spread =
            sa_confidence_interval_of(scores + i * SAMPLES, SAMPLES);
        ck_assert(spread.low <= spread.high);
        ck_assert(spread.mean >= spread.low - 1e-9 && spread.mean <= spread.high + 1e-9);
    }
    free(scores);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    fuzz_input input = fuzz_input_of(data, size);
    if (size > MOST) return 0;
    const sa_metrics metrics = choose(&input);
    const size_t references = 1 + fuzz_byte(&input) % 3;
    texts all = read_lines(&input);
    const char *const *line = (const char *const *)all.line;
    sa_metric_stats sum = {0}, each[LINES];
    size_t count = 0;
    for (size_t i = 0; i + references < all.count; i += 1 + references, count++) {
        each[count] = tally_of(&metrics, line[i], line + i + 1, references);
        expect_figures(&each[count], &metrics);
        sa_metric_stats_add(&sum, &each[count]);
        compare_with_itself(&metrics, line[i]);
        turn_round(metrics, line[i], line[i + 1]);
        say_twice(&metrics, line[i], line[i + 1]);
    }
    expect_figures(&sum, &metrics);
    if (count) bootstrap(each, count, &metrics);
    release(&all);
    return 0;
}
