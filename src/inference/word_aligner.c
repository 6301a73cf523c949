/* word_aligner: sa_aligner_... of softalign/report.h: encodes texts for the word aligners of
 * aligner/aligner.h, and turns their alignments of token ids into alignments of words. */
#include "aligner/aligner.h"
#include "config/settings.h"
#include "data/encoding.h"

#include <stdlib.h>

struct sa_aligner {
    sa_text_codec source, target;
    sa_aligner_model model;
    int max_len;
};

void sa_aligner_free(sa_aligner *aligner) {
    if (!aligner) return;
    sa_text_codec_release(&aligner->source);
    sa_text_codec_release(&aligner->target);
    sa_aligner_model_release(&aligner->model);
    free(aligner);
}

/* ---- Learning -------------------------------------------------------------------------------- */

sa_aligner *sa_aligner_train(const sa_corpus *corpus, const sa_settings *settings,
                             const sa_aligner_options *options, sa_aligner_report *report,
                             void *context, sa_error *error) {
    sa_settings usual;
    sa_aligner_options defaults;
    sa_settings_init(&usual), sa_aligner_options_init(&defaults);
    if (!settings) settings = &usual;
    if (!options) options = &defaults;
    if (!sa_given_corpus(corpus, "corpus", error) || !sa_settings_check(settings, error) ||
        !sa_options_check(sa_aligner_option_rows, options, error))
        return NULL;
    sa_aligner *aligner = sa_new(1, sizeof *aligner, error);
    if (!aligner) return NULL;
    aligner->max_len = settings->max_len;
    sa_sentence *source = NULL, *target = NULL;
    const sa_text_codec *const codec[] = {&aligner->source, &aligner->target};
    const size_t count = corpus->count;
    const bool good =
        sa_text_codecs_build(&aligner->source, &aligner->target, corpus, NULL, settings, NULL,
                             error) &&
        sa_encode_pairs(codec, aligner->max_len, false, corpus->pairs, count, &source, &target,
                        error) &&
        sa_aligner_learn(&aligner->model, options, &(sa_aligner_pairs){source, target, count},
                         sa_vocab_size(&aligner->source.vocab),
                         sa_vocab_size(&aligner->target.vocab), report, context, error);
    sa_sentences_release(source, count);
    sa_sentences_release(target, count);
    if (good) return aligner;
    sa_aligner_free(aligner);
    return NULL;
}

/* ---- Alignments ------------------------------------------------------------------------------ */

static bool align_pair(const sa_aligner *aligner, const sa_pair *pair, const sa_sentence *source,
                       const sa_sentence *target, size_t index, sa_alignment_each *each,
                       void *context, sa_error *error) {
    const size_t T = (size_t)target->len, S = (size_t)source->len;
    const char **left = sa_surface_words(&aligner->source, pair->source, source, error);
    const char **right =
        left ? sa_surface_words(&aligner->target, pair->target, target, error) : NULL;
    double *weights = right ? sa_new(T * S + T, sizeof *weights, error) : NULL, *log_p = NULL;
    double sum = 0;
    bool good = weights;
    if (good) {
        log_p = weights + T * S; /* 0 for EOS */
        good = sa_aligner_weights(&aligner->model, source, target, weights, log_p, error);
        for (size_t j = 0; j + 1 < T; j++) sum += log_p[j];
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
    good = good && each(context, index, &alignment, error);
    free(left), free(right);
    free(weights);
    return good;
}

bool sa_aligner_align(const sa_aligner *aligner, const sa_pair *pairs, size_t count,
                      sa_alignment_each *each, void *context, sa_error *error) {
    if (!sa_given(aligner, "aligner", error) || !sa_given_pairs(pairs, count, "pairs", error))
        return false;
    if (!each) return sa_fail(error, SA_USAGE, "'each' is NULL");
    const sa_text_codec *const codec[] = {&aligner->source, &aligner->target};
    bool good = true;
    for (size_t p = 0; good && p < count; p++) {
        sa_sentence *source, *target;
        good =
            sa_encode_pairs(codec, aligner->max_len, false, &pairs[p], 1, &source, &target, error);
        if (good && !(source->ids && target->ids))
            good = sa_fail(error, SA_LIMIT, "line %zu: a side has more than %d tokens",
                           pairs[p].line, aligner->max_len);
        good = good && align_pair(aligner, &pairs[p], source, target, p, each, context, error);
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

/* Sorts the most probable first and, among equals, the more frequent. */
static int compare_translations(const void *a, const void *b) {
    const translation *one = a, *other = b;
    if (one->t != other->t) return one->t > other->t ? -1 : 1;
    return (one->word > other->word) - (one->word < other->word);
}

typedef bool each_translation(void *context, const char *source, const char *target,
                              double probability, sa_error *error);

/* Shows the translations of one source word; found: workspace for all of them. */
static bool show_word(const sa_aligner *aligner, int32_t e, double least, translation *found,
                      each_translation *each, void *context, sa_error *error) {
    const sa_lexicon *lexicon = &aligner->model.lexicon;
    size_t count = 0;
    for (size_t k = lexicon->row[e]; k < lexicon->row[e + 1]; k++)
        if (lexicon->t[k] >= least)
            found[count++] = (translation){lexicon->target[k], lexicon->t[k]};
    qsort(found, count, sizeof *found, compare_translations);
    bool good = true;
    for (size_t k = 0; good && k < count; k++) {
        const sa_token words[] = {e == SA_EOS ? (sa_token){"", 0}
                                              : sa_vocab_token(&aligner->source.vocab, e),
                                  sa_vocab_token(&aligner->target.vocab, found[k].word)};
        const char **text = sa_token_texts(words, 2, error);
        good = text && each(context, text[0], text[1], found[k].t, error);
        free(text);
    }
    return good;
}

bool sa_aligner_lexicon_each(const sa_aligner *aligner, double least, each_translation *each,
                             void *context, sa_error *error) {
    if (!sa_given(aligner, "aligner", error)) return false;
    if (!each) return sa_fail(error, SA_USAGE, "'each' is NULL");
    const sa_lexicon *lexicon = &aligner->model.lexicon;
    translation *found =
        sa_new((size_t)sa_vocab_size(&aligner->target.vocab), sizeof *found, error);
    bool good = found && show_word(aligner, SA_EOS, least, found, each, context, error);
    for (int32_t e = 0; good && e < lexicon->sources; e++)
        good = e == SA_EOS || show_word(aligner, e, least, found, each, context, error);
    free(found);
    return good;
}
