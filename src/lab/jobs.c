/* jobs: sa_explain, sa_check_gradients and sa_prove, for a model and texts. Encodes the texts and
 * names the rows of the values, in single precision like the model; what computes in double is
 * behind lab.h. */
#include "base/utf8.h"
#include "config/settings.h"
#include "data/encoding.h"
#include "inference/model.h"
#include "inference/search.h"
#include "lab/gradient_faults.h"
#include "lab/lab.h"

#include <limits.h>
#include <stdlib.h>

/* ---- Explanations ---------------------------------------------------------------------------- */

typedef struct explanation_task {
    sa_model *model;
    const sa_explain_options *options;
    char *source_text, *target_text; /* in NFC; target_text NULL: the model translates */
    sa_sentence *source, *target;    /* [1] */
    /* The words of both, those that the decoder reads ("<s>", or the source, or both, before the
     * target), and the target's vocabulary. */
    const char **source_words, **target_words, **read_words, **vocabulary;
    int read; /* how many it reads */
    sa_explain_pair pair;
} explanation_task;

/* Encodes the texts. */
static bool read_texts(explanation_task *all, sa_error *error) {
    const sa_model *model = all->model;
    const sa_explain_options *options = all->options;
    const sa_text_codec *const codec[] = {&model->source, &model->target};
    all->source_text = sa_utf8_text("source", options->source, error);
    if (!all->source_text) return false;
    if (options->target && !(all->target_text = sa_utf8_text("target", options->target, error)))
        return false;
    const sa_pair pair = {.source = all->source_text,
                          .target = all->target_text ? all->target_text : ""};
    return sa_check_lengths(model, NULL, &pair, 1, error) &&
           sa_encode_pairs(codec, model->max_len, model->settings.copy, &pair, 1, &all->source,
                           &all->target, error);
}

/* Replaces the target by the greedy translation. */
static bool translate(explanation_task *all, sa_error *error) {
    sa_search greedy;
    sa_hypothesis found = {0};
    sa_search_init(&greedy);
    greedy.beam = greedy.nbest = 1;
    const sa_seq2seq *const w = &all->model->w;
    const sa_sentence *const source = all->source;
    sa_ensemble alone;
    const bool good = sa_ensemble_open(&alone, &w, 1, NULL, error) &&
                      sa_search_batch(&alone, &source, (sa_outlines){0}, 1, &greedy, &found, error);
    sa_ensemble_release(&alone);
    if (!good) return false;
    int32_t *ids = sa_new((size_t)found.len, sizeof *ids, error);
    free((int32_t *)(uintptr_t)all->target->ids);
    free((int32_t *)(uintptr_t)all->target->extended);
    *all->target = (sa_sentence){ids, found.len, found.ids};
    const int known = sa_seq2seq_words(&all->model->w);
    for (int i = 0; ids && i < found.len; i++) /* the decoder reads a copied word as <unk> */
        ids[i] = found.ids[i] < known ? found.ids[i] : SA_UNK;
    return ids;
}

/* Returns the words of extended ids, or the first `count` words of the vocabulary (ids NULL). */
static const char **words_of(const explanation_task *all, const int32_t *ids, int count,
                             sa_error *error) {
    const sa_vocab *vocab = &all->model->target.vocab;
    sa_token *tokens = sa_new((size_t)count, sizeof *tokens, error);
    for (int i = 0; tokens && i < count; i++)
        tokens[i] = sa_word_of(vocab, ids ? ids[i] : i, all->source, all->source_words);
    const char **words = tokens ? sa_token_texts(tokens, (size_t)count, error) : NULL;
    free(tokens);
    return words;
}

static bool find_words(explanation_task *all, sa_error *error) {
    const sa_text_codec *source = &all->model->source, *target = &all->model->target;
    const bool begins = !all->model->w.transformer.sizes.decoder_only; /* with "<s>" */
    const int S = sa_seq2seq_joins(&all->model->w) ? all->source->len : 0;
    const int before = S + begins;
    all->source_words = sa_surface_words(source, all->source_text, all->source, error);
    if (!all->source_words) return false;
    all->target_words = all->target_text
                            ? sa_surface_words(target, all->target_text, all->target, error)
                            : words_of(all, all->target->extended, all->target->len, error);
    all->vocabulary = words_of(all, NULL, sa_vocab_size(&target->vocab), error);
    all->read = before + all->target->len - 1;
    all->read_words = sa_new((size_t)all->read, sizeof *all->read_words, error);
    if (!all->target_words || !all->vocabulary || !all->read_words) return false;
    for (int i = 0; i < all->read; i++)
        all->read_words[i] = i >= before ? all->target_words[i - before]
                             : i < S     ? all->source_words[i]
                                         : "<s>";
    all->pair = (sa_explain_pair){
        .forced = all->options->target,
        .sources = all->source->len,
        .targets = all->target->len,
        .source = all->source_words,
        .target = all->target_words,
        .source_token_ids = all->source->ids,
        .target_token_ids = all->target->ids,
    };
    return true;
}

/* Checks that the model has what is to be explained: a step of a recurrent decoder, or a word in a
 * layer of a Transformer, or the words of a side. */
