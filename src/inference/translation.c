/* translation: the translations of softalign.h. */
#include "inference/translation.h"
#include "base/error.h"
#include "config/settings.h"
#include "data/batcher.h"
#include "inference/encoding.h"
#include "inference/gold_links.h"
#include "inference/search.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct translate_task {
    sa_model *const *models;
    int number;
    const char *const *texts;
    sa_prepared_model *prepared;       /* [number] */
    sa_sentence *sources[SA_ENSEMBLE]; /* in each model's token ids */
    const sa_gold_alignment *gold;
    const int *lengths;
    size_t *order; /* sentences that can be translated, by length */
    size_t count;  /* of order */
    sa_search search;
    bool attends;               /* a model has attention */
    int copying;                /* the first model that copies; -1: none */
    const sa_pair **dictionary; /* sorted by source */
    sa_translation *out;
} translate_task;

/* ---- Unknown words --------------------------------------------------------------------------- */

/* The pairs of the same source in the order of the dictionary. */
static int by_source(const void *a, const void *b) {
    const sa_pair *one = *(const sa_pair *const *)a, *other = *(const sa_pair *const *)b;
    const int order = strcmp(one->source, other->source);
    return order ? order : (one > other) - (one < other);
}

static int compare_source(const void *key, const void *pair) {
    return strcmp(key, (*(const sa_pair *const *)pair)->source);
}

static bool sort_dictionary(translate_task *task, sa_error *error) {
    const sa_corpus *pairs = task->search.dictionary;
    if (!pairs) return true;
    task->dictionary = sa_new(pairs->count, sizeof *task->dictionary, error);
    if (!task->dictionary) return false;
    for (size_t i = 0; i < pairs->count; i++) task->dictionary[i] = &pairs->pairs[i];
    qsort(task->dictionary, pairs->count, sizeof *task->dictionary, by_source);
    return true;
}

/* The target of the first pair that has the word as its source; NULL: there is none. */
static const char *look_up(const translate_task *task, const char *word) {
    const sa_pair *const *pairs = task->dictionary;
    if (!pairs) return NULL;
    const sa_pair *const *found =
        bsearch(word, pairs, task->search.dictionary->count, sizeof *pairs, compare_source);
    if (!found) return NULL;
    while (found > pairs && strcmp(found[-1]->source, word) == 0) found--;
    return (*found)->target;
}

/* For an unknown word: the most attended source word, or what the dictionary pairs it with. */
static sa_token replacement(const translate_task *task, const sa_real *weights,
                            const char *const *source, int S) {
    int best = 0;
    for (int j = 1; j < S - 1; j++) /* never EOS */
        if (weights[j] > weights[best]) best = j;
    const char *translated = look_up(task, source[best]),
               *word = translated ? translated : source[best];
    return (sa_token){.text = word, .size = strlen(word)};
}

/* ---- Words ----------------------------------------------------------------------------------- */

/* The word of an id: of the vocabulary or, beyond it, of the source, as the text spells it. */
static sa_token word_of(const translate_task *task, int32_t id, size_t sentence,
                        const char *const *source) {
    const sa_vocab *vocab = &task->models[0]->target.vocab;
    if (id < sa_vocab_size(vocab)) return sa_vocab_token(vocab, id);
    const sa_sentence *read = &task->sources[task->copying][sentence];
    int j = 0;
    while (sa_sentence_extended(read)[j] != id) j++;
    return (sa_token){.text = source[j], .size = strlen(source[j])};
}

/* ---- One translation ------------------------------------------------------------------------- */

/* Tokens, source words and attention weights. */
static bool add_details(const sa_token *token, const sa_hypothesis *found, const char ***source,
                        int S, sa_translation *out, sa_error *error) {
    const size_t size = (size_t)found->len * (size_t)S;
    out->sources = S;
    out->source = *source;
    *source = NULL; /* it belongs to *out now */
    out->target = sa_token_texts(token, (size_t)found->len, error);
    if (!out->target || !found->weights) return out->target != NULL;
    out->weights = sa_new(size, sizeof *out->weights, error);
    for (size_t i = 0; out->weights && i < size; i++) out->weights[i] = (double)found->weights[i];
    return out->weights != NULL;
}

