#include "data/dataset.h"
#include "base/rng.h"

#include <stdlib.h>
#include <string.h>

/* ---- Extended ids ---------------------------------------------------------------------------- */

/* Fills the ids of a text's tokens. Words that the vocabulary lacks are looked up in `more`, and
 * added to it if `add`. */
static bool extend_text(const sa_text_codec *codec, sa_bpe_segmenter *segmenter, const char *text,
                        const sa_vocab *vocab, sa_strings *more, bool add, int32_t *ids,
                        sa_error *error) {
    sa_tokens tokens = {0};
    bool good = sa_text_codec_split(codec, segmenter, text, codec->lowercase, &tokens, error);
    for (size_t i = 0; good && i < tokens.count; i++) {
        const sa_token *token = &tokens.token[i];
        ids[i] = sa_vocab_find(vocab, token->text, token->size);
        if (ids[i] != SA_UNK) continue;
        const int32_t number = add ? sa_strings_add(more, token->text, token->size, error)
                                   : sa_strings_find(more, token->text, token->size);
        if (number >= 0) ids[i] = sa_vocab_size(vocab) + number;
        good = number >= 0 || !add;
    }
    if (good) ids[tokens.count] = SA_EOS;
    sa_tokens_release(&tokens);
    return good;
}

bool sa_extend_pair(const sa_text_codec *const codec[2], sa_bpe_segmenter segmenter[2],
                    const char *source_text, const char *target_text, int32_t *source,
                    int32_t *target, sa_error *error) {
    const sa_vocab *vocab = &codec[1]->vocab;
    sa_strings more = {0};
    const bool good =
        extend_text(codec[0], &segmenter[0], source_text, vocab, &more, true, source, error) &&
        (!target_text ||
         extend_text(codec[1], &segmenter[1], target_text, vocab, &more, false, target, error));
    sa_strings_release(&more);
    return good;
}

/* ---- Datasets -------------------------------------------------------------------------------- */

/* Appends the token ids of a text to dataset->ids (which may move). Returns their number; 0 on
 * error. */
static int append(sa_dataset *dataset, const sa_text_codec *codec, sa_bpe_segmenter *segmenter,
                  const char *text, sa_error *error) {
    int32_t *ids;
    int len = 0;
    if (!sa_text_codec_encode(codec, segmenter, text, &ids, &len, error)) return 0;
    const size_t words = dataset->words + (size_t)len;
    const bool good = sa_reserve(&dataset->ids, &dataset->capacity, words, sizeof *ids, error);
    if (good) memcpy(dataset->ids + dataset->words, ids, sizeof *ids * (size_t)len);
    if (good) dataset->words = words;
    free(ids);
    return good ? len : 0;
}

/* Encodes a pair; only counts it if it is too long. */
static bool append_pair(sa_dataset *dataset, const sa_text_codec *const codec[2],
                        sa_bpe_segmenter segmenter[2], const sa_pair *pair, int max_len,
                        sa_error *error) {
    const size_t start = dataset->words, k = dataset->count;
    const int left = append(dataset, codec[0], &segmenter[0], pair->source, error);
    const int right = left ? append(dataset, codec[1], &segmenter[1], pair->target, error) : 0;
    if (!right) return false;
    if (max_len && (left - 1 > max_len || right - 1 > max_len)) {
        dataset->words = start;
        dataset->too_long++;
        return true;
    }
    dataset->source[k].len = left;
    dataset->target[k].len = right;
    dataset->count++;
    dataset->target_words += right;
    if (left > dataset->longest_source) dataset->longest_source = left;
    if (right > dataset->longest_target) dataset->longest_target = right;
    return true;
}

/* Adds the sentences' extended ids. */
static bool extend(sa_dataset *dataset, const sa_corpus *corpus,
                   const sa_text_codec *const codec[2], sa_bpe_segmenter segmenter[2],
                   sa_error *error) {
    dataset->extended = sa_new(dataset->words, sizeof *dataset->extended, error);
    bool good = dataset->extended;
    for (size_t k = 0; good && k < dataset->count; k++) {
        const sa_pair *pair = &corpus->pairs[dataset->pair[k]];
        int32_t *left = dataset->extended + (dataset->source[k].ids - dataset->ids);
        int32_t *right = left + dataset->source[k].len;
        good = sa_extend_pair(codec, segmenter, pair->source, pair->target, left, right, error);
        dataset->source[k].extended = left, dataset->target[k].extended = right;
    }
    if (good) /* which unknown words are equal is part of the data */
        dataset->hash += sa_hash((const char *)dataset->extended, dataset->words * sizeof(int32_t));
    return good;
}

bool sa_dataset_build(sa_dataset *dataset, const sa_corpus *corpus, const bool *use,
                      const sa_text_codec *source, const sa_text_codec *target, int max_len,
                      bool copy, sa_error *error) {
    *dataset = (sa_dataset){.source = sa_new(corpus->count, sizeof(sa_sentence), error),
                            .target = sa_new(corpus->count, sizeof(sa_sentence), error),
                            .pair = sa_new(corpus->count, sizeof(size_t), error)};
    const sa_text_codec *const codec[2] = {source, target};
    sa_bpe_segmenter segmenter[2];
    bool good = dataset->source && dataset->target && dataset->pair;
    for (int i = 0; i < 2; i++) sa_bpe_segmenter_init(&segmenter[i], &codec[i]->bpe);
    for (size_t i = 0; good && i < corpus->count; i++) {
        if (use && !use[i]) continue;
        dataset->pair[dataset->count] = i;
        good = append_pair(dataset, codec, segmenter, &corpus->pairs[i], max_len, error);
    }
    if (good && !dataset->count) good = sa_fail_too_long(corpus, max_len, error);
    void *ids = dataset->ids;
    good = good && sa_resize(&ids, dataset->words, sizeof *dataset->ids, error);
    dataset->ids = ids;
    if (good) dataset->hash = sa_hash(ids, dataset->words * sizeof *dataset->ids);
    const int32_t *at = dataset->ids; /* they do not move any more */
    for (size_t k = 0; good && k < dataset->count; k++) {
        dataset->source[k].ids = at;
        dataset->target[k].ids = at + dataset->source[k].len;
        at += dataset->source[k].len + dataset->target[k].len;
    }
    good = good && (!copy || extend(dataset, corpus, codec, segmenter, error));
    sa_bpe_segmenter_release(&segmenter[0]), sa_bpe_segmenter_release(&segmenter[1]);
    if (!good) sa_dataset_release(dataset);
    return good;
}

void sa_dataset_release(sa_dataset *dataset) {
    free(dataset->source), free(dataset->target), free(dataset->pair), free(dataset->ids);
    free(dataset->extended);
    *dataset = (sa_dataset){0};
}

sa_corpus sa_dataset_pairs(const sa_dataset *dataset, const sa_corpus *corpus, size_t most,
                           sa_error *error) {
    sa_corpus own = *corpus;
    own.count = dataset->count < most ? dataset->count : most;
    own.pairs = sa_new(own.count, sizeof *own.pairs, error);
    for (size_t i = 0; own.pairs && i < own.count; i++)
        own.pairs[i] = corpus->pairs[dataset->pair[i]];
    return own;
}
