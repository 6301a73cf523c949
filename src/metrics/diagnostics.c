#include "metrics/diagnostics.h"
#include "metrics/attention_statistics.h"

#include <math.h>

static double fraction(size_t part, size_t whole) {
    return whole ? (double)part / (double)whole : NAN;
}

/* Returns, without a gold alignment, how far links are off by one, judged by tokens that are
 * identical on both sides: names, numbers, full stops. */
static double identical_off_by_one(const sa_diagnostic_stats *stats) {
    enum { MIN_COUNT = 20 }; /* fewer identical tokens prove nothing */
    const sa_attention_stats *attention = &stats->attention;
    const size_t moved = attention->aligned[0] > attention->aligned[2] ? attention->aligned[0]
                                                                       : attention->aligned[2];
    if (!stats->identical_tokens_align || !isnan(stats->aer) || attention->identical < MIN_COUNT)
        return NAN;
    return fraction(moved, attention->identical) -
           fraction(attention->aligned[1], attention->identical);
}

bool sa_diagnostic_applies(const sa_diagnostic_stats *stats, size_t problem, double *figure) {
    const double entropy = sa_attention_normalized_entropy(&stats->attention);
    sa_eval_result attention;
    sa_attention_figures(&stats->attention, &attention);
    const size_t sentences = stats->sentences, compared = stats->train_pairs ? sentences : 0;
    const bool chosen = stats->uniform_by_design;
    const double figures[SA_DIAGNOSTICS] = {
        [SA_DIAGNOSTIC_UNIFORM_ATTENTION] = chosen ? NAN : entropy,
        [SA_DIAGNOSTIC_UNIFORM_ATTENTION_BY_CHOICE] = chosen ? entropy : NAN,
        [SA_DIAGNOSTIC_STUCK_ON_EOS] = attention.end_weight,
        [SA_DIAGNOSTIC_OFF_BY_ONE] = stats->aer - fmin(stats->aer_before, stats->aer_after),
        [SA_DIAGNOSTIC_OFF_BY_ONE_BY_IDENTICAL_TOKENS] = identical_off_by_one(stats),
        [SA_DIAGNOSTIC_ONE_WORD_TAKES_ALL] = sa_attention_max_column(&stats->attention),
        [SA_DIAGNOSTIC_OVER_TRANSLATION] = fraction(stats->over, sentences),
        [SA_DIAGNOSTIC_UNDER_TRANSLATION] = fraction(stats->under, sentences),
        [SA_DIAGNOSTIC_SOURCE_VOCABULARY_TOO_SMALL] =
            fraction(stats->unknown_source, stats->source_words),
        [SA_DIAGNOSTIC_TARGET_VOCABULARY_TOO_SMALL] =
            fraction(stats->unknown_target, stats->target_words),
        [SA_DIAGNOSTIC_SOURCES_SEEN_IN_TRAINING] = fraction(stats->known_sources, compared),
        [SA_DIAGNOSTIC_PAIRS_SEEN_IN_TRAINING] = fraction(stats->known_pairs, compared),
    };
    *figure = figures[problem];
    return *figure >= sa_diagnostics[problem].threshold; /* false for NaN */
}
