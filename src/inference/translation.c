/* translation: the translations of softalign.h. */
#include "config/settings.h"
#include "data/batcher.h"
#include "data/encoding.h"
#include "inference/model.h"
#include "inference/search.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* One of the models, ready for many batches. */
typedef struct translator {
    sa_seq2seq w;                  /* its weights as inference reads them, ... */
    sa_store store;                /* ... and which this stores */
    sa_sentence *sources, *sorted; /* all in its token ids; those to translate, by length */
} translator;

typedef struct translate_task {
    sa_model *const *models;
    int number;
    const char *const *texts;
    translator *own; /* [number] */
    size_t *order;   /* sentences that can be translated, by length */
    size_t count;    /* of order, and of the lists that follow, which have its order */
    sa_gold_alignment *gold;
    int *lengths;
    sa_sentence *prefixes, *begun; /* of all texts, in the first model's ids; those of order */
    sa_search search;
    bool attends; /* a model has attention */
    int copying;  /* the first model that copies; -1: none */
    sa_strings dictionary;
    const char **translated; /* [dictionary.count] */
    sa_translation *out;
} translate_task;

/* ---- Unknown words --------------------------------------------------------------------------- */

/* Reads the dictionary; of pairs with the same source, the first one counts. */
static bool read_dictionary(translate_task *task, sa_error *error) {
    const sa_corpus *pairs = task->search.dictionary;
    if (!pairs) return true;
    task->translated = sa_new(pairs->count, sizeof *task->translated, error);
    for (size_t i = 0; task->translated && i < pairs->count; i++) {
        const char *word = pairs->pairs[i].source;
        const int32_t number = sa_strings_add(&task->dictionary, word, strlen(word), error);
        if (number < 0) return false;
        if (!task->translated[number]) task->translated[number] = pairs->pairs[i].target;
    }
    return task->translated;
}

/* Returns, for an unknown word, the most attended source word, or what the dictionary pairs it
 * with. If there is none (sa_most_attended), the word stays unknown. */
static sa_token replacement(const translate_task *task, const sa_real *weights,
                            const char *const *source, int S) {
    int best = -1;
    for (int j = 0; j < S - 1; j++)
        if (weights[j] > (best < 0 ? 0 : weights[best])) best = j;
    if (best < 0) return sa_vocab_token(&task->models[0]->target.vocab, SA_UNK);
    const int32_t known = sa_strings_find(&task->dictionary, source[best], strlen(source[best]));
    const char *word = known < 0 ? source[best] : task->translated[known];
    return (sa_token){.text = word, .size = strlen(word)};
}

/* ---- One translation ------------------------------------------------------------------------- */

/* Adds tokens and attention weights. */
static bool add_details(const sa_token *token, const sa_hypothesis *found, int S,
                        sa_translation *out, sa_error *error) {
    const size_t size = (size_t)found->len * (size_t)S;
    out->sources = S;
    out->target = sa_token_texts(token, (size_t)found->len, error);
    if (!out->target || !found->weights) return out->target != NULL;
    out->weights = sa_new(size, sizeof *out->weights, error);
    for (size_t i = 0; out->weights && i < size; i++) out->weights[i] = (double)found->weights[i];
    return out->weights != NULL;
}

/* Notes whether the text of a translation, read again, has other tokens, as that of a word that the
 * model spelled in other subwords than merges do. */
static bool read_again(const sa_text_codec *codec, const sa_hypothesis *found, sa_translation *out,
                       sa_error *error) {
    sa_sentence read = {0};
    if (!sa_text_codec_encode(codec, NULL, out->text, &codec->vocab, NULL, false, &read, error))
        return false;
    out->resplit =
        found->complete && (read.len != found->len ||
                            memcmp(read.ids, found->ids, sizeof *read.ids * (size_t)read.len) != 0);
    free((int32_t *)(uintptr_t)read.ids);
    return true;
}

