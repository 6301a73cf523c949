/* api_ibm1: Model 1 of softalign.h. */
#include "analysis/ibm1.h"
#include "base/error.h"
#include "config/settings.h"
#include "inference/encoding.h"

#include <stdlib.h>
#include <string.h>

struct sa_ibm1 {
    sa_text_codec source, target;
    sa_ibm1_lexicon lexicon;
    int max_len;
};

void sa_ibm1_free(sa_ibm1 *model) {
    if (!model) return;
    sa_text_codec_release(&model->source);
    sa_text_codec_release(&model->target);
    sa_ibm1_release(&model->lexicon);
    free(model);
}

/* Both sides of pairs, released by sa_sentences_release even after a failure. */
static bool encode(const sa_ibm1 *model, const sa_pair *pairs, size_t count, sa_sentence **source,
                   sa_sentence **target, sa_error *error) {
    *source = sa_encode_texts(&model->source, model->max_len, &pairs->source, sizeof *pairs, count,
                              error);
    *target = *source ? sa_encode_texts(&model->target, model->max_len, &pairs->target,
                                        sizeof *pairs, count, error)
                      : NULL;
    return *target;
}

/* ---- Learning -------------------------------------------------------------------------------- */

typedef void report_iteration(void *context, int iteration, double perplexity);

static bool learn(sa_ibm1 *model, const sa_sentence *source, const sa_sentence *target,
                  size_t count, int iterations, report_iteration *report, void *context,
                  sa_error *error) {
    sa_ibm1_lexicon *lexicon = &model->lexicon;
    if (!sa_ibm1_init(lexicon, source, target, count, sa_vocab_size(&model->source.vocab),
                      sa_vocab_size(&model->target.vocab), error))
        return false;
    double *counts = sa_new(lexicon->row[lexicon->sources], sizeof *counts, error);
    for (int i = 1; counts && i <= iterations; i++) {
        const double perplexity = sa_ibm1_iterate(lexicon, source, target, count, counts);
        if (report) report(context, i, perplexity);
    }
    free(counts);
    return counts != NULL;
}

sa_ibm1 *sa_ibm1_train(const sa_corpus *corpus, const sa_settings *settings, int iterations,
                       report_iteration *report, void *context, sa_error *error) {
    sa_settings usual;
    sa_settings_init(&usual);
    if (!settings) settings = &usual;
    if (!sa_given_corpus(corpus, "corpus", error) || !sa_settings_check(settings, error) ||
        !sa_within(iterations, 0, 1000000, "iterations", error))
        return NULL;
    sa_ibm1 *model = sa_new(1, sizeof *model, error);
    if (!model) return NULL;
    model->max_len = settings->max_len;
    sa_sentence *source = NULL, *target = NULL;
    const bool good =
        sa_text_codecs_build(&model->source, &model->target, corpus, NULL, settings, error) &&
        encode(model, corpus->pairs, corpus->count, &source, &target, error) &&
        learn(model, source, target, corpus->count, iterations, report, context, error);
    sa_sentences_release(source, corpus->count);
    sa_sentences_release(target, corpus->count);
    if (good) return model;
    sa_ibm1_free(model);
    return NULL;
}

/* ---- Alignments ------------------------------------------------------------------------------ */

typedef bool each_alignment(void *context, size_t index, const sa_alignment *alignment,
                            sa_error *error);