static int unknown_tokens(const sa_sentence *sentence) {
    int unknown = 0;
    for (int i = 0; i < sentence->len; i++) unknown += sentence->ids[i] == SA_UNK;
    return unknown;
}

static bool write_text(const translate_task *task, const sa_hypothesis *found,
                       const char *const *source, size_t sentence, sa_token *token,
                       sa_translation *out, sa_error *error) {
    const sa_text_codec *codec = &task->models[0]->target;
    const sa_sentence *read = &task->sources[0][sentence];
    const int S = read->len;
    sa_buffer text = {0};
    size_t count = 0;
    for (int t = 0; t < found->len; t++) {
        const bool replaced = task->search.replace_unknown && found->ids[t] == SA_UNK;
        token[t] = replaced ? replacement(task, found->weights + (size_t)t * (size_t)S, source, S)
                            : word_of(task, found->ids[t], sentence, source);
        count += found->ids[t] != SA_EOS;
    }
    sa_buffer_add(&text, "", 0); /* an empty translation is text too */
    codec->tokenizer->join(token, count, codec->spaced_marks, &text);
    *out = (sa_translation){.text = text.text,
                            .log_probability = found->log_p,
                            .score = found->score,
                            .words = found->len,
                            .complete = found->complete,
                            .source_words = S - 1,
                            .unknown_source = unknown_tokens(read)};
    return !text.failed || sa_fail_memory(error, text.size);
}

static bool write_translation(const translate_task *task, size_t sentence,
                              const sa_hypothesis *found, sa_translation *out, sa_error *error) {
    const sa_sentence *read = &task->sources[0][sentence];
    const bool details = task->search.weights;
    const bool own = details || task->search.replace_unknown || task->copying >= 0;
    if (!isfinite(found->log_p)) return sa_fail_diverged(error);
    const char **source = NULL;
    sa_token *token = sa_new((size_t)found->len, sizeof *token, error);
    bool good = token;
    if (good && own) {
        source = sa_surface_words(&task->models[0]->source, task->texts[sentence], read, error);
        good = source;
    }
    good = good && write_text(task, found, source, sentence, token, out, error) &&
           (!details || add_details(token, found, &source, read->len, out, error));
    free(source);
    free(token);
    return good;
}

/* ---- All of them ----------------------------------------------------------------------------- */

/* Sentences decoded together, in each model's token ids, and their gold links. */
typedef struct source_batch {
    sa_sentence *sources[SA_ENSEMBLE];
    const sa_sentence *views[SA_ENSEMBLE];
    sa_gold_alignment *gold;
    int *lengths;
} source_batch;

static void source_batch_release(source_batch *part, int number) {
    for (int m = 0; m < number; m++) free(part->sources[m]);
    free(part->gold), free(part->lengths);
}

static bool gather(const translate_task *task, size_t first, size_t size, source_batch *part,
                   sa_error *error) {
    *part = (source_batch){0};
    if (task->gold && !(part->gold = sa_new(size, sizeof *part->gold, error))) return false;
    for (size_t i = 0; task->gold && i < size; i++)
        part->gold[i] = task->gold[task->order[first + i]];
    if (task->lengths && !(part->lengths = sa_new(size, sizeof *part->lengths, error)))
        return false;
    for (size_t i = 0; task->lengths && i < size; i++)
        part->lengths[i] = task->lengths[task->order[first + i]];
    for (int m = 0; m < task->number; m++) {
        part->sources[m] = sa_new(size, sizeof **part->sources, error);
        if (!part->sources[m]) return false;
        for (size_t i = 0; i < size; i++)
            part->sources[m][i] = task->sources[m][task->order[first + i]];
        part->views[m] = part->sources[m];
    }
    return true;
}

