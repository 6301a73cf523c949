#include "data/bpe.h"

#include <stdlib.h>
#include <string.h>

/* ---- Places and pairs ------------------------------------------------------------------------ */

enum { NONE = -1 };

/* Two neighbouring symbols. */
typedef struct pair {
    int64_t frequency; /* how often they are neighbours */
    int32_t *at; /* [count] where the left one stood when they became neighbours, or still does */
    size_t count, capacity;
    bool changed; /* since the heap was last told */
} pair;

/* The different words, one behind the other, a place for each character. A merge puts its symbol at
 * the place of the left one, and the right one's place is taken out of the chain. */
typedef struct learner {
    sa_bpe *bpe;
    int32_t *symbol, *before, *after; /* [places] neighbours in the word, or NOWHERE */
    int64_t *frequency;               /* [places] how often the word occurs */
    size_t places;
    sa_strings keys; /* sa_bpe_pair of each pair */
    pair *pairs;     /* [keys.count] */
    size_t pair_capacity;
    int32_t *changed; /* pairs the heap must be told of */
    size_t changed_count, changed_capacity;
    sa_heap heap; /* rank: frequency when the pair was put in; what: the pair */
} learner;

static sa_bpe_pair symbols_of(const learner *all, int32_t number) {
    sa_bpe_pair both;
    memcpy(&both, sa_strings_get(&all->keys, number).text, sizeof both);
    return both;
}

static int compare(const sa_strings *symbols, int32_t one, int32_t other) {
    const sa_token a = sa_strings_get(symbols, one), b = sa_strings_get(symbols, other);
    const int order = memcmp(a.text, b.text, a.size < b.size ? a.size : b.size);
    return order ? order : (a.size > b.size) - (a.size < b.size);
}

/* The more frequent pair stands before; of equals the one that is later in byte order, which in
 * UTF-8 is the order of the characters. */
static bool more_frequent(const void *context, const sa_heap_item *a, const sa_heap_item *b) {
    const learner *all = context;
    if (a->rank != b->rank) return a->rank > b->rank;
    if (a->id == b->id) return false;
    const sa_bpe_pair one = symbols_of(all, a->id), other = symbols_of(all, b->id);
    const int left = compare(&all->bpe->symbols, one.left, other.left);
    return left ? left > 0 : compare(&all->bpe->symbols, one.right, other.right) > 0;
}

static pair *pair_at(learner *all, int32_t place, int32_t *number, sa_error *error) {
    const sa_bpe_pair key = {all->symbol[place], all->symbol[all->after[place]]};
    const size_t known = all->keys.count;
    *number = sa_strings_add(&all->keys, (const char *)&key, sizeof key, error);
    if (*number < 0 ||
        !sa_reserve(&all->pairs, &all->pair_capacity, all->keys.count, sizeof *all->pairs, error))
        return NULL;
    if (all->keys.count > known) all->pairs[*number] = (pair){0};
    return &all->pairs[*number];
}

/* The symbol at this place and the next one are neighbours from now on. */
static bool add_neighbors(learner *all, int32_t place, sa_error *error) {
    int32_t number;
    pair *added = pair_at(all, place, &number, error);
    if (!added ||
        !sa_reserve(&added->at, &added->capacity, added->count + 1, sizeof *added->at, error))
        return false;
    added->at[added->count++] = place;
    added->frequency += all->frequency[place];
    if (added->changed) return true;
    if (!sa_reserve(&all->changed, &all->changed_capacity, all->changed_count + 1,
                    sizeof *all->changed, error))
        return false;
    all->changed[all->changed_count++] = number;
    return added->changed = true;
}

/* ... and no longer are. */
static bool remove_neighbors(learner *all, int32_t place, sa_error *error) {
    int32_t number;
    pair *removed = pair_at(all, place, &number, error);
    if (removed) removed->frequency -= all->frequency[place];
    return removed;
}

static bool update_heap(learner *all, sa_error *error) {
    for (size_t i = 0; i < all->changed_count; i++) {
        pair *changed = &all->pairs[all->changed[i]];
        changed->changed = false;
        if (!sa_heap_push(&all->heap, (sa_heap_item){changed->frequency, all->changed[i]}, error))
            return false;
    }
    all->changed_count = 0;
    return true;
}

/* ---- One merge ------------------------------------------------------------------------------- */

static int by_place(const void *a, const void *b) {
    const int32_t one = *(const int32_t *)a, other = *(const int32_t *)b;
    return (one > other) - (one < other);
}

/* Merges the symbol at a place with the next one. */
static bool merge_at(learner *all, int32_t place, int32_t made, sa_error *error) {
    const int32_t right = all->after[place];
    const int32_t before = all->before[place], after = all->after[right];
    if ((before != NONE && !remove_neighbors(all, before, error)) ||
        (after != NONE && !remove_neighbors(all, right, error)))
        return false;
    all->symbol[place] = made;
    all->symbol[right] = NONE;
    all->after[place] = after;
    if (after != NONE) all->before[after] = place;
    return (before == NONE || add_neighbors(all, before, error)) &&
           (after == NONE || add_neighbors(all, place, error));
}

