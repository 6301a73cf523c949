/* api_explain: sa_explain of softalign.h. Encodes the texts and names the rows of the values. */
#include "base/argument.h"
#include "base/utf8.h"
#include "decoding/search.h"
#include "inference/encoding.h"
#include "inference/model.h"
#include "lab/lab.h"

#include <stdlib.h>
#include <string.h>

typedef struct explanation_task {
    sa_model *model;
    const sa_explain_options *options;
    char *source_text, *target_text; /* NFC; target_text NULL: to be translated */
    int32_t *source_ids, *target_ids;
    sa_sentence source, target;
    const char **source_words, **target_words;
    const char **vocabulary; /* of the target */
    sa_explain_pair pair;
} explanation_task;

/* ---- Texts ----------------------------------------------------------------------------------- */

static bool normalize(const char *side, const char *text, char **out, sa_error *error) {
    size_t bad;
    if (!sa_utf8_valid(text, strlen(text), &bad))
        return sa_fail(error, SA_USAGE, "the %s is not UTF-8 at byte %zu: 0x%02X", side, bad + 1,
                       (unsigned char)text[bad]);
    *out = sa_utf8_normalize(text, strlen(text), false, error);
    return *out != NULL;
}

static bool read_source(explanation_task *all, sa_error *error) {
    if (!normalize("source", all->options->source, &all->source_text, error) ||
        !sa_check_lengths(all->model, NULL, &(sa_pair){.source = all->source_text}, 1, error) ||
        !sa_text_codec_encode(&all->model->source, NULL, all->source_text, &all->source_ids,
                              &all->source.len, error))
        return false;
    all->source.ids = all->source_ids;
    return all->source.len > 1 || sa_fail(error, SA_USAGE, "the source is empty");
}

/* The extended ids of a model that copies; of the target, too, if there is one. */
static bool extend(explanation_task *all, sa_error *error) {
    const char *const source = all->source_text, *const target = all->target_text;
    return sa_extend_texts(all->model, &source, target ? &target : NULL, 0, 1, &all->source,
                           target ? &all->target : NULL, error);
}

static bool read_target(explanation_task *all, sa_error *error) {
    if (!normalize("target", all->options->target, &all->target_text, error) ||
        !sa_check_lengths(all->model, NULL, &(sa_pair){.target = all->target_text}, 1, error) ||
        !sa_text_codec_encode(&all->model->target, NULL, all->target_text, &all->target_ids,
                              &all->target.len, error))
        return false;
    all->target.ids = all->target_ids;
    return true;
}

static bool translate(explanation_task *all, sa_error *error) {
    sa_search greedy;
    sa_hypothesis found = {0};
    sa_search_init(&greedy);
    greedy.beam = greedy.nbest = 1;
    const sa_seq2seq *const models[] = {&all->model->w};
    const sa_sentence *const sources[] = {&all->source};
    if (!sa_search_batch(models, 1, sources, NULL, 1, &greedy, NULL, &found, error)) return false;
    all->target_ids = sa_new((size_t)found.len, sizeof *all->target_ids, error);
    all->target = (sa_sentence){all->target_ids, found.len, found.ids};
    const int known = sa_seq2seq_words(&all->model->w);
    for (int i = 0; all->target_ids && i < found.len; i++) /* what is copied is read as <unk> */
        all->target_ids[i] = found.ids[i] < known ? found.ids[i] : SA_UNK;
    return all->target_ids;
}

/* ---- Words ----------------------------------------------------------------------------------- */

/* The source word of an extended id. */
static sa_token copied_word(const explanation_task *all, int32_t id) {
    int j = 0;
    while (sa_sentence_extended(&all->source)[j] != id) j++;
    return (sa_token){all->source_words[j], strlen(all->source_words[j])};
}

/* The words of extended ids, or the first `count` words of the vocabulary (ids NULL). */
static const char **words_of(const explanation_task *all, const int32_t *ids, int count,
                             sa_error *error) {
    const sa_vocab *vocab = &all->model->target.vocab;
    sa_token *tokens = sa_new((size_t)count, sizeof *tokens, error);
    for (int i = 0; tokens && i < count; i++) {
        const int32_t id = ids ? ids[i] : i;
        tokens[i] = id < sa_vocab_size(vocab) ? sa_vocab_token(vocab, id) : copied_word(all, id);
    }
    const char **words = tokens ? sa_token_texts(tokens, (size_t)count, error) : NULL;
    free(tokens);
    return words;
}