static bool translate_batch(void *context, int number, sa_error *error) {
    const translate_task *task = context;
    const size_t batch = (size_t)task->search.batch, nbest = (size_t)task->search.nbest;
    const size_t first = (size_t)number * batch, rest = task->count - first,
                 size = rest < batch ? rest : batch;
    sa_search search = task->search;
    sa_override override = {.chosen = task->search.override, .seed = 1};
    const sa_seq2seq *w[SA_ENSEMBLE];
    source_batch part;
    search.weights = task->attends && (search.weights || search.replace_unknown);
    for (int m = 0; m < task->number; m++) w[m] = &task->prepared[m].w;
    bool good = gather(task, first, size, &part, error);
    sa_hypothesis *found = good ? sa_new(size * nbest, sizeof *found, error) : NULL;
    override.gold = part.gold;
    good = found && sa_search_batch(w, task->number, part.views, part.lengths, (int)size, &search,
                                    override.chosen.kind ? &override : NULL, found, error);
    for (size_t i = 0; good && i < size * nbest; i++) {
        const size_t sentence = task->order[first + i / nbest];
        if (found[i].ids)
            good = write_translation(task, sentence, &found[i],
                                     task->out + sentence * nbest + i % nbest, error);
    }
    for (size_t i = 0; found && i < size * nbest; i++) free(found[i].ids), free(found[i].weights);
    free(found);
    source_batch_release(&part, task->number);
    return good;
}

/* The tokens of a sentence are too many for one of the models. */
static bool is_too_long(const translate_task *task, size_t sentence) {
    for (int m = 0; m < task->number; m++)
        if (!task->sources[m][sentence].ids) return true;
    return false;
}

/* Lists the sentences that can be translated; the others get empty translations. */
static bool translate_empty(translate_task *task, size_t count, sa_error *error) {
    for (size_t i = 0; i < count; i++) {
        const size_t k = task->order[i];
        const bool too_long = is_too_long(task, k);
        const int words = task->sources[0][k].len - 1;
        if (words && !too_long) {
            task->order[task->count++] = k;
            continue;
        }
        sa_translation *out = &task->out[k * (size_t)task->search.nbest];
        *out = (sa_translation){.text = sa_copy("", 0, error),
                                .complete = !too_long,
                                .source_words = words,
                                .too_long = too_long};
        if (!out->text) return false;
    }
    return true;
}

/* ---- Whether it can be done ------------------------------------------------------------------ */

enum { MOST_SAMPLES = 1000 }; /* as many as a beam holds */

/* The models of an ensemble need the same target ids. */
static bool check_models(sa_model *const *models, int number, sa_error *error) {
    if (number < 1 || number > SA_ENSEMBLE)
        return sa_fail(error, SA_USAGE, "%d models: 1 to %d translate together", number,
                       SA_ENSEMBLE);
    if (!sa_given(models, "models", error)) return false;
    for (int m = 0; m < number; m++)
        if (!sa_given(models[m], "model", error)) return false;
    const sa_text_codec *target = &models[0]->target;
    for (int m = 1; m < number; m++) {
        const sa_vocab *words = &models[m]->target.vocab;
        if (words->blob_size != target->vocab.blob_size ||
            memcmp(words->blob, target->vocab.blob, words->blob_size) != 0)
            return sa_fail(error, SA_USAGE, "model %d has other target words than model 1", m + 1);
        if (!sa_text_codec_equal(&models[m]->target, target) ||
            !sa_text_codec_equal(&models[m]->source, &models[0]->source))
            return sa_fail(error, SA_USAGE, "model %d splits texts otherwise than model 1", m + 1);
    }
    return true;
}

static bool any_attends(sa_model *const *models, int number) {
    bool attends = false;
    for (int m = 0; m < number; m++)
        attends = attends || sa_settings_has_attention(&models[m]->settings);
    return attends;
}

