#include "metrics/length_balance.h"
#include "metrics/attention_statistics.h"

#include <math.h>
#include <string.h>

enum { MAX_RUN = 4 };              /* tokens of the longest repeated run */
static const double ALIGNED = 0.2; /* the smallest weight of a source word that is not dropped */

static bool same_runs(const char *const *one, const char *const *other, int size) {
    for (int i = 0; i < size; i++)
        if (strcmp(one[i], other[i]) != 0) return false;
    return true;
}

int sa_length_balance_repeated(const char *const *words, int count) {
    int repeated = 0;
    for (int at = 1; at < count;) {
        int size = MAX_RUN;
        while (size &&
               (at < size || at + size > count || !same_runs(words + at - size, words + at, size)))
            size--;
        repeated += size;
        at += size ? size : 1;
    }
    return repeated;
}

/* Counts how often `bigram`, two tokens, occurs. */
static int count_bigram(const char *const *words, int count, const char *const *bigram) {
    int found = 0;
    for (int i = 0; i + 2 <= count; i++) found += same_runs(words + i, bigram, 2);
    return found;
}

/* Returns sum_{b: n(b) >= 2} max(0, n(b) - r(b)) + 2 sum_w max(0, n(w w) - r(w w)); n, r: how often
 * a bigram occurs in the translation and in the reference. */
static int count_repetitions(const char *const *own, int words, const char *const *reference,
                             int reference_words) {
    int repetitions = 0;
    for (int i = 0; i + 2 <= words; i++) {
        const char *const *bigram = own + i;
        if (count_bigram(own, i + 1, bigram)) continue; /* counted where it occurred first */
        const int n = count_bigram(own, words, bigram),
                  more = n - count_bigram(reference, reference_words, bigram);
        if (more <= 0) continue;
        if (n >= 2) repetitions += more;
        if (strcmp(bigram[0], bigram[1]) == 0) repetitions += 2 * more;
    }
    return repetitions;
}

static double excess(const sa_source_coverage *coverage) {
    return coverage->weight - coverage->expected;
}

static void compare_weights(const sa_attended_text *own, const sa_attended_text *reference,
                            int sources, sa_length_balance *balance) {
    for (int j = 0; j < sources - 1; j++) {
        const double weight = sa_attention_column_sum(own->weights, own->targets, sources, j),
                     expected = sa_attention_column_sum(reference->weights, reference->targets,
                                                        sources, j);
        const sa_source_coverage coverage = {j, weight, expected};
        balance->dropped += weight < ALIGNED && expected >= ALIGNED;
        if (j == 0 || weight - expected > excess(&balance->over)) balance->over = coverage;
        if (j == 0 || weight - expected < excess(&balance->under)) balance->under = coverage;
    }
}

sa_length_balance sa_length_balance_compute(const sa_attended_text *own,
                                            const sa_attended_text *reference, int sources) {
    sa_length_balance balance = {.words = own->targets - own->ended,
                                 .reference = reference->targets - reference->ended,
                                 .over = {.position = -1},
                                 .under = {.position = -1}};
    const int repeated = sa_length_balance_repeated(own->words, balance.words) -
                         sa_length_balance_repeated(reference->words, balance.reference);
    if (repeated > 0) balance.repeated = repeated;
    balance.repetitions =
        count_repetitions(own->words, balance.words, reference->words, balance.reference);
    if (own->weights && reference->weights) compare_weights(own, reference, sources, &balance);
    return balance;
}

double sa_length_balance_over(const sa_length_balance *balance) {
    const double words = balance->words - balance->reference;
    return fmax(fmax(0, words), fmax(balance->repeated, excess(&balance->over)));
}

double sa_length_balance_under(const sa_length_balance *balance) {
    const double words = balance->reference - balance->words;
    return fmax(0, fmax(words, -excess(&balance->under)));
}

bool sa_length_balance_is_off(double words, int reference) {
    return words >= 2 && words >= 0.25 * reference;
}