static bool align_pair(const sa_ibm1 *model, const sa_pair *pair, const sa_sentence *source,
                       const sa_sentence *target, size_t index, each_alignment *each, void *context,
                       sa_error *error) {
    const size_t T = (size_t)target->len, S = (size_t)source->len;
    const char **left = sa_surface_words(&model->source, pair->source, source, error);
    const char **right =
        left ? sa_surface_words(&model->target, pair->target, target, error) : NULL;
    double *weights = right ? sa_new(T * S + T, sizeof *weights, error) : NULL, *log_p = NULL;
    double sum = 0;
    if (weights) {
        log_p = weights + T * S; /* of EOS it is 0 */
        sa_ibm1_weights(&model->lexicon, source, target, weights);
        for (size_t j = 0; j + 1 < T; j++) {
            log_p[j] = sa_ibm1_log_probability(&model->lexicon, source, target->ids[j]);
            sum += log_p[j];
        }
    }
    const sa_alignment alignment = {.targets = target->len,
                                    .sources = source->len,
                                    .heads = 1,
                                    .layers = 1,
                                    .target = right,
                                    .source = left,
                                    .weights = weights,
                                    .log_probability = sum,
                                    .token_log_probabilities = log_p};
    const bool good = weights && each(context, index, &alignment, error);
    free(left), free(right);
    free(weights);
    return good;
}

bool sa_ibm1_align(const sa_ibm1 *model, const sa_pair *pairs, size_t count, each_alignment *each,
                   void *context, sa_error *error) {
    if (!sa_given(model, "model", error) || !sa_given_pairs(pairs, count, "pairs", error))
        return false;
    if (!each) return sa_fail(error, SA_USAGE, "'each' is NULL");
    bool good = true;
    for (size_t p = 0; good && p < count; p++) {
        sa_sentence *source, *target;
        good = encode(model, &pairs[p], 1, &source, &target, error);
        if (good && !(source->ids && target->ids))
            good = sa_fail(error, SA_LIMIT, "line %zu: a side has more than %d tokens",
                           pairs[p].line, model->max_len);
        good = good && align_pair(model, &pairs[p], source, target, p, each, context, error);
        sa_sentences_release(source, 1);
        sa_sentences_release(target, 1);
    }
    return good;
}

/* ---- The lexicon ----------------------------------------------------------------------------- */

typedef struct translation {
    int32_t word;
    double t;
} translation;

/* The most probable first; of equals the more frequent. */
static int compare_translations(const void *a, const void *b) {
    translation one, other;
    memcpy(&one, a, sizeof one), memcpy(&other, b, sizeof other);
    if (one.t != other.t) return one.t > other.t ? -1 : 1;
    return (one.word > other.word) - (one.word < other.word);
}

typedef bool each_translation(void *context, const char *source, const char *target,
                              double probability, sa_error *error);

/* Of one source word; found: scratch for all of its translations. */
static bool show_word(const sa_ibm1 *model, int32_t e, double least, translation *found,
                      each_translation *each, void *context, sa_error *error) {
    const sa_ibm1_lexicon *lexicon = &model->lexicon;
    size_t count = 0;
    for (size_t k = lexicon->row[e]; k < lexicon->row[e + 1]; k++)
        if (lexicon->t[k] >= least)
            found[count++] = (translation){lexicon->target[k], lexicon->t[k]};
    qsort(found, count, sizeof *found, compare_translations);
    bool good = true;
    for (size_t k = 0; good && k < count; k++) {
        const sa_token words[] = {e == SA_EOS ? (sa_token){"", 0}
                                              : sa_vocab_token(&model->source.vocab, e),
                                  sa_vocab_token(&model->target.vocab, found[k].word)};
        const char **text = sa_token_texts(words, 2, error);
        good = text && each(context, text[0], text[1], found[k].t, error);
        free(text);
    }
    return good;
}

bool sa_ibm1_lexicon_each(const sa_ibm1 *model, double least, each_translation *each, void *context,
                          sa_error *error) {
    if (!sa_given(model, "model", error)) return false;
    if (!each) return sa_fail(error, SA_USAGE, "'each' is NULL");
    const sa_ibm1_lexicon *lexicon = &model->lexicon;
    translation *found = sa_new((size_t)sa_vocab_size(&model->target.vocab), sizeof *found, error);
    bool good = found && show_word(model, SA_EOS, least, found, each, context, error);
    for (int32_t e = 0; good && e < lexicon->sources; e++)
        good = e == SA_EOS || show_word(model, e, least, found, each, context, error);
    free(found);
    return good;
}