static bool check_search(sa_model *const *models, int number, const sa_search *search,
                         sa_error *error) {
    if (!sa_options_check(sa_search_options, search, error) ||
        !sa_within(search->nbest, 1, MOST_SAMPLES, "nbest", error) ||
        !sa_override_check(search->override, error) ||
        (search->dictionary && !sa_given_corpus(search->dictionary, "dictionary", error)))
        return false;
    if (search->nbest < 1 || (!search->sample && search->nbest > search->beam))
        return sa_fail(error, SA_USAGE, "the n-best list (%d) must be 1 to the beam (%d)",
                       search->nbest, search->beam);
    if (!sa_override_applies(search->override, (const sa_model *const *)models, number, error))
        return false;
    return any_attends(models, number) || (!search->replace_unknown && search->coverage == 0) ||
           sa_fail(error, SA_USAGE, "%s wants a model with attention; its decoder is '%s'",
                   search->replace_unknown ? "replacing unknown words" : "the coverage penalty",
                   sa_decoder_kinds[models[0]->settings.decoder].name);
}

/* ---- The public part ------------------------------------------------------------------------- */

bool sa_translate_sources(sa_model *const *models, int number, const char *const *sources,
                          const sa_gold_alignment *gold, const int *lengths, size_t count,
                          const sa_search *search, sa_translation *out, sa_error *error) {
    if (!sa_given(search, "search", error) || !sa_given_texts(sources, count, "sources", error) ||
        !sa_given_array(out, count, "translations", error) ||
        !check_models(models, number, error) || !check_search(models, number, search, error))
        return false;
    translate_task task = {.models = models,
                           .number = number,
                           .texts = sources,
                           .gold = gold,
                           .lengths = lengths,
                           .search = *search,
                           .attends = any_attends(models, number),
                           .copying = -1,
                           .out = out};
    if (count) memset(out, 0, sizeof *out * count * (size_t)search->nbest);
    const size_t batch = (size_t)search->batch, together = count < batch ? count : batch;
    const int rows = (int)together * sa_search_rows(search);
    task.prepared = sa_new((size_t)number, sizeof *task.prepared, error);
    bool good = task.prepared != NULL;
    for (int m = 0; good && m < number; m++) {
        task.sources[m] = sa_encode_texts(&models[m]->source, models[m]->max_len, sources,
                                          sizeof *sources, count, error);
        good = task.sources[m] &&
               sa_extend_texts(models[m], sources, NULL, sizeof *sources, count, task.sources[m],
                               NULL, error) &&
               sa_model_prepare(models[m], rows, &task.prepared[m], error);
        if (task.copying < 0 && models[m]->settings.copy) task.copying = m;
    }
    task.order = good ? sa_new(count, sizeof *task.order, error) : NULL;
    good = task.order && sort_dictionary(&task, error);
    if (good) {
        sa_sentences_sort_by_length(task.sources[0], count, task.order);
        good = translate_empty(&task, count, error);
    }
    good = good && sa_model_run(models[0], (int)((task.count + batch - 1) / batch), translate_batch,
                                &task, error);
    if (!good) sa_translations_release(out, count * (size_t)search->nbest);
    free(task.dictionary);
    free(task.order);
    for (int m = 0; m < number; m++) {
        sa_sentences_release(task.sources[m], count);
        if (task.prepared) sa_store_release(&task.prepared[m].store);
    }
    free(task.prepared);
    return good;
}

bool sa_translate_ensemble(sa_model *const *models, int number, const char *const *sources,
                           size_t count, const sa_search *search, sa_translation *out,
                           sa_error *error) {
    return sa_translate_sources(models, number, sources, NULL, NULL, count, search, out, error);
}

bool sa_translate(sa_model *model, const char *const *sources, size_t count,
                  const sa_search *search, sa_translation *out, sa_error *error) {
    return sa_translate_sources(&model, 1, sources, NULL, NULL, count, search, out, error);
}

void sa_translations_release(sa_translation *translations, size_t count) {
    for (size_t i = 0; translations && i < count; i++) {
        free(translations[i].text);
        free(translations[i].target);
        free(translations[i].source);
        free(translations[i].weights);
        translations[i] = (sa_translation){0};
    }
}
