#include "data/dataset.h"
#include "base/pieces.h"
#include "base/rng.h"
#include "data/encoding.h"

#include <limits.h>

#include <stdlib.h>
#include <string.h>

/* ---- Datasets -------------------------------------------------------------------------------- */

/* Moves the pairs that are not too long to the front, counts them, and frees the others. */
static void keep_short(sa_dataset *dataset, size_t count) {
    for (size_t i = 0; i < count; i++) {
        const sa_sentence source = dataset->source[i], target = dataset->target[i];
        const size_t k = dataset->count;
        if (!source.ids || !target.ids) {
            free((int32_t *)(uintptr_t)source.ids), free((int32_t *)(uintptr_t)target.ids);
            dataset->too_long++;
            continue;
        }
        dataset->source[k] = source, dataset->target[k] = target;
        dataset->pair[k] = dataset->pair[i];
        dataset->count++;
        dataset->target_words += target.len;
        if (source.len > dataset->longest_source) dataset->longest_source = source.len;
        if (target.len > dataset->longest_target) dataset->longest_target = target.len;
    }
}

/* Returns a hash of all ids, or of the extended ids: which unknown words are equal is part of the
 * data. */
static uint64_t hash_ids(const sa_dataset *dataset, bool extended) {
    uint64_t hash = SA_HASH_START;
    for (size_t k = 0; k < dataset->count; k++)
        for (int side = 0; side < 2; side++) {
            const sa_sentence *one = side ? &dataset->target[k] : &dataset->source[k];
            hash = sa_hash_add(hash, extended ? one->extended : one->ids,
                               sizeof *one->ids * (size_t)one->len);
        }
    return sa_hash_mix(hash);
}

/* What a piece of the pairs is encoded with, and where to. */
typedef struct encoding {
    const sa_text_codec *const *codec; /* [2] */
    const sa_pair *pairs;
    sa_dataset *dataset;
    int max_len;
    bool copy;
} encoding;

static bool encode_piece(void *context, int piece, size_t first, size_t count, sa_error *error) {
    const encoding *all = context;
    const sa_pair *pairs = all->pairs + first;
    sa_sentence *source, *target;
    const bool good =
        sa_encode_pairs(all->codec, all->max_len, all->copy, pairs, count, &source, &target, error);
    if (source) memcpy(all->dataset->source + first, source, count * sizeof *source);
    if (target) memcpy(all->dataset->target + first, target, count * sizeof *target);
    free(source), free(target);
    return good;
}

bool sa_dataset_build(sa_dataset *dataset, const sa_corpus *corpus, const bool *use,
                      const sa_text_codec *source, const sa_text_codec *target, int max_len,
                      const sa_settings *settings, sa_error *error) {
    const sa_text_codec *const codec[2] = {source, target};
    const bool copy = settings->copy;
    *dataset = (sa_dataset){.pair = sa_new(corpus->count, sizeof(size_t), error)};
    sa_pair *pairs = dataset->pair ? sa_new(corpus->count, sizeof *pairs, error) : NULL;
    size_t count = 0;
    for (size_t i = 0; pairs && i < corpus->count; i++)
        if (!use || use[i]) dataset->pair[count] = i, pairs[count++] = corpus->pairs[i];
    encoding work = {codec, pairs, dataset, max_len ? max_len : INT_MAX, copy};
    bool good =
        pairs && (dataset->source = sa_new(count, sizeof *dataset->source, error)) &&
        (dataset->target = sa_new(count, sizeof *dataset->target, error)) &&
        sa_pieces_run(sa_pieces_for(settings->threads, count), count, encode_piece, &work, error);
    if (good)
        keep_short(dataset, count);
    else
        dataset->count = count; /* to be released */
    if (good && !dataset->count) good = sa_fail_too_long(corpus, max_len, error);
    if (good) dataset->hash = hash_ids(dataset, false) + (copy ? hash_ids(dataset, true) : 0);
    free(pairs);
    if (!good) sa_dataset_release(dataset);
    return good;
}

void sa_dataset_release(sa_dataset *dataset) {
    sa_sentences_release(dataset->source, dataset->count);
    sa_sentences_release(dataset->target, dataset->count);
    free(dataset->pair);
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
