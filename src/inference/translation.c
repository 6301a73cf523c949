/* translating: sa_translate of softalign.h. */
#include "inference/translation.h"
#include "config/settings.h"
#include "data/batcher.h"
#include "decoding/search.h"
#include "inference/encoding.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct translate_job {
    sa_model *const *models;
    int number;
    const char *const *texts;
    sa_packed_model *packed;           /* [number] */
    sa_sentence *sources[SA_ENSEMBLE]; /* in each model's numbers */
    const sa_gold_alignment *gold;
    size_t *order; /* the sentences that are not empty, by length */
    size_t count;  /* of order */
    sa_search search;
    bool attends;               /* one of the models does */
    const sa_pair **dictionary; /* sorted by source */
    sa_translation *out;
} translate_job;

/* ---- Unknown words --------------------------------------------------------------------------- */

static int by_source(const void *a, const void *b) {
    return strcmp((*(const sa_pair *const *)a)->source, (*(const sa_pair *const *)b)->source);
}

static int compare_source(const void *key, const void *pair) {
    return strcmp(key, (*(const sa_pair *const *)pair)->source);
}

static bool sort_dictionary(translate_job *job, sa_error *error) {
    const sa_corpus *pairs = job->search.dictionary;
    if (!pairs) return true;
    job->dictionary = sa_new(pairs->count, sizeof *job->dictionary, error);
    if (!job->dictionary) return false;
    for (size_t i = 0; i < pairs->count; i++) job->dictionary[i] = &pairs->pairs[i];
    qsort(job->dictionary, pairs->count, sizeof *job->dictionary, by_source);
    return true;
}

/* What is written for an unknown word that came while looking at a source word most. */
static sa_token replacement(const translate_job *job, const sa_real *weights,
                            const char *const *source, int S) {
    int best = 0;
    for (int j = 1; j < S - 1; j++) /* never the end mark */
        if (weights[j] > weights[best]) best = j;
    const char *word = source[best];
    const sa_pair **found = job->dictionary
                                ? bsearch(word, job->dictionary, job->search.dictionary->count,
                                          sizeof *job->dictionary, compare_source)
                                : NULL;
    if (found) word = (*found)->target;
    return (sa_token){.text = word, .size = strlen(word)};
}

/* ---- One translation ------------------------------------------------------------------------- */

/* Tokens, source words and matrix for whoever asked for them. */
static bool add_details(const sa_token *token, const sa_hypothesis *found, const char ***source,
                        int S, sa_translation *out, sa_error *error) {
    const size_t size = (size_t)found->len * (size_t)S;
    out->sources = S;
    out->source = *source;
    *source = NULL; /* handed over */
    out->target = sa_token_texts(token, (size_t)found->len, error);
    if (!out->target || !found->weights) return out->target != NULL;
    out->weights = sa_new(size, sizeof *out->weights, error);
    for (size_t i = 0; out->weights && i < size; i++) out->weights[i] = (double)found->weights[i];
    return out->weights != NULL;
}

static bool write_text(const translate_job *job, const sa_hypothesis *found,
                       const char *const *source, int S, sa_token *token, sa_translation *out,
                       sa_error *error) {
    const sa_text_codec *codec = &job->models[0]->target;
    sa_buffer text = {0};
    size_t count = 0;
    for (int t = 0; t < found->len; t++) {
        const bool replaced = job->search.replace_unknown && found->ids[t] == SA_UNK;
        token[t] = replaced ? replacement(job, found->weights + (size_t)t * (size_t)S, source, S)
                            : sa_vocab_token(&codec->vocab, found->ids[t]);
        count += found->ids[t] != SA_EOS;
    }
    sa_buffer_add(&text, "", 0); /* an empty translation is text too */
    codec->tokenizer->join(token, count, codec->spaced_marks, &text);
    *out = (sa_translation){.text = text.text,
                            .log_probability = found->log_p,
                            .score = found->score,
                            .words = found->len,
                            .complete = found->complete};
    return !text.failed || sa_fail_memory(error, text.size);
}

