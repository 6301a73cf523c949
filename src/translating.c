/* translating: sa_translate and sa_align of softalign.h. */
#include "base/settings.h"
#include "forced.h"
#include "model/search.h"
#include "text/batcher.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Sentences as numbers ---------------------------------------------------------------------
 */

static void release_sentences(sa_sentence *sentences, size_t count) {
    for (size_t i = 0; sentences && i < count; i++) free((int32_t *)(uintptr_t)sentences[i].ids);
    free(sentences);
}

/* Encodes a side of pairs or plain texts; each text is at *(const char **)(first + i * stride). */
static sa_sentence *encode_all(const sa_coder *coder, const char *const *first, size_t stride,
                               size_t count, sa_error *error) {
    sa_sentence *sentences = sa_new(count, sizeof *sentences, error);
    for (size_t i = 0; sentences && i < count; i++) {
        const char *text;
        int32_t *ids;
        memcpy(&text, (const char *)first + i * stride, sizeof text);
        if (!sa_coder_encode(coder, text, &ids, &sentences[i].len, error)) {
            release_sentences(sentences, i);
            return NULL;
        }
        sentences[i].ids = ids;
    }
    return sentences;
}

/* ---- Translation ------------------------------------------------------------------------------
 */

typedef struct translating {
    sa_model *model;
    const sa_sentence *sources;
    size_t *order; /* the sentences that are not empty, by length */
    size_t count;  /* of order */
    const sa_search *search;
    sa_translation *out;
} translating;

static bool write_out(const translating *job, const sa_found *found, sa_translation *out,
                      sa_error *error) {
    sa_buffer text = {0};
    if (!isfinite(found->log_p)) return sa_fail_diverged(error);
    sa_buffer_add(&text, "", 0); /* an empty translation is text too */
    sa_coder_decode(&job->model->target, found->ids, found->len, &text);
    *out = (sa_translation){text.text, found->log_p, found->score, found->len, found->complete};
    return !text.failed || sa_fail_memory(error, text.size);
}

static bool translate_batch(void *context, int piece, sa_error *error) {
    const translating *job = context;
    const size_t batch = (size_t)job->search->batch, nbest = (size_t)job->search->nbest;
    const size_t first = (size_t)piece * batch, rest = job->count - first,
                 size = rest < batch ? rest : batch;
    sa_sentence *sources = sa_new(size, sizeof *sources, error);
    sa_found *found = sources ? sa_new(size * nbest, sizeof *found, error) : NULL;
    for (size_t i = 0; found && i < size; i++) sources[i] = job->sources[job->order[first + i]];
    bool good =
        found && sa_search_batch(&job->model->w, sources, (int)size, job->search, found, error);
    for (size_t i = 0; good && i < size * nbest; i++)
        if (found[i].ids)
            good = write_out(job, &found[i],
                             job->out + job->order[first + i / nbest] * nbest + i % nbest, error);
    for (size_t i = 0; found && i < size * nbest; i++) free(found[i].ids);
    free(found);
    free(sources);
    return good;
}

/* Takes the empty sentences out of the order: they are translated at once. */
static bool set_empty_aside(translating *job, size_t count, sa_error *error) {
    for (size_t i = 0; i < count; i++) {
        const size_t k = job->order[i];
        if (job->sources[k].len > 1) {
            job->order[job->count++] = k;
            continue;
        }
        sa_translation *out = &job->out[k * (size_t)job->search->nbest];
        *out = (sa_translation){.text = sa_copy("", 0, error), .complete = true};
        if (!out->text) return false;
    }
    return true;
}

bool sa_translate(sa_model *model, const char *const *sources, size_t count,
                  const sa_search *search, sa_translation *out, sa_error *error) {
    translating job = {.model = model, .search = search, .out = out};
    if (!sa_options_check(sa_search_options, search, error)) return false;
    if (search->nbest < 1 || search->nbest > search->beam)
        return sa_fail(error, SA_USAGE, "the n-best list (%d) must be 1 to the beam (%d)",
                       search->nbest, search->beam);
    memset(out, 0, sizeof *out * count * (size_t)search->nbest);
    sa_sentence *sentences = encode_all(&model->source, sources, sizeof *sources, count, error);
    job.order = sentences ? sa_new(count, sizeof *job.order, error) : NULL;
    bool good = job.order;
    if (good) {
        job.sources = sentences;
        sa_order_by_length(sentences, count, job.order);
        good = set_empty_aside(&job, count, error);
    }
    const size_t batch = (size_t)search->batch;
    good = good && sa_model_run(model, (int)((job.count + batch - 1) / batch), translate_batch,
                                &job, error);
    if (!good) sa_translations_release(out, count * (size_t)search->nbest);
    free(job.order);
    release_sentences(sentences, count);
    return good;
}

