#include "base/utf8.h"
#include "data/bpe.h"

#include <stdlib.h>
#include <string.h>

/* ---- Pairs ----------------------------------------------------------------------------------- */

enum { NONE = -1 };

/* Two adjacent symbols. */
typedef struct pair {
    int64_t frequency;
    int32_t *at; /* [count] positions of the left symbol, some of them outdated */
    size_t count, capacity;
    bool changed; /* since the last update_heap */
} pair;

/* A pair, and its frequency when it was pushed. */
typedef struct heap_item {
    int64_t frequency;
    int32_t pair;
} heap_item;

/* The distinct words, concatenated, with a position for each character. A merge stores its symbol
 * at the left position and unlinks the right one. */
typedef struct learner {
    sa_bpe *bpe;
    int32_t *symbol, *before, *after; /* [positions] linked within each word; or NONE */
    int64_t *frequency;               /* [positions] frequency of the word */
    size_t positions;
    sa_strings keys; /* sa_bpe_pair of each pair */
    pair *pairs;     /* [keys.count] */
    size_t pair_capacity;
    int32_t *changed; /* pairs that are not up to date in the heap */
    size_t changed_count, changed_capacity;
    heap_item *heap; /* [heap_count] the first pair of the order at 0 */
    size_t heap_count, heap_capacity;
} learner;

static int compare(const sa_strings *symbols, int32_t one, int32_t other) {
    return sa_token_compare(sa_strings_get(symbols, one), sa_strings_get(symbols, other));
}

/* ---- The heap -------------------------------------------------------------------------------- */

/* Returns whether a comes before b: it is more frequent, or equally frequent and later in byte
 * order, which in UTF-8 is the order of code points. */
static bool comes_before(const learner *all, const heap_item *a, const heap_item *b) {
    if (a->frequency != b->frequency) return a->frequency > b->frequency;
    if (a->pair == b->pair) return false;
    const sa_bpe_pair one = sa_bpe_pair_of(&all->keys, (size_t)a->pair),
                      other = sa_bpe_pair_of(&all->keys, (size_t)b->pair);
    const int left = compare(&all->bpe->symbols, one.left, other.left);
    return left ? left > 0 : compare(&all->bpe->symbols, one.right, other.right) > 0;
}

static bool push(learner *all, heap_item item, sa_error *error) {
    if (!sa_append(&all->heap, &all->heap_count, &all->heap_capacity, &item, sizeof item, error))
        return false;
    size_t at = all->heap_count - 1;
    for (size_t up; at && comes_before(all, &item, &all->heap[up = (at - 1) / 2]); at = up)
        all->heap[at] = all->heap[up];
    all->heap[at] = item;
    return true;
}

static heap_item pop(learner *all) {
    const heap_item first = all->heap[0], last = all->heap[--all->heap_count];
    size_t at = 0;
    for (size_t down; (down = 2 * at + 1) < all->heap_count; at = down) {
        down +=
            down + 1 < all->heap_count && comes_before(all, &all->heap[down + 1], &all->heap[down]);
        if (!comes_before(all, &all->heap[down], &last)) break;
        all->heap[at] = all->heap[down];
    }
    all->heap[at] = last;
    return first;
}

/* ---- Counts ---------------------------------------------------------------------------------- */

static pair *pair_at(learner *all, int32_t position, int32_t *number, sa_error *error) {
    const sa_bpe_pair key = {all->symbol[position], all->symbol[all->after[position]]};
    const size_t known = all->keys.count;
    *number = sa_strings_add(&all->keys, (const char *)&key, sizeof key, error);
    if (*number < 0 ||
        !sa_reserve(&all->pairs, &all->pair_capacity, all->keys.count, sizeof *all->pairs, error))
        return NULL;
    if (all->keys.count > known) all->pairs[*number] = (pair){0};
    return &all->pairs[*number];
}

/* Counts the pair of the symbol at this position and the next symbol. */
static bool add_neighbors(learner *all, int32_t position, sa_error *error) {
    int32_t number;
    pair *added = pair_at(all, position, &number, error);
    if (!added ||
        !sa_append(&added->at, &added->count, &added->capacity, &position, sizeof position, error))
        return false;
    added->frequency += all->frequency[position];
    added->changed =
        added->changed || sa_append(&all->changed, &all->changed_count, &all->changed_capacity,
                                    &number, sizeof number, error);
    return added->changed;
}

/* Subtracts that pair from the counts. */
static bool remove_neighbors(learner *all, int32_t position, sa_error *error) {
    int32_t number;
    pair *removed = pair_at(all, position, &number, error);
    if (removed) removed->frequency -= all->frequency[position];
    return removed;
}

static bool update_heap(learner *all, sa_error *error) {
    for (size_t i = 0; i < all->changed_count; i++) {
        pair *changed = &all->pairs[all->changed[i]];
        changed->changed = false;
        if (!push(all, (heap_item){changed->frequency, all->changed[i]}, error)) return false;
    }
    all->changed_count = 0;
    return true;
}

/* ---- One merge ------------------------------------------------------------------------------- */