static bool write_translation(const translate_job *job, size_t sentence, const sa_hypothesis *found,
                              sa_translation *out, sa_error *error) {
    const sa_sentence *read = &job->sources[0][sentence];
    const bool details = job->search.weights, own = details || job->search.replace_unknown;
    if (!isfinite(found->log_p)) return sa_fail_diverged(error);
    const char **source = NULL;
    sa_token *token = sa_new((size_t)found->len, sizeof *token, error);
    bool good = token;
    if (good && own) {
        source = sa_surface_words(&job->models[0]->source, job->texts[sentence], read, error);
        good = source;
    }
    good = good && write_text(job, found, source, read->len, token, out, error) &&
           (!details || add_details(token, found, &source, read->len, out, error));
    free(source);
    free(token);
    return good;
}

/* ---- All of them ----------------------------------------------------------------------------- */

/* The sentences of a piece in every model's numbers, and their gold links. */
typedef struct source_batch {
    sa_sentence *sources[SA_ENSEMBLE];
    const sa_sentence *views[SA_ENSEMBLE];
    sa_gold_alignment *gold;
} source_batch;

static void source_batch_release(source_batch *piece, int number) {
    for (int m = 0; m < number; m++) free(piece->sources[m]);
    free(piece->gold);
}

static bool gather(const translate_job *job, size_t first, size_t size, source_batch *piece,
                   sa_error *error) {
    *piece = (source_batch){0};
    if (job->gold && !(piece->gold = sa_new(size, sizeof *piece->gold, error))) return false;
    for (size_t i = 0; job->gold && i < size; i++)
        piece->gold[i] = job->gold[job->order[first + i]];
    for (int m = 0; m < job->number; m++) {
        piece->sources[m] = sa_new(size, sizeof **piece->sources, error);
        if (!piece->sources[m]) return false;
        for (size_t i = 0; i < size; i++)
            piece->sources[m][i] = job->sources[m][job->order[first + i]];
        piece->views[m] = piece->sources[m];
    }
    return true;
}

static bool translate_batch(void *context, int number, sa_error *error) {
    const translate_job *job = context;
    const size_t batch = (size_t)job->search.batch, nbest = (size_t)job->search.nbest;
    const size_t first = (size_t)number * batch, rest = job->count - first,
                 size = rest < batch ? rest : batch;
    sa_search search = job->search;
    sa_override override = {.chosen = job->search.override, .seed = 1};
    const sa_seq2seq *w[SA_ENSEMBLE];
    source_batch piece;
    search.weights = job->attends && (search.weights || search.replace_unknown);
    for (int m = 0; m < job->number; m++) w[m] = &job->packed[m].w;
    bool good = gather(job, first, size, &piece, error);
    sa_hypothesis *found = good ? sa_new(size * nbest, sizeof *found, error) : NULL;
    override.gold = piece.gold;
    good = found && sa_search_batch(w, job->number, piece.views, (int)size, &search,
                                    override.chosen.kind ? &override : NULL, found, error);
    for (size_t i = 0; good && i < size * nbest; i++) {
        const size_t sentence = job->order[first + i / nbest];
        if (found[i].ids)
            good = write_translation(job, sentence, &found[i],
                                     job->out + sentence * nbest + i % nbest, error);
    }
    for (size_t i = 0; found && i < size * nbest; i++) free(found[i].ids), free(found[i].weights);
    free(found);
    source_batch_release(&piece, job->number);
    return good;
}

/* Takes the empty sentences out of the order: they are translated at once. */
static bool translate_empty(translate_job *job, size_t count, sa_error *error) {
    for (size_t i = 0; i < count; i++) {
        const size_t k = job->order[i];
        if (job->sources[0][k].len > 1) {
            job->order[job->count++] = k;
            continue;
        }
        sa_translation *out = &job->out[k * (size_t)job->search.nbest];
        *out = (sa_translation){.text = sa_copy("", 0, error), .complete = true};
        if (!out->text) return false;
    }
    return true;
}

/* ---- Whether it can be done ------------------------------------------------------------------ */

