#include "text/dataset.h"
#include "base/rng.h"
#include "base/settings.h"
#include "text/utf8.h"
#include "text/word.h"

#include <stdlib.h>
#include <string.h>

/* ---- Coders ---------------------------------------------------------------------------------- */

bool sa_coder_split(const sa_coder *coder, const char *text, bool lower, sa_tokens *tokens,
                    char **lowered, sa_error *error) {
    *lowered = lower ? sa_utf8_normalise(text, strlen(text), true, error) : NULL;
    if (lower && !*lowered) return false;
    if (lower) text = *lowered;
    return coder->tokenizer->split(text, strlen(text), tokens, error);
}

bool sa_coder_encode(const sa_coder *coder, const char *text, int32_t **ids, int *len,
                     sa_error *error) {
    sa_tokens tokens = {0};
    char *lowered;
    bool good = sa_coder_split(coder, text, coder->lowercase, &tokens, &lowered, error);
    *ids = good ? sa_new(tokens.count + 1, sizeof **ids, error) : NULL;
    good = good && *ids;
    if (good) {
        for (size_t i = 0; i < tokens.count; i++)
            (*ids)[i] = sa_vocab_find(&coder->vocab, tokens.token[i].text, tokens.token[i].size);
        (*ids)[tokens.count] = SA_END;
        *len = (int)tokens.count + 1;
    }
    sa_tokens_release(&tokens);
    free(lowered);
    return good;
}

void sa_coder_decode(const sa_coder *coder, const int32_t *ids, int len, sa_buffer *out) {
    sa_token *token = sa_new((size_t)len, sizeof *token, NULL);
    size_t count = 0;
    for (int i = 0; token && i < len; i++)
        if (ids[i] != SA_END) token[count++] = sa_vocab_word(&coder->vocab, ids[i]);
    if (token) coder->tokenizer->join(token, count, coder->spaced_marks, out);
    out->failed |= !token;
    free(token);
}

void sa_coder_release(sa_coder *coder) {
    sa_vocab_release(&coder->vocab);
}

/* The tokens of a whole side, and the lowered texts they point into. */
typedef struct pile {
    sa_tokens tokens;
    char **lowered;
    size_t count, room;
    int64_t marks;
} pile;

static bool add_text(pile *all, const sa_coder *coder, const char *text, sa_error *error) {
    if (!sa_reserve(&all->lowered, &all->room, all->count + 1, sizeof *all->lowered, error))
        return false;
    all->marks += sa_spaced_marks(text, strlen(text));
    const bool good = sa_coder_split(coder, text, coder->lowercase, &all->tokens,
                                     &all->lowered[all->count], error);
    if (good)
        all->count++;
    else
        free(all->lowered[all->count]);
    return good;
}

static void pile_release(pile *all) {
    for (size_t i = 0; i < all->count; i++) free(all->lowered[i]);
    free(all->lowered);
    sa_tokens_release(&all->tokens);
}

/* The length is the only filter, so it took them all. */
static bool none_left(const sa_corpus *corpus, int max_len, sa_error *error) {
    return sa_fail(error, SA_DATA,
                   "%s: no pairs left: every one has a side above %d tokens (--max-len)",
                   corpus->name, max_len);
}

/* Adds both sides of a pair unless one is too long. */
static bool add_pair(pile side[2], const sa_coder *source, const sa_coder *target,
                     const sa_pair *pair, size_t max_len, sa_error *error) {
    const size_t before[2] = {side[0].tokens.count, side[1].tokens.count};
    if (!add_text(&side[0], source, pair->source, error) ||
        !add_text(&side[1], target, pair->target, error))
        return false;
    if (side[0].tokens.count - before[0] > max_len || side[1].tokens.count - before[1] > max_len) {
        side[0].tokens.count = before[0];
        side[1].tokens.count = before[1];
    }
    return true;
}

/* Both sides get the tokens of both. */
static bool share_tokens(pile side[2], sa_error *error) {
    const size_t own[2] = {side[0].tokens.count, side[1].tokens.count};
    for (int i = 0; i < 2; i++)
        for (size_t k = 0; k < own[1 - i]; k++) {
            const sa_token token = side[1 - i].tokens.token[k];
            if (!sa_tokens_push(&side[i].tokens, token.text, token.size, error)) return false;
        }
    return true;
}