static bool write_translation(const translate_task *task, size_t sentence,
                              const sa_hypothesis *found, sa_translation *out, sa_error *error) {
    const sa_text_codec *codec = &task->models[0]->target;
    const sa_sentence *read = &task->own[0].sources[sentence],
                      *copied = &task->own[task->copying < 0 ? 0 : task->copying].sources[sentence],
                      *prefix = task->prefixes ? &task->prefixes[sentence] : NULL;
    const bool details = task->search.weights, replaces = task->search.replace_unknown;
    const bool own = details || replaces || task->copying >= 0;
    const int S = read->len;
    if (!isfinite(found->log_p)) return sa_fail_diverged(error);
    *out = (sa_translation){.log_probability = found->log_p,
                            .score = found->score,
                            .words = found->len,
                            .complete = found->complete,
                            .source_words = S - 1};
    for (int j = 0; j < S; j++) out->unknown_source += read->ids[j] == SA_UNK;
    const char **source = NULL, **given = NULL;
    sa_token *token = sa_new((size_t)found->len, sizeof *token, error);
    if (token && own)
        source = sa_surface_words(&task->models[0]->source, task->texts[sentence], read, error);
    if (token && prefix)
        given = sa_surface_words(codec, task->search.target_prefix[sentence], prefix, error);
    bool good = token && (source || !own) && (given || !prefix);
    size_t count = 0;
    for (int t = 0; good && t < found->len; t++) {
        const bool unknown = found->ids[t] == SA_UNK;
        if (unknown && prefix && t < prefix->len - 1)
            token[t] = (sa_token){given[t], strlen(given[t])};
        else
            token[t] = unknown && replaces
                           ? replacement(task, found->weights + (size_t)t * (size_t)S, source, S)
                           : sa_word_of(&codec->vocab, found->ids[t], copied, source);
        count += found->ids[t] != SA_EOS;
    }
    sa_buffer text = {0};
    sa_buffer_add(&text, "", 0); /* an empty translation is text too */
    if (good) sa_tokenizer_join(codec->tokenizer, token, count, &codec->spacing, &text);
    good = (out->text = sa_buffer_take(&text, error)) && good;
    if (good && !replaces && task->copying < 0) good = read_again(codec, found, out, error);
    good = good && (!details || add_details(token, found, S, out, error));
    free(token), free(given);
    if (details)
        out->source = source;
    else
        free(source);
    return good;
}

/* ---- All of them ----------------------------------------------------------------------------- */

static bool translate_batch(void *context, int number, sa_error *error) {
    const translate_task *task = context;
    const size_t batch = (size_t)task->search.batch, nbest = (size_t)task->search.nbest;
    const size_t first = (size_t)number * batch, rest = task->count - first,
                 size = rest < batch ? rest : batch;
    sa_search search = task->search;
    const sa_override override = {
        .chosen = task->search.override, .seed = 1, .gold = task->gold ? task->gold + first : NULL};
    const sa_seq2seq *w[SA_ENSEMBLE];
    const sa_sentence *sources[SA_ENSEMBLE];
    search.weights = task->attends && (search.weights || search.replace_unknown);
    for (int m = 0; m < task->number; m++) {
        w[m] = &task->own[m].w;
        sources[m] = task->own[m].sorted + first;
    }
    sa_hypothesis *found = sa_new(size * nbest, sizeof *found, error);
    sa_ensemble ensemble = {0};
    bool good = found &&
                sa_ensemble_open(&ensemble, w, task->number,
                                 override.chosen.kind ? &override : NULL, error) &&
                sa_search_batch(&ensemble, sources,
                                (sa_outlines){task->lengths ? task->lengths + first : NULL,
                                              task->begun ? task->begun + first : NULL},
                                (int)size, &search, found, error);
    sa_ensemble_release(&ensemble);
    for (size_t i = 0; good && i < size * nbest; i++) {
        const size_t sentence = task->order[first + i / nbest];
        if (found[i].ids)
            good = write_translation(task, sentence, &found[i],
                                     task->out + sentence * nbest + i % nbest, error);
    }
    for (size_t i = 0; found && i < size * nbest; i++) free(found[i].ids), free(found[i].weights);
    free(found);
    return good;
}