/* Models that write together must mean the same words by the same numbers. */
static bool check_models(sa_model *const *models, int number, sa_error *error) {
    if (number < 1 || number > SA_ENSEMBLE)
        return sa_fail(error, SA_USAGE, "%d models: 1 to %d translate together", number,
                       SA_ENSEMBLE);
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

/* Whether one of the models does. */
static bool any_attends(sa_model *const *models, int number) {
    bool attends = false;
    for (int m = 0; m < number; m++)
        attends = attends || sa_settings_has_attention(&models[m]->settings);
    return attends;
}

static bool check_search(sa_model *const *models, int number, const sa_search *search,
                         sa_error *error) {
    if (!sa_options_check(sa_search_options, search, error)) return false;
    if (search->nbest < 1 || (!search->sample && search->nbest > search->beam))
        return sa_fail(error, SA_USAGE, "the n-best list (%d) must be 1 to the beam (%d)",
                       search->nbest, search->beam);
    if (search->override.kind && !any_attends(models, number))
        return sa_fail_no_attention(models[0], error);
    return any_attends(models, number) || (!search->replace_unknown && search->coverage == 0) ||
           sa_fail(error, SA_USAGE, "%s wants a model with attention; its decoder is '%s'",
                   search->replace_unknown ? "replacing unknown words" : "the coverage penalty",
                   sa_decoder_kinds[models[0]->settings.decoder].name);
}

/* ---- The public part ------------------------------------------------------------------------- */

bool sa_translate_sources(sa_model *const *models, int number, const char *const *sources,
                          const sa_gold_alignment *gold, size_t count, const sa_search *search,
                          sa_translation *out, sa_error *error) {
    if (!check_models(models, number, error) || !check_search(models, number, search, error))
        return false;
    translate_job job = {.models = models,
                         .number = number,
                         .texts = sources,
                         .gold = gold,
                         .search = *search,
                         .attends = any_attends(models, number),
                         .out = out};
    memset(out, 0, sizeof *out * count * (size_t)search->nbest);
    const size_t batch = (size_t)search->batch, together = count < batch ? count : batch;
    const int rows = (int)together * sa_search_rows(search);
    job.packed = sa_new((size_t)number, sizeof *job.packed, error);
    bool good = job.packed != NULL;
    for (int m = 0; good && m < number; m++) {
        job.sources[m] =
            sa_encode_texts(&models[m]->source, sources, sizeof *sources, count, error);
        good = job.sources[m] && sa_model_pack(models[m], rows, &job.packed[m], error);
    }
    job.order = good ? sa_new(count, sizeof *job.order, error) : NULL;
    good = job.order && sort_dictionary(&job, error);
    if (good) {
        sa_sentences_sort_by_length(job.sources[0], count, job.order);
        good = translate_empty(&job, count, error);
    }
    good = good && sa_model_run(models[0], (int)((job.count + batch - 1) / batch), translate_batch,
                                &job, error);
    if (!good) sa_translations_release(out, count * (size_t)search->nbest);
    free(job.dictionary);
    free(job.order);
    for (int m = 0; m < number; m++) {
        sa_sentences_release(job.sources[m], count);
        if (job.packed) sa_arena_release(&job.packed[m].packed_weights);
    }
    free(job.packed);
    return good;
}

bool sa_translate_ensemble(sa_model *const *models, int number, const char *const *sources,
                           size_t count, const sa_search *search, sa_translation *out,
                           sa_error *error) {
    return sa_translate_sources(models, number, sources, NULL, count, search, out, error);
}

bool sa_translate(sa_model *model, const char *const *sources, size_t count,
                  const sa_search *search, sa_translation *out, sa_error *error) {
    return sa_translate_sources(&model, 1, sources, NULL, count, search, out, error);
}

void sa_translations_release(sa_translation *translations, size_t count) {
    for (size_t i = 0; i < count; i++) {
        free(translations[i].text);
        free(translations[i].target);
        free(translations[i].source);
        free(translations[i].weights);
        translations[i] = (sa_translation){0};
    }
}