bool sa_coders_build(sa_coder *source, sa_coder *target, const sa_corpus *corpus, const bool *use,
                     const sa_settings *settings, sa_error *error) {
    sa_coder *coder[2] = {source, target};
    pile side[2] = {0};
    bool good = true;
    for (int i = 0; i < 2; i++)
        *coder[i] = (sa_coder){.tokenizer = &sa_tokenizers[settings->tokenizer],
                               .lowercase = settings->lowercase};
    for (size_t i = 0; good && i < corpus->count; i++)
        if (!use || use[i])
            good =
                add_pair(side, source, target, &corpus->pairs[i], (size_t)settings->max_len, error);
    if (good && !side[0].tokens.count) good = none_left(corpus, settings->max_len, error);
    if (good && settings->tie == SA_TIE_THREE) good = share_tokens(side, error);
    for (int i = 0; i < 2; i++) {
        good = good && sa_vocab_build(&coder[i]->vocab, &side[i].tokens, settings->min_freq,
                                      settings->vocab, error);
        coder[i]->spaced_marks = side[i].marks > 0;
        pile_release(&side[i]);
    }
    if (!good) sa_coder_release(source), sa_coder_release(target);
    return good;
}

/* ---- Datasets -------------------------------------------------------------------------------- */

/* Appends the numbers of one text to dataset->ids (which may move) and returns their length, or 0.
 */
static int append(sa_dataset *dataset, size_t *used, size_t *room, const sa_coder *coder,
                  const char *text, sa_error *error) {
    int32_t *ids;
    int len = 0;
    if (!sa_coder_encode(coder, text, &ids, &len, error)) return 0;
    const bool good = sa_reserve(&dataset->ids, room, *used + (size_t)len, sizeof *ids, error);
    if (good) memcpy(dataset->ids + *used, ids, sizeof *ids * (size_t)len);
    *used += good ? (size_t)len : 0;
    free(ids);
    return good ? len : 0;
}

/* Encodes a pair; one that is too long is counted and taken back. */
static bool append_pair(sa_dataset *dataset, size_t *used, size_t *room, const sa_coder *source,
                        const sa_coder *target, const sa_pair *pair, int max_len, sa_error *error) {
    const size_t start = *used, k = dataset->count;
    const int left = append(dataset, used, room, source, pair->source, error);
    const int right = left ? append(dataset, used, room, target, pair->target, error) : 0;
    if (!right) return false;
    if (max_len && (left - 1 > max_len || right - 1 > max_len)) {
        *used = start;
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

bool sa_dataset_make(sa_dataset *dataset, const sa_corpus *corpus, const bool *use,
                     const sa_coder *source, const sa_coder *target, int max_len, sa_error *error) {
    size_t used = 0, room = 0;
    *dataset = (sa_dataset){.source = sa_new(corpus->count, sizeof(sa_sentence), error),
                            .target = sa_new(corpus->count, sizeof(sa_sentence), error),
                            .pair = sa_new(corpus->count, sizeof(size_t), error)};
    bool good = dataset->source && dataset->target && dataset->pair;
    for (size_t i = 0; good && i < corpus->count; i++) {
        if (use && !use[i]) continue;
        dataset->pair[dataset->count] = i;
        good =
            append_pair(dataset, &used, &room, source, target, &corpus->pairs[i], max_len, error);
    }
    if (good && !dataset->count) good = none_left(corpus, max_len, error);
    if (good) {
        const int32_t *at = dataset->ids; /* it moves no more */
        for (size_t k = 0; k < dataset->count; k++) {
            dataset->source[k].ids = at;
            dataset->target[k].ids = at + dataset->source[k].len;
            at += dataset->source[k].len + dataset->target[k].len;
        }
        dataset->hash = sa_hash((const char *)dataset->ids, used * sizeof *dataset->ids);
    } else {
        sa_dataset_release(dataset);
    }
    return good;
}

void sa_dataset_release(sa_dataset *dataset) {
    free(dataset->source), free(dataset->target), free(dataset->pair), free(dataset->ids);
    *dataset = (sa_dataset){0};
}

/* ---- Holding out ------------------------------------------------------------------------------
 */

size_t sa_hold_out(const sa_corpus *corpus, bool *held) {
    enum { SHARE = 20 };
    size_t count = 0, smallest = 0;
    uint64_t least = UINT64_MAX;
    for (size_t i = 0; i < corpus->count; i++) {
        const uint64_t hash = sa_hash(corpus->pairs[i].source, strlen(corpus->pairs[i].source));
        held[i] = hash % SHARE == 0;
        count += held[i];
        if (hash < least) least = hash, smallest = i;
    }
    if (count && count < corpus->count) return count;
    for (size_t i = count = 0; i < corpus->count; i++) { /* few pairs: one source alone */
        held[i] = strcmp(corpus->pairs[i].source, corpus->pairs[smallest].source) == 0;
        count += held[i];
    }
    return count;
}
