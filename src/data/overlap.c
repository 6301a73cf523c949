#include "data/overlap.h"
#include "base/pieces.h"
#include "base/rng.h"
#include "base/utf8.h"
#include "data/tokenizer.h"

#include <stdlib.h>
#include <string.h>

/* ---- Hashes of tokens ------------------------------------------------------------------------ */

/* Mixes the tokens of a text, before any merges, into a hash. */
static bool hash_tokens(const sa_settings *settings, int side, const char *text, uint64_t *hash,
                        sa_error *error) {
    sa_tokens tokens = {0};
    if (settings->lowercase)
        text = tokens.owned = sa_utf8_normalize(text, strlen(text), true, error);
    const bool good =
        text && sa_tokenizer_of(settings, side)->split(text, strlen(text), &tokens, error);
    for (size_t i = 0; good && i < tokens.count; i++)
        *hash = sa_hash_mix(*hash ^ sa_hash(tokens.token[i].text, tokens.token[i].size));
    sa_tokens_release(&tokens);
    return good;
}

typedef struct hashing {
    const sa_settings *settings;
    const sa_pair *pairs;
    bool both;
    uint64_t *hash; /* of each pair */
} hashing;

static bool hash_piece(void *context, int piece, size_t first, size_t count, sa_error *error) {
    const hashing *all = context;
    bool good = true;
    for (size_t i = first; good && i < first + count; i++) {
        uint64_t *hash = &all->hash[i];
        good = hash_tokens(all->settings, 0, all->pairs[i].source, hash, error);
        if (good && all->both) {
            *hash = sa_hash_mix(*hash); /* where the source ends */
            good = hash_tokens(all->settings, 1, all->pairs[i].target, hash, error);
        }
    }
    return good;
}

/* Returns the hash of each source, or of each pair (both), to be freed with free(). */
static uint64_t *hash_pairs(const sa_settings *settings, const sa_corpus *corpus, bool both,
                            sa_error *error) {
    const size_t count = corpus->count;
    uint64_t *hash = sa_new(count, sizeof *hash, error);
    hashing all = {settings, corpus->pairs, both, hash};
    if (hash &&
        sa_pieces_run(sa_pieces_for(settings->threads, count), count, hash_piece, &all, error))
        return hash;
    free(hash);
    return NULL;
}

/* ---- Held-out pairs -------------------------------------------------------------------------- */

typedef struct hashed_source {
    uint64_t tokens, text; /* sorted by both */
    size_t pair;
} hashed_source;

static int by_tokens(const void *a, const void *b) {
    const hashed_source *one = a, *other = b;
    const int order = sa_keys_compare(&one->tokens, &other->tokens);
    return order ? order : sa_keys_compare(&one->text, &other->text);
}

/* Returns the hash of each source's text; sources with the same tokens all get the smallest hash
 * among them. */
static uint64_t *hash_sources(const sa_settings *settings, const sa_corpus *corpus,
                              sa_error *error) {
    const size_t count = corpus->count;
    uint64_t *hash = hash_pairs(settings, corpus, false, error);
    hashed_source *all = hash ? sa_new(count, sizeof *all, error) : NULL;
    for (size_t i = 0; all && i < count; i++) {
        const char *text = corpus->pairs[i].source;
        all[i] = (hashed_source){hash[i], sa_hash(text, strlen(text)), i};
    }
    if (all) qsort(all, count, sizeof *all, by_tokens);
    for (size_t i = 0, first = 0; all && i < count; i++) {
        if (all[i].tokens != all[first].tokens) first = i;
        hash[all[i].pair] = all[first].text;
    }
    if (!all) free(hash), hash = NULL;
    free(all);
    return hash;
}

/* Marks the pairs whose hash is a multiple of the divisor. Returns their number. */
static size_t mark(const uint64_t *hash, size_t all, uint64_t divisor, bool *held) {
    size_t count = 0;
    for (size_t i = 0; i < all; i++) count += held[i] = hash[i] % divisor == 0;
    return count;
}

/* Marks the sources with the smallest hashes: `fewest` pairs or more, but at most `most` unless the
 * first source has more. Returns their number. */
static size_t mark_smallest(const uint64_t *hash, size_t all, size_t fewest, size_t most,
                            bool *held) {
    size_t count = 0;
    memset(held, 0, all * sizeof *held);
    while (count < fewest) {
        size_t least = all, pairs = 0;
        for (size_t i = 0; i < all; i++)
            if (!held[i] && (least == all || hash[i] < hash[least])) least = i;
        for (size_t i = 0; least < all && i < all; i++) pairs += hash[i] == hash[least];
        if (!pairs || (count && count + pairs > most)) break;
        for (size_t i = 0; i < all; i++) held[i] |= hash[i] == hash[least];
        count += pairs;
    }
    return count;
}

size_t sa_corpus_hold_out(const sa_settings *settings, const sa_corpus *corpus, bool *held,
                          sa_error *error) {
    enum { DIVISOR = 20, FEW = 200, FEWEST = 5, PART = 5 };
    const size_t all = corpus->count, limit = (size_t)settings->hold_out;
    const size_t most = limit && limit < all ? limit : all - 1;
    size_t times = 1, fewest = all >= FEW ? 1 : all / PART < FEWEST ? all / PART : FEWEST;
    uint64_t *hash = hash_sources(settings, corpus, error);
    if (!hash) return 0;
    if (fewest > most) fewest = most;
    if (fewest < 1) fewest = 1;
    size_t count = mark(hash, all, DIVISOR, held);
    while (limit && count > limit) {
        times = times * count / limit + 1;
        count = mark(hash, all, DIVISOR * times, held);
    }
    if (count < fewest || count == all) count = mark_smallest(hash, all, fewest, most, held);
    free(hash);
    return count;
}

/* ---- Shared pairs ---------------------------------------------------------------------------- */

static bool count_known(const sa_settings *settings, const sa_corpus *tested,
                        const sa_corpus *known, bool both, size_t *count, sa_error *error) {
    uint64_t *all = hash_pairs(settings, known, both, error);
    uint64_t *own = all ? hash_pairs(settings, tested, both, error) : NULL;
    *count = 0;
    if (own) qsort(all, known->count, sizeof *all, sa_keys_compare);
    for (size_t i = 0; own && i < tested->count; i++)
        *count += bsearch(&own[i], all, known->count, sizeof *all, sa_keys_compare) != NULL;
    free(all), free(own);
    return own != NULL;
}

bool sa_corpus_overlap(const sa_settings *settings, const sa_corpus *tested, const sa_corpus *known,
                       size_t *sources, size_t *pairs, sa_error *error) {
    return (!sources || count_known(settings, tested, known, false, sources, error)) &&
           count_known(settings, tested, known, true, pairs, error);
}
