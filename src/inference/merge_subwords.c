/* merge_subwords: sa_alignment_merge and sa_alignment_copy of softalign.h. */
#include "base/error.h"
#include "base/memory.h"
#include "data/subword_mark.h"
#include "metrics/linking.h"

#include <stdlib.h>
#include <string.h>

/* The words that subwords make, terminated, in one block of memory; merge: without marks. */
static const char **join_subwords(const char *const *subword, int count, const int *word, int words,
                                  bool merge, sa_error *error) {

    size_t bytes = 0;
    for (int i = 0; i < count; i++) bytes += strlen(subword[i]) + 1;
    const char **list = sa_new(1, (size_t)words * sizeof *list + bytes, error);
    char *at = list ? (char *)(list + words) : NULL;
    for (int i = 0; list && i < count; i++) {
        const bool begins = !i || word[i] != word[i - 1];
        const bool ends = i + 1 == count || word[i + 1] != word[i];
        const size_t size = strlen(subword[i]);
        const bool marked = merge && sa_subword_continues(subword[i], size);
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

/* The word of each token, by its marks or itself; the number of words. */
static int word_indices(const char *const *token, int count, bool merge, int *word) {
    if (merge) return sa_subword_word_indices(token, count, word);
    for (int i = 0; i < count; i++) word[i] = i;
    return count;
}

/* All that an alignment owns; what is owned already can be released after a failure. */
static bool fill(const sa_alignment *from, bool merge, int *target, int *source, sa_alignment *to,
                 sa_error *error) {
    to->targets = word_indices(from->target, from->targets, merge, target);
    to->sources = word_indices(from->source, from->sources, merge, source);
    to->target = join_subwords(from->target, from->targets, target, to->targets, merge, error);
    to->source = join_subwords(from->source, from->sources, source, to->sources, merge, error);
    return to->target && to->source &&
           (!from->weights || merge_weights(from, target, source, to, error)) &&
           merge_log_p(from, target, to, error) && merge_gate(from, target, to, error) &&
           merge_unknown(from->target_unknown, from->targets, target, to->targets,
                         &to->target_unknown, error) &&
           merge_unknown(from->source_unknown, from->sources, source, to->sources,
                         &to->source_unknown, error);
}

static bool make(const sa_alignment *from, bool merge, sa_alignment *to, sa_error *error) {
    int *target = sa_new((size_t)from->targets, sizeof *target, error);
    int *source = target ? sa_new((size_t)from->sources, sizeof *source, error) : NULL;
    *to = *from;
    to->target = to->source = NULL;
    to->weights = to->token_log_probabilities = to->generation_probabilities = NULL;
    to->target_unknown = to->source_unknown = NULL;
    const bool good = source && fill(from, merge, target, source, to, error);
    free(target);
    free(source);
    if (!good) sa_alignment_release(to);
    return good;
}

bool sa_alignment_merge(const sa_alignment *subwords, sa_alignment *words, sa_error *error) {
    return sa_given_alignment(subwords, "subwords", error) && sa_given(words, "words", error) &&
           make(subwords, true, words, error);
}

bool sa_alignment_copy(const sa_alignment *alignment, sa_alignment *copy, sa_error *error) {
    return sa_given_alignment(alignment, "alignment", error) && sa_given(copy, "copy", error) &&
           make(alignment, false, copy, error);
}