static bool find_labels(explanation_task *all, sa_error *error) {
    const sa_text_codec *source = &all->model->source, *target = &all->model->target;
    all->source_words = sa_surface_words(source, all->source_text, &all->source, error);
    if (all->source_words)
        all->target_words = all->target_text
                                ? sa_surface_words(target, all->target_text, &all->target, error)
                                : words_of(all, all->target.extended, all->target.len, error);
    if (all->target_words)
        all->vocabulary = words_of(all, NULL, sa_vocab_size(&target->vocab), error);
    all->pair = (sa_explain_pair){
        .forced = all->options->target,
        .sources = all->source.len,
        .targets = all->target.len,
        .source = all->source_words,
        .target = all->target_words,
        .source_token_ids = all->source.ids,
        .target_token_ids = all->target.ids,
    };
    return all->vocabulary;
}

/* ---- The explanation ------------------------------------------------------------------------- */

static void each(void *context, const sa_explain_value *line) {
    const explanation_task *all = context;
    sa_explain_value labelled = *line;
    if (line->about == SA_ROWS_SOURCE) labelled.row = all->source_words;
    if (line->about == SA_ROWS_VOCABULARY) labelled.row = all->vocabulary;
    all->options->each(all->options->context, &all->pair, &labelled);
}

/* Of a Transformer, one source token in one layer is explained. */
static bool check_layer(const explanation_task *all, sa_error *error) {
    const int layers = sa_seq2seq_layers(&all->model->w, SA_SITE_ENCODER);
    if (all->options->layer < 1 || all->options->layer > layers)
        return sa_fail(error, SA_USAGE, "--layer %d: the encoder has %d", all->options->layer,
                       layers);
    if (!all->options->step)
        return sa_fail(error, SA_USAGE, "--all is for the steps of recurrent models");
    if (all->options->step < 1 || all->options->step > all->source.len)
        return sa_fail(error, SA_USAGE, "there is no word %d: the source has %d, EOS included",
                       all->options->step, all->source.len);
    return !all->options->weights ||
           sa_fail(error, SA_USAGE, "--weights is for the steps of recurrent models");
}

static bool run(explanation_task *all, sa_error *error) {
    const sa_model *model = all->model;
    if (!read_source(all, error) || (all->options->target && !read_target(all, error)) ||
        !extend(all, error) || (!all->options->target && !translate(all, error)))
        return false;
    if (model->w.family->recurrent && all->options->layer > 1)
        return sa_fail(error, SA_USAGE, "--layer %d: applies to a Transformer",
                       all->options->layer);
    if (!model->w.family->recurrent && !check_layer(all, error)) return false;
    if (model->w.family->recurrent &&
        (all->options->step < 0 || all->options->step > all->target.len))
        return sa_fail(error, SA_USAGE, "there is no step %d: the target has %d, EOS included",
                       all->options->step, all->target.len);
    const sa_lab_explain_job job = {.settings = &model->settings,
                                    .values = model->values,
                                    .source = all->source,
                                    .target = all->target,
                                    .source_words = sa_vocab_size(&model->source.vocab),
                                    .target_words = sa_vocab_size(&model->target.vocab),
                                    .step = all->options->step,
                                    .layer = all->options->layer,
                                    .weights = all->options->weights,
                                    .each = each,
                                    .context = all};
    if (!find_labels(all, error)) return false;
    const bool good = sa_lab_explain(&job, error);
    if (good) all->options->each(all->options->context, &all->pair, NULL);
    if (!good && error && error->code == SA_DIVERGED) sa_fail_diverged(error);
    return good;
}

bool sa_explain(sa_model *model, const sa_explain_options *options, sa_error *error) {
    if (!sa_given(model, "model", error) || !sa_given(options, "options", error) ||
        !sa_given(options->source, "options->source", error))
        return false;
    if (!options->each) return sa_fail(error, SA_USAGE, "'options->each' is NULL");
    explanation_task all = {.model = model, .options = options};
    const bool good = run(&all, error);
    free(all.source_text), free(all.target_text);
    free(all.source_ids), free(all.target_ids);
    free((int32_t *)(uintptr_t)all.source.extended);
    free((int32_t *)(uintptr_t)all.target.extended);
    free(all.source_words), free(all.target_words), free(all.vocabulary);
    return good;
}