void sa_translations_release(sa_translation *translations, size_t count) {
    for (size_t i = 0; i < count; i++) free(translations[i].text), translations[i].text = NULL;
}

/* ---- Alignment --------------------------------------------------------------------------------
 */

/* The user's own words of one side, terminated, the end mark last. One block of memory. */
static const char **own_words(const sa_coder *coder, const char *text, const sa_sentence *sentence,
                              sa_error *error) {
    const size_t count = (size_t)sentence->len;
    sa_tokens tokens = {0};
    char *none;
    size_t bytes = 0;
    if (!sa_coder_split(coder, text, false, &tokens, &none, error)) {
        sa_tokens_release(&tokens);
        return NULL;
    }
    const bool same =
        tokens.count + 1 == count; /* lower-casing may, rarely, change where words end */
    sa_token *word = sa_new(count, sizeof *word, error);
    for (size_t i = 0; word && i < count; i++) {
        word[i] = same && i + 1 < count ? tokens.token[i]
                                        : sa_vocab_word(&coder->vocab, sentence->ids[i]);
        bytes += word[i].size + 1;
    }
    const char **words = word ? sa_new(1, count * sizeof *words + bytes, error) : NULL;
    char *at = words ? (char *)(words + count) : NULL;
    for (size_t i = 0; words && i < count; i++) {
        words[i] = memcpy(at, word[i].text, word[i].size);
        at += word[i].size + 1;
    }
    free(word);
    sa_tokens_release(&tokens);
    return words;
}

typedef bool each_alignment(void *context, size_t index, const sa_alignment *alignment,
                            sa_error *error);

static bool hand_out(sa_model *model, const sa_pair *pair, const sa_sentence *source,
                     const sa_sentence *target, const sa_forced *forced, size_t index,
                     each_alignment *each, void *context, sa_error *error) {
    const char **left = own_words(&model->source, pair->source, source, error);
    const char **right = left ? own_words(&model->target, pair->target, target, error) : NULL;
    const int heads = model->settings.heads;
    const size_t size = (size_t)target->len * (size_t)source->len;
    const sa_alignment alignment = {.targets = target->len,
                                    .sources = source->len,
                                    .heads = heads,
                                    .target = right,
                                    .source = left,
                                    .weights = forced->weights,
                                    .head_weights = forced->weights + (heads > 1 ? size : 0),
                                    .log_probability = forced->log_p};
    const bool good = right && each(context, index, &alignment, error);
    free(left);
    free(right);
    return good;
}

/* A part of the pairs small enough that all its matrices may be in memory. */
static bool align_part(sa_model *model, const sa_pair *pairs, size_t first, size_t count,
                       each_alignment *each, void *context, sa_error *error) {
    sa_sentence *source =
        encode_all(&model->source, &pairs[first].source, sizeof *pairs, count, error);
    sa_sentence *target =
        source ? encode_all(&model->target, &pairs[first].target, sizeof *pairs, count, error)
               : NULL;
    sa_forced *forced = target ? sa_new(count, sizeof *forced, error) : NULL;
    bool good = forced && sa_force(model, source, target, count, true, forced, error);
    for (size_t i = 0; good && i < count; i++)
        good = hand_out(model, &pairs[first + i], &source[i], &target[i], &forced[i], first + i,
                        each, context, error);
    for (size_t i = 0; forced && i < count; i++) free(forced[i].weights);
    free(forced);
    release_sentences(source, count);
    release_sentences(target, count);
    return good;
}

bool sa_align(sa_model *model, const sa_pair *pairs, size_t count, each_alignment *each,
              void *context, sa_error *error) {
    enum { PART = 512 };
    bool good = sa_settings_attends(&model->settings) ||
                sa_fail(error, SA_USAGE, "the model has no attention: its decoder is '%s'",
                        sa_decoder_kinds[model->settings.decoder].name);
    for (size_t first = 0; good && first < count; first += PART)
        good = align_part(model, pairs, first, count - first < PART ? count - first : PART, each,
                          context, error);
    return good;
}