/* Merges a pair everywhere, in each word from its front, so that of "x x x" the first two meet. */
static bool merge(learner *all, int32_t number, sa_error *error) {
    const sa_bpe_pair both = symbols_of(all, number);
    const pair merged = all->pairs[number];
    int32_t made;
    bool good = sa_bpe_push(all->bpe, both.left, both.right, &made, error);
    all->pairs[number] = (pair){0};
    if (merged.count) qsort(merged.at, merged.count, sizeof *merged.at, by_place);
    for (size_t i = 0; good && i < merged.count; i++) {
        const int32_t place = merged.at[i];
        if (all->symbol[place] != both.left || all->after[place] == NONE ||
            all->symbol[all->after[place]] != both.right)
            continue; /* another merge took one of them */
        good = merge_at(all, place, made, error);
    }
    free(merged.at);
    all->pairs[number].frequency = 0; /* those that overlap are gone, too */
    return good && update_heap(all, error);
}

/* ---- All of them ----------------------------------------------------------------------------- */

static size_t count_characters(sa_token word) {
    size_t count = 0;
    for (size_t at = 0; at < word.size; count++)
        at += sa_bpe_character_size(word.text + at, word.size - at);
    return count;
}

/* Lays a word out in places of its own. */
static bool add_word(learner *all, sa_token word, int64_t frequency, sa_error *error) {
    const size_t first = all->places;
    char last[4 + sizeof SA_BPE_WORD_END];
    for (size_t at = 0, length; at < word.size; at += length) {
        const size_t place = all->places++;
        length = sa_bpe_character_size(word.text + at, word.size - at);
        const bool ends = at + length == word.size;
        if (ends) {
            memcpy(last, word.text + at, length);
            memcpy(last + length, SA_BPE_WORD_END, sizeof SA_BPE_WORD_END - 1);
        }
        all->symbol[place] =
            ends ? sa_strings_add(&all->bpe->symbols, last, length + sizeof SA_BPE_WORD_END - 1,
                                  error)
                 : sa_strings_add(&all->bpe->symbols, word.text + at, length, error);
        if (all->symbol[place] < 0) return false;
        all->frequency[place] = frequency;
        all->before[place] = place > first ? (int32_t)place - 1 : NONE;
        all->after[place] = ends ? NONE : (int32_t)place + 1;
    }
    return true;
}

static bool add_words(learner *all, const sa_word_counts *counts, sa_error *error) {
    size_t places = 0;
    for (size_t i = 0; i < counts->words.count; i++)
        places += count_characters(sa_strings_get(&counts->words, (int32_t)i));
    if (places > INT32_MAX)
        return sa_fail(error, SA_LIMIT, "the different words have %zu characters; %d are possible",
                       places, INT32_MAX);
    all->symbol = sa_new(places, sizeof *all->symbol, error);
    all->before = sa_new(places, sizeof *all->before, error);
    all->after = sa_new(places, sizeof *all->after, error);
    all->frequency = sa_new(places, sizeof *all->frequency, error);
    bool good = all->symbol && all->before && all->after && all->frequency;
    for (size_t i = 0; good && i < counts->words.count; i++)
        good =
            add_word(all, sa_strings_get(&counts->words, (int32_t)i), counts->frequency[i], error);
    for (size_t place = 0; good && place < places; place++)
        good = all->after[place] == NONE || add_neighbors(all, (int32_t)place, error);
    return good && update_heap(all, error);
}

static void learner_release(learner *all) {
    for (size_t i = 0; i < all->keys.count && i < all->pair_capacity; i++) free(all->pairs[i].at);
    free(all->symbol), free(all->before), free(all->after), free(all->frequency);
    free(all->pairs), free(all->changed);
    sa_strings_release(&all->keys);
    sa_heap_release(&all->heap);
}

bool sa_bpe_learn(sa_bpe *bpe, const sa_word_counts *counts, size_t merges, int64_t least,
                  sa_error *error) {
    learner all = {.bpe = bpe, .heap = {.before = more_frequent}};
    all.heap.context = &all;
    *bpe = (sa_bpe){0};
    bool good = add_words(&all, counts, error);
    while (good && bpe->count < merges && all.heap.count) {
        const sa_heap_item first = sa_heap_pop(&all.heap);
        const int64_t frequency = all.pairs[first.id].frequency;
        if (frequency < least) continue;
        if (frequency == first.rank)
            good = merge(&all, first.id, error);
        else /* it has become rarer; what was pushed when it became more frequent came before */
            good = sa_heap_push(&all.heap, (sa_heap_item){frequency, first.id}, error);
    }
    learner_release(&all);
    if (!good) sa_bpe_release(bpe);
    return good;
}