/* Returns the items in the order of the task. */
static void *sorted(const translate_task *task, const void *items, size_t size, sa_error *error) {
    char *all = sa_new(task->count, size, error);
    for (size_t i = 0; all && i < task->count; i++)
        memcpy(all + i * size, (const char *)items + task->order[i] * size, size);
    return all;
}

/* Lists the sentences that can be translated; the others, which have no words or too many for a
 * model, get empty translations. */
static bool sort_sentences(translate_task *task, sa_references references, size_t count,
                           sa_error *error) {
    task->order = sa_new(count, sizeof *task->order, error);
    if (!task->order) return false;
    sa_sentences_sort_by_length(task->own[0].sources, count, task->order);
    for (size_t i = 0; i < count; i++) {
        const size_t k = task->order[i];
        const int words = task->own[0].sources[k].len - 1;
        bool too_long = false;
        for (int m = 0; m < task->number; m++) too_long |= !task->own[m].sources[k].ids;
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
    for (int m = 0; m < task->number; m++) {
        translator *own = &task->own[m];
        own->sorted = sorted(task, own->sources, sizeof *own->sources, error);
        if (!own->sorted) return false;
    }
    return (!references.gold ||
            (task->gold = sorted(task, references.gold, sizeof *task->gold, error))) &&
           (!references.lengths ||
            (task->lengths = sorted(task, references.lengths, sizeof *task->lengths, error))) &&
           (!task->prefixes ||
            (task->begun = sorted(task, task->prefixes, sizeof *task->begun, error)));
}

static bool encode_prefixes(translate_task *task, size_t count, sa_error *error) {
    const sa_model *model = task->models[0];
    const char *const *texts = task->search.target_prefix;
    if (!texts) return true;
    task->prefixes =
        sa_encode_texts(&model->target, model->max_len, texts, sizeof *texts, count, error);
    for (size_t i = 0; task->prefixes && i < count; i++)
        if (!task->prefixes[i].ids)
            return sa_fail(error, SA_LIMIT, "a target prefix has %d tokens, more than %d",
                           task->prefixes[i].len - 1, model->max_len);
    return task->prefixes;
}

/* Opens model m. The first one that copies gives the words of prefixes their extended ids. */
static bool open_translator(translate_task *task, int m, size_t count, int rows, sa_error *error) {
    const sa_model *model = task->models[m];
    translator *own = &task->own[m];
    const sa_text_codec *const codec[] = {&model->source, &model->target};
    const char *const *texts = task->texts;
    sa_sentence *prefixes = task->copying < 0 ? task->prefixes : NULL;
    own->sources =
        sa_encode_texts(&model->source, model->max_len, texts, sizeof *texts, count, error);
    own->store = (sa_store){.use = SA_STORE_INFERENCE, .rows = rows};
    if (model->settings.copy && task->copying < 0) task->copying = m;
    const bool good =
        own->sources &&
        (!model->settings.copy ||
         sa_extend_texts(codec, texts, task->search.target_prefix, sizeof *texts, count,
                         own->sources, prefixes, error)) &&
        sa_seq2seq_open_stored(&model->sizes, model->values, &own->store, &own->w, error);
    if (good) sa_seq2seq_set_decoding(&own->w, true);
    return good;
}

/* ---- Whether it can be done ------------------------------------------------------------------ */

enum { MOST_SAMPLES = 1000 }; /* as many as a beam holds */

/* Checks that the models of an ensemble have the same target ids and, where attention weights or
 * copied words are to be averaged, the same source tokens. */
static bool check_models(sa_model *const *models, int number, const sa_search *search,
                         sa_error *error) {
    if (number < 1 || number > SA_ENSEMBLE)
        return sa_fail(error, SA_USAGE, "%d models: 1 to %d translate together", number,
                       SA_ENSEMBLE);
    if (!sa_given(models, "models", error)) return false;
    for (int m = 0; m < number; m++)
        if (!sa_given(models[m], "model", error)) return false;
    const sa_text_codec *target = &models[0]->target;
    bool copies = models[0]->settings.copy, other = false;
    for (int m = 1; m < number; m++) {
        if (!sa_vocab_equal(&models[m]->target.vocab, &target->vocab))
            return sa_fail(error, SA_USAGE, "model %d has different target words from model 1",
                           m + 1);
        if (!sa_text_codec_equal(&models[m]->target, target))
            return sa_fail(error, SA_USAGE, "model %d uses a different tokenizer than model 1",
                           m + 1);
        copies |= models[m]->settings.copy;
        other |= !sa_text_codec_equal(&models[m]->source, &models[0]->source);
    }
    if (other && (copies || search->weights || search->replace_unknown || search->coverage > 0 ||
                  search->override.kind))
        return sa_fail(error, SA_USAGE,
                       "models with different source tokenizers translate together without "
                       "copying and without what needs their attention weights");
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
    if (!search->sample && search->nbest > search->beam)
        return sa_fail(error, SA_USAGE, "the n-best list (%d) must be 1 to the beam (%d)",
                       search->nbest, search->beam);
    if (!sa_override_applies(search->override, (const sa_model *const *)models, number, error))
        return false;
    return any_attends(models, number) || (!search->replace_unknown && search->coverage == 0) ||
           sa_fail(error, SA_USAGE, "%s requires a model with attention; its decoder is '%s'",
                   search->replace_unknown ? "replacing unknown words" : "the coverage penalty",
                   sa_decoder_kinds[models[0]->settings.decoder].name);
}

/* ---- Public functions ------------------------------------------------------------------------ */

bool sa_translate_sources(sa_model *const *models, int number, const char *const *sources,
                          sa_references references, size_t count, const sa_search *search,
                          sa_translation *out, sa_error *error) {
    if (!sa_given(search, "search", error) || !sa_given_texts(sources, count, "sources", error) ||
        (search->target_prefix &&
         !sa_given_texts(search->target_prefix, count, "target_prefix", error)) ||
        !sa_given_array(out, count, "translations", error) ||
        !check_models(models, number, search, error) ||
        !check_search(models, number, search, error))
        return false;
    translate_task task = {.models = models,
                           .number = number,
                           .texts = sources,
                           .own = sa_new((size_t)number, sizeof *task.own, error),
                           .search = *search,
                           .attends = any_attends(models, number),
                           .copying = -1,
                           .out = out};
    if (count) memset(out, 0, sizeof *out * count * (size_t)search->nbest);
    const size_t batch = (size_t)search->batch, together = count < batch ? count : batch;
    bool good = task.own && encode_prefixes(&task, count, error);
    for (int m = 0; good && m < number; m++)
        good = open_translator(&task, m, count, (int)together * sa_search_rows(search), error);
    good = good && sort_sentences(&task, references, count, error) &&
           read_dictionary(&task, error) &&
           sa_tasks_run(models[0]->pool, (int)((task.count + batch - 1) / batch), translate_batch,
                        &task, error);
    if (!good) sa_translations_release(out, count * (size_t)search->nbest);
    free(task.translated), free(task.order), free(task.gold), free(task.lengths);
    if (task.prefixes) sa_sentences_release(task.prefixes, count);
    free(task.begun);
    for (int m = 0; task.own && m < number; m++) {
        sa_sentences_release(task.own[m].sources, count);
        free(task.own[m].sorted);
        sa_store_release(&task.own[m].store);
    }
    free(task.own);
    sa_strings_release(&task.dictionary);
    return good;
}

bool sa_translate_ensemble(sa_model *const *models, int number, const char *const *sources,
                           size_t count, const sa_search *search, sa_translation *out,
                           sa_error *error) {
    return sa_translate_sources(models, number, sources, (sa_references){0}, count, search, out,
                                error);
}

bool sa_translate(sa_model *model, const char *const *sources, size_t count,
                  const sa_search *search, sa_translation *out, sa_error *error) {
    return sa_translate_sources(&model, 1, sources, (sa_references){0}, count, search, out, error);
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