static int by_position(const void *a, const void *b) {
    const int32_t one = *(const int32_t *)a, other = *(const int32_t *)b;
    return (one > other) - (one < other);
}

/* Merges the symbol at a position with the next symbol. */
static bool merge_at(learner *all, int32_t position, int32_t made, sa_error *error) {
    const int32_t right = all->after[position];
    const int32_t before = all->before[position], after = all->after[right];
    if ((before != NONE && !remove_neighbors(all, before, error)) ||
        (after != NONE && !remove_neighbors(all, right, error)))
        return false;
    all->symbol[position] = made;
    all->symbol[right] = NONE;
    all->after[position] = after;
    if (after != NONE) all->before[after] = position;
    return (before == NONE || add_neighbors(all, before, error)) &&
           (after == NONE || add_neighbors(all, position, error));
}

/* Merges all occurrences of a pair, from left to right: in "x x x", the first two symbols. */
static bool merge(learner *all, int32_t number, sa_error *error) {
    const sa_bpe_pair both = sa_bpe_pair_of(&all->keys, (size_t)number);
    const pair merged = all->pairs[number];
    int32_t made;
    bool good = sa_bpe_push(all->bpe, both.left, both.right, &made, error);
    all->pairs[number] = (pair){0};
    if (merged.count) qsort(merged.at, merged.count, sizeof *merged.at, by_position);
    for (size_t i = 0; good && i < merged.count; i++) {
        const int32_t position = merged.at[i];
        if (all->symbol[position] != both.left || all->after[position] == NONE ||
            all->symbol[all->after[position]] != both.right)
            continue; /* outdated */
        good = merge_at(all, position, made, error);
    }
    free(merged.at);
    all->pairs[number].frequency = 0; /* overlapping occurrences are also gone */
    return good && update_heap(all, error);
}

/* ---- Learning -------------------------------------------------------------------------------- */

/* Appends the characters of a word. */
static bool add_word(learner *all, sa_token word, int64_t frequency, sa_error *error) {
    const size_t first = all->positions, end = sizeof SA_BPE_WORD_END - 1;
    for (size_t at = 0, length; at < word.size; at += length) {
        const size_t position = all->positions++;
        length = sa_utf8_character_size(word.text + at, word.size - at);
        const bool ends = at + length == word.size;
        char text[4 + sizeof SA_BPE_WORD_END];
        memcpy(text, word.text + at, length);
        memcpy(text + length, SA_BPE_WORD_END, end);
        all->symbol[position] =
            sa_strings_add(&all->bpe->symbols, text, ends ? length + end : length, error);
        if (all->symbol[position] < 0) return false;
        all->frequency[position] = frequency;
        all->before[position] = position > first ? (int32_t)position - 1 : NONE;
        all->after[position] = ends ? NONE : (int32_t)position + 1;
    }
    return true;
}

static bool add_words(learner *all, const sa_strings *words, sa_error *error) {
    size_t positions = 0;
    for (size_t at = 0; at < words->text.size; positions++)
        at += sa_utf8_character_size(words->text.text + at, SIZE_MAX);
    positions -= words->count; /* the LF after each word */
    if (positions > INT32_MAX)
        return sa_fail(error, SA_LIMIT,
                       "the distinct words have %zu characters; at most %d are possible", positions,
                       INT32_MAX);
    all->symbol = sa_new(positions, sizeof *all->symbol, error);
    all->before = sa_new(positions, sizeof *all->before, error);
    all->after = sa_new(positions, sizeof *all->after, error);
    all->frequency = sa_new(positions, sizeof *all->frequency, error);
    bool good = all->symbol && all->before && all->after && all->frequency;
    for (size_t i = 0; good && i < words->count; i++)
        good = add_word(all, sa_strings_get(words, (int32_t)i), words->entry[i].value, error);
    for (size_t position = 0; good && position < positions; position++)
        good = all->after[position] == NONE || add_neighbors(all, (int32_t)position, error);
    return good && update_heap(all, error);
}

static void learner_release(learner *all) {
    for (size_t i = 0; i < all->keys.count && i < all->pair_capacity; i++) free(all->pairs[i].at);
    free(all->symbol), free(all->before), free(all->after), free(all->frequency);
    free(all->pairs), free(all->changed), free(all->heap);
    sa_strings_release(&all->keys);
}

bool sa_bpe_learn(sa_bpe *bpe, const sa_strings *words, size_t merges, int64_t min_frequency,
                  sa_error *error) {
    learner all = {.bpe = bpe};
    *bpe = (sa_bpe){0};
    bool good = add_words(&all, words, error);
    while (good && bpe->pairs.count < merges && all.heap_count) {
        const heap_item first = pop(&all);
        const int64_t frequency = all.pairs[first.pair].frequency;
        if (frequency < min_frequency) continue;
        if (frequency == first.frequency)
            good = merge(&all, first.pair, error);
        else /* it has become rarer since it was pushed */
            good = push(&all, (heap_item){frequency, first.pair}, error);
    }
    learner_release(&all);
    if (!good) sa_bpe_release(bpe);
    return good;
}
