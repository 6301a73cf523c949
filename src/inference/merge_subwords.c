/* merge_subwords: sa_alignment_merge of softalign.h. */
#include "base/alignment_weights.h"
#include "base/argument.h"
#include "base/memory.h"
#include "base/subword_mark.h"
#include "metrics/linking.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* The words that subwords make, terminated, in one block of memory. */
static const char **join_subwords(const char *const *subword, int count, const int *word, int words,
                                  sa_error *error) {
    size_t bytes = 0;
    for (int i = 0; i < count; i++) bytes += strlen(subword[i]) + 1;
    const char **list = sa_new(1, (size_t)words * sizeof *list + bytes, error);
    char *at = list ? (char *)(list + words) : NULL;
    for (int i = 0; list && i < count; i++) {
        const bool begins = !i || word[i] != word[i - 1];
        const bool ends = i + 1 == count || word[i + 1] != word[i];
        const size_t size = strlen(subword[i]);
        const bool marked = sa_subword_continues(subword[i], size);
        if (begins) list[word[i]] = at;
        at = mempcpy(at, subword[i], size - (marked ? sizeof SA_SUBWORD_MARK - 1 : 0));
        if (ends) *at++ = 0;
    }
    return list;
}

/* Every matrix, in the order in which they lie. */
static bool merge_weights(const sa_alignment *subwords, const int *target, const int *source,
                          sa_alignment *words, sa_error *error) {
    const size_t from = (size_t)subwords->targets * (size_t)subwords->sources,
                 to = (size_t)words->targets * (size_t)words->sources;
    const size_t matrices = sa_alignment_size(subwords) / from;
    double *merged = sa_new(matrices * to, sizeof *merged, error);
    words->weights = merged;
    for (size_t i = 0; merged && i < matrices; i++)
        sa_merge_weights(subwords->weights + i * from, subwords->targets, subwords->sources, target,
                         source, merged + i * to);
    return merged;
}

/* By the chain rule: of a word, the sum over its subwords. */
static bool merge_log_p(const sa_alignment *subwords, const int *target, sa_alignment *words,
                        sa_error *error) {
    if (!subwords->token_log_probabilities) return true;
    double *merged = sa_new((size_t)words->targets, sizeof *merged, error);
    for (int t = 0; merged && t < subwords->targets; t++)
        merged[target[t]] += subwords->token_log_probabilities[t];
    words->token_log_probabilities = merged;
    return merged;
}

/* Of a word, the mean of its subwords, as of weights. */
static bool merge_gate(const sa_alignment *subwords, const int *target, sa_alignment *words,
                       sa_error *error) {
    if (!subwords->generation_probabilities) return true;
    double *merged = sa_new((size_t)words->targets, sizeof *merged, error);
    words->generation_probabilities = merged;
    for (int t = 0, parts; merged && t < subwords->targets; t += parts) {
        double sum = 0;
        for (parts = 0; t + parts < subwords->targets && target[t + parts] == target[t]; parts++)
            sum += subwords->generation_probabilities[t + parts];
        merged[target[t]] = sum / parts;
    }
    return merged;
}

/* A word is unknown if one of its subwords is. */
static bool merge_unknown(const bool *subwords, int count, const int *word, int words,
                          const bool **out, sa_error *error) {
    if (!subwords) return true;
    bool *merged = sa_new((size_t)words, sizeof *merged, error);
    for (int i = 0; merged && i < count; i++) merged[word[i]] |= subwords[i];
    *out = merged;
    return merged;
}

static bool check_alignment(const sa_alignment *subwords, sa_error *error) {
    return sa_given(subwords, "subwords", error) &&
           sa_within(subwords->targets, 1, INT_MAX, "subwords->targets", error) &&
           sa_within(subwords->sources, 1, INT_MAX, "subwords->sources", error) &&
           sa_within(subwords->heads, 0, INT_MAX, "subwords->heads", error) &&
           sa_given_texts(subwords->target, (size_t)subwords->targets, "subwords->target", error) &&
           sa_given_texts(subwords->source, (size_t)subwords->sources, "subwords->source", error);
}

bool sa_alignment_merge(const sa_alignment *subwords, sa_alignment *words, sa_error *error) {
    if (!check_alignment(subwords, error) || !sa_given(words, "words", error)) return false;
    int *target = sa_new((size_t)subwords->targets, sizeof *target, error);
    int *source = target ? sa_new((size_t)subwords->sources, sizeof *source, error) : NULL;
    *words = *subwords;
    words->target = words->source = NULL;
    words->weights = words->token_log_probabilities = words->generation_probabilities = NULL;
    words->target_unknown = words->source_unknown = NULL;
    bool good = source;
    if (good) {
        words->targets = sa_subword_word_indices(subwords->target, subwords->targets, target);
        words->sources = sa_subword_word_indices(subwords->source, subwords->sources, source);
        words->target =
            join_subwords(subwords->target, subwords->targets, target, words->targets, error);
        words->source =
            join_subwords(subwords->source, subwords->sources, source, words->sources, error);
        good = words->target && words->source &&
               (!subwords->weights || merge_weights(subwords, target, source, words, error)) &&
               merge_log_p(subwords, target, words, error) &&
               merge_gate(subwords, target, words, error) &&
               merge_unknown(subwords->target_unknown, subwords->targets, target, words->targets,
                             &words->target_unknown, error) &&
               merge_unknown(subwords->source_unknown, subwords->sources, source, words->sources,
                             &words->source_unknown, error);
    }
    free(target);
    free(source);
    if (!good) sa_alignment_release(words);
    return good;
}