static bool check_place(const explanation_task *all, sa_error *error) {
    const sa_explain_options *options = all->options;
    const sa_seq2seq *w = &all->model->w;
    const bool encodes = options->site == SA_SITE_ENCODER;
    const int words = encodes && !w->recurrent ? all->source->len : all->target->len;
    const int layers = sa_seq2seq_layers(w, options->site), step = options->step;
    if (w->recurrent && options->layer > 1)
        return sa_fail(error, SA_USAGE, "--layer %d: applies to a Transformer", options->layer);
    if (options->lens && w->recurrent)
        return sa_fail(error, SA_USAGE, "--lens: applies to a Transformer");
    if (options->annotations)
        return options->site != SA_SITE_CROSS ||
               sa_fail(error, SA_USAGE, "'options->site': there are no words of their own");
    if (w->recurrent && options->site == SA_SITE_DECODER)
        return sa_fail(error, SA_USAGE, "--site decoder: applies to a Transformer");
    if (w->recurrent)
        return (step >= 0 && step <= words) ||
               sa_fail(error, SA_USAGE, "there is no step %d: the target has %d, EOS included",
                       step, words);
    if (!options->lens && (options->layer < 1 || options->layer > layers))
        return sa_fail(error, SA_USAGE, "--layer %d: the %s has %d", options->layer,
                       encodes ? "encoder" : "decoder", layers);
    if (!step && options->lens) return true;
    if (!step) return sa_fail(error, SA_USAGE, "--all is for the steps of recurrent models");
    return (step >= 1 && step <= words) ||
           sa_fail(error, SA_USAGE, "there is no word %d: the %s has %d, EOS included", step,
                   encodes ? "source" : "target", words);
}

static bool run(explanation_task *all, sa_error *error) {
    const sa_model *model = all->model;
    if (!read_texts(all, error)) return false;
    if (all->source->len <= 1) return sa_fail(error, SA_USAGE, "the source is empty");
    if ((!all->target_text && !translate(all, error)) || !check_place(all, error) ||
        !find_words(all, error))
        return false;
    const sa_lab_explain_job job = {.settings = &model->settings,
                                    .values = model->values,
                                    .pair = {all->source, all->target, 1,
                                             sa_vocab_size(&model->source.vocab),
                                             sa_vocab_size(&model->target.vocab)},
                                    .options = all->options,
                                    .shown = &all->pair,
                                    .row = {[SA_ROWS_SOURCE] = all->source_words,
                                            [SA_ROWS_VOCABULARY] = all->vocabulary,
                                            [SA_ROWS_TARGET] = all->read_words},
                                    .read = all->read};
    const bool good = sa_lab_explain(&job, error);
    if (good) all->options->each(all->options->context, &all->pair, NULL);
    if (!good && error && error->code == SA_DIVERGED) sa_fail_diverged(error);
    return good;
}

bool sa_explain(sa_model *model, const sa_explain_options *options, sa_error *error) {
    if (!sa_given(model, "model", error) || !sa_given(options, "options", error) ||
        !sa_given(options->source, "options->source", error) ||
        !sa_within((int64_t)options->site, SA_SITE_CROSS, SA_SITE_DECODER, "options->site", error))
        return false;
    if (!options->each) return sa_fail(error, SA_USAGE, "'options->each' is NULL");
    explanation_task all = {.model = model, .options = options};
    const bool good = run(&all, error);
    free(all.source_text), free(all.target_text);
    sa_sentences_release(all.source, 1), sa_sentences_release(all.target, 1);
    free(all.source_words), free(all.target_words), free(all.read_words), free(all.vocabulary);
    return good;
}

/* ---- Gradients ------------------------------------------------------------------------------- */

bool sa_check_gradients(const sa_gradcheck_options *check, sa_error *error) {
    return sa_given(check, "options", error) &&
           sa_given(check->settings, "options->settings", error) &&
           sa_settings_check(check->settings, error) &&
           sa_lab_check(&(sa_lab_job){.options = *check}, error);
}

const char *sa_gradient_fault_name(size_t i, const char **dropped, const char **options) {
    if (!SA_NAME(sa_gradient_faults, i)) return NULL;
    if (dropped) *dropped = sa_gradient_faults[i].dropped;
    if (options) *options = sa_gradient_faults[i].options;
    return sa_gradient_faults[i].name;
}

/* ---- Proofs ---------------------------------------------------------------------------------- */

bool sa_prove(const sa_model *model, const sa_prove_options *proving, sa_error *error) {
    sa_dataset pairs = {0};
    if (!sa_given(model, "model", error) || !sa_given(proving, "options", error) ||
        !sa_given(proving->corpus, "options->corpus", error) ||
        !sa_given_corpus(proving->corpus, "options->corpus", error) ||
        !sa_within(proving->limit, 1, INT_MAX, "options->limit", error) ||
        !sa_dataset_build(&pairs, proving->corpus, NULL, &model->source, &model->target,
                          model->settings.max_len, &model->settings, error))
        return false;
    const int count = pairs.count < (size_t)proving->limit ? (int)pairs.count : proving->limit;
    const sa_lab_prove_job proof = {&model->settings,
                                    model->values,
                                    {pairs.source, pairs.target, count,
                                     sa_vocab_size(&model->source.vocab),
                                     sa_vocab_size(&model->target.vocab)},
                                    proving};
    const bool good = sa_lab_prove(&proof, error);
    sa_dataset_release(&pairs);
    return good;
}
